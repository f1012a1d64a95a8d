/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words and runs of a statistic. Its rows in Wireshark's tables: their numbers, their order, and that they stay where they
 * are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "showing/statistic.h"

#include <epan/tap.h>
#include <epan/wmem_scopes.h>

enum { NAME, COUNT, SELDOM, LONG, COLUMNS };

static const rows_column columns[COLUMNS] = {
    {"Name", ROWS_TEXT, ROWS_EACH},
    {"Count", ROWS_COUNT, ROWS_EACH},
    {"Seldom", ROWS_NUMBER, ROWS_EACH},
    {"Long time", ROWS_TIME, ROWS_EACH},
};

/* In the window: the place of a row, numbers, texts, and what may be empty. */
enum { SHOWN_PLACE, SHOWN_COUNT, SHOWN_LONG, SHOWN_NAME, SHOWN_SELDOM };

typedef struct row {
    const char *name;
    unsigned count;
    uint64_t large;
} row;

static void *begin(const statistic_words *words, const void *how)
{
    (void)words;
    (void)how;
    return g_array_new(FALSE, FALSE, sizeof(row));
}

static bool count(void *data, const counted_record *r)
{
    g_array_append_vals(data, r->tapped, 1);
    return true;
}

static void fill(void *data, const void *how, rows *to)
{
    (void)how;
    const GArray *all = data; /* of row */
    for (guint i = 0; i < all->len; i++) {
        const row *r = &g_array_index(all, row, i);
        rows_cell *cells = rows_add(to);
        cells[NAME] = rows_text(to, r->name);
        cells[COUNT] = rows_number(r->count);
        cells[LONG] = rows_number(r->large);
    }
}

static void clear(void *data)
{
    g_array_free(data, TRUE);
}

static const counted counting = {
    .columns = columns,
    .column_count = COLUMNS,
    .words = "graph, self|count, by:NAME, FILE",
    .begin = begin,
    .count = count,
    .fill = fill,
    .free = clear,
};

static statistic tested = {
    .tap = "rows",
    .counts = &counting,
    .command = "rows,rows",
    .title = "Rows",
    .table = "Rows of a test",
    .usual = "seldom,count,long_time,name",
    .seldom = "seldom",
    .sorted_by = {COUNT, LONG},
};

static frame_data frame;
static packet_info nothing = {.fd = &frame};
static const record_seen seen;

static stat_data_t asked = {.stat_tap_data = &tested.state.ui};

/* Like tshark for -z. */
static void ask(tap_draw_cb draw)
{
    tested.state.ui.stat_tap_init_cb(&tested.state.ui);
    assert_null(register_tap_listener("rows", &asked, NULL, 0, NULL, tested.state.ui.packet_func, draw, NULL));
}

static void count_rows(const row *all, size_t n)
{
    for (size_t i = 0; i < n; i++)
        tested.state.ui.packet_func(&asked, &nothing, NULL, &all[i], 0);
}

static char printed[64];

static void print_names(void *data)
{
    (void)data;
    const stat_tap_table *table = stat_tap_find_table(&tested.state.ui, tested.table);
    printed[0] = '\0';
    for (guint i = 0; i < table->num_elements; i++) {
        g_strlcat(printed, stat_tap_get_field_data(table, i, SHOWN_NAME)->value.string_value, sizeof printed);
        g_strlcat(printed, " ", sizeof printed);
    }
}

static void finish(void)
{
    remove_tap_listener(&asked);
    tested.state.ui.stat_tap_reset_table_cb(stat_tap_find_table(&tested.state.ui, tested.table));
}

/* The largest sum first, equal sums in order of creation, the row of others last. Also when a statistic is asked for again.
 */
static void rows_are_printed_in_order(void **state)
{
    (void)state;
    static const row all[] = {{"a", 1, 0}, {TEXT_OTHERS, 900, 0},        {"b", 3, 7}, {"c", 4294967295u, 1},
                              {"d", 9, 1}, {"e", 0, 18446744073709551u}, {"f", 0, 2}, {"g", 2, 0}};
    for (int times = 0; times < 2; times++) {
        ask(print_names);
        count_rows(all, G_N_ELEMENTS(all));
        draw_tap_listeners(TRUE);
        assert_string_equal(printed, "e c b d f g a (others) ");
        finish();
    }
}

static void columns_that_may_be_empty_are_last(void **state)
{
    (void)state;
    static const char *const titles[] = {"#", "Count", "Long time (ns)", "Name", "Seldom"};
    assert_int_equal(tested.state.ui.nfields, G_N_ELEMENTS(titles));
    for (guint i = 0; i < G_N_ELEMENTS(titles); i++)
        assert_string_equal(tested.state.ui.fields[i].column_name, titles[i]);
}

/* Windows that draw while records are counted keep pointers to cells, so rows must not move or be added twice. */
static void drawn_rows_stay(void **state)
{
    (void)state;
    static const row all[] = {{"a", 9, 0}, {"b", 8, 0}, {"c", 7, 0}};
    ask(NULL);
    count_rows(all, 2);
    draw_tap_listeners(TRUE);
    tested.state.finished = false; /* as in windows, which draw again */
    stat_tap_table *table = stat_tap_find_table(&tested.state.ui, tested.table);
    const stat_tap_table_item_type *drawn[] = {stat_tap_get_field_data(table, 0, SHOWN_NAME),
                                               stat_tap_get_field_data(table, 1, SHOWN_NAME)};
    count_rows(all + 2, 1);
    draw_tap_listeners(TRUE);
    assert_int_equal(table->num_elements, 3);
    for (guint i = 0; i < 2; i++) {
        assert_ptr_equal(drawn[i], stat_tap_get_field_data(table, i, SHOWN_NAME));
        assert_string_equal(drawn[i]->value.string_value, all[i].name);
    }
    finish();
}

/* Numbers are texts of a fixed width, so that they sort; they have blanks for missing digits and commas. */
static void numbers_have_one_width(void **state)
{
    (void)state;
    static const row all[] = {{"c", 0, UINT64_MAX}, {"b", 0, 1234567890123456u}, {"a", 0, 0}};
    static const char *const texts[] = {"18446744073709551615", "    1234567890123456", "                   0"};
    ask(NULL);
    count_rows(all, G_N_ELEMENTS(all));
    draw_tap_listeners(TRUE);
    const stat_tap_table *table = stat_tap_find_table(&tested.state.ui, tested.table);
    for (guint i = 0; i < G_N_ELEMENTS(all); i++)
        assert_string_equal(stat_tap_get_field_data(table, i, SHOWN_LONG)->value.string_value, texts[i]);
    finish();
}

/* Of a run with these words: its own words in order, with what they stand for, then the filter; or what is wrong. */
static char *taken(const char *arguments)
{
    static const char *const words[] = {"graph", "self", "count", "by:NAME", "FILE"};
    g_autoptr(GError) error = NULL;
    statistic_run *run = statistic_run_new(&tested);
    const bool good = statistic_run_take(run, arguments, &error);
    GString *text = g_string_new(good ? NULL : error->message);
    for (size_t i = 0; good && i < G_N_ELEMENTS(words); i++)
        if (statistic_has(run, words[i]))
            g_string_append_printf(text, "%s=%s ", words[i], statistic_text(run, words[i]));
    if (good)
        g_string_append(text, run->filter);
    statistic_run_free(run);
    return g_string_free(text, FALSE);
}

/* Once each, and only what is safe to print. */
static void headings_have_own_words(void **state)
{
    (void)state;
    statistic_run *run = statistic_run_new(&tested);
    assert_true(statistic_run_take(run,
                                   "graph,csv,graph,a\x1b"
                                   "b,graph == 1",
                                   NULL));
    assert_string_equal(run->heading, "Rows, graph, a?b");
    statistic_run_free(run);
}

static void own_words_are_taken(void **state)
{
    (void)state;
    static const char *const all[][2] = {
        {"", ""},
        {"graph,top:3,graph", "graph= "},
        {"count,/a/b,rows.x > 1, 2", "count= FILE=/a/b rows.x > 1, 2"},
        {"by:a,self,self,f,", "self= by:NAME=a FILE=f "},
        {"by:a,by:b", "by:NAME is there twice"},
        {"self,count", "self and count exclude each other"},
        {"by:,graph", "graph= FILE=by: "},
        {"selfish,rows", "FILE=selfish rows"},
        {"sort:none", "no column is called \"none\""},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        g_autofree char *got = taken(all[i][0]);
        assert_string_equal(got, all[i][1]);
    }
}

/* Each has what it has counted itself, and begins again with nothing. */
static void runs_are_apart(void **state)
{
    (void)state;
    static const row all[] = {{"a", 1, 0}, {"b", 2, 0}};
    statistic_run *runs[] = {statistic_run_new(&tested), statistic_run_new(&tested)};
    for (size_t i = 0; i < G_N_ELEMENTS(runs); i++) {
        assert_true(statistic_run_take(runs[i], i ? "" : "graph", NULL));
        statistic_run_begin(runs[i]);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(runs); i++)
        for (size_t n = 0; n <= i; n++)
            tested.counts->count(runs[i]->data, &(counted_record){.tapped = &all[n], .reader = &seen});
    for (unsigned again = 0; again < 2; again++) {
        for (size_t i = 0; i < G_N_ELEMENTS(runs); i++) {
            rows *r = statistic_run_rows(runs[i]);
            assert_int_equal(rows_length(r), again ? 0 : i + 1);
            rows_free(r);
            statistic_run_begin(runs[i]);
        }
    }
    for (size_t i = 0; i < G_N_ELEMENTS(runs); i++)
        statistic_run_free(runs[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_printed_in_order),
        cmocka_unit_test(columns_that_may_be_empty_are_last),
        cmocka_unit_test(drawn_rows_stay),
        cmocka_unit_test(numbers_have_one_width),
        cmocka_unit_test(own_words_are_taken),
        cmocka_unit_test(headings_have_own_words),
        cmocka_unit_test(runs_are_apart),
    };
    wmem_init_scopes();
    register_tap("rows");
    statistic_register(&tested);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
