/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A timeline as Chrome's trace events (JSON), which Perfetto, Speedscope and the Firefox Profiler read. Each event is
 * written at once; of a lane only its numbers and its latest span are kept.
 *
 * Times are in microseconds. Readers hold them as doubles and add `ts` and `dur`, so decimals would not do: their sum may be
 * later than the end of the caller, and then the call is left open or dropped. All times are therefore multiples of 2^-15 us
 * (0.03 ns), whose sums and differences are exact in doubles for 76 hours, later of the next power of two that is, for 25
 * days; a reader that rounds to nanoseconds gets the right ones. A span ends one such unit early, as Speedscope would nest a
 * span in one of the same name that ends when it begins. */
#include "picture/picture.h"

#include "containers/hash.h"
#include "host/hidden_records.h"
#include "util/json_text.h"

typedef struct chrome {
    GHashTable *lanes;     /* key -> lane_state */
    GHashTable *processes; /* name -> its number, int64_t */
    GHashTable *taken;     /* numbers in use: "process", "process/thread" -> further rows of it */
    int64_t invented;      /* the latest number that is not of the system */
    bool begun;
} chrome;

/* Spans with the same begin and end, the innermost last, so that readers nest them in this order; they arrive in the
 * other one. */
typedef struct held_spans {
    GString *text;
    int64_t begin, end;
} held_spans;

typedef struct lane_state {
    uint64_t key; /* first, so that it is the key */
    int64_t process, thread;
    uint64_t of_thread; /* of which it is a row */
    unsigned row;
    held_spans spans, instants; /* a span that takes no time may end between two with the same end */
} lane_state;

#define LANES_MAX 100000u /* any further ones have no names and count as one */

/* Numbers that no process or thread of a system has; Perfetto takes 32 bits. */
#define INVENTED_FROM INT64_C(2000000000)
#define ROWS_FROM INT64_C(1000000000)
#define ROWS_MAX 100
#define THREADS_MAX (1 << 22) /* PID_MAX_LIMIT of Linux */

static void lane_free(void *lane)
{
    lane_state *n = lane;
    g_string_free(n->spans.text, TRUE);
    g_string_free(n->instants.text, TRUE);
    g_free(n);
}

static void *chrome_start(const picture *p _U_)
{
    chrome *c = g_new0(chrome, 1);
    c->lanes = g_hash_table_new_full(hash_number, g_int64_equal, NULL, lane_free);
    c->processes = g_hash_table_new_full(hash_text, g_str_equal, g_free, g_free);
    c->taken = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
    c->invented = INVENTED_FROM;
    return c;
}

static void chrome_free(void *data)
{
    chrome *c = data;
    g_hash_table_destroy(c->taken);
    g_hash_table_destroy(c->processes);
    g_hash_table_destroy(c->lanes);
    g_free(c);
}

/* --- times --------------------------------------------------------------------------------------------------------- */

#define UNIT_BITS 15
#define UNIT_DECIMAL UINT64_C(30517578125) /* 2^-15, times 10^15 */

/* A time: whole microseconds, rounded down, and units of 2^-15. */
typedef struct unit_time {
    int64_t us;
    uint32_t units;
} unit_time;

/* How many units are one at this time, so that it has 53 bits. */
static uint32_t unit_at(int64_t us)
{
    uint32_t unit = 1;
    for (uint64_t size = us < 0 ? -(uint64_t)us : (uint64_t)us; size >> (53 - UNIT_BITS) && unit < 1u << UNIT_BITS;
         size >>= 1)
        unit <<= 1;
    return unit;
}

static unit_time units_of(int64_t ns)
{
    const bool down = ns % 1000 < 0;
    const int64_t rest = ns % 1000 + (down ? 1000 : 0), us = ns / 1000 - down;
    const uint32_t units = (uint32_t)((((uint64_t)rest << UNIT_BITS) + 500) / 1000);
    return (unit_time){us, units & -unit_at(us)};
}

/* Returns the time from one time to one unit before a later one. */
static unit_time units_between(unit_time from, unit_time to)
{
    const int64_t units = (int64_t)to.units - from.units - unit_at(to.us), us = to.us - from.us - (units < 0);
    if (us < 0) /* a unit is longer than the span */
        return (unit_time){0};
    return (unit_time){us, (uint32_t)units & ((1u << UNIT_BITS) - 1)};
}

static void chrome_append_time(GString *text, const char *name, unit_time t)
{
    const bool negative = t.us < 0;
    uint64_t us = negative ? -(uint64_t)t.us : (uint64_t)t.us;
    if (negative && t.units) {
        us--;
        t.units = (1u << UNIT_BITS) - t.units;
    }
    g_string_append_printf(text, ",\"%s\":%s%" PRIu64, name, negative ? "-" : "", us);
    if (!t.units)
        return;
    g_string_append_printf(text, ".%015" PRIu64, t.units * UNIT_DECIMAL);
    while (text->str[text->len - 1] == '0')
        g_string_truncate(text, text->len - 1);
}

/* --- one event per line ------------------------------------------------------------------------------------------------ */

/* To be called before each event that is written. */
static void separate(picture *p)
{
    chrome *c = p->data;
    g_string_append(p->text, c->begun ? ",\n" : "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    c->begun = true;
}

static void begin_event(GString *text, const char *phase, int64_t process, int64_t thread)
{
    g_string_append_printf(text, "{\"ph\":\"%s\",\"pid\":%" PRId64 ",\"tid\":%" PRId64, phase, process, thread);
}

static void chrome_append_text(GString *text, const char *name, const char *value)
{
    g_string_append_printf(text, ",\"%s\":", name);
    json_text_append(text, value);
}

/* The values as the one text that the Firefox Profiler shows; without full names of functions, which are long. */
static void append_detail(GString *text, const moment *m)
{
    g_autoptr(GString) detail = g_string_new(NULL);
    for (unsigned i = 0; i < m->count; i++) {
        const moment_value *v = &m->values[i];
        if (strcmp(v->name, "function") == 0)
            continue;
        g_string_append_printf(detail, "%s%s ", detail->len ? ", " : "", v->name);
        if (v->text)
            g_string_append(detail, v->text);
        else
            g_string_append_printf(detail, "%" PRId64, v->number);
    }
    chrome_append_text(text, "detail", detail->str);
}

static void append_values(GString *text, const moment *m)
{
    for (unsigned i = 0; i < m->count; i++) {
        g_string_append(text, i ? "," : ",\"args\":{");
        json_text_append(text, m->values[i].name);
        g_string_append_c(text, ':');
        if (m->values[i].text)
            json_text_append(text, m->values[i].text);
        else
            g_string_append_printf(text, "%" PRId64, m->values[i].number);
    }
    if (m->count && m->kind != MOMENT_COUNTER) /* each value of one is a curve */
        append_detail(text, m);
    if (m->count)
        g_string_append_c(text, '}');
}

/* Writes something about a process or thread; NULL `text`: a number. */
static void write_metadata(picture *p, const char *what, const lane_state *n, const char *text, int64_t number)
{
    separate(p);
    begin_event(p->text, "M", n->process, n->thread);
    chrome_append_text(p->text, "name", what);
    g_string_append(p->text, ",\"args\":{");
    if (text)
        g_string_append(p->text, "\"name\":"), json_text_append(p->text, text);
    else
        g_string_append_printf(p->text, "\"sort_index\":%" PRId64, number);
    g_string_append(p->text, "}}");
}

/* --- lanes ------------------------------------------------------------------------------------------------------------- */

/* The number itself if no other has it, as two processes on two machines may; otherwise one that no system has. */
static int64_t free_number(chrome *c, const char *within, int64_t number)
{
    g_autofree char *name = g_strdup_printf("%s%" PRId64, within, number);
    if (number < 0 || number >= INVENTED_FROM || g_hash_table_contains(c->taken, name))
        return ++c->invented;
    g_hash_table_insert(c->taken, g_steal_pointer(&name), NULL);
    return number;
}

/* A further row of a thread gets a number that no thread has, but which is next to those of its other rows. */
static int64_t row_number(chrome *c, const char *within, const picture_lane *lane)
{
    char *name = g_strdup_printf("%s%" PRId64 " rows", within, lane->thread);
    const unsigned row = GPOINTER_TO_UINT(g_hash_table_lookup(c->taken, name)) + 1;
    g_hash_table_replace(c->taken, name, GUINT_TO_POINTER(row));
    return row < ROWS_MAX ? ROWS_FROM + lane->thread * ROWS_MAX + row : -1;
}

static int64_t process_number(chrome *c, const picture_lane *lane, bool *is_new)
{
    int64_t *number = g_hash_table_lookup(c->processes, lane->within);
    *is_new = !number;
    if (!number) {
        number = g_new(int64_t, 1);
        *number = free_number(c, "", lane->process);
        g_hash_table_insert(c->processes, g_strdup(lane->within), number);
    }
    return *number;
}

static bool chrome_knows(void *out, uint64_t lane)
{
    const chrome *c = ((picture *)out)->data;
    return g_hash_table_contains(c->lanes, &lane) || g_hash_table_size(c->lanes) >= LANES_MAX;
}

static void chrome_name(void *out, const picture_lane *lane)
{
    picture *p = out;
    chrome *c = p->data;
    lane_state *n = g_new0(lane_state, 1);
    bool is_new;
    n->key = lane->key;
    n->spans.text = g_string_new(NULL);
    n->instants.text = g_string_new(NULL);
    n->process = process_number(c, lane, &is_new);
    n->of_thread = (uint64_t)lane->thread;
    n->row = lane->row;
    char *within = g_strdup_printf("%" PRId64 "/", n->process);
    const bool usual = lane->thread >= 0 && lane->thread < THREADS_MAX;
    n->thread = free_number(c, within, !lane->row ? lane->thread : usual ? row_number(c, within, lane) : -1);
    g_free(within);
    g_hash_table_insert(c->lanes, &n->key, n);
    if (is_new)
        write_metadata(p, "process_name", n, lane->program ? lane->program : lane->within, 0);
    write_metadata(p, "thread_name", n, lane->name, 0);
}

/* The Firefox Profiler takes events with these names for those of Chrome, and then opens nothing or leaves them out. */
static bool is_reserved(const char *name)
{
    static const char *const names[] = {
        "Profile",     "ProfileChunk",       "CpuProfile",        "Screenshot", "process_name",
        "thread_name", "process_sort_index", "thread_sort_index", NULL};
    return g_strv_contains(names, name);
}

static void append_moment(const picture *p, GString *text, const moment *m, const char *phase, const lane_state *n)
{
    const unit_time at = units_of(m->at);
    begin_event(text, phase, n ? n->process : 0, n ? n->thread : 0);
    chrome_append_time(text, "ts", at);
    if (*phase == 'X')
        chrome_append_time(text, "dur", units_between(at, units_of(m->at + (int64_t)m->ns)));
    if (*phase == 'i')
        g_string_append(text, ",\"s\":\"t\"");
    if (m->kind == MOMENT_BEGIN || m->kind == MOMENT_END)
        g_string_append_printf(text, ",\"id\":\"0x%" PRIx64 "\"", m->id);
    g_autofree char *other = is_reserved(m->name) ? g_strconcat(m->name, "()", NULL) : NULL;
    chrome_append_text(text, "name", other ? other : m->name);
    chrome_append_text(text, "cat", m->category);
    if (p->records || !strchr("XB", *phase)) /* Speedscope adds up spans with the same name only if they have no values */
        append_values(text, m);
    g_string_append_c(text, '}');
}

static void write_held(picture *p, held_spans *held)
{
    if (!held->text->len)
        return;
    separate(p);
    g_string_append_len(p->text, held->text->str, (gssize)held->text->len);
    g_string_truncate(held->text, 0);
}

/* A span of less than a nanosecond is an instant: it has no width, and Speedscope would take its end for one that comes
 * first. */
static void hold_span(picture *p, lane_state *n, const moment *m)
{
    held_spans *held = m->ns ? &n->spans : &n->instants;
    const int64_t end = m->at + (int64_t)m->ns;
    if (held->begin != m->at || held->end != end)
        write_held(p, held);
    held->begin = m->at;
    held->end = end;
    g_autoptr(GString) text = g_string_new(NULL);
    append_moment(p, text, m, m->ns ? "X" : "i", n);
    if (held->text->len)
        g_string_append(text, ",\n");
    g_string_prepend_len(held->text, text->str, (gssize)text->len);
}

/* Of the instant at the same time, which was written just before. */
static void write_arrow(picture *p, const moment *m, const lane_state *n)
{
    separate(p);
    begin_event(p->text, m->arrow == ARROW_FROM ? "s" : "f", n ? n->process : 0, n ? n->thread : 0);
    chrome_append_time(p->text, "ts", units_of(m->at));
    g_string_append_printf(p->text, ",\"id\":\"0x%" PRIx64 "\",\"name\":\"arrow\",\"cat\":\"arrow\"%s}", m->id,
                           m->arrow == ARROW_TO ? ",\"bp\":\"e\"" : "");
}

static void chrome_show(void *out, const moment *m)
{
    static const char *const phases[] = {[MOMENT_SPAN] = "X",  [MOMENT_INSTANT] = "i", [MOMENT_COUNTER] = "C",
                                         [MOMENT_BEGIN] = "b", [MOMENT_END] = "e",     [MOMENT_OPEN] = "B"};
    picture *p = out;
    lane_state *n = g_hash_table_lookup(((chrome *)p->data)->lanes, &m->lane);
    moment shown = *m;
    if (shown.ns > (uint64_t)INT64_MAX - (uint64_t)MAX(shown.at, 0))
        shown.ns = (uint64_t)INT64_MAX - (uint64_t)MAX(shown.at, 0);
    if (m->kind == MOMENT_SPAN && n) {
        hold_span(p, n, &shown);
        return;
    }
    separate(p);
    append_moment(p, p->text, &shown, m->kind == MOMENT_SPAN && !shown.ns ? "i" : phases[m->kind], n);
    if (m->arrow)
        write_arrow(p, &shown, n);
}

static void chrome_record(picture *p, const record_seen *seen, const void *tapped)
{
    const timeline t = {chrome_knows, chrome_name, chrome_show, p, p->records};
    p->source->show(p->state, seen, tapped, &t);
}

/* For whoever puts timelines together: when their time 0 was, in whole seconds, as a double does not hold it in ns. */
static void write_about(const picture *p)
{
    const char *program = p->source->program ? p->source->program() : NULL;
    g_string_append(p->text, "],\"metadata\":{\"format\":");
    json_text_append(p->text, p->source->spans->tap);
    if (!p->source->clockless)
        g_string_append_printf(p->text, ",\"start\":{\"seconds\":%" PRId64 ",\"nanoseconds\":%d}", (int64_t)p->start.secs,
                               p->start.nsecs);
    if (program)
        chrome_append_text(p->text, "program", program);
    g_string_append(p->text, "}}\n");
}

/* A filter is for the record that ends something, so nothing that is open passes it. What is open in a part may end later.
 */
static void show_open(picture *p)
{
    const timeline t = {chrome_knows, chrome_name, chrome_show, p, p->records};
    if (p->source->open && !p->filtered && !hidden_part_text())
        p->source->open(p->state, &t);
}

#define ORDER_OF(member) (a->member > b->member) - (a->member < b->member)

static gint compare_lanes(gconstpointer x, gconstpointer y)
{
    const lane_state *a = x, *b = y;
    const int by[] = {ORDER_OF(process), ORDER_OF(of_thread), ORDER_OF(row), ORDER_OF(key)};
    unsigned i = 0;
    while (i < G_N_ELEMENTS(by) - 1 && !by[i])
        i++;
    return by[i];
}

/* Positions have 32 bits in Perfetto, too few for a thread and its row, so they are counted when all are known. */
static void chrome_finish(picture *p)
{
    const chrome *c = p->data;
    show_open(p);
    g_autoptr(GList) lanes = g_list_sort(g_hash_table_get_values(c->lanes), compare_lanes);
    int64_t position = 0, process = 0, last = -1;
    for (const GList *l = lanes; l; last = ((lane_state *)l->data)->process, l = l->next) {
        write_held(p, &((lane_state *)l->data)->spans);
        write_held(p, &((lane_state *)l->data)->instants);
        if (((lane_state *)l->data)->process != last)
            write_metadata(p, "process_sort_index", l->data, NULL, ++process);
        write_metadata(p, "thread_sort_index", l->data, NULL, ++position);
        picture_flush(p);
    }
    g_string_append(p->text, c->begun ? "\n" : "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    write_about(p);
}

const picture_output picture_chrome = {
    .word = "chrome",
    .title = "Timeline",
    .suffix = ".json",
    .ask = {"Record number in each bar (yes or no):", "no", "records"},
    .start = chrome_start,
    .record = chrome_record,
    .finish = chrome_finish,
    .free = chrome_free,
};
