/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The slowest calls of a log: rows by hand, by each column, and merged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "statistics/rows_print.h"
#include "xray/statistics/slowest.h"

/* What people see of a record: another number, and nothing of the first one. */
static uint32_t frame_of(uint32_t place)
{
    return place > 1 ? 100 + place : 0;
}

static xray_slow_call called(uint32_t begin, uint32_t exit, uint64_t duration, uint64_t self, unsigned state)
{
    return (xray_slow_call){
        .span = {.call = {.begin = begin,
                          .end = exit,
                          .depth = begin % 3,
                          .last = exit - 1,
                          .duration = duration,
                          .self = self,
                          .state = (uint8_t)(CALL_TIMED | CALL_SELF | state)},
                 .function = 10 * begin},
        .caller = 7,
        .has_caller = begin % 3 > 0,
        .thread = 40 - begin,
        .at = 1000 * begin,
    };
}

static void add(top_n *s, xray_slow_call c)
{
    assert_true(xray_slowest_add(s, &c));
}

/* Calls that begin at records 1 to 6. The last has no self time. */
static void add_all(top_n *s)
{
    xray_slow_call unknown = called(6, 12, 20, 0, 0);
    unknown.span.call.state = CALL_TIMED;
    add(s, called(2, 5, 30, 30, 0));
    add(s, called(3, 8, 50, 5, CALL_CLOSED));
    add(s, called(1, 8, 90, 10, CALL_UNATTRIBUTED));
    add(s, called(4, 9, 30, 25, CALL_CLOSED | CALL_UNATTRIBUTED));
    add(s, called(5, 10, 10, 8, 0));
    add(s, unknown);
}

static GString *printed;

static void keep_printed(GString *text)
{
    g_string_append_len(printed, text->str, (gssize)text->len);
    g_string_truncate(text, 0);
}

static void expect(const top_n *s, const xray_display *shown, const char *expected)
{
    const rows_words csv = {.form = ROWS_AS_CSV};
    rows *r = rows_new(xray_slowest_columns, XRAY_SLOWEST_COLUMNS);
    xray_slowest_fill(s, shown, frame_of, r);
    printed = g_string_new(NULL);
    rows_print(r, &csv, keep_printed);
    assert_string_equal(strchr(printed->str, '\n') + 1, expected);
    g_string_free(printed, TRUE);
    rows_free(r);
}

static const xray_display nanoseconds = {.ticks = false};

/* Without an exit the end is the last record inside. Of two of the same duration the one that began first. */
static void rows_by_hand(void **state)
{
    (void)state;
    const top_n_by by = {.most = 4, .column = XRAY_SLOWEST_DURATION};
    top_n *s = top_n_new(&by, sizeof(xray_slow_call));
    xray_slow_call untimed = called(7, 13, 1000, 0, 0), stray = called(0, 14, 1000, 0, 0);
    untimed.span.call.state = CALL_UNMATCHED;
    add_all(s);
    assert_false(xray_slowest_add(s, &untimed));
    assert_false(xray_slowest_add(s, &stray));
    expect(s, &nanoseconds,
           "90,10,39,,108,#10,#7,1,1000,unsure\n"
           "50,5,37,103,107,#30,,0,3000,unwound\n"
           "30,30,38,102,105,#20,#7,2,2000,\n"
           "30,25,36,104,108,#40,#7,1,4000,\"unwound, unsure\"\n");
    const xray_display two_gigahertz = {.frequency = UINT64_C(2000000000)},
                       ticks = {.frequency = UINT64_C(2000000000), .ticks = true};
    top_n *one = top_n_new(&(top_n_by){.most = 1, .column = XRAY_SLOWEST_DURATION}, sizeof(xray_slow_call));
    add_all(one);
    expect(one, &two_gigahertz, "45,5,39,,108,#10,#7,1,1000,unsure\n");
    expect(one, &ticks, "90,10,39,,108,#10,#7,1,2000,unsure\n");
    top_n_free(one);
    top_n_free(s);
    top_n_free(NULL);
}

/* The records at which the two first calls by a column begin. */
static void expect_first(unsigned column, bool smallest, unsigned first, unsigned second)
{
    top_n *s = top_n_new(&(top_n_by){.most = 2, .column = column, .smallest = smallest}, sizeof(xray_slow_call));
    rows *r = rows_new(xray_slowest_columns, XRAY_SLOWEST_COLUMNS);
    add_all(s);
    xray_slowest_fill(s, &nanoseconds, frame_of, r);
    assert_int_equal(rows_length(r), 2);
    assert_int_equal(rows_at(r, 0)[XRAY_SLOWEST_AT].number, 1000 * first);
    assert_int_equal(rows_at(r, 1)[XRAY_SLOWEST_AT].number, 1000 * second);
    rows_free(r);
    top_n_free(s);
}

static void by_columns(void **state)
{
    (void)state;
    expect_first(XRAY_SLOWEST_DURATION, true, 5, 6);
    expect_first(XRAY_SLOWEST_SELF, false, 2, 4);
    expect_first(XRAY_SLOWEST_SELF, true, 3, 5); /* not the one without */
    expect_first(XRAY_SLOWEST_THREAD, false, 1, 2);
    expect_first(XRAY_SLOWEST_ENTRY, true, 1, 2);
    expect_first(XRAY_SLOWEST_END, false, 6, 5);
    expect_first(XRAY_SLOWEST_END, true, 2, 3);
    expect_first(XRAY_SLOWEST_DEPTH, false, 2, 5);
    expect_first(XRAY_SLOWEST_AT, false, 6, 5);
}

static void without_self_time(void **state)
{
    (void)state;
    top_n *s = top_n_new(&(top_n_by){.most = 9, .column = XRAY_SLOWEST_SELF, .smallest = true}, sizeof(xray_slow_call));
    rows *r = rows_new(xray_slowest_columns, XRAY_SLOWEST_COLUMNS);
    add_all(s);
    xray_slowest_fill(s, &nanoseconds, frame_of, r);
    assert_int_equal(rows_length(r), 6);
    assert_int_equal(rows_at(r, 5)[XRAY_SLOWEST_SELF].state, ROWS_NONE);
    rows_free(r);
    top_n_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_by_hand), cmocka_unit_test(by_columns),
                                       cmocka_unit_test(without_self_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
