/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads and CPUs as events change them: their states, which CPU a thread is bound to, and what the rows of both show then.
 */
#include "ovni/emulator/model.h"
#include "ovni/states.h"

/* --- CPUs ---------------------------------------------------------------------------------------------------------- */

/* Another thread, or none, runs alone on the CPU: it shows what that thread does. */
static void ovni_scheduling_show_cpu(ovni_emulator *e, emulated_cpu *cpu)
{
    const emulated_thread *t = cpu->alone;
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
    const int64_t now = emulator_now(e);
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
    const emulated_thread *before = cpu->alone, *running = NULL;
    const uint32_t ran = cpu->seen.running;
    uint32_t count = 0;
    for (guint i = 0; i < cpu->threads->len; i++) {
        const emulated_thread *t = g_ptr_array_index(cpu->threads, i);
        if (t->seen.state == OVNI_THREAD_RUNNING) {
            running = t;
            count++;
        }
    }
    if (count > 1 && !cpu->seen.virtual && count > ran)
        emulator_report(e, OVNI_LINT_CPU, "%u threads run on CPU %d of loom %u at the same time", count, cpu->seen.system,
                        cpu->seen.loom);
    const emulated_thread *alone = cpu->alone = count == 1 ? running : NULL;
    if (alone && alone->seen.pid == 0) /* ovni.pid is between 0 and 1 */
        emulator_report(e, OVNI_LINT_METADATA, "thread %d runs alone on a CPU, but its process has the number 0",
                        alone->seen.tid);
    cpu->seen.running = count;
    cpu->seen.claimed = cpu->threads->len;
    cpu->seen.tid = alone ? alone->seen.tid : 0;
    report_cpu(e, cpu, ran);
    const bool other = !alone != !before;
    if (other || (alone && alone->seen.tid != before->seen.tid))
        emulator_write(e, true, cpu->row, OVNI_PRV_TID, cpu->seen.tid);
    if (other || (alone && alone->seen.pid != before->seen.pid))
        emulator_write(e, true, cpu->row, OVNI_PRV_PID, alone ? alone->seen.pid : 0);
    if (!cpu->counted || count != ran)
        emulator_write(e, true, cpu->row, OVNI_PRV_RUNNING, count);
    cpu->counted = true;
    if (e->shows && alone != before && e->stale_cpu_count < G_N_ELEMENTS(e->stale_cpus))
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
        emulator_report(e, OVNI_LINT_CPU, "loom %s has no CPU of index %d", loom->name, index);
    return cpu;
}

/* --- threads ------------------------------------------------------------------------------------------------------- */

static void set_state(ovni_emulator *e, emulated_thread *t, uint8_t state)
{
    const uint8_t before = t->seen.state;
    const bool active = ovni_thread_state_counts(state, OVNI_TRACK_ACTIVE);
    t->seen.state = state;
    if (state != before)
        emulator_write(e, false, t->row, OVNI_PRV_STATE, state);
    if (active != ovni_thread_state_counts(before, OVNI_TRACK_ACTIVE))
        emulator_write(e, false, t->row, OVNI_PRV_TID, active ? t->seen.tid : 0);
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
                          ovni_thread_state_counts(t->seen.state, c->track) ? t->channels[channel].now
                                                                            : (emulated_value){0});
    }
}

/* ovniemu tells all that depends on the states of threads and CPUs after these. */
void emulator_show_stale(ovni_emulator *e)
{
    if (e->stale_thread)
        show_thread(e, e->stale_thread);
    for (unsigned i = 0; i < e->stale_cpu_count; i++)
        ovni_scheduling_show_cpu(e, e->stale_cpus[i]);
    e->stale_thread = NULL;
    e->stale_cpu_count = 0;
}

static int32_t number_at(const cursor *bytes, unsigned i)
{
    return (int32_t)cursor_u32(bytes, EMULATOR_PAYLOAD + 4 * i);
}

void emulator_start_thread(ovni_emulator *e, emulated_thread *t, const cursor *bytes)
{
    if (t->seen.state == OVNI_THREAD_RUNNING || t->cpu)
        emulator_report(e, OVNI_LINT_STATE, "thread %d starts, but has not ended before", t->seen.tid);
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
            emulator_report(e, OVNI_LINT_OPEN, "%s: thread %d ends with %u open, the innermost is %s", c->title, t->seen.tid,
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

/* The states from which a thread may get into another one: bits 1 << ovni_thread_state. */
static const uint8_t from[OVNI_THREAD_STATES] = {
    [OVNI_THREAD_RUNNING] = 1 << OVNI_THREAD_PAUSED | 1 << OVNI_THREAD_WARMING,
    [OVNI_THREAD_PAUSED] = 1 << OVNI_THREAD_RUNNING | 1 << OVNI_THREAD_COOLING,
    [OVNI_THREAD_COOLING] = 1 << OVNI_THREAD_RUNNING,
    [OVNI_THREAD_WARMING] = 1 << OVNI_THREAD_PAUSED,
    [OVNI_THREAD_DEAD] = 1 << OVNI_THREAD_RUNNING | 1 << OVNI_THREAD_COOLING,
};

void emulator_step_thread(ovni_emulator *e, emulated_thread *t, uint8_t state)
{
    const char *was = ovni_thread_state_name(t->seen.state);
    if (!(from[state] >> t->seen.state & 1))
        emulator_report(e, OVNI_LINT_STATE, "thread %d becomes %s, but it is %s", t->seen.tid, ovni_thread_state_name(state),
                        was ? was : "not started");
    if (state == OVNI_THREAD_DEAD) {
        end_thread(e, t);
        return;
    }
    set_state(e, t, state);
    if (t->cpu)
        update_cpu(e, t->cpu);
}

static void move_to(ovni_emulator *e, emulated_thread *t, emulated_cpu *cpu)
{
    leave_cpu(e, t);
    g_ptr_array_add(cpu->threads, t);
    update_cpu(e, cpu);
    show_binding(e, t, cpu);
}

void emulator_move_itself(ovni_emulator *e, emulated_thread *t, const cursor *bytes)
{
    if (!t->cpu || !ovni_thread_state_counts(t->seen.state, OVNI_TRACK_ACTIVE))
        emulator_report(e, OVNI_LINT_CPU, "thread %d moves, but it is not active", t->seen.tid);
    emulated_cpu *cpu = cpu_of(e, t->loom, number_at(bytes, 0));
    if (cpu && t->cpu && cpu != t->cpu)
        move_to(e, t, cpu);
}

void emulator_move_other(ovni_emulator *e, const emulated_thread *by, const cursor *bytes)
{
    int32_t tid = number_at(bytes, 1);
    emulated_thread *t = emulator_named_thread(e, by->loom, by->process->pid, tid);
    if (!t)
        emulator_report(e, OVNI_LINT_CPU, "loom %s has no thread %d", by->loom->name, tid);
    else if (!t->cpu)
        emulator_report(e, OVNI_LINT_CPU, "thread %d is moved, but it has not started or has ended", tid);
    emulated_cpu *cpu = cpu_of(e, by->loom, number_at(bytes, 0));
    if (!t || !t->cpu || !cpu)
        return;
    if (t->cpu == cpu)
        emulator_report(e, OVNI_LINT_CPU, "thread %d is moved to the CPU where it is", tid);
    else
        move_to(e, t, cpu);
}
