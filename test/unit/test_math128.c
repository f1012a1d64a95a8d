/* SPDX-License-Identifier: GPL-2.0-or-later */
/* 128-bit products and quotients: known ones, some that check themselves, and compared with the compiler's own if it has
 * them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>

#include "util/math128.h"

enum { RUNS = 200000 };

/* Numbers of every width, since carries happen near 32 and 64 bits. */
static uint64_t any_number(GRand *chance)
{
    uint64_t number = (uint64_t)g_rand_int(chance) << 32 | g_rand_int(chance);
    unsigned edge = g_rand_int(chance) % 4, bits = g_rand_int(chance) % 64;
    return edge == 0 ? UINT64_MAX >> bits : edge == 1 ? UINT64_C(1) << bits : number >> bits;
}

static void assert_product(uint64_t a, uint64_t b, uint64_t high, uint64_t low)
{
    const wide128 product = wide_product(a, b);
    assert_int_equal(product.high, high);
    assert_int_equal(product.low, low);
}

static void known_products(void **state)
{
    (void)state;
    assert_product(0, UINT64_MAX, 0, 0);
    assert_product(1, UINT64_MAX, 0, UINT64_MAX);
    assert_product(UINT64_MAX, UINT64_MAX, UINT64_MAX - 1, 1);
    assert_product(UINT32_MAX, UINT32_MAX, 0, UINT64_C(0xfffffffe00000001));
    assert_product(UINT64_C(1) << 32, UINT64_C(1) << 32, 1, 0);
    assert_product(UINT64_C(0xffffffff00000001), UINT64_C(0x1ffffffff), UINT64_C(0x1fffffffd), UINT64_C(0x2ffffffff));
}

static void known_scales(void **state)
{
    (void)state;
    const uint64_t second = 1000000000;
    assert_int_equal(mul_div_u64(0, second, 1), 0);
    assert_int_equal(mul_div_u64(7, second, 3), 2333333333);
    assert_int_equal(mul_div_u64(UINT64_MAX, second, UINT64_MAX), second);
    assert_int_equal(mul_div_u64(UINT64_MAX - 1, second, UINT64_MAX), second - 1);
    assert_int_equal(mul_div_u64(UINT64_MAX, second, second), UINT64_MAX);
    assert_int_equal(mul_div_u64(UINT64_MAX, second, second - 1), UINT64_MAX); /* would need 65 bits */
    assert_int_equal(mul_div_u64(UINT64_MAX, 2, 1), UINT64_MAX);
    assert_int_equal(mul_div_u64(UINT64_C(1) << 63, 6, 4), UINT64_C(3) << 62);
    assert_int_equal(mul_div_nearest_u64(67549, 1000, 100000), 675);
    assert_int_equal(mul_div_nearest_u64(67550, 1000, 100000), 676);
    assert_int_equal(mul_div_nearest_u64(1, 1, 3), 0);
    assert_int_equal(mul_div_nearest_u64(2, 1, 3), 1);
    assert_int_equal(mul_div_nearest_u64(UINT64_MAX - 1, second, UINT64_MAX), second);
    assert_int_equal(mul_div_nearest_u64(UINT64_MAX, 2, 1), UINT64_MAX);
}

/* quotient * divisor + rest is the number again, and the rest is less than the divisor. */
static void quotients(void **state)
{
    (void)state;
    GRand *chance = g_rand_new_with_seed(12);
    for (unsigned i = 0; i < RUNS; i++) {
        const uint64_t divisor = any_number(chance) | 1;
        const wide128 number = {any_number(chance) % divisor, any_number(chance)};
        const uint64_t quotient = wide_quotient(number, divisor);
        const wide128 product = wide_product(quotient, divisor);
        const uint64_t rest = number.low - product.low;
        assert_int_equal(number.high - product.high - (number.low < product.low), 0);
        assert_true(rest < divisor);
    }
    g_rand_free(chance);
}

static void as_the_compiler(void **state)
{
    (void)state;
#ifdef __SIZEOF_INT128__
    GRand *chance = g_rand_new_with_seed(128);
    for (unsigned i = 0; i < RUNS; i++) {
        const uint64_t a = any_number(chance), b = any_number(chance), divisor = any_number(chance) | 1;
        __extension__ const unsigned __int128 product = (unsigned __int128)a * b, quotient = product / divisor;
        assert_product(a, b, (uint64_t)(product >> 64), (uint64_t)product);
        assert_int_equal(mul_div_u64(a, b, divisor), quotient >> 64 ? UINT64_MAX : (uint64_t)quotient);
        if (product >> 64 < divisor)
            assert_int_equal(wide_quotient(wide_product(a, b), divisor), (uint64_t)quotient);
    }
    g_rand_free(chance);
#else
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_products),
        cmocka_unit_test(known_scales),
        cmocka_unit_test(quotients),
        cmocka_unit_test(as_the_compiler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
