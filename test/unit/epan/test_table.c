/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics tables as Wireshark's window sees them: it keeps pointers to the cells that were in a row when it was drawn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "table.h"

enum { NAME, COUNT, COLUMNS, ROWS = 5 };

static stat_tap_table *new_table(void)
{
    stat_tap_table *table = stat_tap_init_table("rows", COLUMNS, 0, NULL);
    for (guint row = 0; row < ROWS; row++) {
        const char name[] = {(char)('a' + row), '\0'};
        stat_tap_table_item_type cells[COLUMNS] = {[NAME] = table_text(name), [COUNT] = {.type = TABLE_ITEM_UINT}};
        cells[COUNT].value.uint_value = row;
        stat_tap_init_table_row(table, row, COLUMNS, cells);
    }
    return table;
}

static void free_table(stat_tap_table *table)
{
    for (guint row = 0; row < ROWS; row++) {
        for (guint column = 0; column < COLUMNS; column++)
            table_free_cell(table, row, column, stat_tap_get_field_data(table, row, column));
        g_free(table->elements[row]);
    }
    g_free(table->elements);
    g_free(table);
}

/* The window draws, two rows are swapped, one is added, and it draws what is new: it must have each row once. */
static void drawn_rows_stay(void **state)
{
    (void)state;
    stat_tap_table *table = new_table();
    const stat_tap_table_item_type *drawn[ROWS];
    for (guint row = 0; row < ROWS - 2; row++)
        drawn[row] = stat_tap_get_field_data(table, row, NAME);
    table_swap(table, 0, ROWS - 1);
    table_swap(table, 1, ROWS - 2);
    for (guint row = ROWS - 2; row < ROWS; row++)
        drawn[row] = stat_tap_get_field_data(table, row, NAME);

    static const char *const names[ROWS] = {"e", "d", "c", "b", "a"};
    for (guint row = 0; row < ROWS; row++) {
        assert_ptr_equal(drawn[row], stat_tap_get_field_data(table, row, NAME));
        assert_string_equal(drawn[row][NAME].value.string_value, names[row]);
        assert_int_equal(drawn[row][COUNT].value.uint_value, ROWS - 1 - row);
    }
    free_table(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(drawn_rows_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
