/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of statistics tables: their numbers, and the order in which programs print them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "table.h"

#include <epan/tap.h>
#include <epan/wmem_scopes.h>

enum { NAME, COUNT, LONG, COLUMNS };

static stat_tap_table_item columns[COLUMNS] = {
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Name", "%s"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Count", "%u"},
    TABLE_NUMBER("Long"),
};

typedef struct row {
    const char *name;
    unsigned count;
    uint64_t large;
} row;

static void forget(void)
{
}

static bool count(stat_tap_table *table, const packet_info *pinfo, const void *tapped)
{
    (void)pinfo;
    const row *r = tapped;
    guint at = table->num_elements;
    stat_tap_table_item_type cells[COLUMNS] = {
        [NAME] = table_text(r->name), [COUNT] = {.type = TABLE_ITEM_UINT}, [LONG] = table_number()};
    cells[COUNT].value.uint_value = r->count;
    stat_tap_init_table_row(table, at, COLUMNS, cells);
    table_set(table, at, LONG, r->large);
    return true;
}

static table_statistic statistic = {
    .ui = {.title = "Rows", .tap_name = "rows", .cli_string = "rows,rows", .nfields = COLUMNS, .fields = columns},
    .title = "Rows of a test",
    .sorted_by = {COUNT, LONG},
    .count = count,
    .forget = forget,
};

static stat_data_t asked = {.stat_tap_data = &statistic.ui};

/* Like tshark for -z. */
static void ask(tap_draw_cb draw)
{
    statistic.ui.stat_tap_init_cb(&statistic.ui);
    assert_null(register_tap_listener("rows", &asked, NULL, 0, NULL, statistic.ui.packet_func, draw, NULL));
}

static void count_rows(const row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        statistic.ui.packet_func(&asked, NULL, NULL, &rows[i], 0);
}

static char printed[64];

static void print_names(void *data)
{
    (void)data;
    const stat_tap_table *table = stat_tap_find_table(&statistic.ui, statistic.title);
    printed[0] = '\0';
    for (guint i = 0; i < table->num_elements; i++) {
        g_strlcat(printed, stat_tap_get_field_data(table, i, NAME)->value.string_value, sizeof printed);
        g_strlcat(printed, " ", sizeof printed);
    }
}

static void finish(void)
{
    remove_tap_listener(&asked);
    statistic.ui.stat_tap_reset_table_cb(stat_tap_find_table(&statistic.ui, statistic.title));
}

/* The largest sum first, equal sums in order of creation, the row of others last. Also when a statistic is asked for again. */
static void rows_are_printed_in_order(void **state)
{
    (void)state;
    static const row rows[] = {{"a", 1, 0}, {TABLE_OTHERS, 900, 0},       {"b", 3, 7}, {"c", 4294967295u, 1},
                               {"d", 9, 1}, {"e", 0, 18446744073709551u}, {"f", 0, 2}, {"g", 2, 0}};
    for (int times = 0; times < 2; times++) {
        ask(print_names);
        count_rows(rows, G_N_ELEMENTS(rows));
        draw_tap_listeners(TRUE);
        assert_string_equal(printed, "e c b d f g a (others) ");
        finish();
    }
}

/* Windows that draw while records are counted keep pointers to cells, so rows must not move or be added twice. */
static void drawn_rows_stay(void **state)
{
    (void)state;
    static const row rows[] = {{"a", 1, 0}, {"b", 2, 0}, {"c", 3, 0}};
    ask(NULL);
    count_rows(rows, 2);
    stat_tap_table *table = stat_tap_find_table(&statistic.ui, statistic.title);
    const stat_tap_table_item_type *drawn[] = {stat_tap_get_field_data(table, 0, NAME),
                                               stat_tap_get_field_data(table, 1, NAME)};
    count_rows(rows + 2, 1);
    for (guint i = 0; i < 2; i++) {
        assert_ptr_equal(drawn[i], stat_tap_get_field_data(table, i, NAME));
        assert_string_equal(drawn[i]->value.string_value, rows[i].name);
    }
    finish();
}

/* Numbers are texts of a fixed width, so that they sort; they have blanks for missing digits and commas. */
static void numbers_have_one_width(void **state)
{
    (void)state;
    static const row rows[] = {{"a", 0, 0}, {"b", 0, 1234567890123456u}, {"c", 0, UINT64_MAX}};
    static const char *const texts[] = {"               0", "1234567890123456", "18446744073709551615"};
    ask(NULL);
    count_rows(rows, G_N_ELEMENTS(rows));
    const stat_tap_table *table = stat_tap_find_table(&statistic.ui, statistic.title);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        assert_string_equal(stat_tap_get_field_data(table, i, LONG)->value.string_value, texts[i]);
    finish();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_printed_in_order),
        cmocka_unit_test(drawn_rows_stay),
        cmocka_unit_test(numbers_have_one_width),
    };
    wmem_init_scopes();
    register_tap("rows");
    table_register(&statistic);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
