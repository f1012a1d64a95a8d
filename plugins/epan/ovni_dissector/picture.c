/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pictures of an ovni trace: states of each thread and model, tasks, the CPU of each thread, hardware counters. */
#include "host/record_numbers.h"
#include "containers/hash.h"
#include "ovni_dissector/file.h"
#include "ovni_dissector/names.h"
#include "ovni_dissector/spans.h"
#include "ovni_dissector/statistics.h"

#include "ovni/context.h"
#include "ovni/events/layout.h"
#include "dissector/pdu.h"

typedef struct ovni_picture_state {
    GHashTable *cpus;    /* stream -> the latest CPU shown for its thread */
    GHashTable *created; /* records that create tasks, uint64_t, of those that have not run */
    int64_t start;       /* clock of the trace at the first record of the file, ns */
    const timeline *out; /* while open states are shown */
} ovni_picture_state;

static void *ovni_picture_start(void)
{
    ovni_picture_state *p = g_new0(ovni_picture_state, 1);
    p->cpus = g_hash_table_new_full(hash_number, g_int64_equal, g_free, NULL);
    p->created = g_hash_table_new_full(hash_number, g_int64_equal, g_free, NULL);
    return p;
}

static void ovni_picture_free(void *state)
{
    ovni_picture_state *p = state;
    g_hash_table_destroy(p->cpus);
    g_hash_table_destroy(p->created);
    g_free(p);
}

/* --- lanes: one per thread, and one per stack ------------------------------------------------------------------------- */

static const char *process_name(const record_seen *seen, const ovni_tapped *r)
{
    const ovni_context *c = ovni_context_of(r->context);
    const char *loom = pdu_stream_description(seen, r->context);
    if (loom && c->known & OVNI_KNOWN_PROCESS)
        return wmem_strdup_printf(seen->pool, "%s process %d", loom, c->process);
    return c->known & OVNI_KNOWN_PROCESS ? wmem_strdup_printf(seen->pool, "Process %d", c->process) : "Process";
}

static uint64_t ovni_picture_lane_of(const record_seen *seen, const ovni_tapped *r, uint64_t key, unsigned row,
                                     const char *what, const timeline *t)
{
    const ovni_context *c = ovni_context_of(r->context);
    if (!t->knows(t->out, key)) {
        picture_lane lane = {.key = key, .row = row, .within = process_name(seen, r)};
        lane.process = c->known & OVNI_KNOWN_PROCESS ? c->process : PICTURE_NO_PROCESS;
        lane.thread = c->known & OVNI_KNOWN_THREAD ? c->thread : 0;
        lane.name = wmem_strdup_printf(seen->pool, "Thread %" PRId64 ": %s", lane.thread, what);
        t->name(t->out, &lane);
    }
    return key;
}

/* A number that no stack has. */
static uint64_t thread_lane(const record_seen *seen, const ovni_tapped *r, const timeline *t)
{
    return ovni_picture_lane_of(seen, r, (uint64_t)r->context->stream << 32 | UINT32_MAX, 0, "CPU, tasks and counters", t);
}

/* The rows of a thread are in the order of its stacks: those of a model follow each other. */
static uint64_t stack_lane(const record_seen *seen, const ovni_tapped *r, const char *model, const timeline *t)
{
    char text[TEXT_PAIR];
    const uint64_t stack = r->known.stack;
    if (t->knows(t->out, stack))
        return stack;
    const char *what = wmem_strdup_printf(seen->pool, "%s, %s", model, ovni_states_stack_words(stack, text, sizeof text));
    return ovni_picture_lane_of(seen, r, stack, 1 + ((uint32_t)stack & INT32_MAX), what, t);
}

/* --- moments ----------------------------------------------------------------------------------------------------------- */

static void show_state(const record_seen *seen, const ovni_tapped *r, const span *s, const timeline *t)
{
    char text[TEXT_PAIR], model = r->mcv[0];
    const char *name = ovni_region_name(s->function, text, sizeof text, &model);
    moment m = {.kind = MOMENT_SPAN, .name = name ? name : "", .category = ovni_model_words(model)};
    m.lane = stack_lane(seen, r, m.category, t);
    m.ns = s->call.duration;
    m.at = (int64_t)((uint64_t)record_time(seen) - m.ns);
    if (record_frame(s->call.begin))
        m.values[m.count++] = (moment_value){.name = "begin", .number = record_frame(s->call.begin)};
    m.values[m.count++] = (moment_value){.name = "end", .number = seen->frame};
    t->show(t->out, &m);
}

/* An instant in the life of a task, with an arrow from its creation to its first run. */
static void show_arrow(const moment *of, const char *does, uint64_t created, moment_arrow arrow, const timeline *t)
{
    moment m = *of;
    g_autofree char *name = g_strconcat(does, of->name, NULL);
    m.kind = MOMENT_INSTANT;
    m.id = created;
    m.arrow = arrow;
    m.name = name;
    t->show(t->out, &m);
}

/* A run of a task, which may continue in another thread; and its creation. */
static void ovni_picture_show_task(ovni_picture_state *p, const record_seen *seen, const ovni_tapped *r, const timeline *t)
{
    const ovni_task *task = &r->known.task;
    const uint64_t created = task->created;
    const uint32_t number = seen->number;
    const bool begins = task->begun == number, creates = created == number;
    char text[32];
    if (!task->has_id || (!begins && !creates && task->ended != number))
        return;
    snprintf(text, sizeof text, "task %u", task->id);
    moment m = {.kind = begins ? MOMENT_BEGIN : MOMENT_END, .id = task->begun, .at = record_time(seen), .category = "task"};
    m.lane = thread_lane(seen, r, t);
    m.name = task->label ? task->label : text;
    m.values[m.count++] = (moment_value){.name = "task", .number = task->id};
    if (task->has_body)
        m.values[m.count++] = (moment_value){.name = "body", .number = task->body};
    m.values[m.count++] = (moment_value){.name = "record", .number = seen->frame};
    if (creates && g_hash_table_add(p->created, g_memdup2(&created, sizeof created)))
        show_arrow(&m, "create ", created, ARROW_FROM, t);
    if (begins && g_hash_table_remove(p->created, &created))
        show_arrow(&m, "run ", created, ARROW_TO, t);
    if (!creates)
        t->show(t->out, &m);
}

static void ovni_picture_show_cpu(ovni_picture_state *p, const record_seen *seen, const ovni_tapped *r, const timeline *t)
{
    uint64_t key = r->context->stream;
    gpointer now = GINT_TO_POINTER(r->known.thread.cpu), before;
    if (!r->known.thread.cpu_known || (g_hash_table_lookup_extended(p->cpus, &key, NULL, &before) && before == now))
        return;
    g_hash_table_insert(p->cpus, g_memdup2(&key, sizeof key), now);
    const ovni_context *c = ovni_context_of(r->context);
    moment m = {.kind = MOMENT_COUNTER, .at = record_time(seen), .category = "cpu", .lane = thread_lane(seen, r, t)};
    m.name = wmem_strdup_printf(seen->pool, "CPU of thread %d", c->thread);
    m.values[m.count++] = (moment_value){.name = "cpu", .number = r->known.thread.cpu};
    t->show(t->out, &m);
}

static void show_counters(const record_seen *seen, const ovni_tapped *r, const timeline *t)
{
    ovni_arguments a;
    ovni_value v;
    ovni_arguments_init(&a, r->event, &r->bytes);
    for (uint32_t i = 0; ovni_arguments_next(&a, &v); i++) {
        const char *name = ovni_counter_name(r, i);
        moment m = {.kind = MOMENT_COUNTER, .at = record_time(seen), .category = "counter", .lane = thread_lane(seen, r, t)};
        if (!name)
            name = wmem_strdup_printf(seen->pool, "counter %u", i);
        m.name = wmem_strdup_printf(seen->pool, "%s of thread %d", name, ovni_context_of(r->context)->thread);
        m.values[m.count++] = (moment_value){.name = "value", .number = (int64_t)v.number};
        t->show(t->out, &m);
    }
}

static void ovni_picture_show_open(void *state, uint32_t stream _U_, char model, const span *s)
{
    const ovni_picture_state *p = state;
    const uint64_t *stack = s->detail;
    char text[TEXT_PAIR];
    const ovni_event *event = ovni_states_event(ovni_file.session.states, s->function);
    const bool over = event && ovni_thread_state_after(event) == OVNI_THREAD_DEAD; /* nothing is open any more */
    if (!stack || over || !p->out->knows(p->out->out, *stack))
        return;
    const char *name = ovni_region_name(s->function, text, sizeof text, &model);
    moment m = {.kind = MOMENT_OPEN, .lane = *stack, .name = name ? name : "", .category = ovni_model_words(model)};
    m.at = (int64_t)s->call.until - p->start;
    if (record_frame(s->call.begin))
        m.values[m.count++] = (moment_value){.name = "begin", .number = record_frame(s->call.begin)};
    p->out->show(p->out->out, &m);
}

static void ovni_picture_open(void *state, const timeline *t)
{
    ovni_picture_state *p = state;
    p->out = t;
    if (ovni_file.session.states)
        ovni_states_each_open(ovni_file.session.states, ovni_picture_show_open, p);
}

static void ovni_picture_show(void *state, const record_seen *seen, const void *tapped, const timeline *t)
{
    ovni_picture_state *p = state;
    const ovni_tapped *r = tapped;
    if (!r->has_state)
        return;
    span ended;
    p->start = (int64_t)seen->absolute.secs * 1000000000 + seen->absolute.nsecs - record_time(seen);
    if (r->event && r->known.stack && (r->event->role == OVNI_PUSH || r->event->role == OVNI_SET))
        stack_lane(seen, r, ovni_model_words(r->mcv[0]), t);
    if (ovni_known_ended(&r->known, seen->number, OVNI_SPAN_STATE, &ended))
        show_state(seen, r, &ended, t);
    if (r->known.has_task)
        ovni_picture_show_task(p, seen, r, t);
    ovni_picture_show_cpu(p, seen, r, t);
    if (r->event && r->event->channels & OVNI_COUNTERS)
        show_counters(seen, r, t);
}

const picture_source ovni_picture = {
    .spans = &ovni_spans,
    .start = ovni_picture_start,
    .free = ovni_picture_free,
    .show = ovni_picture_show,
    .open = ovni_picture_open,
    .events = {[COST_TIME] = {"ns", "Active time (ns)", .plain = false}, [COST_COUNT] = {"States", "States", .plain = true}},
    .filters = {{"", {"ovni.model == \"%1\"", "ovni.model == \"%1\" && ovni.state == \"%n\""}}},
};
