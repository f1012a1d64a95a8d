/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of the time: between two moments, or while a process has set a mark. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>
#include <string.h>

#include "ovni/context.h"
#include "ovni/events/layout.h"
#include "ovni/statistics/interval.h"

/* Events as in a little-endian file, with one byte of clock. */
#define EVENT(size, code, clock) size, (uint8_t)code[0], (uint8_t)code[1], (uint8_t)code[2], clock, 0, 0, 0, 0, 0, 0, 0
#define U32(n) n, 0, 0, 0
#define BEGINS(clock) EVENT(15, "OHx", clock), U32(1), 0xff, 0xff, 0xff, 0xff, U32(0), U32(0)
#define TASK(code, clock, task) EVENT(7, code, clock), U32(task), U32(0)
#define MARK(code, clock, value) EVENT(11, code, clock), value, 0, 0, 0, 0, 0, 0, 0, U32(3)

static ovni_session session;
static ovni_interval *part;
static uint32_t number;

/* Streams 0 and 1 are threads of one process, the others are processes of their own. */
static void play_record(uint32_t stream, uint8_t kind, const void *bytes, size_t length)
{
    record_context c = {.kind = kind, .stream = stream};
    ovni_context *o = ovni_context_of(&c);
    o->era = OVNI_ERA_V3;
    o->known = OVNI_KNOWN_PROCESS | OVNI_KNOWN_THREAD;
    o->process = stream < 2 ? 10 : (int32_t)(10 + stream);
    o->thread = (int32_t)(100 + stream);
    o->clock_offset = stream < 2 ? 0 : 50;
    ovni_tapped r = {0};
    ovni_session_read(&session, &r, &c, ++number, &(cursor){bytes, length, false});
    ovni_interval_play(part, r.is_event ? ((const uint8_t *)bytes)[4] + o->clock_offset : 0, &r);
}

#define PLAY(stream, ...) \
    play_record(stream, OVNI_EVENT, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void start(ovni_interval *w)
{
    number = 0;
    part = w;
}

static void end_part(void)
{
    ovni_interval_free(part);
}

/* What the last event has ended of the part; -1: nothing that counts. */
static int64_t ended(uint32_t i)
{
    span s;
    return ovni_interval_inside(part) && ovni_known_span(ovni_interval_known(part), number, i, &s) ? (int64_t)s.call.duration
                                                                                                   : -1;
}

static void add_open(void *data, uint32_t stream, char model, const span *open)
{
    char text[TEXT_PAIR], of;
    const char *name = ovni_states_name(ovni_interval_states(part), open->function, text, sizeof text, &of);
    g_string_append_printf(data, "%u %s %u, ", stream, model ? "task" : name, (unsigned)open->call.duration);
}

static void expect_open(const char *expected)
{
    g_autoptr(GString) got = g_string_new(NULL);
    ovni_interval_each_open(part, add_open, got);
    assert_string_equal(got->str, expected);
}

/* --- times ------------------------------------------------------------------------------------------------------------- */

static void states_are_cut_at_both_ends(void **state)
{
    (void)state;
    start(ovni_interval_new(20, 30));
    PLAY(0, BEGINS(10));
    PLAY(0, EVENT(0, "VAs", 11));
    PLAY(0, EVENT(0, "VAS", 12));
    assert_int_equal(ended(0), -1);
    PLAY(0, EVENT(0, "VAs", 15));
    expect_open("");
    PLAY(0, EVENT(0, "VAS", 23));
    assert_int_equal(ended(0), 3);
    PLAY(0, EVENT(0, "VAs", 24));
    assert_false(ovni_interval_over(part));
    expect_open("0 API: Submit 0, 0 Running 4, ");
    PLAY(0, EVENT(0, "VAS", 33)); /* after the part */
    assert_int_equal(ended(0), 6);
    assert_true(ovni_interval_over(part) && ovni_interval_found(part));
    PLAY(0, EVENT(0, "VAs", 35));
    PLAY(0, EVENT(0, "VAS", 36));
    assert_int_equal(ended(0), -1);
    PLAY(0, EVENT(0, "VAs", 38));
    expect_open("0 Running 10, ");
    end_part();
}

/* The clocks of streams differ by an offset. No event is in the part. */
static void a_part_between_events(void **state)
{
    (void)state;
    start(ovni_interval_new(60, 70));
    PLAY(2, BEGINS(5));
    PLAY(0, BEGINS(57));
    PLAY(2, EVENT(0, "OHe", 25));
    assert_int_equal(ended(0), 10);
    expect_open("0 Running 10, ");
    end_part();
}

/* --- marks ------------------------------------------------------------------------------------------------------------- */

static void states_count_while_their_process_has_set_the_mark(void **state)
{
    (void)state;
    start(ovni_interval_new_of_mark("Mark 3=7"));
    PLAY(0, BEGINS(10));
    PLAY(1, BEGINS(10));
    PLAY(1, EVENT(0, "VAs", 12));
    assert_false(ovni_interval_found(part));
    PLAY(0, MARK("OM[", 20, 7));
    assert_true(ovni_interval_found(part));
    PLAY(1, EVENT(0, "VAS", 26));
    assert_int_equal(ended(0), 6);
    PLAY(1, EVENT(0, "VAs", 27));
    PLAY(0, MARK("OM[", 28, 8));
    PLAY(0, MARK("OM]", 30, 8)); /* another value inside */
    assert_int_equal(ended(0), 2);
    PLAY(2, BEGINS(2));
    PLAY(2, EVENT(0, "VAs", 3));
    PLAY(2, EVENT(0, "VAS", 9)); /* another process */
    assert_int_equal(ended(0), -1);
    PLAY(0, MARK("OM]", 60, 7));
    assert_int_equal(ended(0), 40);
    PLAY(1, EVENT(0, "VAS", 70)); /* was inside for some time */
    assert_int_equal(ended(0), 33);
    PLAY(1, EVENT(0, "VAs", 71));
    PLAY(1, EVENT(0, "VAS", 72));
    assert_int_equal(ended(0), -1);
    PLAY(0, MARK("OM[", 80, 7));
    PLAY(0, EVENT(0, "OHp", 85)); /* ends Running */
    assert_int_equal(ended(0), 45);
    PLAY(2, EVENT(0, "OHe", 50)); /* 100 for the trace */
    expect_open("0 Mark 3: 7 20, 0 Paused 15, 1 Running 60, ");
    end_part();
}

/* Values of other marks leave it as it is. */
static void marks_are_of_a_type(void **state)
{
    (void)state;
    start(ovni_interval_new_of_mark("Mark 3=1"));
    PLAY(0, BEGINS(10));
    PLAY(0, MARK("OM=", 20, 1));
    PLAY(0, EVENT(11, "OM=", 22), 2, 0, 0, 0, 0, 0, 0, 0, U32(4));
    PLAY(0, EVENT(11, "OM[", 23), 1, 0, 0, 0, 0, 0, 0, 0, U32(5));
    PLAY(0, EVENT(11, "OM]", 24), 1, 0, 0, 0, 0, 0, 0, 0, U32(5));
    PLAY(0, EVENT(0, "OHp", 30));
    assert_int_equal(ended(0), 10);
    end_part();
}

/* A mark that is set again and again, held by two threads, ended without a begin, and left behind by a thread that ends. */
static void marks_are_counted(void **state)
{
    (void)state;
    start(ovni_interval_new_of_mark("Mark 3=1"));
    PLAY(0, BEGINS(10));
    PLAY(1, BEGINS(10));
    PLAY(0, MARK("OM]", 11, 1));
    PLAY(0, MARK("OM=", 20, 1));
    PLAY(1, MARK("OM[", 25, 1));
    PLAY(1, MARK("OM[", 26, 1));
    PLAY(1, MARK("OM]", 27, 1));
    PLAY(0, MARK("OM=", 30, 2)); /* stream 1 still has it */
    PLAY(0, MARK("OM=", 35, 1));
    PLAY(0, MARK("OM=", 36, 2));
    PLAY(1, EVENT(0, "OHe", 40));
    assert_int_equal(ended(0), 20); /* Running of stream 1 */
    PLAY(0, EVENT(0, "OHe", 50));
    assert_int_equal(ended(0), 20); /* the same: 20 to 40 */
    end_part();
}

/* An event of the kernel that comes late is cut by its own clock. */
static void the_past_counts_as_it_was(void **state)
{
    (void)state;
    start(ovni_interval_new_of_mark("Mark 3=1"));
    PLAY(0, BEGINS(10));
    PLAY(0, MARK("OM[", 20, 1));
    PLAY(0, MARK("OM]", 30, 1));
    PLAY(0, EVENT(0, "OU[", 40));
    PLAY(0, EVENT(0, "KCO", 15));
    PLAY(0, EVENT(0, "KCI", 24));
    assert_int_equal(ended(0), 4);
    PLAY(0, EVENT(0, "OU]", 41));
    end_part();
}

static void names_are_those_of_the_metadata(void **state)
{
    (void)state;
    static const char text[] =
        "{\"version\": 3, \"ovni\": {\"part\": \"thread\", \"mark\": {\"3\": {\"title\": \"A=B\", \"chan_type\": "
        "\"stack\", \"labels\": {\"1\": \"x=y\"}}}}}";
    start(ovni_interval_new_of_mark("A=B=x=y"));
    play_record(0, OVNI_METADATA, text, strlen(text));
    play_record(0, OVNI_HEADER, "ovni\1\0\0\0", 8);
    PLAY(0, BEGINS(10));
    PLAY(0, MARK("OM[", 20, 1));
    PLAY(0, TASK("VTx", 22, 5));
    PLAY(0, MARK("OM]", 30, 1));
    PLAY(0, TASK("VTe", 33, 5));
    assert_int_equal(ended(0), 8); /* the state "in body" */
    assert_int_equal(ended(1), 8);
    PLAY(0, 0); /* no event */
    PLAY(0, EVENT(0, "zzz", 34));
    assert_int_equal(ended(0), -1);
    end_part();
}

/* --- the word ---------------------------------------------------------------------------------------------------------- */

static bool can(const char *word)
{
    statistic_words words = {0};
    const bool taken = statistic_words_take(&words, OVNI_WITHIN, NULL, 0, &word, NULL), can = ovni_interval_can(&words);
    ovni_interval *w = ovni_interval_asked(&words);
    assert_true(taken && can == (w != NULL));
    ovni_interval_free(w);
    statistic_words_clear(&words);
    return can;
}

static void words(void **state)
{
    (void)state;
    static const char *const good[] = {"within:0,1",
                                       "within:0.5,1.25",
                                       "within:Phase=solve",
                                       "within:0,1,ovni.rank == 2",
                                       "within:Mark 3=1",
                                       "within:\"2D=a,b\"",
                                       "within:Phase=solve,ovni.rank == 2"};
    static const char *const bad[] = {"within:1",    "within:2,1",   "within:a,b",         "within:1,2x",
                                      "within:-1,1", "within:solve", "within:Phase: solve"};
    for (size_t i = 0; i < G_N_ELEMENTS(good); i++)
        assert_true(can(good[i]));
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++)
        assert_false(can(bad[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_are_cut_at_both_ends),
        cmocka_unit_test(a_part_between_events),
        cmocka_unit_test(states_count_while_their_process_has_set_the_mark),
        cmocka_unit_test(marks_are_of_a_type),
        cmocka_unit_test(marks_are_counted),
        cmocka_unit_test(the_past_counts_as_it_was),
        cmocka_unit_test(names_are_those_of_the_metadata),
        cmocka_unit_test(words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
