/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of statistics: their cells, their order, the words before the filter, and the forms in which they are printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "statistics/rows.h"
#include "statistics/rows_names.h"
#include "statistics/rows_print.h"

enum { NAME, COUNT, LONG, RATIO, PART, ADDRESS, COLUMNS };

static const rows_column columns[COLUMNS] = {
    [NAME] = {"Name", ROWS_TEXT, ROWS_EACH},        [COUNT] = {"Count", ROWS_COUNT, ROWS_ADDS},
    [LONG] = {"Long time", ROWS_TIME, ROWS_EACH},   [RATIO] = {"Ratio", ROWS_RATIO, ROWS_EACH},
    [PART] = {"Part (%)", ROWS_PERCENT, ROWS_EACH}, [ADDRESS] = {"Line", ROWS_ADDRESS, ROWS_EACH},
};

typedef struct row {
    const char *name;
    uint64_t count, large;
} row;

static rows *rows_of(const row *all, size_t n)
{
    rows *r = rows_new(columns, COLUMNS);
    for (size_t i = 0; i < n; i++) {
        rows_cell *cells = rows_add(r);
        cells[NAME] = rows_text(r, all[i].name);
        cells[COUNT] = rows_number(all[i].count);
        cells[LONG] = rows_number(all[i].large);
    }
    return r;
}

static void expect_order(rows *r, const rows_sorting *by, const char *names)
{
    GString *found = g_string_new(NULL);
    rows_sort(r, by);
    for (unsigned i = 0; i < rows_length(r); i++)
        g_string_append_printf(found, "%s ", rows_at(r, i)[NAME].text);
    assert_string_equal(found->str, names);
    g_string_free(found, TRUE);
}

/* The largest sum first, equal sums in order of creation, the row of others last, in every order. */
static void rows_are_sorted(void **state)
{
    (void)state;
    static const row all[] = {{"a", 1, 0}, {TEXT_OTHERS, 900, 0},        {"b", 3, 7}, {"c(others)", 4294967295u, 1},
                              {"d", 9, 1}, {"e", 0, 18446744073709551u}, {"f", 0, 2}, {"g", 2, 0}};
    const unsigned both[ROWS_LARGEST] = {COUNT, LONG}, times[ROWS_LARGEST] = {LONG}, none[ROWS_LARGEST] = {0};
    const rows_sorting own = {.order = ROWS_OWN_ORDER, .largest = both}, kept = {.order = ROWS_OWN_ORDER, .largest = none},
                       then = {.order = ROWS_OWN_ORDER, .first = COUNT, .largest = times},
                       names = {.order = ROWS_USUAL, .column = NAME, .largest = both},
                       counts = {.order = ROWS_USUAL, .column = COUNT, .largest = both},
                       rising = {.order = ROWS_RISING, .column = COUNT, .largest = both},
                       falling = {.order = ROWS_FALLING, .column = NAME, .largest = both};
    rows *r = rows_of(all, G_N_ELEMENTS(all));
    expect_order(r, &kept, "a (others) b c(others) d e f g ");
    expect_order(r, &own, "e c(others) b d f g a (others) ");
    expect_order(r, &then, "c(others) d b g a e f (others) ");
    expect_order(r, &names, "a b c(others) d e f g (others) ");
    expect_order(r, &falling, "g f e d c(others) b a (others) ");
    expect_order(r, &counts, "c(others) d b g a f e (others) ");
    expect_order(r, &rising, "f e a g b d c(others) (others) ");
    rows_free(r);
}

/* Numbers by value and sign; those that are missing last, in either direction. */
static void missing_numbers_come_last(void **state)
{
    (void)state;
    const rows_sorting rising = {.order = ROWS_RISING, .column = LONG}, falling = {.order = ROWS_FALLING, .column = LONG};
    rows *r = rows_of(
        (const row[]){{"none", 0, 0}, {"-20", 0, 0}, {"7", 0, 7}, {"-3", 0, 0}, {"max", 0, UINT64_MAX}, {"?", 0, 0}}, 6);
    rows_at(r, 0)[LONG] = (rows_cell){0};
    rows_at(r, 1)[LONG] = rows_change(30, 10);
    rows_at(r, 3)[LONG] = rows_change(8, 5);
    rows_at(r, 5)[LONG] = rows_unknown();
    expect_order(r, &rising, "-20 -3 7 max none ? ");
    expect_order(r, &falling, "max 7 -3 -20 none ? ");
    rows_free(r);
}

/* Two numbers are added up for the order, and may not fit; neither may a ratio. */
static void what_does_not_fit_is_unknown(void **state)
{
    (void)state;
    const rows_sorting by = {.largest = (const unsigned[]){COUNT, LONG}};
    rows *r = rows_of((const row[]){{"small", 1, 1}, {"large", 2, UINT64_MAX}, {"half", 1, UINT64_MAX / 2}}, 3);
    expect_order(r, &by, "large half small ");
    rows_free(r);
    assert_int_equal(rows_ratio(1, UINT64_MAX).state, ROWS_UNKNOWN);
    assert_int_equal(rows_ratio(1, UINT64_MAX / 1000).state, ROWS_IS_NUMBER);
    assert_int_equal(rows_known(UINT64_MAX).state, ROWS_UNKNOWN);
    assert_int_equal(rows_known(UINT64_MAX - 1).state, ROWS_IS_NUMBER);
}

static GString *written;

static void keep(GString *text)
{
    g_string_append_len(written, text->str, (gssize)text->len);
    g_string_truncate(text, 0);
}

/* Rows as they are printed after these words, separated by commas, where there is so much room. */
static const char *printed_on(const rows *r, const char *words, rows_page page)
{
    static const rows_heading heading = {
        .title = "Rows", .usual = "count,long_time,part_percent,ratio,line,name", .command = "test,rows"};
    rows_words w = {0};
    g_auto(GStrv) all = g_strsplit(words, ",", -1);
    for (char **word = all; *word && **word; word++) {
        bool taken;
        assert_true(rows_words_take(&w, columns, COLUMNS, *word, &taken, NULL));
        assert_true(taken);
    }
    g_string_truncate(written, 0);
    if (w.form != ROWS_AS_TEXT) {
        rows_print(r, &w, keep);
        return written->str;
    }
    g_autoptr(GString) table = g_string_new(NULL);
    rows_append_text(table, r, &w, &heading, &page, keep);
    keep(table);
    return written->str;
}

static const char *printed_as(const rows *r, const char *words)
{
    return printed_on(r, words, (rows_page){0});
}

/* Each form keeps names apart from its own characters; bytes that steer a terminal become question marks. */
static void every_form_is_printed(void **state)
{
    (void)state;
    rows *r = rows_of((const row[]){{"a,\"b\"", 1, 2}, {"c|\\\x1b\xff", 4294967295u, UINT64_MAX}}, 2);
    rows_cell *first = rows_at(r, 0), *second = rows_at(r, 1);
    first[RATIO] = rows_ratio(3, 2);
    first[PART] = rows_number(995);
    first[ADDRESS] = rows_number(0xab40);
    second[RATIO] = rows_ratio(0, 2);
    second[PART] = rows_unknown();
    assert_string_equal(printed_as(r, "csv"), "name,count,long_time_ns,ratio,part_percent,line\n"
                                              "\"a,\"\"b\"\"\",1,2,0.667,99.5,0xab40\n"
                                              "c|\\?\xef\xbf\xbd,4294967295,18446744073709551615,,unknown,\n");
    assert_string_equal(printed_as(r, "json,us,top:1"),
                        "[\n{\"name\": \"a,\\\"b\\\"\", \"count\": 1, \"long_time_us\": 0.002, "
                        "\"ratio\": 0.667, \"part_percent\": 99.5, \"line\": \"0xab40\"}\n]\n");
    assert_non_null(strstr(printed_as(r, "json"),
                           "\"long_time_ns\": 18446744073709551615, \"ratio\": null, \"part_percent\": \"unknown\", "
                           "\"line\": null}\n]\n"));
    rows_at(r, 0)[LONG] = rows_change(2000, 1);
    assert_non_null(strstr(printed_as(r, "us,csv"), ",-1.999,"));
    rows_free(r);
    r = rows_new(columns, COLUMNS);
    assert_string_equal(printed_as(r, "json"), "[]\n");
    assert_string_equal(printed_as(r, ""), "\nRows\n(none)\n");
    rows_free(r);
}

/* Headings above their columns, numbers with units at the right, no empty column, sums of those that add. */
static void tables_are_for_people(void **state)
{
    (void)state;
    rows *r = rows_of((const row[]){{"first", 1234, 12749}, {"the second one", 7, 801}, {"x", 1000000, 1240000000}}, 3);
    assert_string_equal(printed_as(r, ""), "\nRows\n"
                                           "    Count  Long time  Name\n"
                                           "    1,234    12.7 us  first\n"
                                           "        7     801 ns  the second one\n"
                                           "1,000,000     1.24 s  x\n"
                                           "1,001,241             (total)\n");
    assert_string_equal(printed_as(r, "us,columns:name,long_time"), "\nRows\n"
                                                                    "Name            Long time (us)\n"
                                                                    "first                   12.749\n"
                                                                    "the second one           0.801\n"
                                                                    "x                1,240,000.000\n");
    assert_non_null(strstr(printed_as(r, "ns"), "  Long time (ns)  Name\n    1,234          12,749  first\n"));
    assert_non_null(strstr(printed_as(r, "columns:all,top:1"),
                           "\nName              Count  Long time  Ratio  Part (%)  Line\n"
                           "first             1,234    12.7 us\n"));
    assert_string_equal(printed_as(r, "csv,columns:Long time,count,top:1"), "long_time_ns,count\n12749,1234\n");
    rows_free(r);
}

/* No line is wider than the terminal: names get two fifths of it, if they need it, and columns for which there is no room
 * are left out, which a note lists. */
static void tables_fit_the_terminal(void **state)
{
    (void)state;
    rows *r = rows_of((const row[]){{"a_function_with_a_rather_long_name", 1234, 12749}, {"b", 7, 801}, {"µµµ", 8, 9}}, 3);
    assert_non_null(strstr(printed_on(r, "", (rows_page){.width = 44}), "\n1,234    12.7 us  a_function_wi…er_long_name\n"));
    const char *narrow = printed_on(r, "", (rows_page){.width = 28, .rows = 2});
    assert_non_null(strstr(narrow, "\nCount  Name\n1,234  a_function…_long_name\n"));
    assert_non_null(strstr(printed_on(r, "", (rows_page){.width = 29, .rows = 2}), "\n1,234    12.7 us  a_fun…_name\n"));
    narrow = printed_on(r, "", (rows_page){.width = 28, .rows = 2});
    assert_non_null(strstr(narrow, "\n2 of 3 rows. All of them: -z test,rows,all\nToo narrow for: long_time\n"));
    assert_non_null(strstr(printed_on(r, "all", (rows_page){.width = 28, .rows = 2}), "\n    8  µµµ\n"));
    assert_null(strstr(printed_on(r, "top:2", (rows_page){.width = 30, .rows = 1}), "of them"));
    assert_non_null(strstr(printed_on(r, "", (rows_page){.width = 17}), "\nToo narrow for:\n    long_time\n"));
    assert_non_null(strstr(printed_on(r, "", (rows_page){.width = 10}), "\nToo narrow\n    for:\n    l…time\n"));
    g_auto(GStrv) lines = g_strsplit(printed_on(r, "columns:all", (rows_page){.width = 20}), "\n", -1);
    for (char **line = lines; *line; line++)
        assert_true(g_utf8_strlen(*line, -1) <= 20);
    rows_free(r);
}

/* In a window a long text goes on in the next line, after a comma or else at a blank, and nothing is cut. */
static void long_texts_go_on(void **state)
{
    (void)state;
    rows *r = rows_of(
        (const row[]){{"running, in a task, checks requests of others", 1, 1}, {"µµµ_without_a_blank_or_comma", 2, 2}}, 2);
    g_autofree char *once = g_strdup(printed_on(r, "columns:count,name", (rows_page){.folded = 24}));
    const char *text = printed_on(r, "columns:count,columns:name", (rows_page){.folded = 24});
    assert_string_equal(text, once);
    assert_non_null(strstr(text, "\n    1  running,\n    in a task,\n    checks requests of\n    others\n"));
    assert_non_null(strstr(text, "\n    2  µµµ_without_a_blank_or_comma\n"));
    text = printed_on(r, "columns:count,name", (rows_page){.folded = 51});
    assert_non_null(strstr(text, "\n    1  running, in a task,\n    checks requests of others\n"));
    text = printed_on(r, "columns:count,name", (rows_page){.folded = 52});
    assert_non_null(strstr(text, "\n    1  running, in a task, checks requests of others\n"));
    assert_non_null(
        strstr(printed_on(r, "columns:name,count", (rows_page){.folded = 24}), "task, checks requests of others"));
    rows_free(r);
}

/* The depth of a row is seen where there is room; names never have less than half of their column. */
static void trees_fit_the_terminal(void **state)
{
    (void)state;
    rows *r = rows_of((const row[]){{"all", 1, 2}, {"std::map<…>::operator[]", 1, 2}, {"b", 1, 2}}, 3);
    static const unsigned depths[] = {0, 5, 2};
    for (unsigned i = 0; i < 3; i++) {
        const shown_name name = shown_name_of(rows_at(r, i)[NAME].text);
        rows_at(r, i)[NAME] = rows_name_at(r, &name, depths[i]);
    }
    assert_non_null(
        strstr(printed_on(r, "columns:name", (rows_page){0}), "all\n          std::map<…>::operator[]\n    b\n"));
    assert_non_null(
        strstr(printed_on(r, "columns:name", (rows_page){.width = 28}), "all\n          …::map::operator[]\n    b\n"));
    assert_non_null(strstr(printed_on(r, "columns:name", (rows_page){.width = 18}), "all\n     …::operator[]\n  b\n"));
    assert_non_null(strstr(printed_on(r, "columns:name", (rows_page){.width = 8}), "all\n    op…]\n  b\n"));
    rows_free(r);
}

/* A sum is unknown if one of its numbers is. */
static void sums_may_be_unknown(void **state)
{
    (void)state;
    rows *r = rows_of((const row[]){{"a", 5, 1}, {"b", 0, 1}, {"c", 7, 1}}, 3);
    rows_at(r, 1)[COUNT] = rows_unknown();
    assert_non_null(strstr(printed_on(r, "columns:count,name", (rows_page){.width = 80}), "\nunknown  (total)\n"));
    rows_free(r);
}

/* A number with a sign is wider than a larger one without. */
static void columns_have_room_for_signs(void **state)
{
    (void)state;
    rows *r = rows_of((const row[]){{"a", 1, 999999999999}, {"b", 1, 123456789012}}, 2);
    rows_at(r, 1)[LONG].negative = true;
    assert_non_null(strstr(printed_on(r, "ns,columns:long_time", (rows_page){.width = 80}), "-123,456,789,012\n"));
    rows_free(r);
}

/* An empty line would be no row. */
static void a_row_of_nothing_is_a_row(void **state)
{
    (void)state;
    rows *r = rows_of((const row[]){{"a", 1, 2}, {"", 0, 0}}, 2);
    rows_at(r, 1)[RATIO] = (rows_cell){0};
    assert_string_equal(printed_as(r, "csv,columns:ratio"), "ratio\n\"\"\n\"\"\n");
    assert_string_equal(printed_as(r, "csv,columns:name"), "name\na\n\"\"\n");
    rows_free(r);
}

/* Words that cannot be used say why; what is no word is left for the filter. */
static void wrong_words_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *word, *error;
    } words[] = {{"sort:long_time", NULL},     {"sort:+name", NULL},          {"sort:-count", NULL},
                 {"sort:Count", NULL},         {"sort:long_time_ns", NULL},   {"sort:long", "no column"},
                 {"columns:", "no column"},    {"columns:all", NULL},         {"top:4294967295", NULL},
                 {"top:4294967296", "number"}, {"top: 1", "number"},          {"min:0.5", NULL},
                 {"min:100%", NULL},           {"min:101%", "from 0 to 100"}, {"min:-1", "from 0 to 100"},
                 {"min:nan", "from 0 to 100"}, {"min:%", "from 0 to 100"},    {"min:5%%", "from 0 to 100"}};

    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        rows_words w = {0};
        bool taken;
        g_autoptr(GError) error = NULL;
        assert_int_equal(rows_words_take(&w, columns, COLUMNS, words[i].word, &taken, &error), words[i].error == NULL);
        assert_true(taken);
        assert_true(!words[i].error || strstr(error->message, words[i].error));
    }
    bool taken;
    GError *error = NULL;
    assert_false(rows_words_take(&(rows_words){0}, columns, LONG, "us", &taken, &error)); /* without the column of times */
    assert_non_null(strstr(error->message, "no column is a time"));
    g_clear_error(&error);
    assert_false(rows_words_take(&(rows_words){0}, columns, PART, "min:1%", &taken, &error));
    assert_non_null(strstr(error->message, "column of percentages"));
    g_clear_error(&error);
    static const char *const others[] = {"", "CSV", "nsec", "sort", "top", "frame.number == 1"};
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
        assert_true(rows_words_take(&(rows_words){0}, columns, COLUMNS, others[i], &taken, NULL));
        assert_false(taken);
    }
    g_autofree char *help = rows_words_help(columns, COLUMNS, "graph");
    assert_non_null(strstr(help, ", graph. Columns: name, count, long_time, ratio, part_percent, line."));
}

/* Names that engines take without quotation marks; those of earlier versions still work as words. */
static void names_of_columns_are_free_in_sql(void **state)
{
    (void)state;
    static const struct {
        rows_column column;
        const char *name, *called[3];
    } all[] = {
        {{"90 %", ROWS_TIME, ROWS_EACH}, "p90", {"90_percent", "90_percent_ns", "P90_ns"}},
        {{"99 % before", ROWS_TIME, ROWS_EACH}, "p99_before", {"99_percent_before", "p99_before_us", "99 % before"}},
        {{"Share (%)", ROWS_PERCENT, ROWS_EACH}, "share_percent", {"share_percent", "Share (%)", "share percent"}},
        {{"End", ROWS_ORDINAL, ROWS_EACH}, "end_record", {"end", "End", "end_record"}},
        {{"Group", ROWS_TEXT, ROWS_EACH}, "group_name", {"group", "Group", "group_name"}},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        g_autofree char *name = rows_column_name(&all[i].column);
        assert_string_equal(name, all[i].name);
        for (size_t j = 0; j < G_N_ELEMENTS(all[i].called); j++) {
            bool taken;
            g_autofree char *word = g_strconcat("sort:", all[i].called[j], NULL);
            assert_true(rows_words_take(&(rows_words){0}, &all[i].column, 1, word, &taken, NULL));
        }
    }
}

static bool is_graph(void *data, const char *word, bool *taken, GError **error)
{
    (void)error;
    *taken = strcmp(word, "graph") == 0;
    *(unsigned *)data += *taken;
    return true;
}

/* All words before the filter, in any order, with those of the statistic's own among them. */
static void words_end_at_the_filter(void **state)
{
    (void)state;
    static const struct {
        const char *words, *rest; /* NULL: there is an error, with this column */
        unsigned graphs;
        rows_words taken;
    } all[] = {
        {"top:3,graph,csv,long_time > 1, ns", "long_time > 1, ns", 1, {.top = 3, .form = ROWS_AS_CSV}},
        {"columns:count,name,count,us,name == 1",
         "name == 1",
         0,
         {.column_count = 2, .columns = {COUNT, NAME}, .unit = ROWS_US}},
        {"columns:count,graph,name", "name", 1, {.column_count = 1, .columns = {COUNT}}},
        {"graph,sort:-ratio,graph", "", 2, {.sorted_by = RATIO, .order = ROWS_FALLING}},
        {"json,sort:size,top:2", NULL, 0, {.form = ROWS_AS_JSON, .sorted_by = COLUMNS, .order = ROWS_USUAL}},
        {"full,all,ticks", "", 0, {.full = true, .all = true, .unit = ROWS_TICKS}},
        {"", "", 0, {0}},
        {",csv", ",csv", 0, {0}},
        {"\"graph\",sort:\"ratio\",\"a,b\" == name", "\"a,b\" == name", 1, {.sorted_by = RATIO, .order = ROWS_USUAL}},
        {"\"graph", "\"graph", 0, {0}},
        {"\"graph\"x,csv", "\"graph\"x,csv", 0, {0}},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        const rows_words *wanted = &all[i].taken;
        rows_words w = {0};
        const char *at = all[i].words;
        unsigned graphs = 0;
        g_autoptr(GError) error = NULL;
        const bool good = rows_words_take_all(&w, columns, COLUMNS, &at, is_graph, &graphs, &error);
        assert_int_equal(good, all[i].rest != NULL);
        if (good)
            assert_string_equal(at, all[i].rest);
        else
            assert_string_equal(error->message, "no column is called \"size\"");
        assert_int_equal(graphs, all[i].graphs);
        assert_true(w.form == wanted->form && w.top == wanted->top && w.unit == wanted->unit && w.order == wanted->order &&
                    w.sorted_by == wanted->sorted_by && w.full == wanted->full && w.all == wanted->all &&
                    w.column_count == wanted->column_count && memcmp(w.columns, wanted->columns, wanted->column_count) == 0);
    }
    const char *at = "graph,csv";
    assert_true(rows_words_take_all(&(rows_words){0}, columns, COLUMNS, &at, NULL, NULL, NULL));
    assert_string_equal(at, "graph,csv");
}

/* Names are short for people, unless they ask for all; programs always have them in full. */
static void full_names(void **state)
{
    (void)state;
    assert_false(rows_words_full(&(rows_words){.form = ROWS_AS_TEXT}));
    assert_true(rows_words_full(&(rows_words){.form = ROWS_AS_TEXT, .full = true}));
    assert_true(rows_words_full(&(rows_words){.form = ROWS_AS_CSV}));
    assert_true(rows_words_full(&(rows_words){.form = ROWS_AS_JSON}));
}

static void columns_that_are_needed(void **state)
{
    (void)state;
    const rows_words some = {.form = ROWS_AS_CSV, .column_count = 1, .columns = {3}};
    assert_false(rows_words_need(&(rows_words){.form = ROWS_AS_TEXT}, 3));
    assert_true(rows_words_need(&(rows_words){.form = ROWS_AS_CSV}, 3));
    assert_true(rows_words_need(&some, 3));
    assert_false(rows_words_need(&some, 2));
    assert_true(rows_words_need(&(rows_words){.order = ROWS_FALLING, .sorted_by = 2}, 2));
}

/* Of percentages; what is unknown is smaller than any but none. */
static void small_shares_are_left_out(void **state)
{
    (void)state;
    static const unsigned least[] = {0, 1, 995, 996}, left[] = {3, 2, 1, 0};
    for (size_t i = 0; i < G_N_ELEMENTS(least); i++) {
        rows *r = rows_of((const row[]){{"a", 1, 2}, {"b", 3, 4}, {"c", 5, 6}}, 3);
        rows_at(r, 0)[PART] = rows_number(3);
        rows_at(r, 1)[PART] = rows_unknown();
        rows_at(r, 2)[PART] = rows_number(995);
        rows_drop_below(r, least[i]);
        assert_int_equal(rows_length(r), left[i]);
        assert_true(!left[i] || strcmp(rows_at(r, left[i] - 1)[0].text, "c") == 0);
        rows_free(r);
    }
    rows_words w = {0};
    bool taken;
    assert_true(rows_words_take(&w, columns, COLUMNS, "min:2.5%", &taken, NULL));
    assert_int_equal(w.least, 25);
}

/* Names that are cut to the same width stay different, and if only numbers distinguish them, a line explains it. */
static void cut_names_differ(void **state)
{
    (void)state;
    rows *r = rows_of((const row[]){{"CppCheck::check(std::basic_string<…> const&)", 1, 1}, {"CppCheck::checks(int)", 2, 2}},
                      2);
    assert_non_null(strstr(printed_on(r, "columns:count,name", (rows_page){.width = 24}),
                           "\n    1  CppCheck::check\n    2  CppCheck::checks\n"));
    rows_free(r);
    r = rows_of(
        (const row[]){{"CppCheck::check(std::basic_string<…> const&)", 1, 1}, {"CppCheck::check(int, long, char*)", 2, 2}},
        2);
    assert_non_null(strstr(printed_on(r, "columns:count,name", (rows_page){.width = 27}),
                           "\n    1  CppCheck::check(s…&)\n    2  CppCheck::check(i…*)\n"));
    rows_free(r);
    r = rows_of((const row[]){{"f(first, second, int)", 1, 1}, {"f(first, other, int)", 2, 2}}, 2);
    const char *text = printed_on(r, "columns:count,name", (rows_page){.width = 18});
    assert_non_null(strstr(text, "\n    1  f (1)\n    2  f (2)\n"));
    assert_non_null(strstr(text, "\nNumbers i…s width.\n"));
    rows_free(r);
    r = rows_of((const row[]){{"<w::spelling::Wrap<u8> as w::spelling::Shape>::area", 1, 1},
                              {"<w::spelling::Wrap<u32> as w::spelling::Shape>::area", 2, 2}},
                2);
    text = printed_on(r, "columns:count,name", (rows_page){.width = 40});
    assert_non_null(strstr(text, "\n    1  <Wrap<u8> as Shape>::area\n    2  <Wrap<u32> as Shape>::area\n"));
    rows_free(r);
    r = rows_of((const row[]){{"int one<char>(int)", 1, 1}, {"long one<char>(int)", 2, 2}}, 2);
    rows_shorten_names(r, NAME, 1, 0, NULL);
    assert_null(strstr(printed_on(r, "columns:count", (rows_page){0}), "Numbers in brackets"));
    text = printed_on(r, "columns:count,name", (rows_page){0});
    assert_non_null(strstr(text, "\n    1  one<…> (1)\n    2  one<…> (2)\n"));
    assert_non_null(strstr(text, "\nNumbers in brackets distinguish names that are the same when short. In full: -z "));
    rows_free(r);
}

static shown_name known_name(const char *name)
{
    static const shown_name f = {.text = "ns::f<…> #7", .remark = 3}, g = {.text = "h"}, none;
    return strcmp(name, "ns::f<int>(long)") == 0 ? f : strcmp(name, "g(int)") == 0 ? g : none;
}

/* Different names stay different, also from those that are known; a cell without a text stays as it is. */
static void names_get_short(void **state)
{
    (void)state;
    static const row all[] = {{"ns::f<int>(long)", 1, 0}, {"ns::f<char>(long)", 2, 0}, {"g(int)", 3, 0}, {"", 4, 0}};
    rows *r = rows_of(all, G_N_ELEMENTS(all));
    rows_at(r, 3)[NAME] = (rows_cell){.state = ROWS_NONE};
    rows_shorten_names(r, NAME, 1, 0, NULL);
    assert_string_equal(rows_at(r, 0)[NAME].text, "ns::f<int>");
    assert_string_equal(rows_at(r, 1)[NAME].text, "ns::f<char>");
    assert_string_equal(rows_at(r, 2)[NAME].text, "g");
    assert_int_equal(rows_at(r, 3)[NAME].state, ROWS_NONE);
    assert_int_equal(rows_at(r, 2)[COUNT].number, 3);
    rows_free(r);
    r = rows_of(
        (const row[]){{"ns::f<int>(long) (thread 3)", 1, 0}, {"ns::f<char>(long)", 2, 0}, {"g(int)", 3, 0}, {"h()", 4, 0}},
        4);
    rows_at(r, 0)[NAME].remark = (uint8_t)strlen(" (thread 3)");
    rows_shorten_names(r, NAME, 1, 0, known_name);
    assert_int_equal(rows_at(r, 0)[NAME].remark, strlen(" #7 (thread 3)"));
    assert_string_equal(rows_at(r, 0)[NAME].text, "ns::f<…> #7 (thread 3)");
    assert_string_equal(rows_at(r, 1)[NAME].text, "ns::f<…>");
    assert_string_equal(rows_at(r, 2)[NAME].text, "h");
    assert_string_equal(rows_at(r, 3)[NAME].text, "h()");
    rows_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_sorted),
        cmocka_unit_test(names_get_short),
        cmocka_unit_test(cut_names_differ),
        cmocka_unit_test(missing_numbers_come_last),
        cmocka_unit_test(what_does_not_fit_is_unknown),
        cmocka_unit_test(every_form_is_printed),
        cmocka_unit_test(tables_are_for_people),
        cmocka_unit_test(tables_fit_the_terminal),
        cmocka_unit_test(long_texts_go_on),
        cmocka_unit_test(trees_fit_the_terminal),
        cmocka_unit_test(a_row_of_nothing_is_a_row),
        cmocka_unit_test(wrong_words_are_refused),
        cmocka_unit_test(names_of_columns_are_free_in_sql),
        cmocka_unit_test(small_shares_are_left_out),

        cmocka_unit_test(columns_have_room_for_signs),
        cmocka_unit_test(sums_may_be_unknown),
        cmocka_unit_test(words_end_at_the_filter),
        cmocka_unit_test(full_names),
        cmocka_unit_test(columns_that_are_needed),
    };
    written = g_string_new(NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    g_string_free(written, TRUE);
    return failed;
}
