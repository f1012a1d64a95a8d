/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of numbers, which are counted, against one with a place for each number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "containers/number_set.h"

enum { NUMBERS = 300 };

static void test_count(void **state)
{
    (void)state;
    number_set s = {0};
    bool there[NUMBERS] = {false};
    uint32_t count = 0;
    for (uint32_t i = 0; i < 5 * NUMBERS; i++) {
        const uint32_t number = (i / 3 * 7919u + 5) % NUMBERS; /* three times each */
        count += !there[number];
        there[number] = true;
        number_set_add(&s, number);
        assert_int_equal(s.count, count);
    }
    assert_int_equal(count, NUMBERS);
    number_set_clear(&s);
    assert_int_equal(s.count, 0);
    number_set_clear(&s);
}

/* None, one, and several; the members of both. */
static void test_join(void **state)
{
    (void)state;
    number_set none = {0}, one = {0}, several = {0}, all = {0};
    number_set_add(&one, 77);
    for (uint64_t i = 0; i < 9; i++)
        number_set_add(&several, i);
    number_set_join(&all, &none);
    assert_int_equal(all.count, 0);
    number_set_join(&all, &one);
    assert_int_equal(all.count, 1);
    number_set_join(&all, &several);
    number_set_join(&all, &one);
    assert_int_equal(all.count, 10);
    number_set_add(&all, UINT64_MAX);
    assert_int_equal(all.count, 11);
    number_set_clear(&one);
    number_set_clear(&several);
    number_set_clear(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_count), cmocka_unit_test(test_join)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
