/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pictures of an ovni trace: states of each thread and model, tasks, the CPU of each thread, hardware counters. */
#include "host/hidden_records.h"
#include "containers/hash.h"
#include "ovni_dissector/states.h"
#include "picture/picture.h"

#include "ovni/context.h"
#include "ovni/events/layout.h"
#include "dissector/pdu.h"

/* The latest CPU shown for each thread. */
static void *cpus_start(void)
{
    return g_hash_table_new_full(hash_number, g_int64_equal, g_free, NULL);
}

static void ovni_picture_cpus_free(void *cpus)
{
    g_hash_table_destroy(cpus);
}

/* --- lanes: one per thread, and one per stack ------------------------------------------------------------------------- */

static const char *process_name(const packet_info *pinfo, const ovni_tapped *r)
{
    const ovni_context *c = ovni_context_of(r->context);
    const char *loom = pdu_stream_description(pinfo, r->context);
    if (loom && c->known & OVNI_KNOWN_PROCESS)
        return wmem_strdup_printf(pinfo->pool, "%s process %d", loom, c->process);
    return c->known & OVNI_KNOWN_PROCESS ? wmem_strdup_printf(pinfo->pool, "Process %d", c->process) : "Process";
}

static uint64_t ovni_picture_lane_of(const packet_info *pinfo, const ovni_tapped *r, uint64_t key, unsigned row,
                                     const char *what, const timeline *t)
{
    const ovni_context *c = ovni_context_of(r->context);
    if (!t->knows(t->out, key)) {
        picture_lane lane = {.key = key, .row = row, .within = process_name(pinfo, r)};
        lane.process = c->known & OVNI_KNOWN_PROCESS ? c->process : PICTURE_NO_PROCESS;
        lane.thread = c->known & OVNI_KNOWN_THREAD ? c->thread : 0;
        lane.name = wmem_strdup_printf(pinfo->pool, "Thread %" PRId64 ": %s", lane.thread, what);
        t->name(t->out, &lane);
    }
    return key;
}

/* A number that no stack has. */
static uint64_t thread_lane(const packet_info *pinfo, const ovni_tapped *r, const timeline *t)
{
    return ovni_picture_lane_of(pinfo, r, (uint64_t)r->context->stream << 32 | UINT32_MAX, 0, "CPU, tasks and counters", t);
}

/* The rows of a thread are in the order of its stacks: those of a model follow each other. */
static uint64_t stack_lane(const packet_info *pinfo, const ovni_tapped *r, const char *model, const timeline *t)
{
    char text[TEXT_PAIR];
    const uint64_t stack = r->known.stack;
    if (t->knows(t->out, stack))
        return stack;
    const char *what = wmem_strdup_printf(pinfo->pool, "%s, %s", model, ovni_states_stack_words(stack, text, sizeof text));
    return ovni_picture_lane_of(pinfo, r, stack, 1 + ((uint32_t)stack & INT32_MAX), what, t);
}

/* --- moments ----------------------------------------------------------------------------------------------------------- */

static void show_state(const packet_info *pinfo, const ovni_tapped *r, const span *s, const timeline *t)
{
    char text[TEXT_PAIR], model = r->mcv[0];
    const char *name = ovni_region_name(s->function, text, sizeof text, &model);
    moment m = {.kind = MOMENT_SPAN, .name = name ? name : "", .category = ovni_model_words(model)};
    m.lane = stack_lane(pinfo, r, m.category, t);
    m.ns = s->call.duration;
    m.at = (int64_t)((uint64_t)picture_time(pinfo) - m.ns);
    if (record_frame(s->call.begin))
        m.values[m.count++] = (moment_value){.name = "begin", .number = record_frame(s->call.begin)};
    m.values[m.count++] = (moment_value){.name = "end", .number = pinfo->num};
    t->show(t->out, &m);
}

/* A run of a task; it may continue in another thread. */
static void ovni_picture_show_task(const packet_info *pinfo, const ovni_tapped *r, const timeline *t)
{
    const ovni_task *task = &r->known.task;
    char text[32];
    bool begins = task->begun == record_number(pinfo);
    if (!task->has_id || (!begins && task->ended != record_number(pinfo)))
        return;
    snprintf(text, sizeof text, "task %u", task->id);
    moment m = {
        .kind = begins ? MOMENT_BEGIN : MOMENT_END, .id = task->begun, .at = picture_time(pinfo), .category = "task"};
    m.lane = thread_lane(pinfo, r, t);
    m.name = task->label ? task->label : text;
    m.values[m.count++] = (moment_value){.name = "task", .number = task->id};
    if (task->has_body)
        m.values[m.count++] = (moment_value){.name = "body", .number = task->body};
    m.values[m.count++] = (moment_value){.name = "record", .number = pinfo->num};
    t->show(t->out, &m);
}

static void ovni_picture_show_cpu(GHashTable *cpus, const packet_info *pinfo, const ovni_tapped *r, const timeline *t)
{
    uint64_t key = r->context->stream;
    gpointer now = GINT_TO_POINTER(r->known.thread.cpu), before;
    if (!r->known.thread.cpu_known || (g_hash_table_lookup_extended(cpus, &key, NULL, &before) && before == now))
        return;
    g_hash_table_insert(cpus, g_memdup2(&key, sizeof key), now);
    const ovni_context *c = ovni_context_of(r->context);
    moment m = {.kind = MOMENT_COUNTER, .at = picture_time(pinfo), .category = "cpu", .lane = thread_lane(pinfo, r, t)};
    m.name = wmem_strdup_printf(pinfo->pool, "CPU of thread %d", c->thread);
    m.values[m.count++] = (moment_value){.name = "cpu", .number = r->known.thread.cpu};
    t->show(t->out, &m);
}

static void show_counters(const packet_info *pinfo, const ovni_tapped *r, const timeline *t)
{
    ovni_arguments a;
    ovni_value v;
    ovni_arguments_init(&a, r->event, &r->bytes);
    for (uint32_t i = 0; ovni_arguments_next(&a, &v); i++) {
        const char *name = ovni_counter_name(r, i);
        moment m = {
            .kind = MOMENT_COUNTER, .at = picture_time(pinfo), .category = "counter", .lane = thread_lane(pinfo, r, t)};
        if (!name)
            name = wmem_strdup_printf(pinfo->pool, "counter %u", i);
        m.name = wmem_strdup_printf(pinfo->pool, "%s of thread %d", name, ovni_context_of(r->context)->thread);
        m.values[m.count++] = (moment_value){.name = "value", .number = (int64_t)v.number};
        t->show(t->out, &m);
    }
}

static void ovni_picture_show(void *state, const packet_info *pinfo, const void *tapped, const timeline *t)
{
    const ovni_tapped *r = tapped;
    if (!r->has_state)
        return;
    span ended;
    if (ovni_known_ended(&r->known, record_number(pinfo), OVNI_SPAN_STATE, &ended))
        show_state(pinfo, r, &ended, t);
    if (r->known.has_task)
        ovni_picture_show_task(pinfo, r, t);
    ovni_picture_show_cpu(state, pinfo, r, t);
    if (r->event && r->event->channels & OVNI_COUNTERS)
        show_counters(pinfo, r, t);
}

const picture_source ovni_picture = {
    .spans = &ovni_spans,
    .start = cpus_start,
    .free = ovni_picture_cpus_free,
    .show = ovni_picture_show,
    .events = {[COST_TIME] = {"ns", "Active time (ns)", .plain = false}, [COST_COUNT] = {"States", "States", .plain = true}},
    .filters = {{"", {"ovni.model == \"%1\"", "ovni.model == \"%1\" && ovni.state == \"%n\""}}},
};
