/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/emulator/emulator.h"

#include <inttypes.h>
#include <string.h>

#include "containers/hash.h"
#include "ovni/emulator/model.h"
#include "ovni/layout.h"
#include "ovni/states.h"
#include "util/text.h"

static const uint64_t HOUR = UINT64_C(3600) * 1000 * 1000 * 1000;

/* --- CPUs ----------------------------------------------------------------------------------------------------------------- */

static const ovni_channel state_channel = {.flags = OVNI_CH_SKIP, .type = OVNI_PRV_STATE};

static void write_optional(ovni_emulator *e, uint32_t row, int32_t type, emulated_value *before, emulated_value now)
{
    if (emulator_same(*before, now))
        return;
    *before = now;
    emulator_write(e, true, row, type, now.set ? now.number : 0);
}

/* Another thread, or none, runs alone on the CPU: it shows what that thread does. */
static void show_cpu(ovni_emulator *e, emulated_cpu *cpu)
{
    const emulated_thread *t = cpu->alone.set ? g_ptr_array_index(e->threads, cpu->alone.number) : NULL;
    for (uint32_t i = 0; i < e->order_length; i++) {
        uint32_t channel = e->order[i];
        const ovni_channel *c = &e->channels[channel];
        emulated_value value = t ? t->channels[channel].now : (emulated_value){0};
        if (!t && (channel == OVNI_CH_NANOS6_IDLE || channel == OVNI_CH_NOSV_IDLE))
            value = (emulated_value){OVNI_RESTING, true};
        emulator_show(e, true, cpu->row, c, &cpu->shown[channel], value);
    }
}

static void report_cpu(ovni_emulator *e, emulated_cpu *cpu, uint32_t ran)
{
    const ovni_emulated_cpu *seen = &cpu->seen;
    const int64_t now = ovni_emulator_time(e);
    ovni_cpu_change change = {
        cpu->row, seen->tid, (uint16_t)MIN(seen->running, UINT16_MAX), (uint16_t)MIN(seen->claimed, UINT16_MAX), false, 0};
    change.was_idle = !ran && seen->running && now >= cpu->idle_since;
    change.idle = change.was_idle ? (uint64_t)now - (uint64_t)cpu->idle_since : 0;
    if (!seen->running && ran)
        cpu->idle_since = now;
    g_array_append_val(e->cpu_changes, change);
    emulator_touch(e, cpu);
}

static void update_cpu(ovni_emulator *e, emulated_cpu *cpu)
{
    uint32_t ran = cpu->seen.running;
    const emulated_thread *running = NULL;
    uint32_t count = 0;
    for (guint i = 0; i < cpu->threads->len; i++) {
        const emulated_thread *t = g_ptr_array_index(cpu->threads, i);
        if (t->seen.state == OVNI_THREAD_RUNNING) {
            running = t;
            count++;
        }
    }
    if (count > 1 && !cpu->seen.virtual && count > cpu->seen.running)
        emulator_find(e, OVNI_LINT_CPU, "%u threads run on CPU %d of loom %u at the same time", count, cpu->seen.system,
                      cpu->seen.loom);
    cpu->seen.running = count;
    cpu->seen.claimed = cpu->threads->len;
    const emulated_thread *alone = count == 1 ? running : NULL;
    if (alone && alone->seen.pid == 0) /* ovni.pid is between 0 and 1 */
        emulator_find(e, OVNI_LINT_METADATA, "thread %d runs alone on a CPU, but its process has the number 0",
                      alone->seen.tid);
    cpu->seen.tid = alone ? alone->seen.tid : 0;
    cpu->seen.pid = alone ? alone->seen.pid : 0;
    cpu->seen.thread = alone ? alone->row : 0;
    report_cpu(e, cpu, ran);
    emulated_value before = cpu->alone;
    write_optional(e, cpu->row, OVNI_PRV_TID, &cpu->tid, (emulated_value){cpu->seen.tid, alone != NULL});
    write_optional(e, cpu->row, OVNI_PRV_PID, &cpu->pid, (emulated_value){cpu->seen.pid, alone != NULL});
    write_optional(e, cpu->row, OVNI_PRV_RUNNING, &cpu->count, (emulated_value){count, true});
    cpu->alone = (emulated_value){alone ? alone->row : 0, alone != NULL};
    if (e->shows && !emulator_same(before, cpu->alone) && e->stale_cpu_count < G_N_ELEMENTS(e->stale_cpus))
        e->stale_cpus[e->stale_cpu_count++] = cpu;
}

static void leave_cpu(ovni_emulator *e, emulated_thread *t)
{
    if (t->cpu && g_ptr_array_remove(t->cpu->threads, t))
        update_cpu(e, t->cpu);
}

static void show_binding(ovni_emulator *e, emulated_thread *t, emulated_cpu *cpu)
{
    t->cpu = cpu;
    t->seen.cpu = cpu ? (int64_t)cpu->row : -1;
    emulator_write(e, false, t->row, OVNI_PRV_CPU, cpu ? (int64_t)cpu->row + 1 : 0);
}

/* NULL, and a finding, if there is none. */
static emulated_cpu *cpu_of(ovni_emulator *e, const emulated_loom *loom, int32_t index)
{
    if (index == -1)
        return g_ptr_array_index(loom->cpus, loom->cpus->len - 1);
    emulated_cpu *cpu = index < 0 || (guint)index >= loom->by_index->len ? NULL : g_ptr_array_index(loom->by_index, index);
    if (!cpu)
        emulator_find(e, OVNI_LINT_CPU, "loom %s has no CPU of index %d", loom->name, index);
    return cpu;
}

/* --- threads -------------------------------------------------------------------------------------------------------------- */

static void set_state(ovni_emulator *e, emulated_thread *t, uint8_t state)
{
    bool active = emulator_shows(t, OVNI_TRACK_ACTIVE);
    t->seen.state = state;
    shown_value *shown = &t->state;
    emulator_show(e, false, t->row, &state_channel, shown, (emulated_value){ovni_thread_value(state), true});
    if (emulator_shows(t, OVNI_TRACK_ACTIVE) != active)
        emulator_write(e, false, t->row, OVNI_PRV_TID, active ? 0 : t->seen.tid);
    e->stale_thread = t;
}

/* Another state shows or hides what the thread does. */
static void show_thread(ovni_emulator *e, emulated_thread *t)
{
    for (uint32_t i = 0; i < e->order_length; i++) {
        uint32_t channel = e->order[i];
        const ovni_channel *c = &e->channels[channel];
        if (c->track != OVNI_TRACK_ANY)
            emulator_show(e, false, t->row, c, &t->shown[channel],
                          emulator_shows(t, c->track) ? t->channels[channel].now : (emulated_value){0});
    }
}

/* ovniemu tells all that depends on the states of threads and CPUs after these. */
static void show_stale(ovni_emulator *e)
{
    if (e->stale_thread)
        show_thread(e, e->stale_thread);
    for (unsigned i = 0; i < e->stale_cpu_count; i++)
        show_cpu(e, e->stale_cpus[i]);
    e->stale_thread = NULL;
    e->stale_cpu_count = 0;
}

static int32_t number_at(const cursor *bytes, unsigned i)
{
    return (int32_t)cursor_u32(bytes, EMULATOR_PAYLOAD + 4 * i);
}

static void start_thread(ovni_emulator *e, emulated_thread *t, const cursor *bytes)
{
    if (t->seen.state == OVNI_THREAD_RUNNING || t->cpu)
        emulator_find(e, OVNI_LINT_STATE, "thread %d starts, but has not ended before", t->seen.tid);
    emulated_cpu *cpu = cpu_of(e, t->loom, number_at(bytes, 0));
    if (t->cpu)
        leave_cpu(e, t);
    if (cpu)
        show_binding(e, t, cpu);
    set_state(e, t, OVNI_THREAD_RUNNING);
    if (cpu) {
        g_ptr_array_add(cpu->threads, t);
        update_cpu(e, cpu);
    }
}

static void find_open(ovni_emulator *e, const emulated_thread *t)
{
    static const uint8_t checked[] = {OVNI_CH_NANOS6_SUBSYSTEM, OVNI_CH_NODES_SUBSYSTEM, OVNI_CH_MPI_FUNCTION,
                                      OVNI_CH_OPENMP_SUBSYSTEM, OVNI_CH_TAMPI_SUBSYSTEM, OVNI_CH_NOSV_SUBSYSTEM};
    char text[32];
    for (size_t i = 0; i < G_N_ELEMENTS(checked); i++) {
        const channel_state *s = &t->channels[checked[i]];
        const ovni_channel *c = &ovni_channels[checked[i]];
        if (s->stack && s->stack->len)
            emulator_find(e, OVNI_LINT_OPEN, "%s: thread %d ends with %u open, the innermost is %s", c->title, t->seen.tid,
                          s->stack->len, emulator_value_words(c, s->now.number, text, sizeof text));
    }
}

static void end_thread(ovni_emulator *e, emulated_thread *t)
{
    set_state(e, t, OVNI_THREAD_DEAD);
    leave_cpu(e, t);
    if (t->cpu)
        show_binding(e, t, NULL);
    find_open(e, t);
}

/* From which states a thread may get into another one: bits 1 << ovni_thread_state. */
static const struct {
    char code;
    uint8_t state;
    unsigned from;
} steps[] = {
    {'e', OVNI_THREAD_DEAD, 1u << OVNI_THREAD_RUNNING | 1u << OVNI_THREAD_COOLING},
    {'p', OVNI_THREAD_PAUSED, 1u << OVNI_THREAD_RUNNING | 1u << OVNI_THREAD_COOLING},
    {'r', OVNI_THREAD_RUNNING, 1u << OVNI_THREAD_PAUSED | 1u << OVNI_THREAD_WARMING},
    {'c', OVNI_THREAD_COOLING, 1u << OVNI_THREAD_RUNNING},
    {'w', OVNI_THREAD_WARMING, 1u << OVNI_THREAD_PAUSED},
};

static void step_thread(ovni_emulator *e, emulated_thread *t, char code)
{
    for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
        if (steps[i].code != code)
            continue;
        const char *was = ovni_thread_state_name(t->seen.state);
        if (!(steps[i].from >> t->seen.state & 1))
            emulator_find(e, OVNI_LINT_STATE, "thread %d becomes %s, but it is %s", t->seen.tid,
                          ovni_thread_state_name(steps[i].state), was ? was : "not started");
        if (code == 'e') {
            end_thread(e, t);
        } else {
            set_state(e, t, steps[i].state);
            if (t->cpu)
                update_cpu(e, t->cpu);
        }
    }
}

static void move_to(ovni_emulator *e, emulated_thread *t, emulated_cpu *cpu)
{
    leave_cpu(e, t);
    g_ptr_array_add(cpu->threads, t);
    update_cpu(e, cpu);
    show_binding(e, t, cpu);
}

static void move_itself(ovni_emulator *e, emulated_thread *t, const cursor *bytes)
{
    if (!t->cpu || !emulator_shows(t, OVNI_TRACK_ACTIVE))
        emulator_find(e, OVNI_LINT_CPU, "thread %d moves, but it is not active", t->seen.tid);
    emulated_cpu *cpu = cpu_of(e, t->loom, number_at(bytes, 0));
    if (cpu && t->cpu && cpu != t->cpu)
        move_to(e, t, cpu);
}

static void move_other(ovni_emulator *e, const emulated_thread *by, const cursor *bytes)
{
    int32_t tid = number_at(bytes, 1);
    emulated_thread *t = emulator_named_thread(e, by->loom, by->process->pid, tid);
    if (!t)
        emulator_find(e, OVNI_LINT_CPU, "loom %s has no thread %d", by->loom->name, tid);
    else if (!t->cpu)
        emulator_find(e, OVNI_LINT_CPU, "thread %d is moved, but it has not started or has ended", tid);
    emulated_cpu *cpu = cpu_of(e, by->loom, number_at(bytes, 0));
    if (!t || !t->cpu || !cpu)
        return;
    if (t->cpu == cpu)
        emulator_find(e, OVNI_LINT_CPU, "thread %d is moved to the CPU where it is", tid);
    else
        move_to(e, t, cpu);
}

/* --- events --------------------------------------------------------------------------------------------------------------- */

/* Its payload has so many bytes, or at least so many. */
static bool has_payload(ovni_emulator *e, const cursor *bytes, uint64_t least, uint64_t most)
{
    uint64_t size = emulator_payload_size(bytes);
    if (size >= least && size <= most && EMULATOR_PAYLOAD + size <= bytes->length)
        return true;
    emulator_find(e, OVNI_LINT_EVENT, "the payload has %" PRIu64 " bytes, ovniemu expects %s%" PRIu64 " bytes", size,
                  least == most ? "" : "at least ", least);
    return false;
}

static void change_channel(ovni_emulator *e, emulated_thread *t, uint32_t channel, uint8_t role, int64_t value)
{
    if (role == OVNI_PUSH)
        emulator_push(e, t, channel, value);
    else if (role == OVNI_POP)
        emulator_pop(e, t, channel, value);
    else
        emulator_set(e, t, channel, &value);
}

static void mark(ovni_emulator *e, emulated_thread *t, uint8_t role, const cursor *bytes)
{
    if (!has_payload(e, bytes, 12, 12))
        return;
    int64_t value = (int64_t)cursor_u64(bytes, EMULATOR_PAYLOAD);
    int32_t type = (int32_t)cursor_u32(bytes, EMULATOR_PAYLOAD + 8);
    for (uint32_t i = 0; i < e->marks->len; i++) {
        if (((emulated_mark *)g_ptr_array_index(e->marks, i))->type != type)
            continue;
        if (value == 0)
            emulator_find(e, OVNI_LINT_MARK, "the value of a mark is 0, type %d", type);
        else
            change_channel(e, t, EMULATOR_FIRST_MARK + i, role, value);
        return;
    }
    emulator_find(e, OVNI_LINT_MARK, "no metadata declare the type %d of the mark", type);
}

static void count(ovni_emulator *e, emulated_thread *t, const cursor *bytes)
{
    uint64_t want = (uint64_t)e->counters->len * sizeof(int64_t);
    if (!e->counters->len)
        emulator_find(e, OVNI_LINT_COUNTER, "no metadata declare hardware counters");
    else if (!(cursor_u8(bytes, 0) & OVNI_FLAG_JUMBO))
        emulator_find(e, OVNI_LINT_COUNTER, "hardware counters must be a jumbo event");
    else if (ovni_declared_payload(bytes) != want || OVNI_JUMBO_SIZE + want > bytes->length)
        emulator_find(e, OVNI_LINT_COUNTER, "%u hardware counters are declared, here are %" PRIu64 " bytes",
                      e->counters->len, ovni_declared_payload(bytes));
    else
        for (uint32_t i = 0; i < e->counters->len; i++) {
            int64_t value = (int64_t)cursor_u64(bytes, OVNI_JUMBO_SIZE + i * sizeof value);
            emulator_set(e, t, emulator_first_counter(e) + i, &value);
        }
}

/* Categories of the model ovni. */
static void process_ovni(ovni_emulator *e, emulated_thread *t, const ovni_event *event, const char *mcv, const cursor *bytes)
{
    const char category = mcv[1], value = mcv[2];
    if (category == 'U' || category == 'B' || (category == 'C' && value == 'n') || (category == 'H' && value == 'C'))
        return;
    if (category == 'H' && value == 'x' && has_payload(e, bytes, 4, UINT64_MAX - OVNI_EVENT_MAX))
        start_thread(e, t, bytes);
    else if (category == 'H')
        step_thread(e, t, value);
    else if (category == 'A' && value == 's' && has_payload(e, bytes, 4, 4))
        move_itself(e, t, bytes);
    else if (category == 'A' && value == 'r' && has_payload(e, bytes, 8, 8))
        move_other(e, t, bytes);
    else if (category == 'M')
        mark(e, t, event->role, bytes);
    else if (category == 'F' && value == '[')
        emulator_set(e, t, OVNI_CH_FLUSH, &(int64_t){1});
    else if (category == 'F')
        emulator_set(e, t, OVNI_CH_FLUSH, NULL);
}

/* Whether the thread may write events of the model now. */
static void find_outside(ovni_emulator *e, const emulated_thread *t, char model)
{
    enum { WHILE_ACTIVE = 1, WHILE_RUNNING = 2, ON_CPU = 4 };
    static const uint8_t allowed[OVNI_MODEL_COUNT] = {
        [OVNI_MODEL_NANOS6] = WHILE_ACTIVE, [OVNI_MODEL_NOSV] = WHILE_ACTIVE | ON_CPU, [OVNI_MODEL_NODES] = WHILE_RUNNING,
        [OVNI_MODEL_MPI] = WHILE_RUNNING,   [OVNI_MODEL_OPENMP] = WHILE_RUNNING,       [OVNI_MODEL_TAMPI] = WHILE_RUNNING,
        [OVNI_MODEL_OVNI] = ON_CPU,
    };
    const unsigned only = allowed[ovni_model_number(model)];
    if (t->seen.state == OVNI_THREAD_RUNNING && !t->out_of_cpu)
        return;
    const char *state = ovni_thread_state_name(t->seen.state);
    if ((only & WHILE_ACTIVE && !emulator_shows(t, OVNI_TRACK_ACTIVE)) ||
        (only & WHILE_RUNNING && t->seen.state != OVNI_THREAD_RUNNING))
        emulator_find(e, OVNI_LINT_OUTSIDE, "an event of %s, but thread %d is %s", ovni_model_name(model), t->seen.tid,
                      state ? state : "not started");
    else if (only & ON_CPU && t->out_of_cpu)
        emulator_find(e, OVNI_LINT_OUTSIDE, "an event of %s, but the kernel has taken thread %d from its CPU",
                      ovni_model_name(model), t->seen.tid);
}

static bool is_known(const ovni_event *event, const char *mcv)
{
    if (mcv[0] == 'O' && (mcv[1] == 'U' || mcv[1] == 'B'))
        return true;
    return event && event->mcv[0] == mcv[0] && ovni_event_number(event) <= ovni_event_count;
}

static void play(ovni_emulator *e, emulated_thread *t, const ovni_event *event, const char *mcv, const cursor *bytes)
{
    ovni_channel_change change;
    const char *name = ovni_model_name(mcv[0]);
    if (!name || !(e->enabled >> ovni_model_number(mcv[0]) & 1)) {
        emulator_find(e, name ? OVNI_LINT_REQUIRE : OVNI_LINT_EVENT, "no thread requires the model of the event %.3s", mcv);
        return;
    }
    find_outside(e, t, mcv[0]);
    if (!is_known(event, mcv))
        emulator_find(e, OVNI_LINT_EVENT, "ovniemu 1.14.0 does not know the event, or its payload");
    else if (mcv[0] == 'O')
        process_ovni(e, t, event, mcv, bytes);
    else if (event->channels & OVNI_COUNTERS)
        count(e, t, bytes);
    else if (event->arguments[0].type != OVNI_NO_ARGUMENT)
        emulator_task(e, t, event, bytes);
    else if (ovni_channel_of(event, &change)) {
        if (mcv[0] == 'K')
            t->out_of_cpu = change.role == OVNI_PUSH;
        change_channel(e, t, change.channel, change.role, change.value);
    }
}

/* --- time ----------------------------------------------------------------------------------------------------------------- */

/* Clocks of a damaged trace may be any: a signed difference would overflow. */
static uint64_t distance(int64_t a, int64_t b)
{
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

/* First events of streams must not be hours apart. */
static void check_gate(ovni_emulator *e, uint32_t stream, int64_t clock)
{
    const int64_t *first = g_hash_table_lookup(e->first_clocks, GUINT_TO_POINTER(e->first_stream));
    GHashTableIter all;
    gpointer other;
    if (stream == e->first_stream) {
        g_hash_table_iter_init(&all, e->first_clocks);
        while (g_hash_table_iter_next(&all, NULL, &other))
            if (distance(clock, *(int64_t *)other) > HOUR) {
                emulator_find(e, OVNI_LINT_CLOCKS,
                              "other streams begin more than an hour before: ovnisync finds the offsets");
                break;
            }
    } else if (first && distance(clock, *first) > HOUR) {
        emulator_find(e, OVNI_LINT_CLOCKS,
                      "this stream begins more than an hour from the first one: ovnisync finds the offsets");
    }
    g_hash_table_insert(e->first_clocks, GUINT_TO_POINTER(stream), g_memdup2(&clock, sizeof clock));
}

static void check_clock(ovni_emulator *e, const record_context *c, emulated_thread *t, const cursor *bytes)
{
    int64_t clock = (int64_t)((uint64_t)ovni_clock_at(bytes, 0) + (uint64_t)ovni_context_of(c)->clock_offset);
    if (!e->first) {
        e->first = true;
        e->first_clock = e->last_clock = clock;
    }
    if (!t->clocked)
        check_gate(e, c->stream, clock);
    if (clock < t->last)
        emulator_find(e, OVNI_LINT_ORDER, "the clock goes back by %" PRIu64 " ns", distance(t->last, clock));
    t->clocked = true;
    t->last = clock;
    e->last_clock = MAX(e->last_clock, clock);
}

/* --- records -------------------------------------------------------------------------------------------------------------- */

/* All metadata come before the first header and event. */
static void build(ovni_emulator *e)
{
    if (!e->built && e->has_metadata)
        emulator_build(e);
}

void ovni_emulator_header(ovni_emulator *e, const record_context *c, const char *loom)
{
    emulator_begin_record(e);
    build(e);
    emulated_thread *t = emulator_know_stream(e, c, loom);
    e->first_stream = MIN(e->first_stream, c->stream);
    if (t) {
        t->header = true;
        t->record = e->record;
    }
    e->other_heads += !t && ovni_context_of(c)->beside != FAULT_OVNI_NO_METADATA;
    if (c->fault)
        emulator_find(e, OVNI_LINT_STREAM, "the header of the stream is not one of version 1");
    char words[160];
    const ovni_context *o = ovni_context_of(c);
    if (o->clocks && !e->clocks_reported)
        emulator_find(e, OVNI_LINT_CLOCKS, "%s",
                      fault_text(&ovni_faults, (fault)o->clocks, o->clocks_value, words, sizeof words));
    e->clocks_reported = true;
}

void ovni_emulator_damage(ovni_emulator *e, const record_context *c)
{
    emulator_begin_record(e);
    if (ovni_context_of(c)->era == OVNI_ERA_V3)
        emulator_find(e, OVNI_LINT_STREAM, "a part of the trace that ovniemu cannot read");
}

static emulated_thread *thread_of(ovni_emulator *e, uint32_t stream)
{
    emulated_stream *last = &e->last_streams[stream % G_N_ELEMENTS(e->last_streams)];
    if (!last->thread || last->stream != stream)
        *last = (emulated_stream){stream, g_hash_table_lookup(e->by_stream, GUINT_TO_POINTER(stream))};
    return last->thread;
}

/* Reports a stream without a thread once. ovniemu does not look at one without metadata. */
static void find_threadless(ovni_emulator *e, const record_context *c)
{
    if (e->limited || ovni_context_of(c)->beside == FAULT_OVNI_NO_METADATA ||
        g_hash_table_contains(e->by_stream, GUINT_TO_POINTER(c->stream)))
        return;
    emulator_find(e, OVNI_LINT_METADATA, "an event of a stream whose metadata declare no thread");
    g_hash_table_insert(e->by_stream, GUINT_TO_POINTER(c->stream), NULL);
}

void ovni_emulator_event(ovni_emulator *e, const record_context *c, const ovni_event *event, const cursor *bytes)
{
    emulator_begin_record(e);
    if (!e->has_metadata) /* of another time, or a stream opened alone */
        return;
    build(e);
    emulated_thread *t = thread_of(e, c->stream);
    if (!t)
        find_threadless(e, c);
    if (!t || bytes->length < OVNI_EVENT_SIZE)
        return;
    t->record = e->record;
    check_clock(e, c, t, bytes);
    play(e, t, event, ovni_mcv(bytes), bytes);
    if (e->shows)
        show_stale(e);
}

void ovni_emulator_play(ovni_emulator *e, const ovni_played *p)
{
    const record_context *c = p->context;
    e->record = p->number;
    if (c->kind == OVNI_METADATA)
        ovni_emulator_metadata(e, c, (const char *)p->bytes->data, p->bytes->length);
    else if (c->kind == OVNI_HEADER)
        ovni_emulator_header(e, c, p->loom);
    else if (ovni_states_is_event(c, p->bytes) && !c->fault)
        ovni_emulator_event(e, c, p->event, p->bytes);
    else
        ovni_emulator_damage(e, c);
}

GArray *ovni_emulator_at_end(const ovni_emulator *e)
{
    GArray *all = emulator_findings_new();
    for (guint i = 0; i < e->threads->len; i++) {
        const emulated_thread *t = g_ptr_array_index(e->threads, i);
        ovni_finding f = {t->header ? OVNI_LINT_ALIVE : OVNI_LINT_STREAM, t->record, NULL};
        if (t->seen.state == OVNI_THREAD_DEAD && t->header)
            continue;
        f.text = g_strdup_printf(t->header ? "thread %d of loom %s never ends"
                                           : "the event file of thread %d of loom %s is missing, empty or without header",
                                 t->seen.tid, t->loom->name);
        g_array_append_val(all, f);
    }
    ovni_finding f = {OVNI_LINT_STREAM, 0, NULL};
    if (e->other_heads < e->others) {
        f.text = g_strdup("an event file of a stream that belongs to no thread is empty");
        g_array_append_val(all, f);
    }
    return all;
}

const GArray *ovni_emulator_findings(const ovni_emulator *e)
{
    return e->findings;
}

const GArray *ovni_emulator_changes(const ovni_emulator *e)
{
    return e->changes;
}

const GArray *ovni_emulator_cpu_changes(const ovni_emulator *e)
{
    return e->cpu_changes;
}

const GArray *ovni_emulator_touched(const ovni_emulator *e)
{
    return e->touched;
}

/* --- what there is -------------------------------------------------------------------------------------------------------- */

ovni_emulator *ovni_emulator_new(ovni_emulation what)
{
    ovni_emulator *e = g_new0(ovni_emulator, 1);
    e->shows = what >= OVNI_EMULATE_SHOWN;
    e->report_changes = what == OVNI_EMULATE_ALL;
    e->findings = emulator_findings_new();
    e->nosv_findings = emulator_findings_new();
    e->changes = g_array_new(FALSE, FALSE, sizeof(ovni_change));
    e->cpu_changes = g_array_new(FALSE, FALSE, sizeof(ovni_cpu_change));
    e->touched = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    e->looms = g_ptr_array_new();
    e->threads = g_ptr_array_new();
    e->cpus = g_ptr_array_new();
    e->marks = g_ptr_array_new();
    e->counters = g_ptr_array_new_with_free_func(g_free);
    e->by_stream = g_hash_table_new(NULL, NULL);
    e->named = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
    e->first_clocks = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    e->first_stream = UINT32_MAX;
    emulator_tasks_init(e);
    return e;
}

void ovni_emulator_free(ovni_emulator *e)
{
    if (!e)
        return;
    emulator_forget_system(e);
    emulator_tasks_clear(e);
    GPtrArray *const arrays[] = {e->looms, e->threads, e->cpus, e->marks, e->counters};
    for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++)
        g_ptr_array_free(arrays[i], TRUE);
    g_hash_table_destroy(e->by_stream);
    g_hash_table_destroy(e->named);
    g_hash_table_destroy(e->first_clocks);
    g_array_free(e->findings, TRUE);
    g_array_free(e->nosv_findings, TRUE);
    g_array_free(e->changes, TRUE);
    g_array_free(e->cpu_changes, TRUE);
    g_array_free(e->touched, TRUE);
    g_free(e->order);
    g_free(e->channels);
    g_free(e);
}

bool ovni_emulator_has_metadata(const ovni_emulator *e)
{
    return e->has_metadata;
}

int64_t ovni_emulator_time(const ovni_emulator *e)
{
    return (int64_t)((uint64_t)e->last_clock - (uint64_t)e->first_clock);
}

uint32_t ovni_emulator_thread_count(const ovni_emulator *e)
{
    return e->threads->len;
}

uint32_t ovni_emulator_cpu_count(const ovni_emulator *e)
{
    return e->cpus->len;
}

const ovni_emulated_thread *ovni_emulator_thread(const ovni_emulator *e, uint32_t row)
{
    return &((const emulated_thread *)g_ptr_array_index(e->threads, row))->seen;
}

const ovni_emulated_cpu *ovni_emulator_cpu(const ovni_emulator *e, uint32_t row)
{
    return &((const emulated_cpu *)g_ptr_array_index(e->cpus, row))->seen;
}

int64_t ovni_emulator_row(const ovni_emulator *e, uint32_t stream)
{
    const emulated_thread *t = g_hash_table_lookup(e->by_stream, GUINT_TO_POINTER(stream));
    return t ? (int64_t)t->row : -1;
}

bool ovni_emulator_shown(const ovni_emulator *e, bool of_cpu, uint32_t row, ovni_channel_id channel, int64_t *value)
{
    const shown_value *shown = of_cpu ? ((const emulated_cpu *)g_ptr_array_index(e->cpus, row))->shown
                                      : ((const emulated_thread *)g_ptr_array_index(e->threads, row))->shown;
    *value = shown[channel].value.number;
    return shown[channel].value.set;
}

bool ovni_emulator_set_now(const ovni_emulator *e, uint32_t cpu, ovni_channel_id channel)
{
    return ((const emulated_cpu *)g_ptr_array_index(e->cpus, cpu))->shown[channel].record == e->record;
}

char *ovni_emulator_cpu_name(const ovni_emulator *e, uint32_t row)
{
    const ovni_emulated_cpu *cpu = ovni_emulator_cpu(e, row);
    return cpu->virtual ? g_strdup_printf("vCPU %u.*", cpu->loom) : g_strdup_printf("CPU %u.%d", cpu->loom, cpu->system);
}

const char *ovni_emulator_thread_name(const ovni_emulator *e, uint32_t row)
{
    static char name[128];
    const emulated_thread *t = g_ptr_array_index(e->threads, row);
    g_snprintf(name, sizeof name, "%s/%d/%d", t->loom->name, t->seen.pid, t->seen.tid);
    return name;
}

char *ovni_emulator_value(const ovni_emulator *e, uint32_t channel, int64_t value)
{
    char number[32];
    if (channel == OVNI_CH_NOSV_RANK || channel == OVNI_CH_NANOS6_RANK)
        value--; /* as 0 would be none */
    const char *words = emulator_value_words(&e->channels[channel], value, number, sizeof number);
    if (channel >= EMULATOR_FIRST_MARK && channel < emulator_first_counter(e)) {
        const emulated_mark *m = g_ptr_array_index(e->marks, channel - EMULATOR_FIRST_MARK);
        for (guint i = 0; i < m->labels->len; i++)
            if (g_array_index(m->labels, mark_label, i).value == value)
                words = g_array_index(m->labels, mark_label, i).text;
    }
    const char *type = emulator_type_label(e, channel, value);
    return text_show(type ? type : words, -1);
}

static void append_value(const ovni_emulator *e, GString *text, uint32_t channel, int64_t value)
{
    g_autofree char *shown = ovni_emulator_value(e, channel, value);
    g_string_append(text, shown);
}

char *ovni_emulator_stacks(const ovni_emulator *e, uint32_t row)
{
    const emulated_thread *t = g_ptr_array_index(e->threads, row);
    GString *text = g_string_new(NULL);
    for (uint32_t i = 0; i < e->order_length; i++) {
        uint32_t channel = e->order[i];
        const channel_state *s = &t->channels[channel];
        if (!s->now.set)
            continue;
        g_autofree char *title = text_show(e->channels[channel].title, -1);
        g_string_append_printf(text, "%s%s: ", text->len ? ", " : "", title);
        for (guint k = 0; s->stack && k + 1 < s->stack->len; k++) {
            append_value(e, text, channel, g_array_index(s->stack, int64_t, k));
            g_string_append(text, " > ");
        }
        append_value(e, text, channel, s->now.number);
    }
    return g_string_free(text, FALSE);
}

bool ovni_emulator_enabled(const ovni_emulator *e, char model)
{
    return e->enabled >> ovni_model_number(model) & 1;
}

void ovni_emulator_each_mark(const ovni_emulator *e, ovni_label_visitor title, ovni_label_visitor label, void *data)
{
    for (guint i = 0; i < e->marks->len; i++) {
        const emulated_mark *m = g_ptr_array_index(e->marks, i);
        title(data, OVNI_PRV_MARK + m->type, 0, m->title);
        for (guint k = 0; k < m->labels->len; k++) {
            const mark_label *l = &g_array_index(m->labels, mark_label, k);
            label(data, OVNI_PRV_MARK + m->type, l->value, l->text);
        }
    }
}

void ovni_emulator_each_counter(const ovni_emulator *e, ovni_label_visitor name, void *data)
{
    for (guint i = 0; i < e->counters->len; i++)
        name(data, OVNI_PRV_COUNTER + (int32_t)i, 0, emulator_counter_name(e, i));
}
