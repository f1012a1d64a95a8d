/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls, added up by stack: sums by hand, their order and shares, groups, and sums of parts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "statistics/call_sums.h"
#include "statistics/rows_print.h"

static unsigned name_of(const void *data, const stack_piece *piece, GString *name)
{
    (void)data;
    g_string_append_c(name, (char)piece->id);
    return 0;
}

/* Each letter of a stack is a piece. */
static void add(call_sums *s, const char *stack, unsigned groups, uint64_t time, uint64_t self)
{
    stack_piece pieces[8];
    const unsigned n = (unsigned)strlen(stack);
    for (unsigned i = 0; i < n; i++)
        pieces[i] = (stack_piece){0, (unsigned char)stack[i]};
    call_sums_add(s, pieces, n, groups, 0, time, self, NULL);
}

static GString *printed;

static void keep(GString *text)
{
    g_string_append_len(printed, text->str, (gssize)text->len);
    g_string_truncate(text, 0);
}

/* The rows as CSV without the heading; g_free() it. */
static char *text_of(const call_sums *s, unsigned by, bool indented, unsigned least)
{
    rows *r = rows_new(call_sums_columns, CALL_SUMS_COLUMNS);
    printed = g_string_new(NULL);
    call_sums_fill(s, "All", by, indented, r);
    for (unsigned row = 0; row < rows_length(r); row++) { /* people see its depth */
        const rows_cell *cells = rows_at(r, row);
        const bool shown = cells[CALL_SUMS_OF_NAME].names & ROWS_INDENTED;
        assert_int_equal(shown, indented);
        assert_int_equal(shown ? cells[CALL_SUMS_OF_NAME].depth : 0, shown ? cells[CALL_SUMS_OF_DEPTH].number : 0);
    }
    rows_drop_below(r, least);
    rows_print(r, &(rows_words){.form = ROWS_AS_CSV}, keep);
    rows_free(r);
    g_string_erase(printed, 0, strchr(printed->str, '\n') + 1 - printed->str);
    return g_string_free(printed, FALSE);
}

static void expect(const call_sums *s, unsigned by, bool indented, unsigned least, const char *text)
{
    g_autofree char *found = text_of(s, by, indented, least);
    assert_string_equal(found, text);
}

/* b has called c twice. m has not ended, so its share is that of what it has called; it is the second row. */
static void example(call_sums *s)
{
    add(s, "bc", 0, 40, 40);
    add(s, "bc", 0, 20, 20);
    add(s, "b", 0, 100, 40);
    add(s, "mc", 0, 90, 90);
    add(s, "b", 0, 10, 10);
    add(s, "a", 0, 200, 200);
    add(s, "mb", 0, 100, 100);
}

static void test_tree(void **state)
{
    (void)state;
    call_sums s;
    call_sums_init(&s, name_of);
    expect(&s, CALL_SUMS_TIME, false, 0, "0,,,,,,,All,0\n");
    example(&s);
    expect(&s, CALL_SUMS_TIME, false, 0,
           "3,310,,100.0,103,10,200,All,0\n"
           "1,200,200,40.0,200,200,200,a,1\n"
           "0,,,38.0,,,,m,1\n"
           "1,100,100,20.0,100,100,100,b,2\n"
           "1,90,90,18.0,90,90,90,c,2\n"
           "2,110,50,22.0,55,10,100,b,1\n"
           "2,60,60,12.0,30,20,40,c,2\n");
    expect(&s, CALL_SUMS_TIME, true, 185,
           "3,310,,100.0,103,10,200,All,0\n"
           "1,200,200,40.0,200,200,200,a,1\n"
           "0,,,38.0,,,,m,1\n"
           "1,100,100,20.0,100,100,100,b,2\n"
           "2,110,50,22.0,55,10,100,b,1\n");
    call_sums_clear(&s);
}

/* By name alone, and by self time: what is inside others is there, too. */
static void test_self(void **state)
{
    (void)state;
    call_sums s;
    call_sums_init(&s, name_of);
    add(&s, "a", 0, 100, 30);
    add(&s, "b", 0, 70, 45);
    add(&s, "c", 0, 25, 25);
    add(&s, "b", 0, 0, 0);
    expect(&s, CALL_SUMS_SELF, false, 0,
           "4,,100,100.0,,,,All,0\n"
           "2,70,45,45.0,35,0,70,b,1\n"
           "1,100,30,30.0,100,100,100,a,1\n"
           "1,25,25,25.0,25,25,25,c,1\n");
    call_sums_clear(&s);
}

/* Groups have the sums of their outermost calls. */
static void test_groups(void **state)
{
    (void)state;
    call_sums s;
    call_sums_init(&s, name_of);
    add(&s, "Xa", 1, 30, 20);
    add(&s, "Xab", 1, 10, 10);
    add(&s, "Yb", 1, 60, 60);
    add(&s, "Xb", 1, 5, 5);
    expect(&s, CALL_SUMS_TIME, false, 0,
           "3,95,,100.0,31,5,60,All,0\n"
           "1,60,0,63.2,60,60,60,Y,1\n"
           "1,60,60,63.2,60,60,60,b,2\n"
           "2,35,0,36.8,17,5,30,X,1\n"
           "1,30,20,31.6,30,30,30,a,2\n"
           "1,10,10,10.5,10,10,10,b,3\n"
           "1,5,5,5.3,5,5,5,b,2\n");
    call_sums_clear(&s);
}

enum { CALLS = 5000, PARTS = 3 };

/* Any split, merged, is the whole; with names that only some of the parts have. */
static void test_merge(void **state)
{
    (void)state;
    GRand *r = g_rand_new_with_seed(41);
    call_sums whole, parts[PARTS];
    call_sums_init(&whole, name_of);
    for (unsigned i = 0; i < PARTS; i++)
        call_sums_init(&parts[i], name_of);
    for (unsigned i = 0; i < CALLS; i++) {
        char stack[7] = {0};
        for (unsigned n = 1 + g_rand_int(r) % 6; n > 0; n--)
            stack[n - 1] = (char)('a' + g_rand_int(r) % (n > 3 ? 2 : 5));
        const uint64_t time = g_rand_int(r) % 1000, self = time / 2;
        add(&whole, stack, 0, time, self);
        add(&parts[g_rand_int(r) % PARTS], stack, 0, time, self);
    }
    for (unsigned i = 1; i < PARTS; i++) {
        call_sums_merge(&parts[0], &parts[i]);
        call_sums_clear(&parts[i]);
    }
    g_autofree char *one = text_of(&whole, CALL_SUMS_TIME, false, 0), *other = text_of(&parts[0], CALL_SUMS_TIME, false, 0);
    assert_true(strlen(one) > 10000);
    assert_string_equal(one, other);
    assert_int_equal(whole.stacks.limit.counted, parts[0].stacks.limit.counted);
    call_sums_clear(&whole);
    call_sums_clear(&parts[0]);
    g_rand_free(r);
}

/* An empty one has no shortest call. */
/* Sums of many calls, as of a profile, whose number does not fit: it and the average are not known. */
static void test_many(void **state)
{
    (void)state;
    const stack_piece piece = {0, 'a'};
    call_sums s;
    call_sums_init(&s, name_of);
    call_sums_add(&s, &piece, 1, 0, 3, 90, 90, NULL);
    expect(&s, CALL_SUMS_TIME, false, 1, "3,90,,100.0,30,,,All,0\n3,90,90,100.0,30,,,a,1\n");
    call_sums_add(&s, &piece, 1, 0, UINT64_MAX - 1, 10, 10, NULL);
    expect(&s, CALL_SUMS_TIME, false, 1, "unknown,100,,100.0,unknown,,,All,0\nunknown,100,100,100.0,unknown,,,a,1\n");
    call_sums_clear(&s);
}

static void test_nothing(void **state)
{
    (void)state;
    call_sums s, nothing;
    call_sums_init(&s, name_of);
    call_sums_init(&nothing, name_of);
    add(&s, "a", 0, 5, 5);
    call_sums_merge(&s, &nothing);
    expect(&s, CALL_SUMS_TIME, false, 0,
           "1,5,,100.0,5,5,5,All,0\n"
           "1,5,5,100.0,5,5,5,a,1\n");
    call_sums_clear(&s);
    call_sums_clear(&nothing);
}

/* What has no room in a full one is added to what has none. */
static void test_full(void **state)
{
    (void)state;
    call_sums s, other;
    call_sums_init(&s, name_of);
    call_sums_init(&other, name_of);
    add(&s, "a", 0, 1, 1);
    s.stacks.limit.full = true;
    add(&other, "ab", 0, 2, 2);
    add(&other, "a", 0, 4, 4);
    add(&other, "c", 0, 8, 8);
    call_sums_merge(&s, &other);
    expect(&s, CALL_SUMS_TIME, false, 0,
           "3,13,,100.0,4,1,8,All,0\n"
           "2,10,10,66.7,5,2,8,(others),1\n"
           "2,5,5,33.3,2,1,4,a,1\n");
    call_sums_clear(&s);
    call_sums_clear(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tree),    cmocka_unit_test(test_self),
                                       cmocka_unit_test(test_groups),  cmocka_unit_test(test_merge),
                                       cmocka_unit_test(test_nothing), cmocka_unit_test(test_full),
                                       cmocka_unit_test(test_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
