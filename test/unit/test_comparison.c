/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two traces side by side: pairs, what has changed, what is forgotten, no room, and merging. What each format counts for a row is tested
 * in its own test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "found_rows.h"
#include "statistics/comparison.h"

enum { TIMES, SUM, MIDDLE, MEASURES };
static const rows_column columns[COMPARISON_COLUMNS(MEASURES)] = {
    COMPARISON_NAME_COLUMNS("Name", "Other"),
    COMPARISON_MEASURE_COLUMNS("Times", ROWS_NUMBER),
    COMPARISON_MEASURE_COLUMNS("Sum", ROWS_TIME),
    COMPARISON_MEASURE_COLUMNS("Middle", ROWS_TIME),
};

static rows_cell value(const void *data, comparison_side side, comparison_sums *s, unsigned measure)
{
    const uint64_t *factors = data, count = s->all.count + s->open.count;
    if (measure == MIDDLE)
        return s->open.count ? rows_unknown() : count ? rows_number(quantiles_value(&s->spread, 50)) : (rows_cell){0};
    return rows_number(measure == TIMES ? count : factors[side] * (s->all.numbers[0] + s->open.numbers[0]));
}

static rows *filled(comparison *c)
{
    static const uint64_t factors[COMPARISON_SIDES] = {1, 2};
    rows *r = rows_new(columns, G_N_ELEMENTS(columns));
    comparison_fill(c, value, factors, r);
    return r;
}

static void add(comparison *c, comparison_side side, const char *first, const char *second, uint64_t size)
{
    comparison_add(comparison_sums_of(c, side, comparison_row(c, first, second)), size);
}

static comparison *example(void)
{
    comparison *c = comparison_new();
    add(c, COMPARISON_BEFORE, "both", "", 10);
    add(c, COMPARISON_BEFORE, "both", "", 30);
    add(c, COMPARISON_BEFORE, "both", "x", 1);
    add(c, COMPARISON_AFTER, "both", "", 5);
    add(c, COMPARISON_AFTER, "later", "x", 7);
    return c;
}

static void changes(void **state)
{
    (void)state;
    comparison *c = example();
    rows *r = filled(c);
    assert_int_equal(rows_length(r), 3);
    const rows_cell *both = found_row(r, "both", ""), *gone = found_row(r, "both", "x"), *new = found_row(r, "later", "x");
    assert_string_equal(both[COMPARISON_SEEN].text, "both");
    expect_number(r, both, "Times before", 2);
    expect_number(r, both, "Times after", 1);
    expect_number(r, both, "Times difference", 1);
    assert_true(found_cell(r, both, "Times difference")->negative);
    expect_number(r, both, "Times ratio", 500);
    expect_number(r, both, "Sum before", 40);
    expect_number(r, both, "Sum after", 10); /* the side is known when it is measured */
    expect_number(r, both, "Sum difference", 30);
    expect_number(r, both, "Middle before", 30);
    expect_number(r, both, "Middle ratio", 166);
    assert_ptr_equal(&columns[COMPARISON_CHANGE_OF(SUM)], &columns[found_cell(r, both, "Sum difference") - both]);
    assert_string_equal(gone[COMPARISON_SEEN].text, "gone");
    expect_number(r, gone, "Sum after", 0);
    expect_number(r, gone, "Sum ratio", 0);
    expect_state(r, gone, "Middle after", ROWS_NONE);
    expect_state(r, gone, "Middle difference", ROWS_NONE);
    assert_string_equal(new[COMPARISON_SEEN].text, "new");
    expect_number(r, new, "Sum difference", 14);
    assert_false(found_cell(r, new, "Sum difference")->negative);
    expect_state(r, new, "Sum ratio", ROWS_NONE);
    rows_free(r);
    comparison_free(c);
}

/* Rows of the baseline stay where they are; what only the other trace had is gone. */
static void forgotten(void **state)
{
    (void)state;
    comparison *c = example();
    const unsigned kept = comparison_row(c, "both", "x");
    comparison_forget(c);
    rows *r = filled(c);
    assert_int_equal(rows_length(r), 2);
    expect_number(r, found_row(r, "both", ""), "Times before", 2);
    expect_number(r, found_row(r, "both", ""), "Times after", 0);
    rows_free(r);
    assert_int_equal(comparison_row(c, "another", ""), 2);
    add(c, COMPARISON_AFTER, "later", "x", 3);
    assert_int_equal(comparison_row(c, "both", "x"), kept);
    r = filled(c);
    expect_number(r, found_row(r, "later", "x"), "Sum after", 6);
    expect_number(r, found_row(r, "later", "x"), "Middle after", 3);
    rows_free(r);
    comparison_free(c);
}

static void open_at_the_end(void **state)
{
    (void)state;
    comparison *c = example();
    for (int times = 0; times < 2; times++) { /* each time anew */
        comparison_forget_open(c, COMPARISON_AFTER);
        comparison_counts *open = &comparison_sums_of(c, COMPARISON_AFTER, comparison_row(c, "both", ""))->open;
        open->count++;
        open->numbers[0] += 100;
    }
    rows *r = filled(c);
    expect_number(r, found_row(r, "both", ""), "Times after", 2);
    expect_number(r, found_row(r, "both", ""), "Sum after", 210);
    expect_state(r, found_row(r, "both", ""), "Middle after", ROWS_UNKNOWN);
    expect_state(r, found_row(r, "both", ""), "Middle difference", ROWS_NONE);
    rows_free(r);
    comparison_free(c);
}

static void no_room(void **state)
{
    (void)state;
    enum { NAMES = 50000 };
    comparison *c = comparison_new();
    for (unsigned i = 0; i < NAMES; i++) {
        g_autofree char *name = g_strdup_printf("%u", i);
        add(c, i % 2, name, "", 1);
    }
    assert_true(comparison_full(c));
    add(c, COMPARISON_BEFORE, "1", "", 1); /* known */
    rows *r = filled(c);
    uint64_t sum = 0;
    for (unsigned i = 0; i < rows_length(r); i++)
        sum += found_cell(r, rows_at(r, i), "Times before")->number + found_cell(r, rows_at(r, i), "Times after")->number;
    assert_true(rows_length(r) >= 10000 && rows_length(r) <= 12000);
    assert_int_equal(sum, NAMES + 1);
    expect_number(r, found_row(r, "1", ""), "Times before", 1);
    assert_true(found_cell(r, found_row(r, ROWS_OTHERS, ""), "Times after")->number > 15000);
    rows_free(r);
    comparison_free(c);
}

/* Any split equals the whole. */
static void merged(void **state)
{
    (void)state;
    for (guint32 seed = 1; seed <= 16; seed++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
        comparison *whole = comparison_new(), *parts[] = {comparison_new(), comparison_new(), comparison_new()};
        for (unsigned i = 0; i < 300; i++) {
            const char first[] = {(char)('a' + g_rand_int(rand) % 5), 0}, second[] = {(char)('a' + g_rand_int(rand) % 3), 0};
            const comparison_side side = g_rand_boolean(rand) ? COMPARISON_BEFORE : COMPARISON_AFTER;
            const uint64_t size = g_rand_int(rand);
            add(whole, side, first, second, size);
            add(parts[g_rand_int(rand) % 3], side, first, second, size);
        }
        comparison_merge(parts[0], parts[1]);
        comparison_merge(parts[0], parts[2]);
        rows *x = filled(whole), *y = filled(parts[0]);
        expect_same_rows(x, y);
        rows_free(x);
        rows_free(y);
        comparison_free(whole);
        for (int i = 0; i < 3; i++)
            comparison_free(parts[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(changes), cmocka_unit_test(forgotten),
                                       cmocka_unit_test(open_at_the_end), cmocka_unit_test(no_room),
                                       cmocka_unit_test(merged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
