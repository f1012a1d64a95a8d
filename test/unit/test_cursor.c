/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bounds-checked numbers in either byte order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/cursor.h"

static const uint8_t bytes[] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xff};

static void test_little_endian(void **state)
{
    (void)state;
    cursor c = {bytes, sizeof bytes, false};
    assert_int_equal(cursor_u8(&c, 0), 0x01);
    assert_int_equal(cursor_u8(&c, 8), 0xff);
    assert_int_equal(cursor_u16(&c, 0), 0x2301);
    assert_int_equal(cursor_u16(&c, 7), 0xffef);
    assert_int_equal(cursor_u32(&c, 1), 0x89674523);
    assert_true(cursor_u64(&c, 0) == UINT64_C(0xefcdab8967452301));
    assert_true(cursor_u64(&c, 1) == UINT64_C(0xffefcdab89674523));
}

static void test_big_endian(void **state)
{
    (void)state;
    cursor c = {bytes, sizeof bytes, true};
    assert_int_equal(cursor_u8(&c, 0), 0x01);
    assert_int_equal(cursor_u16(&c, 0), 0x0123);
    assert_int_equal(cursor_u16(&c, 7), 0xefff);
    assert_int_equal(cursor_u32(&c, 1), 0x23456789);
    assert_true(cursor_u64(&c, 0) == UINT64_C(0x0123456789abcdef));
    assert_true(cursor_u64(&c, 1) == UINT64_C(0x23456789abcdefff));
}

/* Every number of every width at every offset of every length: its value if it fits, otherwise 0. */
static void test_ends(void **state)
{
    (void)state;
    for (size_t length = 0; length <= sizeof bytes; length++)
        for (size_t at = 0; at <= sizeof bytes + 1; at++)
            for (unsigned width = 1; width <= 8; width *= 2) {
                cursor c = {bytes, length, true};
                uint64_t want = 0;
                for (unsigned i = 0; at + width <= length && i < width; i++)
                    want = want << 8 | bytes[at + i];
                assert_int_equal(cursor_has(&c, at, width), at + width <= length);
                assert_true(cursor_uint(&c, at, width) == want);
            }
}

static void test_sums_do_not_wrap(void **state)
{
    (void)state;
    cursor c = {bytes, sizeof bytes, false};
    assert_true(cursor_has(&c, 0, sizeof bytes));
    assert_true(cursor_has(&c, sizeof bytes, 0));
    assert_false(cursor_has(&c, sizeof bytes + 1, 0));
    assert_false(cursor_has(&c, 1, UINT64_MAX));
    assert_false(cursor_has(&c, UINT64_MAX, 1));
    assert_false(cursor_has(&c, UINT64_MAX, UINT64_MAX));
    assert_int_equal(cursor_u8(&c, SIZE_MAX), 0);
    assert_int_equal(cursor_u16(&c, SIZE_MAX), 0);
    assert_int_equal(cursor_u32(&c, SIZE_MAX - 2), 0);
    assert_int_equal(cursor_u64(&c, SIZE_MAX - 6), 0);
}

static void test_no_bytes_and_odd_widths(void **state)
{
    (void)state;
    cursor none = {NULL, 0, false}, c = {bytes, sizeof bytes, false};
    assert_true(cursor_has(&none, 0, 0));
    assert_int_equal(cursor_u8(&none, 0), 0);
    assert_int_equal(cursor_u64(&none, 0), 0);
    assert_int_equal(cursor_uint(&c, 0, 0), 0);
    assert_int_equal(cursor_uint(&c, 0, 3), 0);
    assert_int_equal(cursor_uint(&c, 0, 16), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_little_endian),
        cmocka_unit_test(test_big_endian),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_sums_do_not_wrap),
        cmocka_unit_test(test_no_bytes_and_odd_widths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
