/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which calls were made by a call without an end, and which by one around it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/callees.h"

#define LEFT 'U' /* the call without an end; C and D are around it */

static bool knows(void *all, uint32_t function)
{
    return callers_know(all, 'C', function) || callers_know(all, 'D', function);
}

/* A call that has called these functions, in records 2, 3 and so on; '*': the one before has no end. */
static callees called(const callers *all, uint32_t caller, const char *functions)
{
    callees c = {0};
    callees_begin(&c, 100, 1);
    for (uint32_t record = 2; *functions; functions++, record++) {
        const bool unwound = functions[1] == '*';
        callees_add(&c, all, caller,
                    &(callee){.function = (uint8_t)*functions,
                              .last = {100 * (uint64_t)record, record},
                              .sure = {100 * (uint64_t)record * unwound, 0, record * unwound},
                              .ticks = 10});
        functions += unwound;
    }
    return c;
}

static void learn(callers *all, uint32_t caller, const char *functions)
{
    callees c = called(all, caller, functions);
    callees_learn(&c, all, caller);
}

typedef struct left_case {
    const char *called, *own, *around; /* what it called, what it and those around it are known to call */
    guint split;                       /* as functions are listed */
    uint32_t last;
    bool unsure;
} left_case;

/* Columns: calls, known of U, known of C and D; index of the first that is not its own; its last record; unsure. */
static const left_case cases[] = {
    {"", "", "", 0, 1, false},    /* it throws at once */
    {"c", "", "c", 0, 1, false},  /* and its catcher continues */
    {"ac", "a", "c", 0, 2, true}, /* a is its own, unless the catcher calls it only here */
    {"acc", "a", "c", 0, 2, true},   {"acd", "a", "cd", 0, 2, true},
    {"ca", "a", "c", 1, 3, true},                                  /* c came before one of its own */
    {"cac", "a", "c", 1, 4, true},                                 /* so it may call c as well */
    {"cacd", "a", "cd", 1, 4, true}, {"a", "", "", 1, 2, true},    /* nothing is known */
    {"a", "a", "a", 0, 2, true},                                   /* both call it */
    {"xc", "", "c", 1, 2, true},                                   /* x may be anybody's */
    {"cx", "", "c", 2, 3, true},                                   /* and c with it */
    {"cxc", "", "cx", 0, 1, false},  {"xcx", "", "c", 2, 4, true}, /* c lies between calls of x */
    {"xcxd", "", "cd", 2, 4, true},  {"xdcdc", "", "cd", 1, 2, true},
    {"aV*", "a", "", 1, 3, false},                                  /* left together with one inside */
    {"aV*", "aV", "V", 0, 3, false}, {"aV*", "a", "V", 0, 2, true}, /* the catcher calls V: it was left later */
    {"aV*c", "a", "c", 1, 3, false}, {"aV*c", "a", "", 2, 4, true},
};

static void test_split(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const left_case *k = &cases[i];
        callers all;
        callers_init(&all);
        learn(&all, LEFT, k->own);
        learn(&all, i % 2 ? 'C' : 'D', k->around);
        callees c = called(&all, LEFT, k->called);
        const guint split = callees_split(&c, knows, &all);
        if (split != k->split)
            fail_msg("%s: %u, not %u", k->called, split, k->split);
        callees_cut(&c, split);
        assert_int_equal(callees_count(&c), split);
        if (c.last.record != k->last || c.last.ticks != 100 * k->last)
            fail_msg("%s: last record %u, not %u", k->called, c.last.record, k->last);
        if (callees_unsure(&c) != k->unsure)
            fail_msg("%s: unsure is not %d", k->called, k->unsure);
        callees_clear(&c);
        callers_clear(&all);
    }
}

/* Calls that are moved keep their order and what belongs together. */
static void test_moved(void **state)
{
    (void)state;
    callers all;
    callers_init(&all);
    learn(&all, 'C', "xyz");
    learn(&all, 'V', "x");
    callees inner = called(&all, LEFT, "xyxz"), outer = called(&all, 'W', "");
    assert_int_equal(callees_split(&inner, knows, &all), 0);
    assert_int_equal(callees_at(&inner, 0)->ticks, 20);
    for (guint i = 0; i < 3; i++)
        callees_add(&outer, &all, 'W', callees_at(&inner, i));
    assert_int_equal(outer.last.record, 5);
    assert_true(callees_at(&outer, 1)->joined);
    assert_int_equal(callees_at(&outer, 2)->before.record, 4);
    callees_clear(&outer);
    outer = called(&all, 'V', ""); /* calls x, and so y, but not z */
    for (guint i = 0; i < 3; i++)
        callees_add(&outer, &all, 'V', callees_at(&inner, i));
    assert_int_equal(callees_count(&outer), 2); /* y, which is its own, and z */
    assert_int_equal(callees_split(&outer, knows, &all), 1);
    callees_cut(&outer, 1);
    assert_int_equal(outer.last.record, 4);
    assert_true(callees_unsure(&outer)); /* C calls x as well */
    callees_clear(&outer);
    callees_clear(&inner);
    callers_clear(&all);
}

/* Of very many functions not all are listed: then nothing is moved. */
static void test_many(void **state)
{
    (void)state;
    callers all;
    callers_init(&all);
    callees c = {0};
    callees_begin(&c, 100, 1);
    for (uint32_t i = 2; i < 2 + 2 * CALLEES_MAX; i++)
        callees_add(&c, &all, LEFT, &(callee){.function = i, .last = {i, i}, .ticks = 1});
    assert_int_equal(callees_count(&c), CALLEES_MAX);
    assert_int_equal(c.last.record, 1 + 2 * CALLEES_MAX);
    learn(&all, 'C', "!\"#$%&'()");
    assert_int_equal(callees_split(&c, knows, &all), CALLEES_MAX);
    assert_true(callees_unsure(&c));
    callees_learn(&c, &all, LEFT);
    assert_true(callers_know(&all, LEFT, 2) && callers_know(&all, LEFT, 1 + CALLEES_MAX));
    assert_false(callers_know(&all, 'C', 2));
    callers_clear(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_moved),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
