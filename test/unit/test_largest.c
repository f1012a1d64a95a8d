/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The largest of many items: compared with sorting all of them, with equal values and without one; what words ask for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "statistics/top_n.h"

typedef struct item {
    uint64_t value, tie;
    bool has_value;
} item;

static void keep(void *data, const void *visited)
{
    g_array_append_vals(data, visited, 1);
}

static GArray *items_of(const top_n *l)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(item));
    top_n_each(l, keep, all);
    return all;
}

static void add(top_n *l, const item *one)
{
    top_n_add(l, one->has_value ? &one->value : NULL, one->tie, one);
}

static bool smallest;

static int compare(const void *a, const void *b)
{
    const item *x = a, *y = b;
    if (x->has_value != y->has_value)
        return x->has_value ? -1 : 1;
    if (x->has_value && x->value != y->value)
        return (x->value > y->value) != smallest ? -1 : 1;
    return x->tie < y->tie ? -1 : 1;
}

static void expect_first(const top_n *l, const GArray *sorted, unsigned most)
{
    g_autoptr(GArray) kept = items_of(l);
    assert_int_equal(kept->len, MIN(most, sorted->len));
    for (unsigned i = 0; i < kept->len; i++)
        assert_int_equal(g_array_index(kept, item, i).tie, g_array_index(sorted, item, i).tie);
}

/* Few different values, so that many are equal; one in eight has none. */
static void as_sorted(void **state)
{
    (void)state;
    for (guint32 seed = 1; seed <= 60; seed++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
        g_autoptr(GArray) sorted = g_array_new(FALSE, FALSE, sizeof(item));
        const unsigned most = g_rand_int(rand) % 30, count = g_rand_int(rand) % (seed % 3 ? 400 : 30);
        smallest = seed % 2;
        const top_n_by by = {.most = most, .smallest = smallest};
        top_n *whole = top_n_new(&by, sizeof(item));
        for (unsigned i = 0; i < count; i++) {
            const item one = {g_rand_int(rand) % (seed % 3 ? 50 : 5), i, g_rand_int(rand) % 8 != 0};
            g_array_append_val(sorted, one);
            add(whole, &one);
        }
        g_array_sort(sorted, compare);
        top_n *copy = top_n_copy(whole);
        expect_first(whole, sorted, most);
        expect_first(copy, sorted, most);
        top_n_free(whole);
        top_n_free(copy);
    }
    top_n_free(NULL);
}

/* A copy goes its own way. */
static void copies(void **state)
{
    (void)state;
    const item five = {5, 1, true}, nine = {9, 2, true};
    top_n *l = top_n_new(&(top_n_by){.most = 1}, sizeof(item));
    add(l, &five);
    top_n *copy = top_n_copy(l);
    add(copy, &nine);
    g_autoptr(GArray) first = items_of(l), second = items_of(copy);
    assert_int_equal(g_array_index(first, item, 0).value, 5);
    assert_int_equal(g_array_index(second, item, 0).value, 9);
    top_n_free(l);
    top_n_free(copy);
}

static void expect_asked(const rows_words *w, unsigned most, unsigned column, bool rising)
{
    static const rows_column columns[] = {{"Count", ROWS_COUNT, ROWS_EACH},
                                          {"Time", ROWS_TIME, ROWS_EACH},
                                          {"Self", ROWS_TIME, ROWS_EACH},
                                          {"Name", ROWS_TEXT, ROWS_EACH}};
    const top_n_by by = largest_asked(w, columns, 1);
    assert_int_equal(by.most, most);
    assert_int_equal(by.column, column);
    assert_int_equal(by.smallest, rising);
}

/* Which texts are first does not say which rows matter, so the usual column still decides. */
static void asked(void **state)
{
    (void)state;
    expect_asked(&(rows_words){0}, LARGEST_USUAL, 1, false);
    expect_asked(&(rows_words){.top = 3}, 3, 1, false);
    expect_asked(&(rows_words){.all = true}, LARGEST_ALL, 1, false);
    expect_asked(&(rows_words){.top = 100, .order = ROWS_USUAL, .sorted_by = 2}, 100, 2, false);
    expect_asked(&(rows_words){.order = ROWS_FALLING, .sorted_by = 2}, LARGEST_USUAL, 2, false);
    expect_asked(&(rows_words){.order = ROWS_RISING, .sorted_by = 2}, LARGEST_USUAL, 2, true);
    expect_asked(&(rows_words){.order = ROWS_RISING, .sorted_by = 3}, LARGEST_USUAL, 1, false);
    expect_asked(&(rows_words){.order = ROWS_FALLING, .sorted_by = 0}, LARGEST_USUAL, 0, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_sorted), cmocka_unit_test(copies), cmocka_unit_test(asked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
