/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pictures of an XRay log: calls of each thread with their arguments, events, and changes of CPU. */
#include "picture/picture.h"
#include "xray_dissector/fields.h"

#include "host/hidden_records.h"
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

static guint hash_clock(gconstpointer c)
{
    return hash_bytes(c, sizeof(clock_origin));
}

static gboolean xray_picture_same_clock(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(clock_origin)) == 0;
}

static void *times_start(void)
{
    return g_hash_table_new_full(hash_clock, xray_picture_same_clock, g_free, g_free);
}

static void times_free(void *times)
{
    g_hash_table_destroy(times);
}

static int64_t xray_picture_time_at(xray_times *times, const packet_info *pinfo, const xray_context *x, uint64_t tsc)
{
    const clock_origin key = {x->frequency, x->base_tsc, x->base_seconds, x->base_nanoseconds};
    uint64_t *origin = g_hash_table_lookup(times, &key);
    if (!origin) {
        origin = g_new(uint64_t, 1);
        *origin = (uint64_t)xray_nanoseconds_since(x->base_tsc, x->time_tsc, x->frequency) - (uint64_t)picture_time(pinfo);
        g_hash_table_insert(times, g_memdup2(&key, sizeof key), origin);
    }
    return (int64_t)((uint64_t)xray_nanoseconds_since(x->base_tsc, tsc, x->frequency) - *origin);
}

static const char *xray_picture_name_of(packet_info *pinfo, uint32_t function, const char *name)
{
    return name ? name : wmem_strdup_printf(pinfo->pool, "#%u", function);
}

static uint64_t xray_picture_lane_of(const packet_info *pinfo, const xray_tapped *r, const timeline *t)
{
    const xray_context *x = xray_context_of(r->context);
    if (!t->knows(t->out, r->stack)) {
        bool known = x->known & XRAY_KNOWN_PROCESS;
        picture_lane lane = {
            .key = r->stack, .process = known ? (int64_t)x->process : PICTURE_NO_PROCESS, .thread = x->thread};
        lane.within = known ? wmem_strdup_printf(pinfo->pool, "Process %u", x->process) : "Process";
        lane.name = wmem_strdup_printf(pinfo->pool, "Thread %u", x->thread);
        t->name(t->out, &lane);
    }
    return r->stack;
}

static void xray_picture_add_number(moment *m, const char *name, uint64_t number)
{
    m->values[m->count++] = (moment_value){.name = name, .number = (int64_t)number};
}

static void show_call(xray_times *times, const packet_info *pinfo, const xray_tapped *r, const span *ended,
                      const timeline *t)
{
    const xray_context *x = xray_context_of(r->context);
    const call *k = &ended->call;
    const char *name = xray_calls_name(ended->function);
    bool timed = k->state & CALL_TIMED;
    moment m = {.kind = timed ? MOMENT_SPAN : MOMENT_INSTANT, .lane = xray_picture_lane_of(pinfo, r, t), .category = "call"};
    const uint64_t end = k->state & CALL_CLOSED ? k->until : x->tsc;
    m.at = xray_picture_time_at(times, pinfo, x, timed ? end - k->duration : end);
    m.ns = timed ? (uint64_t)xray_picture_time_at(times, pinfo, x, end) - (uint64_t)m.at : 0;
    m.name = xray_picture_name_of((packet_info *)(uintptr_t)pinfo, ended->function, xray_calls_label(ended->function));
    if (name && strcmp(name, m.name) != 0)
        m.values[m.count++] = (moment_value){.name = "function", .text = name};
    if (!timed)
        m.values[m.count++] = (moment_value){.name = "fault", .text = k->begin ? "the duration is not known" : "no entry"};
    else if (k->state & CALL_CLOSED)
        m.category = k->state & CALL_UNATTRIBUTED ? "call,unwound,unsure" : "call,unwound"; /* it has no exit */
    if (record_frame(k->begin))
        xray_picture_add_number(&m, "entry", record_frame(k->begin));
    if (!(k->state & CALL_CLOSED))
        xray_picture_add_number(&m, "exit", pinfo->num);
    else if (record_frame(k->last))
        xray_picture_add_number(&m, "last record", record_frame(k->last));
    t->show(t->out, &m);
}

/* The payload of a custom event if it is text. */
static const char *event_text(const packet_info *pinfo, const xray_tapped *r)
{
    size_t size = (size_t)MIN(r->value[XRAY_FIELD_EVENT_SIZE], (uint64_t)TEXT_MAX + 1);
    if (size == 0 || size > TEXT_MAX || r->bytes.length < size)
        return NULL;
    const char *text = (const char *)r->bytes.data + r->bytes.length - size;
    return g_utf8_validate(text, (gssize)size, NULL) && text_is_safe(text, size) ? wmem_strndup(pinfo->pool, text, size)
                                                                                 : NULL;
}

static void show_instant(xray_times *times, const packet_info *pinfo, const xray_tapped *r, const timeline *t)
{
    const xray_context *x = xray_context_of(r->context);
    moment m = {.kind = MOMENT_INSTANT, .lane = xray_picture_lane_of(pinfo, r, t), .category = "event"};
    m.at = xray_picture_time_at(times, pinfo, x, x->time_tsc);
    if (r->context->kind == XRAY_CALL_ARGUMENT) {
        m.name = "argument";
        const char *value = wmem_strdup_printf(pinfo->pool, "0x%" PRIx64, r->value[XRAY_FIELD_ARGUMENT]);
        m.values[m.count++] = (moment_value){.name = "value", .text = value};
    } else if (r->context->kind == XRAY_NEW_CPU) {
        m.name = wmem_strdup_printf(pinfo->pool, "CPU %u", x->cpu);
    } else {
        const char *text = event_text(pinfo, r);
        m.name = text ? text : "event";
        xray_picture_add_number(&m, "size", r->value[XRAY_FIELD_EVENT_SIZE]);
        if (r->context->kind == XRAY_TYPED_EVENT)
            xray_picture_add_number(&m, "type", r->value[XRAY_FIELD_EVENT_TYPE]);
    }
    xray_picture_add_number(&m, "record", pinfo->num);
    t->show(t->out, &m);
}

static void xray_picture_show(void *state, const packet_info *pinfo, const void *tapped, const timeline *t)
{
    const xray_tapped *r = tapped;
    uint8_t kind = r->context->kind;
    span ended;
    for (uint32_t i = 0; xray_calls_ended(r, i, &ended); i++)
        show_call(state, pinfo, r, &ended, t);
    if (kind == XRAY_PROFILE_PATH)
        xray_profile_remark();
    if (xray_is_event(kind) || kind == XRAY_CALL_ARGUMENT || kind == XRAY_NEW_CPU)
        show_instant(state, pinfo, r, t);
}

const picture_source xray_picture = {
    .spans = &xray_spans,
    .start = times_start,
    .free = times_free,
    .show = xray_picture_show,
    .events = {[COST_TIME] = {"ns", "Time (ns)", .plain = false}, [COST_COUNT] = {"Calls", "Calls", .plain = true}},
    .lines = true,
    .label = xray_calls_short,
    .filters = {{"", {"xray.call.stack == \"%p\""}}},
};
