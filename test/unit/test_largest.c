/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The largest of many items: compared with sorting all of them, with equal values and without one; rows with their texts,
 * one by one; what words ask for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "statistics/first_rows.h"
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

/* --- rows -------------------------------------------------------------------------------------------------------------- */

static void append_row(void *data, const void *row)
{
    const rows_cell *cells = row;
    g_string_append_printf(data, "%s%" G_GUINT64_FORMAT ":%s ", cells[0].negative ? "-" : "", cells[0].number,
                           cells[1].text);
}

static void expect_rows(const top_n *l, const char *expected)
{
    g_autoptr(GString) text = g_string_new(NULL);
    top_n_each(l, append_row, text);
    assert_string_equal(text->str, expected);
}

/* The text changes as soon as it has been added. Returns whether the row was wanted before it was. */
static bool add_row(top_n *l, unsigned column, int64_t number, const char *name, uint64_t tie)
{
    g_autofree char *text = g_strdup(name);
    const rows_cell row[] = {rows_signed(number), {.text = text, .state = ROWS_IS_TEXT, .plain = rows_plain(text)}};
    const bool wanted = top_n_wants(l, &row[column], tie);
    top_n_add_row(l, &row[column], tie, row);
    memset(text, '?', strlen(text));
    return wanted;
}

static void owns_texts(void **state)
{
    (void)state;
    top_n *l = top_n_new_rows(&(top_n_by){.most = 3}, 2);
    expect_rows(l, "");
    assert_true(add_row(l, 0, 5, "five", 1));
    assert_true(add_row(l, 0, -7, "a,b", 2));
    expect_rows(l, "5:five -7:a,b "); /* fewer than wanted */
    assert_true(add_row(l, 0, 5, "five again", 3));
    assert_false(add_row(l, 0, -8, "less", 4));
    assert_false(add_row(l, 0, -7, "the same, later", 4));
    assert_true(add_row(l, 0, 9, "nine", 5));
    expect_rows(l, "9:nine 5:five 5:five again ");
    top_n *copy = top_n_copy(l);
    assert_true(add_row(l, 0, 10, "", 6));
    top_n_free(l);
    expect_rows(copy, "9:nine 5:five 5:five again ");
    top_n_free(copy);
    assert_false(top_n_wants(l = top_n_new_rows(&(top_n_by){.most = 0}, 2), &(rows_cell){0}, 0));
    top_n_free(l);
}

static void by_texts(void **state)
{
    (void)state;
    top_n *first = top_n_new_rows(&(top_n_by){.most = 2, .column = 1, .smallest = true, .texts = true}, 2),
          *last = top_n_new_rows(&(top_n_by){.most = 2, .column = 1, .texts = true}, 2);
    static const char *const names[] = {"m", "z", "c", "x", "c", "b"};
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        add_row(first, 1, i, names[i], i);
        add_row(last, 1, i, names[i], i);
    }
    expect_rows(first, "5:b 2:c ");
    expect_rows(last, "1:z 3:x ");
    const rows_cell ten = rows_number(10), minus = rows_signed(-1), nine = rows_lasting_text("9"), none = {0};
    assert_true(rows_compare(false, false, &ten, &nine) < 0); /* numbers in a column of texts */
    assert_true(rows_compare(false, false, &minus, &ten) < 0 && rows_compare(false, false, &none, &minus) < 0);
    top_n_free(first);
    top_n_free(last);
}

/* --- what words ask for ------------------------------------------------------------------------------------------------ */

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

/* The same, and whether that is a column of texts. */
static void expect_sorted(const rows_words *w, bool smallest_first, bool texts)
{
    static const rows_column columns[] = {{"Count", ROWS_COUNT, ROWS_EACH}, {"Name", ROWS_TEXT, ROWS_EACH}};
    const top_n_by by = largest_sorted(w, columns);
    assert_int_equal(by.column, w->sorted_by);
    assert_int_equal(by.most, 4);
    assert_int_equal(by.smallest, smallest_first);
    assert_int_equal(by.texts, texts);
}

static void sorted(void **state)
{
    (void)state;
    expect_sorted(&(rows_words){.top = 4, .order = ROWS_USUAL, .sorted_by = 0}, false, false);
    expect_sorted(&(rows_words){.top = 4, .order = ROWS_RISING, .sorted_by = 0}, true, false);
    expect_sorted(&(rows_words){.top = 4, .order = ROWS_USUAL, .sorted_by = 1}, true, true);
    expect_sorted(&(rows_words){.top = 4, .order = ROWS_FALLING, .sorted_by = 1}, false, true);
}

/* Which texts are first does not say which rows matter, so the usual column still decides. */
static void asked(void **state)
{
    (void)state;
    expect_asked(&(rows_words){0}, ROWS_ON_PAGE, 1, false);
    expect_asked(&(rows_words){.top = 3}, 3, 1, false);
    expect_asked(&(rows_words){.all = true}, LARGEST_ALL, 1, false);
    expect_asked(&(rows_words){.top = 100, .order = ROWS_USUAL, .sorted_by = 2}, 100, 2, false);
    expect_asked(&(rows_words){.order = ROWS_FALLING, .sorted_by = 2}, ROWS_ON_PAGE, 2, false);
    expect_asked(&(rows_words){.order = ROWS_RISING, .sorted_by = 2}, ROWS_ON_PAGE, 2, true);
    expect_asked(&(rows_words){.order = ROWS_RISING, .sorted_by = 3}, ROWS_ON_PAGE, 1, false);
    expect_asked(&(rows_words){.order = ROWS_FALLING, .sorted_by = 0}, ROWS_ON_PAGE, 0, false);
}

/* A row of a number and a text; `exact` decides, which is no part of it. */
static bool find_row(first_rows *f, uint64_t number, uint64_t exact, const char *name, uint64_t tie)
{
    rows_cell *cells = first_rows_begin(f), *deciding = first_rows_deciding(f);
    if (deciding)
        *deciding = rows_number(exact);
    if (tie)
        first_rows_tie(f, tie);
    if (!first_rows_wants(f))
        return false;
    cells[0] = rows_number(number);
    cells[1] = rows_lasting_text(name);
    return first_rows_keep(f);
}

static void one_by_one(void **state)
{
    (void)state;
    g_autoptr(GString) text = g_string_new(NULL);
    first_rows *f = first_rows_new(&(top_n_by){.most = 2}, 2, 2);
    assert_true(find_row(f, 1, 10, "a", 0));
    assert_true(find_row(f, 1, 11, "b", 5));
    assert_false(find_row(f, 1, 10, "c", 0)); /* found later */
    first_rows *copy = first_rows_copy(f);
    assert_true(find_row(copy, 2, 20, "d", 0));
    assert_true(find_row(f, 1, 11, "e", 1)); /* comes before b, whatever was found first */
    assert_int_equal(first_rows_found(f), 4);
    first_rows_each(f, append_row, text);
    first_rows_each(copy, append_row, text);
    assert_string_equal(text->str, "1:e 1:b 2:d 1:b ");
    first_rows_free(copy);
    first_rows_free(f);
    f = first_rows_new(NULL, 2, 0); /* their own order */
    assert_null(first_rows_deciding(f));
    assert_false(find_row(f, 1, 0, "a", 0));
    assert_int_equal(first_rows_found(f), 1);
    first_rows_each(f, append_row, g_string_truncate(text, 0));
    assert_string_equal(text->str, "");
    first_rows_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_sorted), cmocka_unit_test(copies), cmocka_unit_test(owns_texts),
                                       cmocka_unit_test(by_texts),  cmocka_unit_test(asked),  cmocka_unit_test(sorted),
                                       cmocka_unit_test(one_by_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
