/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of statistics tables: their numbers, and the order in which programs print them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "statistics/table.h"

#include <epan/tap.h>
#include <epan/wmem_scopes.h>

enum { NAME, COUNT, LONG, COLUMNS };

static stat_tap_table_item columns[COLUMNS] = {
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Name", "%s"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Count", "%u"},
    TABLE_NUMBER("Long time (ns)"),
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

/* The bytes that a table prints, after these words (separated by commas). */
static const char *printed_as(const char *words)
{
    static char text[1024];
    fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    FILE *file = tmpfile();
    dup2(fileno(file), STDOUT_FILENO);
    table_words w = {0};
    char *error = NULL;
    g_auto(GStrv) all = g_strsplit(words, ",", -1);
    for (char **word = all; *word && **word; word++)
        assert_true(table_words_take(&w, &statistic.ui, *word, &error));
    assert_null(error);
    table_print(&statistic.ui, stat_tap_find_table(&statistic.ui, statistic.title), &w, NULL);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

/* Each form keeps names apart from its own characters; bytes that steer a terminal become question marks. */
static void names_mean_nothing_in_any_form(void **state)
{
    (void)state;
    static const row rows[] = {{"a,\"b\"", 1, 2}, {"c|\\\x1b\xff", 4294967295u, 18446744073709551615u}};
    ask(NULL);
    count_rows(rows, G_N_ELEMENTS(rows));
    assert_string_equal(printed_as("csv"),
                        "name,count,long_time_ns\n\"a,\"\"b\"\"\",1,2\nc|\\?\xef\xbf\xbd,4294967295,18446744073709551615\n");
    assert_string_equal(printed_as("json,us,top:1"),
                        "[\n{\"name\": \"a,\\\"b\\\"\", \"count\": 1, \"long_time_us\": 0.002}\n]\n");
    assert_string_equal(
        printed_as("json"),
        "[\n{\"name\": \"a,\\\"b\\\"\", \"count\": 1, \"long_time_ns\": 2},\n{\"name\": \"c|\\\\?\xef\xbf\xbd\", \"count\": "
        "4294967295, \"long_time_ns\": 18446744073709551615}\n]\n");
    const char *text = printed_as("us");
    assert_non_null(strstr(text, "Name |Count |Long time (µs) |\n"));
    assert_non_null(strstr(text, "\nc\\|\\?\xef\xbf\xbd |4294967295 |18446744073709551.615 |\n"));
    finish();
}

/* Words that cannot be used say why; what is no word is left for the filter. */
static void wrong_words_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *word, *error;
    } words[] = {{"sort:long_time", NULL},
                 {"sort:+name", NULL},
                 {"sort:-count", NULL},
                 {"sort:Count", "no column"},
                 {"sort:long_time_ns", "no column"},
                 {"top:4294967295", NULL},
                 {"top:4294967296", "number"},
                 {"top: 1", "number"}};
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        table_words w = {0};
        g_autofree char *error = NULL;
        assert_true(table_words_take(&w, &statistic.ui, words[i].word, &error));
        assert_int_equal(error != NULL, words[i].error != NULL);
        assert_true(!error || strstr(error, words[i].error));
    }
    char *error = NULL;
    static const char *const others[] = {"", "CSV", "nsec", "sort", "top", "frame.number == 1"};
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
        assert_false(table_words_take(&(table_words){0}, &statistic.ui, others[i], &error));
}

/* Numbers by value, whatever their length and sign; those that are missing last, in either direction. */
static void cells_are_compared_by_value(void **state)
{
    (void)state;
    static const char *const rising[] = {"-20", "-3", "0", "  7", "9.50", "10.25", "18446744073709551615"};
    const stat_tap_table_item *column = &columns[LONG];
    for (size_t i = 0; i < G_N_ELEMENTS(rising); i++)
        for (size_t k = 0; k < G_N_ELEMENTS(rising); k++) {
            const stat_tap_table_item_type a = {TABLE_ITEM_STRING, {.string_value = rising[i]}, {0}},
                                           b = {TABLE_ITEM_STRING, {.string_value = rising[k]}, {0}};
            int up = table_compare_cells(column, &a, &b, false), down = table_compare_cells(column, &a, &b, true);
            assert_int_equal((up > 0) - (up < 0), (i > k) - (i < k));
            assert_int_equal((down > 0) - (down < 0), (k > i) - (k < i));
        }
    const stat_tap_table_item_type none = {TABLE_ITEM_STRING, {.string_value = ""}, {0}},
                                   some = {TABLE_ITEM_STRING, {.string_value = "1"}, {0}};
    assert_true(table_compare_cells(column, &none, &some, false) > 0 && table_compare_cells(column, &none, &some, true) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_printed_in_order), cmocka_unit_test(drawn_rows_stay),
        cmocka_unit_test(numbers_have_one_width),    cmocka_unit_test(names_mean_nothing_in_any_form),
        cmocka_unit_test(wrong_words_are_refused),   cmocka_unit_test(cells_are_compared_by_value),
    };
    wmem_init_scopes();
    register_tap("rows");
    table_register(&statistic);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
