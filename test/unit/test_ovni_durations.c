/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of states, tasks and loads of events made here, in groups. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>
#include <string.h>

#include "ovni/statistics/balance.h"
#include "ovni/context.h"
#include "ovni/statistics/durations.h"
#include "ovni/events/layout.h"
#include "ovni/statistics/late_rank.h"

/* Events as in a little-endian file, with one byte of clock. */
#define EVENT(size, code, clock) size, (uint8_t)code[0], (uint8_t)code[1], (uint8_t)code[2], clock, 0, 0, 0, 0, 0, 0, 0
#define U32(n) n, 0, 0, 0
#define BEGINS(clock, cpu) EVENT(15, "OHx", clock), U32(cpu), 0xff, 0xff, 0xff, 0xff, U32(0), U32(0)
#define CREATE(task, type) EVENT(7, "VTc", 1), U32(task), U32(type)
#define NAME(type) EVENT(0x13, "VYc", 1), U32(6), U32(type), 'w', 0
#define TASK(code, clock, task) EVENT(7, code, clock), U32(task), U32(0)
#define MARK(code, clock, value) EVENT(11, code, clock), value, 0, 0, 0, 0, 0, 0, 0, U32(3)

enum { STREAMS = 3 };

typedef struct counting {
    ovni_durations *states, *tasks;
    ovni_balance *balance;
} counting;

static ovni_states *states;
static uint32_t frame;
static counting all;

/* Streams 0 and 1 are threads of a process without a rank, stream 2 is in another loom and has one. */
static record_context context(uint32_t stream)
{
    record_context c = {.kind = OVNI_EVENT, .stream = stream};
    ovni_context *o = ovni_context_of(&c);
    o->era = OVNI_ERA_V3;
    o->known = OVNI_KNOWN_PROCESS | OVNI_KNOWN_THREAD | (stream == 2 ? OVNI_KNOWN_RANK : 0);
    o->process = 10;
    o->thread = (int32_t)(100 + stream);
    o->rank = stream == 2 ? 7 : 0;
    return c;
}

static const char *loom_of(uint32_t stream)
{
    return stream == 2 ? "b" : "a";
}

static bool are_missing;

static bool labels_missing(void)
{
    return are_missing;
}

static void start(ovni_grouping by)
{
    states = ovni_states_new(false);
    frame = 0;
    for (uint32_t stream = 0; stream < STREAMS; stream++) {
        record_context c = context(stream);
        ovni_states_stream(states, &c, loom_of(stream));
    }
    all.states = ovni_durations_new(OVNI_SPAN_STATE, by, NULL);
    all.tasks = ovni_durations_new(OVNI_SPAN_TASK, by, labels_missing);
    all.balance = ovni_balance_new(OVNI_BY_LOAD);
}

static void end_counting(void)
{
    ovni_durations_free(all.states);
    ovni_durations_free(all.tasks);
    ovni_balance_free(all.balance);
    ovni_states_free(states);
}

static void announce(ovni_groups *g, uint32_t stream)
{
    static const char *const threads[STREAMS] = {"first", "second", "third"};
    if (ovni_groups_unannounced(g, stream))
        ovni_groups_stream(g, stream, loom_of(stream), threads[stream]);
}

static void count(uint32_t stream, const cursor *bytes, const ovni_known *k)
{
    const record_context c = context(stream);
    announce(ovni_durations_groups(all.states), stream);
    announce(ovni_durations_groups(all.tasks), stream);
    announce(ovni_balance_groups(all.balance), stream);
    ovni_durations_add(all.states, states, &c, frame, k, ovni_mcv(bytes)[0]);
    ovni_durations_add(all.tasks, states, &c, frame, k, ovni_mcv(bytes)[0]);
    ovni_balance_add(all.balance, &c, frame, k);
}

static void visit(uint32_t stream, bool counts, const uint8_t *bytes, size_t length)
{
    ovni_known k;
    const record_context c = context(stream);
    const cursor at = {bytes, length, false};
    const ovni_event *event = ovni_event_of(OVNI_ERA_V3, &at);
    ovni_states_visit(states, &c, ++frame, event, &at, &k);
    if (counts)
        count(stream, &at, &k);
}

#define VISIT(stream, ...) visit(stream, true, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
#define FILTERED(stream, ...) visit(stream, false, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* --- rows as texts ----------------------------------------------------------------------------------------------------- */

/* Frees the rows. */
static GPtrArray *lines_of(rows *r)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    for (unsigned row = 0; row < rows_length(r); row++) {
        GString *text = g_string_new(NULL);
        for (unsigned i = 0; i < r->count; i++) {
            const rows_cell *c = &rows_at(r, row)[i];
            if (c->state == ROWS_IS_NUMBER)
                g_string_append_printf(text, "%s%s%" G_GUINT64_FORMAT, i ? "|" : "", c->negative ? "-" : "", c->number);
            else
                g_string_append_printf(text, "%s%s", i ? "|" : "", c->state == ROWS_IS_TEXT ? c->text : "unknown");
        }
        g_ptr_array_add(lines, g_string_free(text, FALSE));
    }
    rows_free(r);
    return lines;
}

static GPtrArray *lines_of_states(ovni_durations *d, bool end_missing)
{
    rows *r = rows_new(ovni_durations_states, OVNI_DURATIONS_OF_STATES);
    ovni_durations_fill(d, end_missing, r);
    return lines_of(r);
}

static GPtrArray *lines_of_tasks(ovni_durations *d)
{
    rows *r = rows_new(ovni_durations_tasks, OVNI_DURATIONS_OF_TASKS);
    ovni_durations_fill(d, false, r);
    return lines_of(r);
}

static GPtrArray *lines_of_balance(ovni_balance *b, bool streams_missing)
{
    rows *r = rows_new(ovni_balance_columns, OVNI_BALANCE_COLUMNS);
    ovni_balance_fill(b, streams_missing, r);
    return lines_of(r);
}

/* Frees the lines. */
static void expect(GPtrArray *lines, const char *const *expected, size_t count)
{
    for (size_t i = 0; i < MIN(lines->len, count); i++)
        assert_string_equal(g_ptr_array_index(lines, i), expected[i]);
    assert_int_equal(lines->len, count);
    g_ptr_array_free(lines, TRUE);
}

#define EXPECT(lines, ...) \
    expect(lines, (const char *const[]){__VA_ARGS__}, G_N_ELEMENTS(((const char *const[]){__VA_ARGS__})))

static gint compare_lines(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* In any order. Frees both. */
static void expect_same(GPtrArray *a, GPtrArray *b)
{
    g_ptr_array_sort(a, compare_lines);
    g_ptr_array_sort(b, compare_lines);
    expect(a, (const char *const *)b->pdata, b->len);
    g_ptr_array_free(b, TRUE);
}

/* --- states ------------------------------------------------------------------------------------------------------------ */

/* Open at the end: a state and running of stream 1 since 41 and 20, dead of stream 0, running of stream 2 since 44; the last
 * event is at 50. */
static void visit_states(void)
{
    VISIT(0, BEGINS(10, 3));
    VISIT(0, EVENT(0, "VAs", 20));
    VISIT(1, BEGINS(20, 4));
    VISIT(0, EVENT(0, "VAS", 25));
    VISIT(0, EVENT(0, "VAs", 30));
    VISIT(0, EVENT(0, "OHp", 33));
    VISIT(0, EVENT(0, "OHr", 37));
    VISIT(0, EVENT(0, "VAS", 40)); /* 4 of its 10 ns were paused */
    VISIT(1, EVENT(0, "VAs", 41));
    VISIT(2, BEGINS(44, 1));
    VISIT(0, EVENT(0, "OHe", 50));
    ovni_durations_end(all.states, states, NULL);
}

static void states_count_when_they_end(void **state)
{
    (void)state;
    start(OVNI_BY_NOTHING);
    visit_states();
    EXPECT(lines_of_states(all.states, false), "API: Submit|nosv||3|5|8|10|24|20|20", "Running|ovni||4|6|18|30|72|72|72",
           "Paused|ovni||1|4|4|4|4|4|4", "Dead|ovni||1|0|0|0|0|0|0");
    EXPECT(lines_of_states(all.states, true), "API: Submit|nosv||3|unknown|unknown|unknown|unknown|unknown|unknown",
           "Running|ovni||4|unknown|unknown|unknown|unknown|unknown|unknown", "Paused|ovni||1|4|4|4|4|4|4",
           "Dead|ovni||1|unknown|unknown|unknown|unknown|unknown|unknown");
    end_counting();
}

/* A window shows what has been counted so far. */
static void the_end_may_move(void **state)
{
    (void)state;
    start(OVNI_BY_NOTHING);
    VISIT(0, EVENT(0, "VAs", 20));
    VISIT(1, EVENT(0, "VAs", 23));
    ovni_durations_end(all.states, states, NULL);
    EXPECT(lines_of_states(all.states, false), "API: Submit|nosv||2|0|2|3|3|0|0");
    VISIT(0, EVENT(0, "VAS", 27));
    ovni_durations_end(all.states, states, NULL);
    EXPECT(lines_of_states(all.states, false), "API: Submit|nosv||2|4|6|7|11|0|0");
    end_counting();
}

/* What began with an event that did not count does not count at the end. */
static void only_what_counted_is_open(void **state)
{
    (void)state;
    start(OVNI_BY_NOTHING);
    VISIT(0, BEGINS(10, 3));
    ovni_durations *none = ovni_durations_new(OVNI_SPAN_STATE, OVNI_BY_NOTHING, NULL);
    ovni_durations_end(none, states, NULL);
    expect(lines_of_states(none, false), NULL, 0);
    ovni_durations_end(all.states, states, NULL);
    EXPECT(lines_of_states(all.states, false), "Running|ovni||1|0|0|0|0|0|0");
    ovni_durations_free(none);
    end_counting();
}

static void states_count_in_groups(void **state)
{
    (void)state;
    static const char *const groups[][3] = {
        [OVNI_BY_RANK] = {"(no rank)", "(no rank)", "rank 7"},
        [OVNI_BY_PROCESS] = {"a process 10", "a process 10", "b process 10"},
        [OVNI_BY_THREAD] = {"first", "second", "third"},
        [OVNI_BY_CPU] = {"a CPU 3", "a CPU 4", "b CPU 1"},
        [OVNI_BY_LOOM] = {"a", "a", "b"},
        [OVNI_BY_NODE] = {"a", "a", "b"},
    };
    for (ovni_grouping by = OVNI_BY_RANK; by < OVNI_GROUPINGS; by++) {
        start(by);
        visit_states();
        const char *const *g = groups[by];
        const bool apart = strcmp(g[0], g[1]) != 0;
        GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
        if (apart) {
            g_ptr_array_add(lines, g_strdup_printf("API: Submit|nosv|%s|2|5|8|10|15|11|11", g[0]));
            g_ptr_array_add(lines, g_strdup_printf("API: Submit|nosv|%s|1|9|9|9|9|9|9", g[1]));
            g_ptr_array_add(lines, g_strdup_printf("Running|ovni|%s|2|13|18|23|36|36|36", g[0]));
            g_ptr_array_add(lines, g_strdup_printf("Running|ovni|%s|1|30|30|30|30|30|30", g[1]));
        } else {
            g_ptr_array_add(lines, g_strdup_printf("API: Submit|nosv|%s|3|5|8|10|24|20|20", g[0]));
            g_ptr_array_add(lines, g_strdup_printf("Running|ovni|%s|3|13|22|30|66|66|66", g[0]));
        }
        g_ptr_array_add(lines, g_strdup_printf("Running|ovni|%s|1|6|6|6|6|6|6", g[2]));
        g_ptr_array_add(lines, g_strdup_printf("Paused|ovni|%s|1|4|4|4|4|4|4", g[0]));
        g_ptr_array_add(lines, g_strdup_printf("Dead|ovni|%s|1|0|0|0|0|0|0", g[0]));
        expect_same(lines_of_states(all.states, false), lines);
        end_counting();
    }
}

static void a_window_begins_with_the_thread(void **state)
{
    (void)state;
    static const char *const texts[][2] = {{"loom.a.0/proc.7/thread.8", "thread.8 of loom.a.0/proc.7"},
                                           {"a process 10", "a process 10"},
                                           {"/", " of "},
                                           {"", ""}};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autofree char *got = ovni_groups_last_part_first(texts[i][0]);
        assert_string_equal(got, texts[i][1]);
    }
}

/* An event counts where its thread is; what is still open, where its thread was last. */
static void groups_change_with_the_cpu(void **state)
{
    (void)state;
    start(OVNI_BY_CPU);
    VISIT(0, EVENT(0, "VAs", 5));
    VISIT(0, EVENT(0, "VAS", 7));
    VISIT(0, BEGINS(10, 3));
    VISIT(0, EVENT(0, "VAs", 20));
    VISIT(0, EVENT(3, "OAs", 21), U32(5));
    VISIT(0, EVENT(0, "VAS", 22));
    VISIT(0, EVENT(0, "VAs", 23));
    ovni_durations_end(all.states, states, NULL);
    EXPECT(lines_of_states(all.states, false), "API: Submit|nosv|(no CPU)|1|2|2|2|2|0|0",
           "API: Submit|nosv|a CPU 5|2|0|1|2|2|2|2", "Running|ovni|a CPU 5|1|13|13|13|13|13|13");
    end_counting();
}

/* Each state has the name that was known when it ended. */
static void names_may_become_known(void **state)
{
    (void)state;
    static const char labels[] =
        "{\"ovni\": {\"mark\": {\"3\": {\"type\": 3, \"chan_type\": \"stack\", \"title\": \"Phase\","
        " \"labels\": {\"9\": \"nine\"}}}}}";
    start(OVNI_BY_NOTHING);
    record_context c = context(0);
    VISIT(0, BEGINS(10, 3));
    for (uint8_t clock = 20; clock < 40; clock += 10) {
        for (uint8_t i = 0; i < 4; i += 2) {
            VISIT(0, MARK("OM[", (uint8_t)(clock + i), 9));
            VISIT(0, MARK("OM]", (uint8_t)(clock + i + 1), 9));
        }
        ovni_states_metadata(states, &c, "a", labels, strlen(labels));
    }
    VISIT(0, EVENT(0, "PQx", 50)); /* cut */
    VISIT(0, EVENT(3, "PQx", 50), U32(4));
    VISIT(0, EVENT(3, "PQe", 53), U32(4));
    VISIT(0, EVENT(0x13, "POc", 54), U32(6), U32(4), 'l', 0);
    VISIT(0, EVENT(3, "PQx", 55), U32(4));
    VISIT(0, EVENT(3, "PQe", 59), U32(4));
    EXPECT(lines_of_states(all.states, false), "Mark 3: 9|ovni||2|1|1|1|2|2|2", "Phase: nine|ovni||2|1|1|1|2|2|2",
           "type 4|openmp||1|3|3|3|3|3|3", "l|openmp||1|4|4|4|4|4|4");
    end_counting();
}

/* A file may have very many names. */
static void rows_are_limited(void **state)
{
    (void)state;
    enum { NAMES = 33000, ROOM = 32000 };
    start(OVNI_BY_NOTHING);
    for (uint32_t i = 0; i < NAMES; i++) {
        const uint8_t low = (uint8_t)i, high = (uint8_t)(i >> 8);
        const record_context c = context(0);
        for (int end = 0; end <= 1; end++) {
            const uint8_t bytes[] = {11, 'O', 'M', end ? ']' : '[', 1, 0, 0, 0, 0, 0, 0, 0, low, high, 0, 0, 0,
                                     0,  0,   0,   U32(3)};
            const cursor at = {bytes, sizeof bytes, false};
            ovni_known k;
            ovni_states_visit(states, &c, ++frame, ovni_event_of(OVNI_ERA_V3, &at), &at, &k);
            ovni_durations_add(all.states, states, &c, frame, &k, 'O');
        }
    }
    GPtrArray *lines = lines_of_states(all.states, false);
    assert_int_equal(lines->len, ROOM + 1);
    assert_string_equal(g_ptr_array_index(lines, ROOM), "(others)|ovni||1000|0|0|0|0|0|0");
    g_ptr_array_free(lines, TRUE);
    end_counting();
}

/* --- tasks ------------------------------------------------------------------------------------------------------------- */

static void visit_tasks(void)
{
    VISIT(0, BEGINS(2, 3));
    VISIT(1, BEGINS(2, 3));
    VISIT(2, BEGINS(2, 3));
    VISIT(0, NAME(1));
    VISIT(0, CREATE(1, 1));
    VISIT(0, CREATE(2, 5));
    VISIT(0, TASK("VTx", 10, 1));
    VISIT(1, TASK("VTx", 11, 2));
    VISIT(0, TASK("VTx", 12, 3)); /* inside the first; never created */
    VISIT(0, TASK("VTe", 13, 3));
    VISIT(0, TASK("VTe", 15, 1));
    VISIT(1, TASK("VTp", 14, 2));
    VISIT(1, TASK("VTr", 16, 2));
    VISIT(1, TASK("VTe", 19, 2));
    VISIT(0, TASK("VTx", 40, 1)); /* open until 47 */
    VISIT(2, EVENT(0, "VAs", 47));
    ovni_durations_end(all.tasks, states, NULL);
}

static void tasks_count_by_type(void **state)
{
    (void)state;
    start(OVNI_BY_NOTHING);
    visit_tasks();
    EXPECT(lines_of_tasks(all.tasks), "(type not known)|nosv||1|1|1|1|1|1|1|1", "w|nosv||2|5|6|7|12|12|11|12",
           "type 5|nosv||1|6|6|6|6|6|6|6");
    end_counting();
}

static void labels_may_be_in_other_streams(void **state)
{
    (void)state;
    start(OVNI_BY_NOTHING);
    const record_context c = context(0);
    ovni_known k = {.has_task = true, .task = {.has_type = true, .type = 5, .ended = 2, .timed = true, .running = 4}};
    are_missing = true;
    assert_true(ovni_durations_add(all.tasks, states, &c, 2, &k, 'V'));
    assert_false(ovni_durations_add(all.tasks, states, &c, 3, &k, 'V'));
    are_missing = false;
    EXPECT(lines_of_tasks(all.tasks), "type 5 (label unknown)|nosv||1|4|4|4|4|0|0|0");
    end_counting();
}

/* --- balance ----------------------------------------------------------------------------------------------------------- */

static void visit_mpi(void)
{
    VISIT(0, BEGINS(10, 3));
    VISIT(2, BEGINS(10, 1));
    VISIT(0, EVENT(0, "MW[", 20));
    VISIT(0, EVENT(0, "MS[", 21)); /* inside the other, so it is not counted */
    VISIT(0, EVENT(0, "MS]", 22));
    VISIT(0, EVENT(0, "MW]", 26));
    VISIT(2, EVENT(0, "OHp", 30)); /* 20 running */
    VISIT(2, EVENT(0, "OHr", 32));
    VISIT(0, EVENT(0, "OHe", 50)); /* 40 running, 6 in MPI */
    VISIT(2, EVENT(0, "OHe", 60)); /* 28 running */
}

static void load_is_the_time_outside_mpi(void **state)
{
    (void)state;
    start(OVNI_BY_NOTHING);
    GPtrArray *none = lines_of_balance(all.balance, false);
    assert_int_equal(none->len, 0);
    g_ptr_array_free(none, TRUE);
    visit_mpi();
    /* (34 + 48) / 2 / 48; of tasks there is none */
    EXPECT(lines_of_balance(all.balance, false), "a process 10|40|6|34|0|854|unknown", "rank 7|48|0|48|0|854|unknown");
    EXPECT(lines_of_balance(all.balance, true), "a process 10|40|6|34|0|unknown|unknown",
           "rank 7|48|0|48|0|unknown|unknown");
    end_counting();
}

static void call_allreduce(late_rank *l, uint32_t stream, int32_t rank, const char *code)
{
    record_context c = context(stream);
    ovni_context_of(&c)->known |= OVNI_KNOWN_RANK;
    ovni_context_of(&c)->rank = rank;
    late_rank_visit(l, &c, ovni_event_find(OVNI_ERA_V3, code, 0));
}

/* Ranks 0 and 1 call together, rank 2 when they have left; in one call, before. */
static bool is_late(unsigned times, unsigned but, unsigned more_of_0)
{
    late_rank *l = late_rank_new();
    int32_t rank = -1;
    uint32_t number = 0;
    for (unsigned i = 0; i < times; i++) {
        if (i == but)
            call_allreduce(l, 2, 2, "MAr");
        for (uint32_t k = 0; k < 4; k++)
            call_allreduce(l, k % 2, (int32_t)k % 2, k < 2 ? "MAr" : "MAR");
        if (i != but)
            call_allreduce(l, 2, 2, "MAr");
        call_allreduce(l, 2, 2, "MAR");
    }
    for (unsigned i = 0; i < 2 * more_of_0; i++)
        call_allreduce(l, 0, 0, i % 2 ? "MAR" : "MAr");
    const bool found = late_rank_find(l, &rank, &number);
    assert_true(!found || (rank == 2 && number == times));
    late_rank_free(l);
    return found;
}

static void a_rank_cannot_always_be_last(void **state)
{
    (void)state;
    assert_true(is_late(LATE_RANK_CALLS, 99, 0));
    assert_false(is_late(LATE_RANK_CALLS - 1, 99, 0));
    assert_false(is_late(20, 0, 0));
    assert_false(is_late(20, 7, 0));
    assert_false(is_late(20, 99, 1));
}

/* Context switches in a sort region, after the runs that they interrupt: 4 of 20 ns of task 1, 3 of the 10 ns of task 2, and
 * what is between them. A filter leaves task 3 out, which was without a CPU all the time. */
static void late_context_switches(void **state)
{
    (void)state;
    start(OVNI_BY_NOTHING);
    VISIT(0, CREATE(1, 1));
    VISIT(0, CREATE(2, 2));
    VISIT(0, CREATE(3, 2));
    VISIT(0, BEGINS(10, 3));
    VISIT(0, TASK("VTx", 12, 1));
    VISIT(0, TASK("VTe", 32, 1));
    VISIT(0, TASK("VTx", 34, 2));
    VISIT(0, TASK("VTe", 44, 2));
    EXPECT(lines_of_tasks(all.tasks), "type 1|nosv||1|20|20|20|20|20|20|20", "type 2|nosv||1|10|10|10|10|10|10|10");
    FILTERED(0, TASK("VTx", 45, 3));
    FILTERED(0, TASK("VTe", 48, 3));
    VISIT(0, EVENT(0, "OU[", 50));
    VISIT(0, EVENT(0, "KCO", 28));
    VISIT(0, EVENT(0, "KCI", 37));
    VISIT(0, EVENT(0, "KCO", 44));
    VISIT(0, EVENT(0, "KCI", 49));
    VISIT(0, EVENT(0, "OU]", 51));
    ovni_durations_end(all.tasks, states, NULL);
    EXPECT(lines_of_tasks(all.tasks), "type 1|nosv||1|20|20|20|20|20|20|16", "type 2|nosv||1|10|10|10|10|10|10|7");
    end_counting();
}

/* So many runs later that they are no longer known. */
static void context_switches_that_are_too_late(void **state)
{
    (void)state;
    start(OVNI_BY_NOTHING);
    VISIT(0, BEGINS(10, 3));
    for (unsigned i = 0; i < 600; i++) {
        VISIT(0, TASK("VTx", (uint8_t)(20 + i / 10), 1));
        VISIT(0, TASK("VTe", (uint8_t)(20 + i / 10), 1));
    }
    VISIT(0, EVENT(0, "OU[", 100));
    VISIT(0, EVENT(0, "KCO", 15));
    VISIT(0, EVENT(0, "KCI", 99));
    ovni_durations_end(all.tasks, states, NULL);
    EXPECT(lines_of_tasks(all.tasks), "(type not known)|nosv||600|0|0|0|0|0|0|unknown");
    end_counting();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_count_when_they_end),
        cmocka_unit_test(the_end_may_move),
        cmocka_unit_test(only_what_counted_is_open),
        cmocka_unit_test(states_count_in_groups),
        cmocka_unit_test(a_window_begins_with_the_thread),
        cmocka_unit_test(groups_change_with_the_cpu),
        cmocka_unit_test(names_may_become_known),
        cmocka_unit_test(rows_are_limited),
        cmocka_unit_test(tasks_count_by_type),
        cmocka_unit_test(a_rank_cannot_always_be_last),
        cmocka_unit_test(late_context_switches),
        cmocka_unit_test(context_switches_that_are_too_late),
        cmocka_unit_test(labels_may_be_in_other_streams),
        cmocka_unit_test(load_is_the_time_outside_mpi),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
