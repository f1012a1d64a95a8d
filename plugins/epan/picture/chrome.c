/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A timeline as Chrome's trace events (JSON), which Perfetto, Speedscope and the Firefox profiler read. Each event is
 * written at once; only a number per lane is kept. Times are in microseconds with three decimals. */
#include "picture/picture.h"

#include "containers/hash.h"
#include "util/json_text.h"

typedef struct chrome {
    GHashTable *lanes;     /* key -> lane_number */
    GHashTable *processes; /* name -> its number, int64_t */
    GHashTable
        *taken; /* numbers in use: "process", "process/thread" -> where the search for a free one continues, int64_t */
    bool begun;
} chrome;

typedef struct lane_number {
    uint64_t key; /* first, so that it is the key */
    int64_t process, thread;
} lane_number;

#define LANES_MAX 100000u /* any further ones have no names and count as one */

static void *chrome_start(const picture *p _U_)
{
    chrome *c = g_new0(chrome, 1);
    c->lanes = g_hash_table_new_full(hash_number, g_int64_equal, NULL, g_free);
    c->processes = g_hash_table_new_full(hash_text, g_str_equal, g_free, g_free);
    c->taken = g_hash_table_new_full(hash_text, g_str_equal, g_free, g_free);
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

/* --- one event per line ------------------------------------------------------------------------------------------------ */

static void begin_event(picture *p, const char *phase, int64_t process, int64_t thread)
{
    chrome *c = p->data;
    g_string_append(p->text, c->begun ? ",\n" : "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    c->begun = true;
    g_string_append_printf(p->text, "{\"ph\":\"%s\",\"pid\":%" PRId64 ",\"tid\":%" PRId64, phase, process, thread);
}

static void append_text(GString *text, const char *name, const char *value)
{
    g_string_append_printf(text, ",\"%s\":", name);
    json_text_append(text, value);
}

static void append_time(GString *text, const char *name, int64_t ns)
{
    uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    g_string_append_printf(text, ",\"%s\":%s%" PRIu64 ".%03u", name, ns < 0 ? "-" : "", size / 1000,
                           (unsigned)(size % 1000));
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
    if (m->count)
        g_string_append_c(text, '}');
}

/* Writes the name of a process or thread. */
static void write_name(picture *p, const char *what, const lane_number *n, const char *name)
{
    begin_event(p, "M", n->process, n->thread);
    append_text(p->text, "name", what);
    g_string_append(p->text, ",\"args\":{\"name\":");
    json_text_append(p->text, name);
    g_string_append(p->text, "}}");
}

/* --- lanes ------------------------------------------------------------------------------------------------------------- */

static int64_t *next_of(GHashTable *taken, const char *within, int64_t number)
{
    char name[48];
    snprintf(name, sizeof name, "%s%" PRId64, within, number);
    return g_hash_table_lookup(taken, name);
}

/* The number itself, or the next one that is free: two processes may have the same number, for example on two machines. Numbers
 * that were searched once are skipped the next time, or many equal ones would take quadratic time. */
static int64_t free_number(GHashTable *taken, const char *within, int64_t number)
{
    int64_t found = number, *next;
    while ((next = next_of(taken, within, found)))
        found = *next;
    const int64_t behind = (int64_t)((uint64_t)found + 1);
    while ((next = next_of(taken, within, number))) {
        number = *next;
        *next = behind;
    }
    g_hash_table_insert(taken, g_strdup_printf("%s%" PRId64, within, found), g_memdup2(&behind, sizeof behind));
    return found;
}

static int64_t process_number(chrome *c, const picture_lane *lane, bool *is_new)
{
    int64_t *number = g_hash_table_lookup(c->processes, lane->within);
    *is_new = !number;
    if (!number) {
        number = g_new(int64_t, 1);
        *number = free_number(c->taken, "", lane->process);
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
    lane_number *n = g_new0(lane_number, 1);
    bool is_new;
    n->key = lane->key;
    n->process = process_number(c, lane, &is_new);
    char *within = g_strdup_printf("%" PRId64 "/", n->process);
    n->thread = free_number(c->taken, within, lane->thread);
    g_free(within);
    g_hash_table_insert(c->lanes, &n->key, n);
    if (is_new)
        write_name(p, "process_name", n, lane->within);
    write_name(p, "thread_name", n, lane->name);
}

static void chrome_show(void *out, const moment *m)
{
    static const char *const phases[] = {
        [MOMENT_SPAN] = "X", [MOMENT_INSTANT] = "i", [MOMENT_COUNTER] = "C", [MOMENT_BEGIN] = "b", [MOMENT_END] = "e"};
    picture *p = out;
    const chrome *c = p->data;
    const lane_number *n = g_hash_table_lookup(c->lanes, &m->lane);
    begin_event(p, phases[m->kind], n ? n->process : 0, n ? n->thread : 0);
    append_time(p->text, "ts", m->at);
    if (m->kind == MOMENT_SPAN)
        append_time(p->text, "dur", (int64_t)MIN(m->ns, INT64_MAX));
    if (m->kind == MOMENT_INSTANT)
        g_string_append(p->text, ",\"s\":\"t\"");
    if (m->kind == MOMENT_BEGIN || m->kind == MOMENT_END)
        g_string_append_printf(p->text, ",\"id\":\"0x%" PRIx64 "\"", m->id);
    append_text(p->text, "name", m->name);
    append_text(p->text, "cat", m->category);
    if (p->records || m->kind != MOMENT_SPAN) /* Speedscope adds up spans with the same name only if they have no values */
        append_values(p->text, m);
    g_string_append_c(p->text, '}');
}

static void chrome_record(picture *p, packet_info *pinfo, const void *tapped)
{
    const timeline t = {chrome_knows, chrome_name, chrome_show, p};
    p->source->show(p->state, pinfo, tapped, &t);
}

static void chrome_finish(picture *p)
{
    const chrome *c = p->data;
    g_string_append(p->text, c->begun ? "\n]}\n" : "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[]}\n");
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
