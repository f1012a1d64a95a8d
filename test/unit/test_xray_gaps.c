/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time between the outermost calls of threads: by hand, and without room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "found_rows.h"
#include "xray/statistics/gaps.h"
#include "xray_visits.h"

static const xray_display in_ticks = {.ticks = true};

/* So that it shows where places become numbers. */
static uint32_t frame_of(uint32_t place)
{
    return 100 + place;
}

static rows *filled(const xray_gaps *g)
{
    rows *r = rows_new(xray_gaps_columns, XRAY_INTERVALS_COLUMNS);
    xray_gaps_fill(g, &in_ticks, frame_of, r);
    return r;
}

static bool add(visits *all, xray_gaps *g, uint32_t thread, uint8_t kind, uint32_t function, uint64_t tsc)
{
    const xray_call_event v = visits_next(all, thread, kind, function, tsc, 0);
    return xray_gaps_add(g, &v);
}

static void sums(void **state)
{
    (void)state;
    visits all = {.session.calls = calls_new(CALLS_UNWIND)};
    xray_gaps *g = xray_gaps_new();
    assert_true(add(&all, g, 1, XRAY_ENTRY, 7, 1000));  /* 1 */
    assert_false(add(&all, g, 1, XRAY_ENTRY, 8, 1010)); /* 2: not an outermost call */
    assert_true(add(&all, g, 2, XRAY_ENTRY, 7, 1015));  /* 3 */
    assert_false(add(&all, g, 1, XRAY_EXIT, 8, 1020));  /* 4 */
    assert_true(add(&all, g, 1, XRAY_EXIT, 7, 1030));   /* 5 */
    assert_true(add(&all, g, 1, XRAY_ENTRY, 7, 1040));  /* 6: 10 after 7 */
    assert_false(add(&all, g, 1, XRAY_ENTRY, 8, 1041)); /* 7 */
    assert_true(add(&all, g, 1, XRAY_EXIT, 7, 1050));   /* 8: ends 8, too */
    assert_false(add(&all, g, 1, XRAY_CUSTOM_EVENT, 0, 1060));
    assert_true(add(&all, g, 1, XRAY_ENTRY, 7, 1080)); /* 10: 30 after 7 */
    assert_true(add(&all, g, 1, XRAY_EXIT, 7, 1100));  /* 11 */
    assert_true(add(&all, g, 1, XRAY_ENTRY, 9, 1100)); /* 12: no gap */
    assert_true(add(&all, g, 2, XRAY_EXIT, 7, 1110));  /* 13 */
    assert_true(add(&all, g, 2, XRAY_ENTRY, 9, 1115)); /* 14: 5 after 7 */
    rows *r = filled(g);
    assert_int_equal(rows_length(r), 2);
    const rows_cell *first = found_row(r, "#7 → #7", "5/1"), *second = found_row(r, "#7 → #9", "5/2");
    expect_number(r, first, "Count", 2);
    expect_number(r, first, "Sum", 40);
    expect_number(r, first, "Longest", 30);
    expect_number(r, first, "At", 50); /* from 1000 */
    expect_number(r, first, "Record", 108);
    expect_number(r, first, "Part (%)", 400); /* of 1000 to 1100 */
    expect_number(r, second, "Sum", 5);
    expect_number(r, second, "At", 95);
    expect_number(r, second, "Part (%)", 53); /* of 95: 5.26 */
    rows_free(r);
    calls_free(all.session.calls);
    xray_gaps_free(g);
}

/* A new function with every call. */
static void no_room(void **state)
{
    (void)state;
    enum { GAPS = 60000 };
    visits all = {.session.calls = calls_new(CALLS_UNWIND)};
    xray_gaps *g = xray_gaps_new();
    for (uint32_t i = 0; i <= GAPS; i++) {
        add(&all, g, 1, XRAY_ENTRY, i, 10 * i);
        add(&all, g, 1, XRAY_EXIT, i, 10 * i + 7);
    }
    rows *r = filled(g);
    uint64_t count = 0, sum = 0;
    for (unsigned i = 0; i < rows_length(r); i++) {
        count += found_cell(r, rows_at(r, i), "Count")->number;
        sum += found_cell(r, rows_at(r, i), "Sum")->number;
    }
    assert_true(rows_length(r) >= 32000 && rows_length(r) <= 35000);
    assert_int_equal(count, GAPS);
    assert_int_equal(sum, 3 * GAPS);
    expect_number(r, found_row(r, TEXT_OTHERS, "5/1"), "Count", GAPS - (rows_length(r) - 1));
    rows_free(r);
    calls_free(all.session.calls);
    xray_gaps_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums), cmocka_unit_test(no_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
