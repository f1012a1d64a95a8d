/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics/table.h"

#include "host/hidden_records.h"
#include "host/drawing.h"
#include "host/listening.h"
#include "host/menus.h"

#include <epan/tap.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/math128.h"

/* In digits: 10^16 ns are 115 days. Longer numbers are shown, but sort before shorter ones. Commas separate groups of
 * three digits. */
enum { WIDTH = 16, LONGEST = 20, COMMAS = 6, CELL = 1 + LONGEST + COMMAS + 1 /* with a sign and a NUL */ };

enum { ROWS = 32000, RECORDS_PER_ROW = 48 };

/* Rows from before a reset, of stat_tap_table*. The window that is reset drops its pointers to them, but other windows of
 * the same statistic do not notice, and continue to sort and copy what they show. */
static GPtrArray *outdated;

static void free_rows(gpointer data)
{
    stat_tap_table *table = data;
    for (guint row = 0; row < table->num_elements; row++) {
        for (guint column = 0; column < table->num_fields; column++)
            table_free_cell(table, row, column, stat_tap_get_field_data(table, row, column));
        g_free(table->elements[row]);
    }
    g_free(table->elements);
    g_free(table);
}

static void free_outdated(const char *title)
{
    for (guint i = outdated ? outdated->len : 0; i-- > 0;)
        if (strcmp(((const stat_tap_table *)g_ptr_array_index(outdated, i))->title, title) == 0)
            g_ptr_array_remove_index_fast(outdated, i);
}

/* Adds an empty table, unless there is one with this title. Wireshark frees a table with the last window that shows it,
 * so if there is none, nobody has pointers to old rows. */
static void make(stat_tap_table_ui *ui, const char *title, int columns)
{
    if (stat_tap_find_table(ui, title))
        return;
    free_outdated(title);
    stat_tap_add_table(ui, stat_tap_init_table(title, columns, 0, NULL));
}

bool table_has_room(bool *full, guint rows, uint64_t counted)
{
    *full = *full || rows >= ROWS + counted / RECORDS_PER_ROW;
    return !*full;
}

stat_tap_table_item_type table_text(const char *text)
{
    stat_tap_table_item_type cell = {.type = TABLE_ITEM_STRING};
    cell.value.string_value = g_strdup(text);
    return cell;
}

stat_tap_table_item_type table_number(void)
{
    stat_tap_table_item_type cell = {.type = TABLE_ITEM_STRING};
    cell.value.string_value = g_malloc0(CELL);
    return cell;
}

/* Programs get plain digits, windows groups with commas. Where there is no comma there is a blank of the same width, or numbers would
 * not sort. */
static void set_number(stat_tap_table *table, guint row, guint column, bool negative, uint64_t value)
{
    char *text = (char *)(uintptr_t)stat_tap_get_field_data(table, row, column)->value.string_value;
    char digits[LONGEST];
    unsigned n = 0, at = 0;
    do {
        digits[n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    const bool grouped = menus_windows() != NULL;
    for (unsigned place = MAX(n + negative, WIDTH); place > 0; place--) {
        text[at++] = place <= n ? digits[place - 1] : negative && place == n + 1 ? '-' : ' ';
        if (grouped && place % 3 == 1 && place > 1)
            text[at++] = place <= n ? ',' : ' ';
    }
    text[at] = '\0';
}

void table_set(stat_tap_table *table, guint row, guint column, uint64_t value)
{
    set_number(table, row, column, false, value);
}

void table_set_change(stat_tap_table *table, guint row, guint column, uint64_t before, uint64_t after)
{
    set_number(table, row, column, after < before, after < before ? before - after : after - before);
}

void table_set_ratio(stat_tap_table *table, guint row, guint column, uint64_t before, uint64_t after)
{
    enum { RATIO_WIDTH = 12 };
    uint64_t thousandths = before ? wide_scale(after, 1000, before) : 0, whole = thousandths / 1000;
    char *text = before ? g_strdup_printf("%*" PRIu64 ".%03u", RATIO_WIDTH, whole, (unsigned)(thousandths % 1000))
                        : g_strdup("");
    table_set_text(table, row, column, text);
}

void table_set_none(stat_tap_table *table, guint row, guint column)
{
    *(char *)(uintptr_t)stat_tap_get_field_data(table, row, column)->value.string_value = '\0';
}

void table_set_unknown(stat_tap_table *table, guint row, guint column)
{
    char *text = (char *)(uintptr_t)stat_tap_get_field_data(table, row, column)->value.string_value;
    snprintf(text, CELL, "%*s", WIDTH, "unknown");
}

void table_set_text(stat_tap_table *table, guint row, guint column, char *text)
{
    stat_tap_table_item_type *cell = stat_tap_get_field_data(table, row, column);
    g_free((char *)(uintptr_t)cell->value.string_value);
    cell->value.string_value = text;
}

void table_free_cell(stat_tap_table *table, guint row, guint column, stat_tap_table_item_type *cell)
{
    (void)table;
    (void)row;
    (void)column;
    if (cell->type == TABLE_ITEM_STRING)
        g_free((char *)(uintptr_t)cell->value.string_value);
    cell->type = TABLE_ITEM_NONE;
}

/* Removes all rows. Their memory stays valid, for other windows that show them, until the table is made again. */
static void empty(stat_tap_table *table)
{
    if (table->num_elements == 0)
        return;
    if (!outdated)
        outdated = g_ptr_array_new_with_free_func(free_rows);
    g_ptr_array_add(outdated, g_memdup2(table, sizeof *table));
    table->elements = NULL;
    table->num_elements = 0;
}

/* --- statistics -------------------------------------------------------------------------------------------------------- */

static table_statistic *registered; /* list of all statistics */

/* Wireshark has only one table for all that ask for it, whatever their filters, and each counts into it. Windows count one after the
 * other, and again after Apply, each time from nothing. */
static void warn_of_another(const stat_tap_table_ui *ui)
{
    if (!menus_windows())
        fprintf(stderr,
                "%s was requested twice. Wireshark counts both in one table, so its numbers are those of both "
                "filters together. Ask for one at a time.\n",
                ui->cli_string);
}

/* --- order of rows ----------------------------------------------------------------------------------------------------- */

/* Windows sort rows themselves. Programs print them in the order of the table. */

typedef struct sortable {
    const table_statistic *statistic;
    stat_tap_table_item_type *cells;
    uint64_t key; /* in the table's own order */
    guint row;
    bool others;
} sortable;

/* Without its sign: what has changed most may have become less. */
static uint64_t number_in(const stat_tap_table *table, guint row, guint column)
{
    const stat_tap_table_item_type *cell = &table->elements[row][column];
    if (cell->type == TABLE_ITEM_UINT)
        return cell->value.uint_value;
    uint64_t number = 0;
    for (const char *at = cell->value.string_value + strspn(cell->value.string_value, " -"); g_ascii_isdigit(*at); at++)
        number = 10 * number + (unsigned)(*at - '0');
    return number;
}

static int compare_cells(const sortable *x, const sortable *y)
{
    const table_words *w = &x->statistic->asked;
    const stat_tap_table_item *column = &x->statistic->ui.fields[w->sorted_by];
    bool falling = w->order == TABLE_FALLING || (w->order == TABLE_USUAL && table_holds_numbers(column));
    return table_compare_cells(column, &x->cells[w->sorted_by], &y->cells[w->sorted_by], falling);
}

static int compare_rows(const void *a, const void *b)
{
    const sortable *x = a, *y = b;
    if (x->others != y->others)
        return x->others - y->others;
    int order = x->statistic->asked.order == TABLE_OWN_ORDER ? (x->key < y->key) - (x->key > y->key) : compare_cells(x, y);
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

/* Nothing may be counted afterwards, since rows change their numbers. */
static void sort_rows(const table_statistic *s, stat_tap_table *table)
{
    sortable *rows = g_new(sortable, table->num_elements);
    for (guint row = 0; row < table->num_elements; row++) {
        rows[row] = (sortable){.statistic = s, .cells = table->elements[row], .row = row};
        rows[row].others = strstr(rows[row].cells[0].value.string_value, TABLE_OTHERS) != NULL;
        for (guint i = 0; i < G_N_ELEMENTS(s->sorted_by) && s->sorted_by[i]; i++)
            rows[row].key += number_in(table, row, s->sorted_by[i]);
    }
    qsort(rows, table->num_elements, sizeof *rows, compare_rows);
    for (guint row = 0; row < table->num_elements; row++)
        table->elements[row] = rows[row].cells;
    g_free(rows);
}

/* Programs draw once, at the end; windows also in between. */
static void before_drawing(void *data)
{
    table_statistic *s = data;
    stat_tap_table *table = stat_tap_find_table(&s->ui, s->title);
    if (!table || s->finished)
        return;
    s->finished = !menus_windows();
    if (s->finish)
        s->finish(table);
    if (table->num_elements && (s->sorted_by[0] || s->asked.order) && s->finished)
        sort_rows(s, table);
}

static void listener_gone(void *data)
{
    ((table_statistic *)data)->listens = false;
}

static void statistic_init(stat_tap_table_ui *ui)
{
    table_statistic *s = (table_statistic *)ui;
    if (s->listens)
        remove_tap_listener(s);
    if (stat_tap_find_table(ui, s->title))
        warn_of_another(ui);
    s->forget();
    s->finished = false;
    make(ui, s->title, (int)ui->nfields);
}

static tap_packet_status statistic_packet(void *data, packet_info *pinfo, epan_dissect_t *edt, const void *tapped,
                                          tap_flags_t flags)
{
    (void)edt;
    (void)flags;
    table_statistic *s = (table_statistic *)((stat_data_t *)data)->stat_tap_data;
    if (!s->listens)
        s->listens = drawing_listen(s->ui.tap_name, s, before_drawing, listener_gone);
    stat_tap_table *table = g_array_index(s->ui.tables, stat_tap_table *, 0);
    return s->count(table, pinfo, tapped) ? TAP_PACKET_REDRAW : TAP_PACKET_DONT_REDRAW;
}

static void statistic_reset(stat_tap_table *table)
{
    table_statistic *s = registered;
    while (strcmp(s->title, table->title) != 0)
        s = s->next;
    empty(table);
    s->forget();
    s->finished = false;
}

/* --- words and starting ------------------------------------------------------------------------------------------------ */

bool table_in_ticks(const table_statistic *s)
{
    return s->asked.unit == TABLE_TICKS;
}

/* A word of the statistic's own. */
static bool take_own(const table_statistic *s, const char *word)
{
    if (s->flag && strcmp(word, s->flag) == 0)
        return *s->flagged = true;
    return s->word && s->word(word);
}

/* Takes the words at the front of the arguments. NULL, or what is wrong. */
static char *take_words(table_statistic *s, const char **arguments)
{
    char *error = NULL;
    s->asked = (table_words){0};
    if (s->flag)
        *s->flagged = false;
    if (s->word)
        s->word(NULL);
    while (**arguments && !error) {
        size_t n = strcspn(*arguments, ",");
        g_autofree char *word = g_strndup(*arguments, n);
        if (!table_words_take(&s->asked, &s->ui, word, &error) && !take_own(s, word))
            break;
        *arguments += n + ((*arguments)[n] == ',');
    }
    return error || !s->begin ? error : s->begin();
}

/* A table that a program prints. */
typedef struct table_run {
    table_statistic *statistic;
    char *filter;
} table_run;

static tap_packet_status run_packet(void *data, packet_info *pinfo, epan_dissect_t *edt, const void *tapped,
                                    tap_flags_t flags)
{
    (void)edt;
    (void)flags;
    table_statistic *s = ((table_run *)data)->statistic;
    return s->count(g_array_index(s->ui.tables, stat_tap_table *, 0), pinfo, tapped) ? TAP_PACKET_REDRAW
                                                                                     : TAP_PACKET_DONT_REDRAW;
}

static void run_draw(void *data)
{
    const table_run *run = data;
    table_statistic *s = run->statistic;
    if (hidden_problem()) {
        printf("unknown: %s\n", hidden_problem());
        return;
    }
    before_drawing(s);
    table_print(&s->ui, stat_tap_find_table(&s->ui, s->title), &s->asked, run->filter);
}

static void run_free(void *data)
{
    table_run *run = data;
    g_free(run->filter);
    g_free(run);
}

/* Ends the program, as Wireshark's own statistics do. */
static void refuse(const table_statistic *s, const char *error)
{
    g_autofree char *help = table_words_help(&s->ui, s->flag ? s->flag : s->words);
    fprintf(stderr, "%s: %s%s %s\n", s->ui.cli_string, error, g_str_has_suffix(error, ".") ? "" : ".", help);
    exit(1);
}

void table_take(table_statistic *s, const char **arguments)
{
    g_autofree char *error = take_words(s, arguments);
    if (error && !menus_windows())
        refuse(s, error);
}

void table_print_filled(table_statistic *s, stat_tap_table *table)
{
    if (s->asked.order)
        sort_rows(s, table);
    table_print(&s->ui, table, &s->asked, NULL);
    free_rows(table);
}

static compat_stat_start start_from_command(const char *argument, void *statistic)
{
    table_statistic *s = statistic;
    argument += strlen(s->ui.cli_string);
    argument += *argument == ',';
    g_autofree char *error = take_words(s, &argument);
    if (error)
        refuse(s, error);
    table_run *run = g_new(table_run, 1);
    *run = (table_run){s, *argument ? g_strdup(argument) : NULL};
    statistic_init(&s->ui);
    GString *wrong = listening_add(s->ui.tap_name, run, run->filter, NULL, run_packet, run_draw, run_free);
    if (wrong)
        refuse(s, wrong->str);
    COMPAT_STAT_STARTED;
}

char *table_start(table_statistic *s, const char *words, const char *filter)
{
    char *error = take_words(s, &words);
    if (error)
        return error;
    g_autofree char *command = g_strdup_printf("%s%s%s", s->ui.cli_string, *filter ? "," : "", filter);
    menus_start(command);
    return NULL;
}

typedef struct table_entry {
    table_statistic *statistic;
    const char *words;
} table_entry;

static void start_from_menu(void *data)
{
    const table_entry *e = data;
    g_free(table_start(e->statistic, e->words, ""));
}

void table_add_entry(table_statistic *s, const char *title, const char *words)
{
    table_entry *e = wmem_new(wmem_epan_scope(), table_entry);
    *e = (table_entry){s, words};
    menus_add(s->ui.tap_name, title, start_from_menu, e);
}

/* Programs without windows start it here, since Wireshark's tables know only one form. */
static void register_command(table_statistic *s)
{
    stat_tap_ui ui = {.group = MENUS_GROUP, .cli_string = s->ui.cli_string, .tap_init_cb = start_from_command};
    register_stat_tap_ui(&ui, s);
}

void table_register(table_statistic *s)
{
    s->ui.group = MENUS_GROUP;
    s->ui.stat_tap_init_cb = statistic_init;
    s->ui.packet_func = statistic_packet;
    s->ui.stat_tap_reset_table_cb = statistic_reset;
    s->ui.stat_tap_free_table_item_cb = table_free_cell;
    s->next = registered;
    registered = s;
    register_stat_tap_table_ui(&s->ui);
    if (!menus_windows())
        register_command(s);
    if (s->start)
        menus_add(s->ui.tap_name, s->ui.title, s->start, s);
    else
        table_add_entry(s, s->ui.title, "");
}
