/* SPDX-License-Identifier: GPL-2.0-or-later */
/* States, CPUs, regions, tasks and names of ovni events in context, with results kept and not kept, and cut at every
 * byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>
#include <string.h>

#include "ovni/context.h"
#include "ovni/states.h"

/* Events as in a little-endian file, with one byte of clock. */
#define EVENT(size, code, clock) size, (uint8_t)code[0], (uint8_t)code[1], (uint8_t)code[2], clock, 0, 0, 0, 0, 0, 0, 0
#define U32(n) n, 0, 0, 0

static ovni_states *states;
static uint32_t frame;

static record_context context(uint32_t stream)
{
    record_context c = {.kind = 1, .stream = stream};
    ovni_context_of(&c)->era = OVNI_ERA_V3;
    ovni_context_of(&c)->known = OVNI_KNOWN_PROCESS | OVNI_KNOWN_THREAD;
    ovni_context_of(&c)->process = 10;
    ovni_context_of(&c)->thread = (int32_t)(100 + stream);
    return c;
}

static void start(bool keep)
{
    states = ovni_states_new(keep);
    frame = 0;
    for (uint32_t stream = 0; stream < 3; stream++) {
        record_context c = context(stream);
        assert_false(ovni_states_stream_known(states, &c));
        ovni_states_stream(states, &c, stream == 2 ? "b" : "a");
        assert_true(ovni_states_stream_known(states, &c));
    }
    assert_int_equal(ovni_states_kept(states), keep);
}

static ovni_known visit(uint32_t stream, const uint8_t *bytes, size_t length)
{
    ovni_known k;
    record_context c = context(stream);
    cursor at = {bytes, length, false};
    ovni_states_visit(states, &c, ++frame, ovni_event_of(OVNI_ERA_V3, &at), &at, &k);
    return k;
}

static ovni_known find(uint32_t stream, uint32_t of, const uint8_t *bytes, size_t length)
{
    ovni_known k;
    record_context c = context(stream);
    cursor at = {bytes, length, false};
    ovni_states_find(states, &c, of, ovni_event_of(OVNI_ERA_V3, &at), &at, &k);
    return k;
}

#define VISIT(stream, ...) visit(stream, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
#define FIND(stream, of, ...) find(stream, of, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static const char *name_of(uint32_t function)
{
    static char text[64];
    char model;
    return ovni_states_name(states, function, text, sizeof text, &model);
}

#define BEGINS EVENT(15, "OHx", 10), U32(3), 0xff, 0xff, 0xff, 0xff, U32(0), U32(0)

static void threads_have_states_and_cpus(void **state)
{
    (void)state;
    for (int keep = 0; keep <= 1; keep++) {
        start(keep);
        ovni_known k = VISIT(0, EVENT(0, "VAs", 1));
        assert_int_equal(k.thread.state, OVNI_THREAD_UNKNOWN);
        assert_false(k.thread.cpu_known);
        k = VISIT(0, BEGINS);
        assert_int_equal(k.thread.state, OVNI_THREAD_RUNNING);
        assert_int_equal(k.thread.cpu, 3);
        assert_true(k.has_left);
        assert_int_equal(k.previous_function, 0);
        VISIT(1, BEGINS);
        k = VISIT(0, EVENT(3, "OAs", 20), U32(5));
        assert_int_equal(k.thread.cpu, 5);
        VISIT(1, EVENT(7, "OAr", 25), U32(7), U32(100)); /* thread 1 moves thread 0, whose tid is 100 */
        k = VISIT(0, EVENT(0, "OHp", 30));
        assert_int_equal(k.thread.state, OVNI_THREAD_PAUSED);
        assert_string_equal(name_of(k.previous_function), "Running");
        assert_int_equal(k.left.state, CALL_TIMED);
        assert_int_equal(k.left.duration, 20);
        assert_int_equal(k.thread.cpu, 7);
        k = VISIT(0, EVENT(0, "OHr", 29));
        assert_string_equal(name_of(k.previous_function), "Paused");
        assert_int_equal(k.left.state, 0);               /* the clock went back */
        VISIT(2, EVENT(7, "OAr", 35), U32(1), U32(100)); /* there is no thread 100 in another loom */
        k = VISIT(0, EVENT(0, "OHe", 40));
        assert_string_equal(ovni_thread_state_name(k.thread.state), "dead");
        assert_int_equal(k.thread.cpu, 7);
        if (keep) {
            assert_int_equal(FIND(0, 1, EVENT(0, "VAs", 1)).thread.state, OVNI_THREAD_UNKNOWN);
            k = FIND(0, 6, EVENT(0, "OHp", 30));
            assert_string_equal(name_of(k.previous_function), "Running");
            assert_int_equal(k.left.duration, 20);
            assert_int_equal(k.thread.cpu, 7);
            assert_int_equal(FIND(0, 4, EVENT(3, "OAs", 20), U32(5)).thread.cpu, 5);
        }
        ovni_states_free(states);
    }
}

/* Events in sort regions have the state and CPU at their own clock, also if few changes are kept. */
static void past_events_have_their_own_state(void **state)
{
    (void)state;
    for (int keep = 0; keep <= 1; keep++) {
        start(keep);
        VISIT(0, BEGINS);
        VISIT(0, EVENT(0, "OHp", 30));
        VISIT(0, EVENT(0, "OHr", 40));
        VISIT(0, EVENT(3, "OAs", 45), U32(5));
        VISIT(0, EVENT(0, "OU[", 50));
        ovni_known k = VISIT(0, EVENT(0, "KCO", 35));
        assert_int_equal(k.thread.state, OVNI_THREAD_PAUSED);
        assert_int_equal(k.thread.cpu, 3);
        assert_true(k.thread.unsorted);
        assert_int_equal(VISIT(0, EVENT(0, "KCI", 9)).thread.state, OVNI_THREAD_UNKNOWN);
        k = VISIT(0, EVENT(0, "KCO", 47));
        assert_int_equal(k.thread.state, OVNI_THREAD_RUNNING);
        assert_int_equal(k.thread.cpu, 5);
        VISIT(0, EVENT(0, "OU]", 51));
        for (int i = 0; i < 2000; i++)
            VISIT(0, EVENT(0, "OHr", 52));
        assert_int_equal(VISIT(0, EVENT(0, "OHp", 60)).thread.state, OVNI_THREAD_PAUSED);
        VISIT(0, EVENT(0, "OU[", 61));
        assert_int_equal(VISIT(0, EVENT(0, "KCO", 55)).thread.state, OVNI_THREAD_RUNNING);
        if (keep)
            assert_int_equal(FIND(0, 6, EVENT(0, "KCO", 35)).thread.state, OVNI_THREAD_PAUSED);
        ovni_states_free(states);
    }
}

static void sort_regions_are_marked(void **state)
{
    (void)state;
    start(true);
    assert_true(VISIT(0, EVENT(0, "OU[", 50)).thread.unsorted);
    VISIT(0, EVENT(0, "KCO", 20));
    ovni_known k = VISIT(0, EVENT(0, "KCI", 26));
    assert_true(k.thread.unsorted);
    assert_int_equal(k.region.duration, 6);
    assert_false(VISIT(0, EVENT(0, "OU]", 51)).thread.unsorted);
    assert_true(FIND(0, 2, EVENT(0, "KCO", 20)).thread.unsorted);
    assert_false(FIND(1, 2, EVENT(0, "KCO", 20)).thread.unsorted);
    ovni_states_free(states);
}

/* Each model and channel has its own stack. */
static void regions_match_on_their_stack(void **state)
{
    (void)state;
    start(true);
    char text[64], model = 0;
    VISIT(0, EVENT(0, "VAs", 1));
    VISIT(0, EVENT(0, "DT[", 2));
    ovni_known k = VISIT(0, EVENT(0, "VMa", 3));
    assert_int_equal(k.region.depth, 1);
    k = VISIT(1, EVENT(0, "VAS", 4)); /* on another thread */
    assert_int_equal(k.region.state, CALL_UNMATCHED);
    k = VISIT(0, EVENT(0, "VAS", 5)); /* leaves VMa open */
    assert_int_equal(k.region.begin, 1);
    assert_int_equal(k.region.duration, 4);
    assert_string_equal(ovni_states_name(states, k.function, text, sizeof text, &model), "API: Submit");
    assert_int_equal(model, 'V');
    assert_int_equal(VISIT(0, EVENT(0, "DT]", 6)).region.begin, 2);
    assert_int_equal(FIND(0, 3, EVENT(0, "VMa", 3)).region.state & CALL_CLOSED, CALL_CLOSED);
    assert_int_equal(FIND(0, 1, EVENT(0, "VAs", 1)).region.end, 5);
    uint32_t functions[CALLS_STACK_MAX], left_out;
    k = FIND(0, 3, EVENT(0, "VMa", 3));
    assert_int_equal(ovni_states_stack(states, &k, functions, &left_out), 2);
    assert_null(ovni_states_name(states, 0, text, sizeof text, &model));
    assert_null(ovni_states_name(states, UINT32_MAX, text, sizeof text, &model));
    ovni_states_free(states);
}

#define CREATE(task, type) EVENT(7, "VTc", 1), U32(task), U32(type)
#define NAME(type) EVENT(0x13, "VYc", 1), U32(6), U32(type), 'l', 0xe9 /* not UTF-8 */
#define TASK(code, clock, task, body) EVENT(7, code, clock), U32(task), U32(body)

static void tasks_run_without_their_pauses(void **state)
{
    (void)state;
    start(true);
    VISIT(0, CREATE(1, 4));
    VISIT(1, NAME(4)); /* another thread of the process */
    VISIT(1, TASK("VTx", 10, 1, 0));
    VISIT(1, TASK("VTp", 15, 1, 0));
    VISIT(1, TASK("VTr", 30, 1, 0));
    ovni_known k = VISIT(0, TASK("VTe", 32, 1, 0));
    assert_true(k.has_task && k.task.timed);
    assert_int_equal(k.task.running, 7);
    assert_int_equal(k.task.created, 1);
    assert_int_equal(k.task.begun, 3);
    assert_int_equal(k.task.ended, 6);
    assert_int_equal(k.task.type, 4);
    assert_string_equal(k.task.label, "l\xef\xbf\xbd");
    VISIT(0, TASK("VTx", 40, 1, 0)); /* runs again */
    k = VISIT(0, TASK("VTe", 41, 1, 0));
    assert_int_equal(k.task.running, 1);
    k = FIND(1, 4, TASK("VTp", 15, 1, 0));
    assert_int_equal(k.task.running, 7);
    assert_int_equal(k.task.ended, 6);
    assert_string_equal(FIND(0, 1, CREATE(1, 4)).task.label, "l\xef\xbf\xbd");
    assert_false(VISIT(2, TASK("VTx", 50, 1, 0)).task.has_type); /* another loom, and so another process */
    ovni_states_free(states);
}

static void bodies_run_by_themselves(void **state)
{
    (void)state;
    for (int keep = 0; keep <= 1; keep++) {
        start(keep);
        VISIT(0, TASK("VTx", 10, 1, 1));
        VISIT(1, TASK("VTx", 11, 1, 2));
        assert_int_equal(VISIT(0, TASK("VTe", 20, 1, 1)).task.running, 10);
        assert_int_equal(VISIT(1, TASK("VTe", 13, 1, 2)).task.running, 2);
        VISIT(0, TASK("VTx", 30, 2, 0));
        ovni_known k = VISIT(0, TASK("VTe", 29, 2, 0)); /* the clock went back */
        assert_int_equal(k.task.ended, frame);
        assert_false(k.task.timed);
        assert_int_equal(VISIT(0, TASK("VTe", 40, 9, 0)).task.ended, 0); /* never begun */
        ovni_states_free(states);
    }
}

#define MARK(code, value, type) EVENT(11, code, 1), U32(value), U32(0), U32(type)

static void marks_and_counters_have_names(void **state)
{
    (void)state;
    start(true);
    char text[64], model;
    record_context c = context(0);
    static const char json[] = "{\"ovni\": {\"mark\": {\"7\": {\"title\": \"Phase\", \"labels\": {\"1\": \"set up\"}}}},"
                               "\"nosv\": {\"hwc\": {\"0\": {\"name\": \"CYCLES\"}}}}";
    ovni_states_metadata(states, &c, "a", json, sizeof json - 1);
    VISIT(1, MARK("OM[", 1, 7));
    ovni_known k = VISIT(1, MARK("OM]", 1, 7));
    assert_int_equal(k.region.begin, 1);
    const uint8_t bytes[] = {MARK("OM]", 1, 7)}, other[] = {MARK("OM=", 2, 7)};
    cursor at = {bytes, sizeof bytes, false}, at_other = {other, sizeof other, false};
    const ovni_event *pop = ovni_event_of(OVNI_ERA_V3, &at), *set = ovni_event_of(OVNI_ERA_V3, &at_other);
    assert_string_equal(ovni_states_name(states, k.function, text, sizeof text, &model), "Phase: set up");
    assert_string_equal(ovni_states_text(states, &k, pop, &at, text, sizeof text), "set up");
    assert_string_equal(ovni_states_mark_name(states, OVNI_NAMED_MARK, pop, &at), "Phase");
    assert_string_equal(ovni_states_counter(states, &c, 0), "CYCLES");
    assert_null(ovni_states_counter(states, &c, 1));
    assert_string_equal(ovni_states_text(states, &k, set, &at_other, text, sizeof text), "2");
    assert_string_equal(ovni_states_mark_name(states, OVNI_NAMED_VALUE, pop, &at), "set up");
    assert_null(ovni_states_mark_name(states, OVNI_NAMED_VALUE, set, &at_other));
    const uint8_t points[] = {EVENT(0, "OB.", 1)}, pauses[] = {EVENT(0, "OHp", 1)};
    cursor at_point = {points, sizeof points, false}, at_pause = {pauses, sizeof pauses, false};
    const ovni_event *point = ovni_event_of(OVNI_ERA_V3, &at_point), *pause = ovni_event_of(OVNI_ERA_V3, &at_pause);
    assert_null(ovni_states_mark_name(states, OVNI_NAMED_MARK, pause, &at_pause));
    assert_true(!point || !ovni_states_text(states, &k, point, &at_point, text, sizeof text));
    assert_string_equal(ovni_states_text(states, &k, pause, &at_pause, text, sizeof text), "Paused");
    assert_int_equal(VISIT(1, MARK("OM]", 2, 7)).region.state, CALL_UNMATCHED);
    c = context(1);
    assert_null(ovni_states_counter(states, &c, 0)); /* of another thread */
    ovni_states_free(states);
}

/* Thread progress and marks with a single value last until the next value on their channel. */
static void values_hold_until_the_next(void **state)
{
    (void)state;
    for (int keep = 0; keep <= 1; keep++) {
        start(keep);
        assert_int_equal(VISIT(0, EVENT(0, "VPp", 10)).previous_function, 0);
        VISIT(0, EVENT(0, "6Pr", 11)); /* another model */
        VISIT(1, EVENT(0, "VPa", 12)); /* another thread */
        VISIT(0, EVENT(11, "OM=", 13), U32(4), U32(0), U32(1));
        VISIT(0, EVENT(11, "OM[", 14), U32(9), U32(0), U32(1)); /* the stack of this type is separate from its value */
        VISIT(0, EVENT(11, "OM=", 15), U32(5), U32(0), U32(2)); /* another type */
        ovni_known k = VISIT(0, EVENT(0, "VPr", 17));
        assert_string_equal(name_of(k.previous_function), "Progressing");
        assert_int_equal(k.left.duration, 7);
        assert_int_equal(k.left.begin, 1);
        k = VISIT(0, EVENT(11, "OM=", 19), U32(6), U32(0), U32(1));
        assert_string_equal(name_of(k.previous_function), "Mark 1: 4");
        assert_int_equal(k.left.duration, 6);
        k = VISIT(0, EVENT(11, "OM]", 20), U32(9), U32(0), U32(1));
        assert_int_equal(k.region.duration, 6);
        assert_false(k.has_left);
        if (keep) {
            k = FIND(0, 7, EVENT(0, "VPr", 17));
            assert_string_equal(name_of(k.previous_function), "Progressing");
            assert_int_equal(k.left.duration, 7);
            assert_int_equal(FIND(0, 1, EVENT(0, "VPp", 10)).previous_function, 0);
        }
        ovni_states_free(states);
    }
}

static void require(const char *json)
{
    record_context c = context(0);
    ovni_states_metadata(states, &c, "a", json, strlen(json));
}

static void note_open(void *data, uint32_t stream, char model, const span *open)
{
    const call *k = &open->call;
    (void)model;
    if (open->kind == OVNI_SPAN_STATE)
        g_string_append_printf(data, "%u %s@%u %u-%u;", stream, name_of(open->function), k->begin, (unsigned)k->duration,
                               (unsigned)k->away);
}

static void note_task(void *data, uint32_t stream, char model, const span *open)
{
    const ovni_task *task = open->detail;
    if (open->kind == OVNI_SPAN_TASK)
        g_string_append_printf(data, "%u %c%u %u %u %u;", stream, model, task->id, (unsigned)task->running,
                               (unsigned)task->active, (unsigned)span_active_self(open));
}

/* Time counts while the thread is running, for most states also while it is cooling or warming. */
static void active_time(void **state)
{
    (void)state;
    for (int keep = 0; keep <= 1; keep++) {
        start(keep);
        VISIT(0, BEGINS); /* 10 */
        VISIT(0, EVENT(0, "VAs", 12));
        VISIT(0, EVENT(0, "MUi", 13));
        VISIT(0, EVENT(0, "KCO", 14));
        VISIT(0, EVENT(0, "OHc", 20));
        VISIT(0, EVENT(0, "OHp", 23));
        VISIT(0, EVENT(0, "OHw", 40));
        VISIT(0, EVENT(0, "OHr", 45));
        ovni_known k = VISIT(0, EVENT(0, "KCI", 50));
        assert_int_equal(k.region.duration, 36);
        assert_int_equal(k.region.away, 0); /* always counts */
        k = VISIT(0, EVENT(0, "MUI", 52));
        assert_int_equal(k.region.duration, 39);
        assert_int_equal(k.region.away, 25); /* running alone */
        k = VISIT(0, EVENT(0, "VAS", 60));
        assert_int_equal(k.region.duration, 48);
        assert_int_equal(k.region.away, 17); /* paused */
        if (keep) {
            assert_int_equal(FIND(0, 10, EVENT(0, "MUI", 52)).region.away, 25);
            assert_int_equal(FIND(0, 2, EVENT(0, "VAs", 12)).region.away, 17);
        }
        ovni_states_free(states);
    }
}

/* Threads are progressing from their start, and open regions and values end with the thread or the trace. */
static void first_and_last_values(void **state)
{
    (void)state;
    for (int keep = 0; keep <= 1; keep++) {
        GString *text = g_string_new(NULL);
        start(keep);
        require("{\"ovni\": {\"require\": {\"nosv\": \"2.0.0\"}}}");
        VISIT(0, BEGINS);
        VISIT(1, BEGINS);
        VISIT(0, EVENT(0, "VAs", 12));
        ovni_known k = VISIT(0, EVENT(0, "VPr", 15));
        assert_string_equal(name_of(k.previous_function), "Progressing");
        assert_int_equal(k.left.duration, 5);
        assert_int_equal(k.left.begin, 1);
        VISIT(0, EVENT(0, "OHp", 16));
        VISIT(0, EVENT(0, "OHe", 20));
        if (keep)
            assert_int_equal(FIND(0, 4, EVENT(0, "VPr", 15)).left.duration, 5);
        VISIT(1, EVENT(0, "OHp", 40));
        ovni_states_each_open(states, note_open, text);
        assert_string_equal(text->str, "0 API: Submit@3 8-4;0 Dead@6 20-0;0 Resting@4 5-4;"
                                       "1 Paused@7 0-0;1 Progressing@2 30-0;");
        g_string_free(text, TRUE);
        ovni_states_free(states);
    }
}

/* The time of a task on a CPU, and without tasks inside it. */
static void active_time_of_tasks(void **state)
{
    (void)state;
    for (int keep = 0; keep <= 1; keep++) {
        GString *text = g_string_new(NULL);
        start(keep);
        VISIT(0, BEGINS);
        VISIT(0, EVENT(3, "PPx", 12), U32(1));
        VISIT(0, EVENT(3, "PPx", 14), U32(2));
        VISIT(0, EVENT(0, "OHp", 15));
        VISIT(0, EVENT(0, "OHr", 18));
        VISIT(0, EVENT(0, "KCO", 19));
        VISIT(0, EVENT(0, "KCI", 20));
        ovni_known k = VISIT(0, EVENT(3, "PPe", 24), U32(2));
        assert_int_equal(k.task.running, 10);
        assert_true(k.task.has_active && k.task.has_on_cpu);
        assert_int_equal(k.task.active, 7);
        assert_int_equal(k.task.on_cpu, 6);
        k = VISIT(0, EVENT(3, "PPe", 30), U32(1));
        assert_int_equal(k.task.active, 15);
        assert_int_equal(k.task.own, 8);
        VISIT(1, TASK("VTx", 31, 5, 0)); /* by a thread that has not started */
        VISIT(0, TASK("VTx", 32, 6, 0));
        VISIT(0, TASK("VTp", 35, 6, 0));
        VISIT(0, TASK("VTx", 36, 7, 0));
        k = VISIT(1, TASK("VTe", 38, 7, 0)); /* another thread ends it */
        assert_true(k.task.timed);
        assert_false(k.task.has_active);
        if (keep)
            assert_int_equal(FIND(0, 8, EVENT(3, "PPe", 24), U32(2)).task.on_cpu, 6);
        ovni_states_each_open(states, note_task, text);
        assert_string_equal(text->str, "1 V5 7 0 0;0 V6 3 3 3;");
        g_string_free(text, TRUE);
        ovni_states_free(states);
    }
}

/* Context switches of a task's periods that come when it runs again, and when it has ended. */
static void late_context_switches(void **state)
{
    (void)state;
    start(true);
    VISIT(0, BEGINS);
    VISIT(0, EVENT(3, "PPx", 12), U32(1));
    VISIT(0, EVENT(3, "PPx", 20), U32(2)); /* inside */
    VISIT(0, EVENT(0, "OU[", 22));
    VISIT(0, EVENT(0, "KCO", 16));
    VISIT(0, EVENT(0, "KCI", 21));
    VISIT(0, EVENT(0, "OU]", 23));
    assert_int_equal(VISIT(0, EVENT(3, "PPe", 24), U32(2)).task.on_cpu, 3);
    assert_int_equal(VISIT(0, EVENT(3, "PPe", 30), U32(1)).task.on_cpu, 13);
    VISIT(0, EVENT(3, "PPx", 31), U32(2)); /* again */
    VISIT(0, EVENT(0, "OHp", 32));
    VISIT(0, EVENT(0, "OHr", 38));
    VISIT(0, EVENT(0, "OU[", 39));
    VISIT(0, EVENT(0, "KCO", 23));
    VISIT(0, EVENT(0, "KCI", 37)); /* while it was not running as well */
    VISIT(0, EVENT(0, "OU]", 40));
    assert_int_equal(VISIT(0, EVENT(3, "PPe", 41), U32(2)).task.on_cpu, 3);
    assert_int_equal(FIND(0, 8, EVENT(3, "PPe", 24), U32(2)).task.on_cpu, 2);
    assert_int_equal(FIND(0, 9, EVENT(3, "PPe", 30), U32(1)).task.on_cpu, 6);
    assert_int_equal(ovni_states_late(states)->len, 2);
    ovni_states_free(states);
}

/* Types without a label have different names. */
static void types_without_label(void **state)
{
    (void)state;
    start(true);
    VISIT(0, EVENT(0x13, "VYc", 1), U32(4), U32(1));
    VISIT(0, EVENT(0x13, "VYc", 2), U32(5), U32(2), 0);
    VISIT(0, CREATE(1, 1));
    assert_string_equal(VISIT(0, CREATE(1, 1)).task.label, "(unlabeled task type 1)");
    assert_string_equal(VISIT(0, CREATE(2, 2)).task.label, "(unlabeled task type 2)");
    assert_null(VISIT(0, CREATE(3, 3)).task.label);
    ovni_states_free(states);
}

/* Tasks that are started again and again, and end in any order, take no more time or memory. */
static void many_tasks_inside(void **state)
{
    (void)state;
    start(false);
    VISIT(0, BEGINS);
    for (unsigned i = 0; i < 2000; i++) {
        VISIT(0, TASK("VTx", 20, (uint8_t)(i % 7), 0));
        VISIT(0, TASK("VTe", 21, (uint8_t)(i * 3 % 5), 0));
    }
    ovni_states_free(states);
}

/* A body that has ended stays known, long after context switches could change it. */
static void tasks_that_have_ended(void **state)
{
    (void)state;
    for (int keep = 0; keep <= 1; keep++) {
        start(keep);
        VISIT(0, BEGINS);
        VISIT(0, TASK("VTx", 12, 9, 0));
        VISIT(0, TASK("VTp", 13, 9, 0));
        for (unsigned i = 0; i < 600; i++) {
            if (i == 255) {
                VISIT(0, EVENT(3, "PPx", 20), U32(255));
                VISIT(0, EVENT(3, "PPe", 21), U32(255));
            }
            VISIT(0, EVENT(3, "PPx", 20), (uint8_t)i, (uint8_t)(i >> 8), 0, 0);
            VISIT(0, EVENT(3, "PPe", 21), (uint8_t)i, (uint8_t)(i >> 8), 0, 0);
        }
        assert_int_equal(VISIT(0, EVENT(3, "PPe", 22), U32(1)).task.begun, 6);
        assert_int_equal(VISIT(0, EVENT(3, "PPe", 22), 0x57, 2, 0, 0).task.begun, 6 + 2 * 599);
        assert_int_equal(VISIT(0, EVENT(3, "PPe", 22), U32(255)).task.begun, 6 + 2 * 255);
        assert_int_equal(VISIT(0, TASK("VTe", 22, 9, 0)).task.begun, 2);
        VISIT(0, EVENT(3, "PPx", 23), U32(1)); /* again */
        VISIT(0, EVENT(0, "KCO", 24));
        VISIT(0, EVENT(0, "KCI", 26));
        assert_int_equal(VISIT(0, EVENT(3, "PPe", 30), U32(1)).task.on_cpu, 5);
        ovni_states_free(states);
    }
}

static ovni_known backwards(uint32_t stream, const uint8_t *bytes, size_t length)
{
    ovni_known k;
    record_context c = context(stream);
    cursor at = {bytes, length, false};
    ovni_context_of(&c)->known |= OVNI_BACKWARDS;
    ovni_states_visit(states, &c, ++frame, ovni_event_of(OVNI_ERA_V3, &at), &at, &k);
    return k;
}

#define BACKWARDS(stream, ...) backwards(stream, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* Regions open when a stream is damaged have no duration; later ones and those of other streams have. */
static void damage_leaves_no_durations(void **state)
{
    (void)state;
    for (int keep = 0; keep <= 1; keep++)
        for (int falls = 0; falls <= 1; falls++) {
            start(keep);
            VISIT(0, EVENT(0, "VAs", 10));
            VISIT(0, EVENT(0, "VPp", 10));
            VISIT(0, TASK("VTx", 10, 1, 0));
            VISIT(1, EVENT(0, "VAs", 10));
            if (falls)
                assert_int_equal(BACKWARDS(0, EVENT(0, "MUf", 9)).region.begin, 5);
            else
                VISIT(0, EVENT(0, "\1\2\3", 9));
            VISIT(0, EVENT(0, "MUi", 11));
            assert_int_equal(VISIT(0, EVENT(0, "MUI", 12)).region.state, CALL_TIMED | CALL_SELF);
            if (falls) /* the event with the wrong clock itself */
                assert_int_equal(VISIT(0, EVENT(0, "MUF", 13)).region.state, CALL_UNSURE);
            ovni_known k = VISIT(0, TASK("VTe", 20, 1, 0));
            assert_int_equal(k.region.state, CALL_UNSURE);
            assert_false(k.task.timed);
            k = VISIT(0, EVENT(0, "VPr", 21));
            assert_int_equal(k.left.state, CALL_UNSURE);
            assert_int_equal(k.left.begin, 2);
            k = VISIT(0, EVENT(0, "VAS", 22));
            assert_int_equal(k.region.state, CALL_UNSURE);
            if (keep)
                assert_int_equal(FIND(0, frame, EVENT(0, "VAS", 22)).region.state, CALL_UNSURE);
            assert_int_equal(VISIT(1, EVENT(0, "VAS", 30)).region.duration, 20);
            assert_int_equal(VISIT(0, EVENT(0, "VPa", 30)).left.duration, 9);
            ovni_states_free(states);
        }
}

static void labels_of_types_are_states(void **state)
{
    (void)state;
    start(true);
    char text[64], model;
    VISIT(0, EVENT(7, "PPc", 1), U32(5), U32(2));
    ovni_known task = VISIT(0, EVENT(3, "PPx", 2), U32(5));
    ovni_known loop = VISIT(0, EVENT(3, "PQx", 3), U32(3));
    assert_int_equal(loop.region.depth, 1);
    assert_string_equal(ovni_states_name(states, task.function, text, sizeof text, &model), "type 2");
    VISIT(0, EVENT(0x13, "POc", 4), U32(5), U32(2), 'm');
    assert_string_equal(ovni_states_name(states, task.function, text, sizeof text, &model), "m");
    assert_string_equal(ovni_states_name(states, loop.function, text, sizeof text, &model), "type 3");
    assert_int_equal(VISIT(0, EVENT(3, "PQe", 5), U32(3)).region.duration, 2);
    assert_int_equal(VISIT(0, EVENT(3, "PPe", 6), U32(5)).region.duration, 4);
    ovni_states_free(states);
}

/* Nothing after the end is read, whatever is missing. */
static void cut_at_every_byte(void **state)
{
    (void)state;
    const uint8_t events[][32] = {
        {BEGINS},  {MARK("OM[", 1, 7)},     {MARK("OM]", 1, 7)},    {CREATE(1, 4)},
        {NAME(4)}, {TASK("VTx", 10, 1, 0)}, {TASK("VTe", 1, 1, 0)}, {EVENT(7, "OAr", 1), U32(7), U32(100)}};
    for (int keep = 0; keep <= 1; keep++) {
        start(keep);
        for (size_t i = 0; i < G_N_ELEMENTS(events); i++)
            for (size_t n = 12; n <= 28; n++) {
                uint8_t *copy = g_memdup2(events[i], n);
                visit(0, copy, n);
                g_free(copy);
            }
        ovni_known k;
        record_context unknown = context(9);
        cursor at = {events[0], 28, false};
        assert_false(ovni_states_visit(states, &unknown, ++frame, NULL, &at, &k));
        assert_int_equal(k.thread.state, OVNI_THREAD_UNKNOWN);
        ovni_states_free(states);
    }
    ovni_states_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_have_states_and_cpus),
        cmocka_unit_test(sort_regions_are_marked),
        cmocka_unit_test(regions_match_on_their_stack),
        cmocka_unit_test(tasks_run_without_their_pauses),
        cmocka_unit_test(bodies_run_by_themselves),
        cmocka_unit_test(marks_and_counters_have_names),
        cmocka_unit_test(values_hold_until_the_next),
        cmocka_unit_test(damage_leaves_no_durations),
        cmocka_unit_test(labels_of_types_are_states),
        cmocka_unit_test(past_events_have_their_own_state),
        cmocka_unit_test(active_time),
        cmocka_unit_test(first_and_last_values),
        cmocka_unit_test(active_time_of_tasks),
        cmocka_unit_test(late_context_switches),
        cmocka_unit_test(tasks_that_have_ended),
        cmocka_unit_test(types_without_label),
        cmocka_unit_test(many_tasks_inside),
        cmocka_unit_test(cut_at_every_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
