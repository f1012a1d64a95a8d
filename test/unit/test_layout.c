/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of layout rows: unsigned and signed numbers, bit-fields, rows that are cut off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/layout.h"

enum { FLAG, ACTION, ID, SMALL, SIGNED_BYTE, SIGNED_WORD, SIGNED_LONG, UNSIGNED_LONG };

static const layout_row rows[] = {
    {.field = FLAG, .offset = 0, .width = 4, .shift = 0, .mask = 1},
    {.field = ACTION, .offset = 0, .width = 4, .shift = 1, .mask = 7},
    {.field = ID, .offset = 0, .width = 4, .shift = 4, .mask = 0xfffffff},
    {.field = SMALL, .offset = 4, .width = 2},
    {.field = SIGNED_BYTE, .type = LAYOUT_INT, .offset = 6, .width = 1},
    {.field = SIGNED_WORD, .type = LAYOUT_INT, .offset = 6, .width = 2},
    {.field = SIGNED_LONG, .type = LAYOUT_INT, .offset = 8, .width = 8},
    {.field = UNSIGNED_LONG, .offset = 8, .width = 8},
};
static const layout table = LAYOUT(rows, 16);

static const uint8_t bytes[16] = {0x5b, 0x34, 0x12, 0xf0, 0xfe, 0xff, 0x80, 0x7f, 1, 0, 0, 0, 0, 0, 0, 0x80};

static uint64_t value(unsigned field, size_t length, bool big_endian)
{
    cursor c = {bytes, length, big_endian};
    return layout_value(&table.rows[field], &c);
}

static void test_table(void **state)
{
    (void)state;
    assert_int_equal(table.count, 8);
    assert_int_equal(table.length, 16);
}

static void test_bit_fields(void **state)
{
    (void)state;
    assert_int_equal(value(FLAG, 16, false), 1);
    assert_int_equal(value(ACTION, 16, false), 5);
    assert_int_equal(value(ID, 16, false), 0xf012345);
    assert_int_equal(value(FLAG, 16, true), 0);
    assert_int_equal(value(ACTION, 16, true), 0);
    assert_int_equal(value(ID, 16, true), 0x5b3412f);
}

static void test_row_of_a_field(void **state)
{
    (void)state;
    cursor c = {bytes, 16, false};
    assert_ptr_equal(layout_row_of(&table, FLAG), &rows[FLAG]);
    assert_ptr_equal(layout_row_of(&table, UNSIGNED_LONG), &rows[UNSIGNED_LONG]);
    assert_int_equal(layout_value_at(layout_row_of(&table, SMALL), &c, 2), 0x7f80);
    assert_int_equal(layout_value_at(layout_row_of(&table, SMALL), &c, 11), 0); /* one byte is missing */
}

static void test_numbers(void **state)
{
    (void)state;
    assert_int_equal(value(SMALL, 16, false), 0xfffe);
    assert_int_equal(value(SMALL, 16, true), 0xfeff);
    assert_true((int64_t)value(SIGNED_BYTE, 16, false) == -128);
    assert_true((int64_t)value(SIGNED_WORD, 16, false) == 0x7f80);
    assert_true((int64_t)value(SIGNED_WORD, 16, true) == -0x7f81);
    assert_true((int64_t)value(SIGNED_LONG, 16, false) == INT64_MIN + 1);
    assert_true(value(UNSIGNED_LONG, 16, true) == UINT64_C(0x0100000000000080));
}

/* A row that is cut off is not present, but still reads as 0. */
static void test_cut_off(void **state)
{
    (void)state;
    for (size_t length = 0; length <= sizeof bytes; length++)
        for (unsigned i = 0; i < table.count; i++) {
            cursor c = {bytes, length, false};
            const layout_row *r = &table.rows[i];
            bool whole = r->offset + (size_t)r->width <= length;
            assert_int_equal(layout_present(r, &c), whole);
            assert_true(layout_value(r, &c) == (whole ? value(i, sizeof bytes, false) : 0));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),   cmocka_unit_test(test_bit_fields), cmocka_unit_test(test_row_of_a_field),
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
