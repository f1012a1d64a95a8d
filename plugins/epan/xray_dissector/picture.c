/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pictures of an XRay log: calls of each thread with their arguments, events, and changes of CPU. */
#include "picture/picture.h"
#include "xray_dissector/calls.h"
#include "xray_dissector/file.h"
#include "xray_dissector/names.h"
#include "xray_dissector/profile.h"
#include "xray_dissector/spans.h"
#include "xray_dissector/statistics.h"

#include "host/record_numbers.h"
#include "containers/hash.h"
#include "util/text.h"

/* Times are computed from the counter, so that a call never ends after its caller: rounded durations might. In a file of
 * merged logs each log has its own clock. */
typedef struct clock_origin {
    uint64_t frequency, base_tsc;
    int64_t base_seconds;
    int64_t base_nanoseconds;
} clock_origin;

/* clock_origin -> uint64_t: what the counter in ns is at the first record of the file. */
typedef GHashTable xray_times;

typedef struct xray_picture_state {
    xray_times *times;
    GHashTable *arguments; /* entry, uint64_t -> text, as long as its call is open */
    uint64_t now;          /* of the latest record: xray_session_now() */
    int64_t at;
    const timeline *out; /* while open calls are shown */
} xray_picture_state;

static guint hash_clock(gconstpointer c)
{
    return hash_bytes(c, sizeof(clock_origin));
}

static gboolean xray_picture_same_clock(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(clock_origin)) == 0;
}

static void *xray_picture_start(void)
{
    xray_picture_state *p = g_new0(xray_picture_state, 1);
    p->times = g_hash_table_new_full(hash_clock, xray_picture_same_clock, g_free, g_free);
    p->arguments = g_hash_table_new_full(hash_number, g_int64_equal, g_free, g_free);
    return p;
}

static void xray_picture_free(void *state)
{
    xray_picture_state *p = state;
    g_hash_table_destroy(p->times);
    g_hash_table_destroy(p->arguments);
    g_free(p);
}

static int64_t xray_picture_time_at(xray_times *times, const record_seen *seen, const xray_context *x, uint64_t tsc)
{
    const clock_origin key = {x->frequency, x->base_tsc, x->base_seconds, x->base_nanoseconds};
    uint64_t *origin = g_hash_table_lookup(times, &key);
    if (!origin) {
        origin = g_new(uint64_t, 1);
        *origin = (uint64_t)xray_nanoseconds_since(x->base_tsc, x->time_tsc, x->frequency) - (uint64_t)record_time(seen);
        g_hash_table_insert(times, g_memdup2(&key, sizeof key), origin);
    }
    return (int64_t)((uint64_t)xray_nanoseconds_since(x->base_tsc, tsc, x->frequency) - *origin);
}

static uint64_t xray_picture_lane_of(const xray_tapped *r, const timeline *t)
{
    const xray_context *x = xray_context_of(r->context);
    if (!t->knows(t->out, r->stack)) {
        const bool known = x->known & XRAY_KNOWN_PROCESS;
        g_autofree char *process = known ? g_strdup_printf("Process %u", x->process) : g_strdup("Process"),
                        *thread = g_strdup_printf("Thread %u", x->thread);
        const picture_lane lane = {.key = r->stack,
                                   .process = known ? (int64_t)x->process : PICTURE_NO_PROCESS,
                                   .thread = x->thread,
                                   .within = process,
                                   .program = xray_file.program,
                                   .name = thread};
        t->name(t->out, &lane);
    }
    return r->stack;
}

static void xray_picture_add_number(moment *m, const char *name, uint64_t number)
{
    m->values[m->count++] = (moment_value){.name = name, .number = (int64_t)number};
}

static void xray_picture_add_text(moment *m, const char *name, const char *text)
{
    if (text)
        m->values[m->count++] = (moment_value){.name = name, .text = text};
}

/* What there is to say of any call. *owned: its name, to be freed. */
static void add_function(const xray_picture_state *p, const timeline *t, moment *m, uint32_t function, uint32_t entry,
                         char **owned)
{
    xray_number number;
    const char *name = xray_names_of(function);
    const uint64_t key = entry;
    *owned = g_strdup(xray_name_words(xray_names_label(function), function, number).text);
    m->name = *owned;
    if (name && strcmp(name, m->name) != 0)
        xray_picture_add_text(m, "function", name);
    if (t->values) {
        xray_picture_add_text(m, "source", xray_names_source(function).text);
        xray_picture_add_text(m, "arguments", g_hash_table_lookup(p->arguments, &key));
    }
    if (record_frame(entry))
        xray_picture_add_number(m, "entry", record_frame(entry));
}

static void show_call(xray_picture_state *p, const record_seen *seen, const xray_tapped *r, const span *ended,
                      const timeline *t)
{
    const xray_context *x = xray_context_of(r->context);
    const call *k = &ended->call;
    bool timed = k->state & CALL_TIMED;
    moment m = {.kind = timed ? MOMENT_SPAN : MOMENT_INSTANT, .lane = xray_picture_lane_of(r, t), .category = "call"};
    const uint64_t end = k->state & CALL_CLOSED ? k->until : x->tsc;
    m.at = xray_picture_time_at(p->times, seen, x, timed ? end - k->duration : end);
    m.ns = timed ? (uint64_t)xray_picture_time_at(p->times, seen, x, end) - (uint64_t)m.at : 0;
    g_autofree char *name = NULL;
    add_function(p, t, &m, ended->function, k->begin, &name);
    const uint64_t entry = k->begin;
    if (!timed)
        m.values[m.count++] = (moment_value){.name = "fault", .text = k->begin ? "the duration is not known" : "no entry"};
    else if (k->state & CALL_CLOSED)
        m.category = k->state & CALL_UNATTRIBUTED ? "call,unwound,unsure" : "call,unwound"; /* it has no exit */
    if (!(k->state & CALL_CLOSED))
        xray_picture_add_number(&m, "exit", seen->frame);
    else if (record_frame(k->last))
        xray_picture_add_number(&m, "last record", record_frame(k->last));
    t->show(t->out, &m);
    g_hash_table_remove(p->arguments, &entry);
}

static void xray_picture_show_open(void *state, const void *tapped, const span *s)
{
    const xray_picture_state *p = state;
    moment m = {.kind = MOMENT_OPEN, .category = "call", .lane = xray_picture_lane_of(tapped, p->out)};
    if (!(s->call.state & CALL_TIMED))
        return;
    m.at = p->at - (int64_t)s->call.until;
    g_autofree char *name = NULL;
    add_function(p, p->out, &m, s->function, s->call.begin, &name);
    p->out->show(p->out->out, &m);
}

static void xray_picture_open(void *state, const timeline *t)
{
    xray_picture_state *p = state;
    p->out = t;
    xray_calls_each_open(NULL, p->now, xray_picture_show_open, p);
}

/* The arguments of a call so far. */
static void keep_argument(xray_picture_state *p, const xray_tapped *r, const char *value)
{
    const uint64_t entry = r->call.begin;
    const char *before = g_hash_table_lookup(p->arguments, &entry);
    if (r->has_call && entry)
        g_hash_table_replace(p->arguments, g_memdup2(&entry, sizeof entry),
                             g_strconcat(before ? before : "", before ? ", " : "", value, NULL));
}

/* The payload of a custom event if it is text. */
static const char *event_text(const record_seen *seen, const xray_tapped *r)
{
    size_t size = (size_t)MIN(r->value[XRAY_FIELD_EVENT_SIZE], (uint64_t)TEXT_MAX + 1);
    if (size == 0 || size > TEXT_MAX || r->bytes.length < size)
        return NULL;
    const char *text = (const char *)r->bytes.data + r->bytes.length - size;
    return g_utf8_validate(text, (gssize)size, NULL) && text_is_safe(text, size) ? wmem_strndup(seen->pool, text, size)
                                                                                 : NULL;
}

static void show_instant(xray_picture_state *p, const record_seen *seen, const xray_tapped *r, const timeline *t)
{
    const xray_context *x = xray_context_of(r->context);
    moment m = {.kind = MOMENT_INSTANT, .lane = xray_picture_lane_of(r, t), .category = "event"};
    m.at = xray_picture_time_at(p->times, seen, x, x->time_tsc);
    if (r->context->kind == XRAY_CALL_ARGUMENT) {
        m.name = "argument";
        const char *value = wmem_strdup_printf(seen->pool, "0x%" PRIx64, r->value[XRAY_FIELD_ARGUMENT]);
        xray_picture_add_text(&m, "value", value);
        keep_argument(p, r, value);
    } else if (r->context->kind == XRAY_NEW_CPU) {
        m.name = wmem_strdup_printf(seen->pool, "CPU %u", x->cpu);
    } else {
        const char *text = event_text(seen, r);
        m.name = text ? text : "event";
        xray_picture_add_number(&m, "size", r->value[XRAY_FIELD_EVENT_SIZE]);
        if (r->context->kind == XRAY_TYPED_EVENT)
            xray_picture_add_number(&m, "type", r->value[XRAY_FIELD_EVENT_TYPE]);
    }
    xray_picture_add_number(&m, "record", seen->frame);
    t->show(t->out, &m);
}

static void xray_picture_show(void *state, const record_seen *seen, const void *tapped, const timeline *t)
{
    xray_picture_state *p = state;
    const xray_tapped *r = tapped;
    const uint8_t kind = r->context->kind;
    span ended;
    p->now = xray_session_now(r);
    p->at = xray_picture_time_at(p->times, seen, xray_context_of(r->context), xray_context_of(r->context)->tsc);
    for (uint32_t i = 0; xray_session_ended(r, i, &ended); i++)
        show_call(p, seen, r, &ended, t);
    if (kind == XRAY_PROFILE_PATH)
        xray_profile_remark();
    if (xray_is_event(kind) || kind == XRAY_CALL_ARGUMENT || kind == XRAY_NEW_CPU)
        show_instant(p, seen, r, t);
}

static const char *xray_picture_program(void)
{
    return xray_file.program;
}

const picture_source xray_picture = {
    .spans = &xray_spans,
    .start = xray_picture_start,
    .free = xray_picture_free,
    .show = xray_picture_show,
    .open = xray_picture_open,
    .program = xray_picture_program,
    .events = {[COST_TIME] = {"ns", "Time (ns)", .plain = false}, [COST_COUNT] = {"Calls", "Calls", .plain = true}},
    .label = xray_names_short,
    .filters = {{"", {"xray.call.stack == \"%p\""}}},
};
