/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows that are printed as they are found, or kept if they are sorted: compared with sorting all of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "statistics/rows_print.h"

enum { NUMBER, NAME, PLACE, COLUMNS };
static const rows_column columns[COLUMNS] = {[NUMBER] = {"Number", ROWS_NUMBER, ROWS_EACH},
                                             [NAME] = {"Name", ROWS_TEXT, ROWS_EACH},
                                             [PLACE] = {"Place", ROWS_ORDINAL, ROWS_EACH}};
static const rows_heading heading = {.title = "Things", .command = "things"};
static const rows_page page = {.width = 80, .rows = 25};

static GString *printed;

static void keep_printed(GString *text)
{
    g_string_append_len(printed, text->str, (gssize)text->len);
    g_string_truncate(text, 0);
}

typedef struct thing {
    int64_t number; /* 0: it has none */
    char name[8];
} thing;

/* Texts are valid until the row is added only. Returns whether it was wanted. */
static bool add(rows_stream *s, const thing *t, unsigned place)
{
    static char name[sizeof t->name];
    unsigned count;
    const unsigned char *wanted = rows_stream_columns(s, &count);
    first_rows *to = rows_stream_rows(s);
    rows_cell *cells = first_rows_begin(to), *deciding = first_rows_deciding(to);
    memcpy(name, t->name, sizeof name);
    rows_cell all[COLUMNS] = {[NAME] = rows_lasting_text(name), [PLACE] = rows_number(place)};
    if (t->number)
        all[NUMBER] = rows_signed(t->number);
    if (deciding)
        *deciding = all[wanted[deciding - cells]];
    if (!first_rows_wants(to))
        return false;
    for (unsigned i = 0; i < count; i++)
        cells[i] = all[wanted[i]];
    rows_stream_add(s);
    return true;
}

/* Prints rows; *wanted: how many were. */
static char *print(const rows_words *w, const thing *things, unsigned count, unsigned *wanted)
{
    printed = g_string_new(NULL);
    rows_stream *s = rows_stream_new(columns, COLUMNS, w, &heading, &page, keep_printed);
    *wanted = 0;
    for (unsigned i = 0; i < count; i++)
        *wanted += add(s, &things[i], i + 1);
    rows_stream_end(s);
    rows_stream_free(s);
    return g_string_free(printed, FALSE);
}

static void expect(const rows_words *w, unsigned wanted, const char *expected)
{
    static const thing things[] = {{3, "c"}, {-5, "b"}, {0, "none"}, {7, "a,\"x\""}, {3, "z"}, {7, "b"}};
    unsigned were;
    g_autofree char *text = print(w, things, G_N_ELEMENTS(things), &were);
    assert_string_equal(text, expected);
    assert_int_equal(were, wanted);
}

static void as_found(void **state)
{
    (void)state;
    expect(&(rows_words){.form = ROWS_AS_CSV}, 6,
           "number,name,place\n3,c,1\n-5,b,2\n,none,3\n7,\"a,\"\"x\"\"\",4\n3,z,5\n7,b,6\n");
    expect(&(rows_words){.form = ROWS_AS_CSV, .top = 2}, 6, "number,name,place\n3,c,1\n-5,b,2\n");
}

/* Of equal ones those that were found first. */
static void as_sorted(void **state)
{
    (void)state;
    const rows_words falling = {.form = ROWS_AS_CSV, .order = ROWS_USUAL, .sorted_by = NUMBER, .top = 3};
    expect(&falling, 6, "number,name,place\n7,\"a,\"\"x\"\"\",4\n7,b,6\n3,c,1\n");
    const rows_words rising = {.form = ROWS_AS_CSV, .order = ROWS_RISING, .sorted_by = NUMBER, .top = 3};
    expect(&rising, 5, "number,name,place\n-5,b,2\n3,c,1\n3,z,5\n");
    const rows_words named = {.form = ROWS_AS_CSV, .order = ROWS_USUAL, .sorted_by = NAME, .top = 3};
    expect(&named, 5, "number,name,place\n7,\"a,\"\"x\"\"\",4\n-5,b,2\n7,b,6\n");
    const rows_words many = {.form = ROWS_AS_CSV, .order = ROWS_USUAL, .sorted_by = NUMBER, .top = 100};
    expect(&many, 6, "number,name,place\n7,\"a,\"\"x\"\"\",4\n7,b,6\n3,c,1\n3,z,5\n-5,b,2\n,none,3\n");
    expect(&(rows_words){.form = ROWS_AS_JSON, .order = ROWS_USUAL, .sorted_by = PLACE, .top = 1}, 6,
           "{\"number\": 7, \"name\": \"b\", \"place\": 6}\n");
}

/* The column that sorts need not be printed. */
static void by_another_column(void **state)
{
    (void)state;
    rows_words w = {.form = ROWS_AS_CSV, .order = ROWS_FALLING, .sorted_by = NUMBER, .top = 2, .column_count = 1};
    w.columns[0] = NAME;
    expect(&w, 4, "name\n\"a,\"\"x\"\"\"\nb\n");
    w.sorted_by = NAME;
    w.columns[0] = PLACE;
    expect(&w, 4, "place\n5\n3\n");
}

static void as_a_table(void **state)
{
    (void)state;
    const rows_words w = {.order = ROWS_USUAL, .sorted_by = NUMBER, .top = 2};
    expect(&w, 4,
           "\nThings\n"
           "Number  Name   Place\n     7  a,\"x\"      4\n     7  b          6\n"
           "4 more rows: \"things,all\" has all, \"things,csv\" for programs\n");
}

static const rows_words *by;

static gint compare_things(gconstpointer a, gconstpointer b)
{
    const thing *x = *(const thing *const *)a, *y = *(const thing *const *)b;
    const int texts = strcmp(x->name, y->name), numbers = (x->number > y->number) - (x->number < y->number),
              order = by->sorted_by == NAME ? texts : numbers;
    if (order == 0)
        return x < y ? -1 : 1;
    return by->order == ROWS_RISING ? order : -order;
}

/* Many, with few different values. */
static void as_all_are_sorted(void **state)
{
    enum { MOST = 300 };
    (void)state;
    for (guint32 seed = 1; seed <= 60; seed++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
        thing things[MOST];
        const unsigned count = g_rand_int(rand) % MOST, top = 1 + g_rand_int(rand) % 40;
        const rows_words w = {.form = ROWS_AS_CSV,
                              .order = seed % 2 ? ROWS_RISING : ROWS_FALLING,
                              .sorted_by = seed % 3 ? NUMBER : NAME,
                              .top = top};
        g_autoptr(GPtrArray) all = g_ptr_array_new();
        for (unsigned i = 0; i < count; i++) {
            things[i] = (thing){.number = g_rand_int_range(rand, -9, 9)};
            things[i].number += things[i].number >= 0;
            snprintf(things[i].name, sizeof things[i].name, "n%u", g_rand_int(rand) % 12);
            g_ptr_array_add(all, &things[i]);
        }
        by = &w;
        g_ptr_array_sort(all, compare_things);
        g_autoptr(GString) expected = g_string_new("number,name,place\n");
        for (unsigned i = 0; i < MIN(top, count); i++) {
            const thing *t = g_ptr_array_index(all, i);
            g_string_append_printf(expected, "%d,%s,%d\n", (int)t->number, t->name, (int)(t - things) + 1);
        }
        unsigned wanted;
        g_autofree char *text = print(&w, things, count, &wanted);
        assert_string_equal(text, expected->str);
        assert_true(wanted <= count && wanted >= MIN(top, count));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_found), cmocka_unit_test(as_sorted),
                                       cmocka_unit_test(by_another_column), cmocka_unit_test(as_a_table),
                                       cmocka_unit_test(as_all_are_sorted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
