/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which part of a trace is opened: what the settings say, and what is in the part. */
#include "fake_format.h"

#include "core/opened_trace.h"
#include "core/trace_part.h"

static trace_part *wanted(const char *time, const char *streams)
{
    g_setenv("WIRETRACE_TIME", time, TRUE);
    g_setenv("WIRETRACE_STREAMS", streams, TRUE);
    return part_wanted("fake");
}

static int unset(void **state)
{
    (void)state;
    g_unsetenv("WIRETRACE_TIME");
    g_unsetenv("WIRETRACE_STREAMS");
    g_unsetenv("WIRETRACE_TIME_FAKE");
    return 0;
}

static void times(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        part_time from, to;
        bool from_end;
    } good[] = {
        {"3.2,3.4", {3, 200000000}, {3, 400000000}, false},
        {"0,0.000000001", {0, 0}, {0, 1}, false},
        {".5,2.", {0, 500000000}, {2, 0}, false},
        {"0000000000001.123456789,2147483647", {1, 123456789}, {2147483647, 0}, false},
        {"-1", {-1, 0}, {INT64_MAX, 0}, true},
        {"-1,-0.5", {-1, 0}, {-1, 500000000}, true},
        {"-1.000000001,-1", {-2, 999999999}, {-1, 0}, true},
        {"-0", {0, 0}, {INT64_MAX, 0}, true},
        {"-.5,-0", {-1, 500000000}, {0, 0}, true},
        {"-2147483647", {-2147483647, 0}, {INT64_MAX, 0}, true},
    };
    static const char *const bad[] = {"",
                                      "1",
                                      ",",
                                      "1,",
                                      ",1",
                                      "2,1",
                                      "1,1",
                                      "1.5,1.5",
                                      "a,b",
                                      "-1,1",
                                      "1 ,2",
                                      " 1,2",
                                      "1,2 ",
                                      "1,2,3",
                                      "1e3,2e3",
                                      "1..2,3",
                                      "0x1,2",
                                      ".,1",
                                      "+1,2",
                                      "1;2",
                                      "1,nan",
                                      "1,.",
                                      "0,2147483648",
                                      "0.0000000001,1",
                                      "1,1.0000000001",
                                      "-",
                                      "-1,",
                                      "-,-1",
                                      "-1,-1",
                                      "-0.5,-1",
                                      "1,-1",
                                      "-1,0",
                                      "-1,-",
                                      "--1",
                                      "- 1",
                                      "-1,-0.5,-0.2",
                                      "-1,- 0.5",
                                      "-2147483648",
                                      "-1.0000000001"};
    for (size_t i = 0; i < G_N_ELEMENTS(good); i++) {
        trace_part p = {.timed = false};
        assert_true(part_read_time(&p, good[i].text));
        assert_true(p.timed && p.from.seconds == good[i].from.seconds && p.from.nanoseconds == good[i].from.nanoseconds);
        assert_true(p.to.seconds == good[i].to.seconds && p.to.nanoseconds == good[i].to.nanoseconds);
        assert_int_equal(p.from_end, good[i].from_end);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        trace_part p = {.timed = false};
        assert_false(part_read_time(&p, bad[i]));
        assert_false(p.timed);
    }
}

static void sides(void **state)
{
    (void)state;
    trace_part p = {.origin = {100, 900000000}};
    assert_true(part_read_time(&p, "0.2,1.1"));
    assert_int_equal(part_side_of(&p, 100, 900000000), PART_BEFORE);
    assert_int_equal(part_side_of(&p, 101, 99999999), PART_BEFORE);
    assert_int_equal(part_side_of(&p, 101, 100000000), PART_INSIDE);
    assert_int_equal(part_side_of(&p, 101, 999999999), PART_INSIDE);
    assert_int_equal(part_side_of(&p, 102, 0), PART_AFTER);
    assert_int_equal(part_side_of(&p, 99, 0), PART_BEFORE);
    assert_int_equal(part_side_of(&p, INT64_MAX / 2, 0), PART_AFTER);
    assert_int_equal(part_side_of(&p, INT64_MIN / 2, 0), PART_BEFORE);
    p.origin = (part_time){-5, 0};
    assert_int_equal(part_side_of(&p, -4, 0), PART_INSIDE);
}

static void sides_before_the_end(void **state)
{
    (void)state;
    trace_part p = {.origin = {100, 100000000}};
    assert_true(part_read_time(&p, "-1.2,-0.3"));
    assert_int_equal(part_side_of(&p, 98, 899999999), PART_BEFORE);
    assert_int_equal(part_side_of(&p, 98, 900000000), PART_INSIDE);
    assert_int_equal(part_side_of(&p, 99, 799999999), PART_INSIDE);
    assert_int_equal(part_side_of(&p, 99, 800000000), PART_AFTER);
    assert_int_equal(part_side_of(&p, INT64_MIN / 2, 0), PART_BEFORE);
    assert_true(part_read_time(&p, "-1.2"));
    assert_int_equal(part_side_of(&p, 98, 899999999), PART_BEFORE);
    assert_int_equal(part_side_of(&p, 98, 900000000), PART_INSIDE);
    assert_int_equal(part_side_of(&p, 100, 100000000), PART_INSIDE);
    assert_int_equal(part_side_of(&p, INT64_MAX / 2, 0), PART_INSIDE);
}

static void streams(void **state)
{
    (void)state;
    trace_part *p = wanted("", "2/3");
    static const bool in[] = {false, true, false, false, true, false};
    for (uint32_t i = 0; i < G_N_ELEMENTS(in); i++)
        assert_int_equal(part_has_stream(p, i, "any"), in[i]);
    part_free(p);
    static const char *const names[] = {"2/3,", "0/8,x", "9/8", "8/0", "1/1001", "1/2/3", "a", "/1", "1/"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *first = g_strndup(names[i], strcspn(names[i], ","));
        p = wanted("", names[i]);
        assert_int_equal(p->shares, 0);
        assert_true(part_has_stream(p, 7, first));
        assert_false(part_has_stream(p, 0, "other"));
        part_free(p);
    }
    assert_null(wanted("", ""));
    assert_null(wanted("1", ","));
    assert_null(wanted("-1,1", ""));
    assert_null(wanted("x", ",,"));
    part_free(NULL);
}

static void words(void **state)
{
    (void)state;
    g_autoptr(GString) text = g_string_new(NULL);
    trace_part *p = wanted("1,2.5", "a,b,a");
    assert_true(part_has_stream(p, 0, "a"));
    part_describe(p, 1, 4, text);
    assert_string_equal(text->str, "Only a part of the trace is open: 1 of 4 streams, records from 1.000000000 to before "
                                   "2.500000000 seconds after its beginning.");
    g_string_truncate(text, 0);
    g_autoptr(GError) missing = NULL;
    assert_false(part_complete(p, &missing));
    assert_string_equal(missing->message, "WIRETRACE_STREAMS asks for the stream 'b', which is not in this trace");
    part_free(p);
    g_string_truncate(text, 0);
    p = wanted("", "3/4");
    assert_true(part_complete(p, NULL));
    part_describe(p, 0, 2, text);
    assert_string_equal(text->str, "Only a part of the trace is open: 0 of 2 streams (share 3/4).");
    part_free(p);
    g_string_truncate(text, 0);
    p = wanted("-1.5", "");
    part_describe(p, 2, 2, text);
    assert_string_equal(text->str, "Only a part of the trace is open: records from 1.500000000 seconds before its end on.");
    part_free(p);
    g_string_truncate(text, 0);
    p = wanted("-2,-0.1", "");
    part_describe(p, 2, 2, text);
    assert_string_equal(text->str,
                        "Only a part of the trace is open: records from 2.000000000 to 0.100000000 seconds before "
                        "its end.");
    part_free(p);
}

/* The variable of a protocol, which its preference sets, comes before that for all. */
static void own_variable(void **state)
{
    (void)state;
    g_setenv("WIRETRACE_TIME_FAKE", "3,4", TRUE);
    trace_part *p = wanted("1,2", "");
    assert_int_equal(p->from.seconds, 3);
    part_free(p);
    g_setenv("WIRETRACE_TIME_FAKE", "", TRUE);
    p = wanted("1,2", "");
    assert_int_equal(p->from.seconds, 1);
    part_free(p);
}

/* --- what a trace delivers --------------------------------------------------------------------------------------------- */

/* Their times are 1 4 9, and 2 3 5 8. */
static const uint8_t first[] = {2, 1, 2, 4, 2, 9}, second[] = {2, 2, 2, 3, 2, 5, 2, 8};
static fake_stream two[2];

static trace *open_part(const char *time, const char *names)
{
    two[0] = (fake_stream){.source = fake_source_of(first, sizeof first, 2), .tie = 0};
    two[1] = (fake_stream){.source = fake_source_of(second, sizeof second, 2), .tie = 1};
    g_setenv("WIRETRACE_TIME", time, TRUE);
    g_setenv("WIRETRACE_STREAMS", names, TRUE);
    return fake_trace(two, 2, true);
}

/* Reads the rest, and each record again. */
static void expect(trace *t, const char *keys)
{
    record all[16];
    size_t n = strlen(keys);
    for (size_t i = 0; i < n; i++) {
        const walk *w = trace_next(t);
        assert_non_null(w);
        assert_int_equal(w->record.order, keys[i] - '0');
        all[i] = w->record;
    }
    assert_null(trace_next(t));
    assert_null(trace_next(t));
    for (size_t i = n; i-- > 0;) {
        int err;
        const walk *w = trace_read(t, trace_handle(&all[i].context), &err);
        assert_non_null(w);
        assert_memory_equal(&w->record, &all[i], sizeof all[i]);
    }
    trace_sequential_close(t);
    assert_null(trace_next(t));
    trace_close(t);
}

static void of_a_trace(void **state)
{
    (void)state;
    trace *t = open_part("", "");
    assert_null(t->part);
    assert_string_equal(t->comment->str, "");
    expect(t, "1234589");
    expect(open_part("0,100", ""), "1234589");
    expect(open_part("1,4", ""), "234"); /* time 0 is the first record */
    expect(open_part("7,8", ""), "8");
    expect(open_part("5,7", ""), "");
    t = open_part("", "2/2");
    assert_int_equal(two[0].source.bytes_read, 0);
    assert_true(strstr(t->comment->str, "1 of 2 streams (share 2/2)"));
    expect(t, "2358");
    assert_int_equal(two[0].source.bytes_read, 0); /* never read */
    expect(open_part("1,4", "2/2"), "23");         /* counts from a record of the other stream */
    expect(open_part("1,4", "1/2"), "4");
    t = open_part("", "3/3");
    assert_true(strstr(t->warnings->str, "has no streams"));
    assert_true(trace_stream(t, 0)->base.flags & CONTEXT_EMPTY_SHARE);
    expect(t, "");
}

/* The end is that of the stream that ends last, whether it is in the part or not. */
static void before_the_end(void **state)
{
    (void)state;
    expect(open_part("-4", ""), "589");
    expect(open_part("-3.999999999", ""), "89");
    expect(open_part("-4,-1", ""), "5");
    expect(open_part("-4,-0", ""), "58");
    expect(open_part("-0", ""), "9");
    expect(open_part("-100", ""), "1234589");
    expect(open_part("-100,-8", ""), "");
    expect(open_part("-4", "2/2"), "58");
    expect(open_part("-4", "1/2"), "9");
    trace *t = open_part("-4", "1/2");
    const uint64_t read = two[1].source.bytes_read;
    assert_true(read > 0);
    expect(t, "9");
    assert_int_equal(two[1].source.bytes_read, read); /* only for the end */
}

/* A single stream is read twice, a pipe cannot be. */
static void end_of_one_stream(void **state)
{
    (void)state;
    fake_stream one = {.source = fake_source_of(second, sizeof second, 2)};
    fake_source unused = fake_source_of(NULL, 0, 1);
    trace_input in = {.sequential = &unused.base, .random = &unused.base};
    g_setenv("WIRETRACE_TIME", "-3", TRUE);
    expect(fake_trace(&one, 1, true), "58");
    in.only_once = true;
    fake = (fake_setup){&one, 1, NULL, 0};
    g_autoptr(GError) error = NULL;
    assert_null(trace_open(&fake_format, &in, &error));
    assert_non_null(strstr(error->message, "WIRETRACE_TIME counts from the end of the trace"));
    g_setenv("WIRETRACE_TIME", "1,100", TRUE);
    trace *t = trace_open(&fake_format, &in, NULL);
    assert_int_equal(trace_next(t)->record.order, 3);
    trace_close(t);
}

/* Without records there is no end, and if they cannot be read it is not known; that is reported. */
static void end_that_is_not_known(void **state)
{
    (void)state;
    fake_stream none = {.source = fake_source_of(NULL, 0, 1)};
    g_setenv("WIRETRACE_TIME", "-3", TRUE);
    expect(fake_trace(&none, 1, true), "");
    fake_stream bad = {.source = fake_source_of(second, sizeof second, 2)};
    bad.source.bad_from = 4;
    trace *t = fake_trace(&bad, 1, true);
    assert_int_equal(t->error, EIO);
    assert_non_null(strstr(t->warnings->str, "could not be read everywhere"));
    trace_close(t);
}

/* Ranges outside of a part are not read; one is dropped only if it is known where it ends. */
static void ranges(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {2, 1, 2, 2, 2, 3, 2, 5, 2, 7, 2, 9}, other[] = {2, 0};
    static const struct {
        uint64_t begins[3]; /* plus one; 0: not known */
        const char *time, *keys;
        uint64_t read; /* bytes of the three ranges */
    } cases[] = {
        {{2, 4, 8}, "4,6", "5", 4},     {{2, 4, 8}, "3,7", "35", 8},         {{2, 4, 8}, "0,3", "012", 4},
        {{2, 4, 8}, "7,9", "7", 8},     {{2, 4, 8}, "2.5,5", "3", 8},        {{2, 4, 8}, "20,30", "", 4},
        {{2, 0, 8}, "4,6", "5", 8},     {{0, 0, 0}, "4,6", "5", 12},         {{2, 4, 0}, "0,3", "012", 8},
        {{0, 4, 8}, "4,6", "5", 8},     {{2, 4, 8}, "0,100", "0123579", 12}, {{2, 4, 8}, "-2", "79", 8},
        {{2, 4, 8}, "-6.5,-4", "3", 8}, {{2, 4, 8}, "-9,-6", "012", 4},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        stream_range three[3];
        for (unsigned n = 0; n < 3; n++)
            three[n] = (stream_range){.begin = 4 * n, .end = 4 * n + 4, .own = {cases[i].begins[n]}};
        fake_stream streams[] = {{.source = fake_source_of(bytes, sizeof bytes, 1), .ranges = three, .range_count = 3},
                                 {.source = fake_source_of(other, sizeof other, 1), .tie = 1}};
        g_setenv("WIRETRACE_TIME", cases[i].time, TRUE);
        trace *t = fake_trace(streams, 2, true);
        size_t n = 0;
        for (walk *w; (w = trace_next(t)); n++)
            assert_int_equal(w->record.order, cases[i].keys[n] - '0');
        assert_int_equal(n, strlen(cases[i].keys));
        assert_int_equal(t->bytes_read - sizeof other, cases[i].read);
        trace_close(t);
    }
}

/* What a reader tells of a trace is found again, until it opens the trace anew. */
static void opened_traces(void **state)
{
    (void)state;
    opened *o = opened_trace_new(7);
    o->path = g_strdup("log");
    o->timed = true;
    assert_ptr_equal(opened_trace_find(7), o);
    assert_null(opened_trace_find(8));
    assert_false(opened_trace_new(7)->timed);
    assert_null(opened_trace_find(7)->path);
    o = opened_trace_new(9);
    assert_ptr_equal(opened_trace_last(), o);
    o = opened_trace_new(7);
    assert_ptr_equal(opened_trace_last(), o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opened_traces),
        cmocka_unit_test_setup_teardown(times, unset, unset),
        cmocka_unit_test_setup_teardown(sides, unset, unset),
        cmocka_unit_test_setup_teardown(sides_before_the_end, unset, unset),
        cmocka_unit_test_setup_teardown(before_the_end, unset, unset),
        cmocka_unit_test_setup_teardown(end_of_one_stream, unset, unset),
        cmocka_unit_test_setup_teardown(end_that_is_not_known, unset, unset),
        cmocka_unit_test_setup_teardown(streams, unset, unset),
        cmocka_unit_test_setup_teardown(words, unset, unset),
        cmocka_unit_test_setup_teardown(ranges, unset, unset),
        cmocka_unit_test_setup_teardown(own_variable, unset, unset),
        cmocka_unit_test_setup_teardown(of_a_trace, unset, unset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
