/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of the calls of functions: by hand, with the words that choose calls, without room, and split into stacks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "xray/statistics/account.h"

static const xray_display in_ticks = {.ticks = true};

static call timed(uint64_t duration, uint64_t self, unsigned state)
{
    return (call){.begin = 1, .duration = duration, .self = self, .state = (uint8_t)(CALL_TIMED | CALL_SELF | state)};
}

static void add(xray_account *a, uint64_t stack, uint32_t function, uint32_t caller, call k)
{
    assert_true(xray_account_add(a, stack, caller ? &caller : NULL, &(span){.call = k, .function = function}));
}

static rows *filled(xray_account *a, const xray_display *shown)
{
    rows *r = rows_new(xray_account_columns, XRAY_ACCOUNT_COLUMNS);
    xray_account_fill(a, shown, r);
    return r;
}

/* The row of a function, and of a caller by its name; NULL: any. */
static const rows_cell *row_of(const rows *r, const char *function, const char *caller)
{
    for (unsigned i = 0; i < rows_length(r); i++) {
        const rows_cell *cells = rows_at(r, i), *from = &cells[XRAY_ACCOUNT_CALLER];
        if (strcmp(cells[XRAY_ACCOUNT_FUNCTION].text, function) == 0 &&
            (!caller || (from->state == ROWS_IS_TEXT && strcmp(from->text, caller) == 0)))
            return cells;
    }
    fail_msg("there is no row of %s", function);
    return NULL;
}

static void expect(const rows_cell *cells, unsigned from, const uint64_t *numbers, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        assert_int_equal(cells[from + i].state, ROWS_IS_NUMBER);
        assert_int_equal(cells[from + i].number, numbers[i]);
    }
}

/* Calls of 40, 10, 30 and 20 ticks, one of which has no exit, and one without a duration, which does not count. */
static void sums(void **state)
{
    (void)state;
    xray_account *a = xray_account_new(false, XRAY_COUNT_ALL);
    call none = timed(0, 0, 0);
    none.state = CALL_UNMATCHED;
    add(a, 1, 7, 3, timed(40, 5, 0));
    add(a, 1, 7, 4, timed(10, 6, CALL_CLOSED));
    add(a, 2, 9, 0, timed(1000, 1, 0));
    add(a, 2, 7, 0, timed(30, 7, CALL_UNATTRIBUTED));
    add(a, 1, 7, 3, timed(20, 8, CALL_CLOSED | CALL_UNATTRIBUTED));
    assert_false(xray_account_add(a, 1, NULL, &(span){.call = none, .function = 7}));
    rows *r = filled(a, &in_ticks);
    assert_int_equal(rows_length(r), 2);
    /* id, calls, min, median (the third of four), 90 %, 99 %, max, sum, self, unwound, unsure */
    const uint64_t seven[] = {7, 4, 10, 30, 40, 40, 40, 100, 26, 2, 2},
                   nine[] = {9, 1, 1000, 1000, 1000, 1000, 1000, 1000, 1, 0, 0};
    expect(row_of(r, "#7", NULL), XRAY_ACCOUNT_ID, seven, G_N_ELEMENTS(seven));
    expect(row_of(r, "#9", NULL), XRAY_ACCOUNT_ID, nine, G_N_ELEMENTS(nine));
    assert_ptr_equal(row_of(r, "#7", NULL), rows_at(r, 0));
    assert_int_equal(rows_at(r, 0)[XRAY_ACCOUNT_CALLER].state, ROWS_NONE);
    assert_int_equal(rows_at(r, 0)[XRAY_ACCOUNT_FILE].state, ROWS_NONE);
    rows_free(r);
    const xray_display two_gigahertz = {.frequency = UINT64_C(2000000000)};
    r = filled(a, &two_gigahertz);
    assert_int_equal(rows_at(r, 0)[XRAY_ACCOUNT_SUM].number, 50);
    rows_free(r);
    xray_account_free(a);
}

/* Clocks of a damaged log may be any. */
static void sums_that_do_not_fit(void **state)
{
    (void)state;
    xray_account *a = xray_account_new(false, XRAY_COUNT_ALL), *other = xray_account_new(false, XRAY_COUNT_ALL);
    add(a, 1, 7, 0, timed(UINT64_MAX / 2, 5, 0));
    add(a, 2, 7, 0, timed(UINT64_MAX / 2 + 9, UINT64_MAX, 0));
    add(a, 1, 8, 0, timed(UINT64_MAX / 2, 5, 0));
    add(other, 3, 8, 0, timed(UINT64_MAX / 2 + 9, 6, 0));
    xray_account_merge(a, other);
    rows *r = filled(a, &in_ticks);
    assert_int_equal(row_of(r, "#7", NULL)[XRAY_ACCOUNT_SUM].state, ROWS_UNKNOWN);
    assert_int_equal(row_of(r, "#7", NULL)[XRAY_ACCOUNT_SELF].state, ROWS_UNKNOWN);
    assert_int_equal(row_of(r, "#8", NULL)[XRAY_ACCOUNT_SUM].state, ROWS_UNKNOWN);
    assert_int_equal(row_of(r, "#8", NULL)[XRAY_ACCOUNT_SELF].number, 11);
    rows_free(r);
    xray_account_free(other);
    xray_account_free(a);
}

/* The sums of many calls: counts that do not fit, and a self time that is not known. */
static void sums_of_many(void **state)
{
    (void)state;
    xray_account *a = xray_account_new(false, XRAY_COUNT_ALL);
    const call known = {.duration = 9, .self = 4, .state = CALL_TIMED | CALL_SELF},
               unsure = {.state = CALL_TIMED | CALL_SELF | CALL_UNATTRIBUTED},
               without = {.duration = 6, .state = CALL_TIMED};
    const span all[] = {{.call = known, .function = 7, .many = 3},
                        {.call = unsure, .function = 7, .many = UINT64_MAX - 1},
                        {.call = without, .function = 8, .many = 2}};
    for (unsigned i = 0; i < G_N_ELEMENTS(all); i++)
        assert_true(xray_account_add(a, 1, NULL, &all[i]));
    rows *r = filled(a, &in_ticks);
    const rows_cell *full = row_of(r, "#7", NULL), *other = row_of(r, "#8", NULL);
    assert_int_equal(full[XRAY_ACCOUNT_CALLS].state, ROWS_UNKNOWN);
    expect(full, XRAY_ACCOUNT_SUM, (const uint64_t[]){9, 4, 0, UINT64_MAX - 1}, 4);
    expect(other, XRAY_ACCOUNT_CALLS, (const uint64_t[]){2}, 1);
    expect(other, XRAY_ACCOUNT_SUM, (const uint64_t[]){6}, 1);
    assert_int_equal(other[XRAY_ACCOUNT_SELF].state, ROWS_UNKNOWN);
    assert_int_not_equal(other[XRAY_ACCOUNT_MIN].state, ROWS_IS_NUMBER);
    rows_free(r);
    xray_account_free(a);
}

static void callers(void **state)
{
    (void)state;
    xray_account *a = xray_account_new(true, XRAY_COUNT_ALL);
    add(a, 1, 7, 3, timed(40, 40, 0));
    add(a, 1, 7, 0, timed(10, 10, 0));
    add(a, 2, 7, 3, timed(2, 2, 0));
    rows *r = filled(a, &in_ticks);
    assert_int_equal(rows_length(r), 2);
    assert_int_equal(row_of(r, "#7", "#3")[XRAY_ACCOUNT_SUM].number, 42);
    assert_int_equal(row_of(r, "#7", "(no caller)")[XRAY_ACCOUNT_SUM].number, 10);
    rows_free(r);
    xray_account_free(a);
}

/* On stack 1: 7 { 7 { 9 { } 7 { } } }; on stack 2: 7 { }, which is no recursion. Durations are powers of two, so that a sum
 * tells which calls have counted. */
static uint64_t count_of(xray_account_counts which, uint32_t function, uint64_t *times)
{
    xray_account *a = xray_account_new(false, which);
    struct {
        uint64_t stack;
        uint32_t function;
        uint64_t ends; /* 0: it begins */
    } steps[] = {{1, 7, 0}, {1, 7, 0}, {2, 7, 0}, {1, 9, 0}, {1, 9, 1},
                 {1, 7, 0}, {2, 7, 2}, {1, 7, 4}, {1, 7, 8}, {1, 7, 16}};
    for (unsigned i = 0; i < G_N_ELEMENTS(steps); i++) {
        const call k = timed(steps[i].ends, steps[i].ends, 0);
        if (!steps[i].ends)
            xray_account_enter(a, steps[i].stack, steps[i].function);
        else
            xray_account_add(a, steps[i].stack, NULL, &(span){.call = k, .function = steps[i].function});
    }
    rows *r = filled(a, &in_ticks);
    uint64_t sum = *times = 0;
    for (unsigned i = 0; i < rows_length(r); i++)
        if (rows_at(r, i)[XRAY_ACCOUNT_ID].number == function) {
            sum = rows_at(r, i)[XRAY_ACCOUNT_SUM].number;
            *times = rows_at(r, i)[XRAY_ACCOUNT_CALLS].number;
        }
    rows_free(r);
    xray_account_free(a);
    return sum;
}

static void recursion(void **state)
{
    (void)state;
    uint64_t times;
    assert_int_equal(count_of(XRAY_COUNT_ALL, 7, &times), 2 + 4 + 8 + 16);
    assert_int_equal(times, 4);
    assert_int_equal(count_of(XRAY_COUNT_RECURSIVE, 7, &times), 4 + 8 + 16);
    assert_int_equal(count_of(XRAY_COUNT_RECURSIVE, 9, &times), 0);
    assert_int_equal(count_of(XRAY_COUNT_OUTERMOST, 7, &times), 2 + 16);
    assert_int_equal(count_of(XRAY_COUNT_OUTERMOST, 9, &times), 1);
    assert_int_equal(times, 1);
}

/* A new function with every call: most find no room, and none is lost. Known functions still count for themselves. */
static void no_room(void **state)
{
    (void)state;
    enum { FUNCTIONS = 100000 };
    xray_account *a = xray_account_new(true, XRAY_COUNT_ALL);
    for (uint32_t i = 1; i <= FUNCTIONS; i++)
        add(a, 1, i, i + 1, timed(i, 1, 0));
    add(a, 1, 1, 2, timed(5, 1, 0));
    rows *r = filled(a, &in_ticks);
    uint64_t times = 0, sum = 0;
    for (unsigned i = 0; i < rows_length(r); i++) {
        times += rows_at(r, i)[XRAY_ACCOUNT_CALLS].number;
        sum += rows_at(r, i)[XRAY_ACCOUNT_SUM].number;
    }
    assert_true(rows_length(r) >= 32000 && rows_length(r) <= 35000);
    assert_int_equal(times, FUNCTIONS + 1);
    assert_int_equal(sum, UINT64_C(100001) * FUNCTIONS / 2 + 5);
    const rows_cell *others = row_of(r, TEXT_OTHERS, NULL);
    assert_int_equal(others[XRAY_ACCOUNT_CALLS].number, FUNCTIONS - (rows_length(r) - 1));
    assert_int_equal(others[XRAY_ACCOUNT_MAX].number, FUNCTIONS);
    assert_int_equal(others[XRAY_ACCOUNT_CALLER].state, ROWS_NONE);
    assert_int_equal(row_of(r, "#1", "#2")[XRAY_ACCOUNT_SUM].number, 6);
    rows_free(r);
    xray_account_free(a);
}

/* --- any split of stacks equals the whole -------------------------------------------------------------------------- */

enum { STACKS = 6, FUNCTIONS = 5, PARTS = 3 };

/* Random calls on stacks, each of which belongs to one of the parts. */
static void count_random(GRand *rand, xray_account *whole, xray_account *parts[PARTS], const unsigned part_of[STACKS])
{
    uint32_t open[STACKS][8];
    unsigned depth[STACKS] = {0};
    for (unsigned i = 0; i < 2000; i++) {
        const unsigned stack = g_rand_int(rand) % STACKS;
        xray_account *part = parts[part_of[stack]];
        if (depth[stack] == 0 || (depth[stack] < 8 && g_rand_boolean(rand))) {
            const uint32_t function = 1 + g_rand_int(rand) % FUNCTIONS;
            open[stack][depth[stack]++] = function;
            xray_account_enter(whole, stack, function);
            xray_account_enter(part, stack, function);
            continue;
        }
        const uint32_t function = open[stack][--depth[stack]],
                       *caller = depth[stack] ? &open[stack][depth[stack] - 1] : NULL;
        const call k = timed(g_rand_int(rand) % 100000, g_rand_int(rand) % 100, g_rand_boolean(rand) ? CALL_CLOSED : 0);
        const span ended = {.call = k, .function = function};
        assert_int_equal(xray_account_add(whole, stack, caller, &ended), xray_account_add(part, stack, caller, &ended));
    }
}

static void expect_same(xray_account *a, xray_account *b)
{
    rows *x = filled(a, &in_ticks), *y = filled(b, &in_ticks);
    assert_int_equal(rows_length(x), rows_length(y));
    for (unsigned i = 0; i < rows_length(x); i++) {
        const rows_cell *cells = rows_at(x, i), *caller = &cells[XRAY_ACCOUNT_CALLER];
        const rows_cell *same = row_of(y, cells[XRAY_ACCOUNT_FUNCTION].text,
                                       caller->state == ROWS_IS_TEXT ? caller->text : NULL);
        for (unsigned c = XRAY_ACCOUNT_ID; c < XRAY_ACCOUNT_FILE; c++)
            assert_int_equal(cells[c].number, same[c].number);
    }
    rows_free(x);
    rows_free(y);
}

static void merged(void **state)
{
    (void)state;
    static const xray_account_counts counts[] = {XRAY_COUNT_ALL, XRAY_COUNT_RECURSIVE, XRAY_COUNT_OUTERMOST};
    for (guint32 seed = 1; seed <= 24; seed++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
        xray_account *whole = xray_account_new(seed % 2, counts[seed % 3]), *parts[PARTS];
        unsigned part_of[STACKS];
        for (unsigned i = 0; i < STACKS; i++)
            part_of[i] = g_rand_int(rand) % PARTS;
        for (unsigned i = 0; i < PARTS; i++)
            parts[i] = xray_account_new(seed % 2, counts[seed % 3]);
        count_random(rand, whole, parts, part_of);
        for (unsigned i = 1; i < PARTS; i++)
            xray_account_merge(parts[0], parts[i]);
        expect_same(whole, parts[0]);
        for (unsigned i = 0; i < PARTS; i++)
            xray_account_free(parts[i]);
        xray_account_free(whole);
    }
}

/* In whichever order calls have come. */
static void order(void **state)
{
    (void)state;
    static const uint32_t functions[] = {9, 7, 8, 7, 7}, callers[] = {1, 3, 2, 0, 2};
    static const char *const expected[] = {"#7 #2", "#7 #3", "#7 (no caller)", "#8 #2", "#9 #1"};
    xray_account *a = xray_account_new(true, XRAY_COUNT_ALL);
    for (unsigned i = 0; i < G_N_ELEMENTS(functions); i++)
        add(a, 1, functions[i], callers[i], timed(1, 1, 0));
    rows *r = filled(a, &in_ticks);
    for (unsigned i = 0; i < G_N_ELEMENTS(expected); i++) {
        const rows_cell *cells = rows_at(r, i);
        g_autofree char *words = g_strdup_printf("%s %s", cells[XRAY_ACCOUNT_FUNCTION].text,
                                                 cells[XRAY_ACCOUNT_CALLER].text);
        assert_string_equal(words, expected[i]);
    }
    rows_free(r);
    xray_account_free(a);
}

/* What three have counted that had a third of the room each has room in one. */
static void shares(void **state)
{
    (void)state;
    enum { SHARES = 3 };
    xray_account *all = xray_account_new(false, XRAY_COUNT_ALL);
    uint32_t functions = 0;
    for (uint32_t i = 0; i < SHARES; i++) {
        xray_account *one = xray_account_new(false, XRAY_COUNT_ALL);
        xray_account_share(one, SHARES);
        for (; !xray_account_full(one); functions++)
            add(one, 1, 1 + functions, 0, timed(1, 1, 0));
        functions--; /* that is in the row of others */
        xray_account_free(one);
    }
    assert_true(functions > LIMIT_ROWS && functions < LIMIT_ROWS + 1000);
    for (uint32_t i = 0; i < SHARES; i++) {
        xray_account *one = xray_account_new(false, XRAY_COUNT_ALL);
        xray_account_share(one, SHARES);
        for (uint32_t k = i; k < functions / SHARES * SHARES; k += SHARES)
            add(one, 1, 1 + k, 0, timed(1, 1, 0));
        assert_false(xray_account_full(one));
        xray_account_merge(all, one);
        xray_account_free(one);
    }
    assert_false(xray_account_full(all));
    rows *r = filled(all, &in_ticks);
    assert_int_equal(rows_length(r), functions / SHARES * SHARES);
    rows_free(r);
    xray_account_free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums),         cmocka_unit_test(sums_that_do_not_fit),
                                       cmocka_unit_test(sums_of_many), cmocka_unit_test(callers),
                                       cmocka_unit_test(recursion),    cmocka_unit_test(no_room),
                                       cmocka_unit_test(merged),       cmocka_unit_test(order),
                                       cmocka_unit_test(shares)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
