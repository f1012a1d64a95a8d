/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of two traces side by side: pairs, sums and means of columns, what has changed, what a trace does not have. Which
 * columns a format compares is tested in its own test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "found_rows.h"
#include "statistics/comparison.h"

enum { NAME, OTHER, TIMES, MORE, SUM, SIDE_COLUMNS };
static const rows_column side_columns[SIDE_COLUMNS] = {{"Name", ROWS_TEXT, ROWS_EACH},
                                                       {"Other", ROWS_TEXT, ROWS_EACH},
                                                       {"Times", ROWS_COUNT, ROWS_ADDS},
                                                       {"More", ROWS_COUNT, ROWS_ADDS},
                                                       {"Sum", ROWS_TIME, ROWS_ADDS}};

enum { ALL, TIME, MEAN, EXTRA, MEASURES };
static const rows_column columns[COMPARISON_COLUMNS(MEASURES)] = {
    COMPARISON_NAME_COLUMNS("Name", "Other"),        COMPARISON_MEASURE_COLUMNS("All", ROWS_NUMBER),
    COMPARISON_MEASURE_COLUMNS("Sum", ROWS_TIME),    COMPARISON_MEASURE_COLUMNS("Mean", ROWS_TIME),
    COMPARISON_MEASURE_COLUMNS("More", ROWS_NUMBER),
};
static const comparison_measure measures[MEASURES] = {{.column = TIMES, .plus = MORE, .counts = true},
                                                      {.column = SUM, .counts = true},
                                                      {.column = SUM, .per = TIMES},
                                                      {.column = MORE, .counts = true}};

static rows *side(void)
{
    return rows_new(side_columns, SIDE_COLUMNS);
}

/* `other`: NULL: no text. */
static rows_cell *add(rows *r, const char *name, const char *other, uint64_t times, uint64_t more, uint64_t sum)
{
    rows_cell *cells = rows_add(r);
    cells[NAME] = rows_text(r, name);
    cells[OTHER] = other ? rows_text(r, other) : (rows_cell){0};
    cells[TIMES] = rows_number(times);
    cells[MORE] = rows_number(more);
    cells[SUM] = rows_number(sum);
    return cells;
}

static rows *compared(rows *before, rows *after)
{
    static const uint8_t names[COMPARISON_SEEN] = {NAME, OTHER};
    rows *r = rows_new(columns, G_N_ELEMENTS(columns));
    comparison_fill(before, after, names, measures, r);
    return r;
}

static void changes(void **state)
{
    (void)state;
    rows *before = side(), *after = side();
    add(before, "both", NULL, 2, 3, 41);
    add(before, "both", "x", 1, 0, 1);
    add(before, "never", "x", 0, 0, 0);
    add(after, "later", "x", 3, 0, 7);
    add(after, "both", NULL, 1, 1, 10);
    rows *r = compared(before, after);
    assert_int_equal(rows_length(r), 4);
    const rows_cell *both = rows_at(r, 0), *gone = rows_at(r, 1), *never = rows_at(r, 2), *new = rows_at(r, 3);
    assert_ptr_equal(both, found_row(r, "both", ""));
    assert_string_equal(both[COMPARISON_SEEN].text, "both");
    expect_number(r, both, "All before", 5);
    expect_number(r, both, "All after", 2);
    expect_number(r, both, "All difference", 3);
    assert_true(found_cell(r, both, "All difference")->negative);
    expect_number(r, both, "All ratio", 400);
    expect_number(r, both, "Sum difference", 31);
    expect_number(r, both, "Mean before", 21); /* 20.5, rounded */
    expect_number(r, both, "Mean after", 10);
    expect_number(r, both, "Mean ratio", 476);
    assert_ptr_equal(&columns[COMPARISON_CHANGE_OF(TIME)], &columns[found_cell(r, both, "Sum difference") - both]);
    assert_ptr_equal(gone, found_row(r, "both", "x"));
    assert_string_equal(gone[COMPARISON_SEEN].text, "gone");
    expect_number(r, gone, "Sum after", 0);
    expect_number(r, gone, "Sum ratio", 0);
    expect_state(r, gone, "Mean after", ROWS_NONE);
    expect_state(r, gone, "Mean difference", ROWS_NONE);
    expect_state(r, never, "Mean before", ROWS_NONE);
    assert_ptr_equal(new, found_row(r, "later", "x"));
    assert_string_equal(new[COMPARISON_SEEN].text, "new");
    expect_number(r, new, "Sum difference", 7);
    assert_false(found_cell(r, new, "Sum difference")->negative);
    expect_state(r, new, "Sum ratio", ROWS_NONE);
    rows_free(r);
}

/* Times that cannot be known, and a column that a trace does not have. */
static void no_numbers(void **state)
{
    (void)state;
    rows *before = side(), *after = side();
    add(before, "a", "", 2, 0, 0)[SUM] = rows_unknown();
    add(before, "b", "", 1, 0, 5);
    add(after, "a", "", 1, 0, 10)[MORE] = (rows_cell){0};
    rows *r = compared(before, after);
    const rows_cell *a = found_row(r, "a", ""), *b = found_row(r, "b", "");
    expect_state(r, a, "Sum before", ROWS_UNKNOWN);
    expect_state(r, a, "Mean before", ROWS_UNKNOWN);
    expect_number(r, a, "Mean after", 10);
    expect_state(r, a, "Sum difference", ROWS_NONE);
    expect_state(r, a, "All after", ROWS_NONE);
    expect_number(r, b, "More before", 0);
    expect_state(r, b, "More after", ROWS_NONE); /* no row after it has one */
    expect_number(r, b, "Sum after", 0);
    rows_free(r);
    before = side();
    add(before, "a", "", 1, 0, 5)[MORE] = (rows_cell){0};
    r = compared(before, side());
    expect_state(r, rows_at(r, 0), "More after", ROWS_NONE);
    expect_number(r, rows_at(r, 0), "Sum after", 0);
    rows_free(r);
}

/* A row that one trace had no room for is not gone. */
static void no_room(void **state)
{
    (void)state;
    rows *before = side(), *after = side();
    add(before, "a", "", 1, 0, 5);
    add(before, "b", "", 1, 0, 5);
    add(after, "b", "", 1, 0, 6);
    add(after, TEXT_OTHERS, "", 9, 0, 70);
    after->missing = ROWS_FIRST_COME;
    rows *r = compared(before, after);
    assert_string_equal(r->missing, ROWS_FIRST_COME);
    const rows_cell *a = found_row(r, "a", "");
    assert_int_equal(a[COMPARISON_SEEN].state, ROWS_UNKNOWN);
    expect_state(r, a, "Sum after", ROWS_UNKNOWN);
    expect_state(r, a, "Sum difference", ROWS_NONE);
    expect_number(r, found_row(r, "b", ""), "Sum after", 6);
    assert_string_equal(found_row(r, TEXT_OTHERS, "")[COMPARISON_SEEN].text, "new");
    rows_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(changes), cmocka_unit_test(no_numbers), cmocka_unit_test(no_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
