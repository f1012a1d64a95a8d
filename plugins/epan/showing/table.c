/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "showing/table.h"

#include <epan/tap.h>

#include <stdio.h>
#include <string.h>

#include "host/drawing.h"
#include "host/menus.h"
#include "host/notices.h"
#include "util/short_name.h"
#include "util/text.h"

/* --- cells --------------------------------------------------------------------------------------------------------- */

/* In digits. Commas separate groups of three. */
enum { LONGEST = 20, COMMAS = 6, CELL = 1 + LONGEST + COMMAS + 1 /* with a sign and a NUL */ };

/* Rows from before a reset, of stat_tap_table*. The window that is reset drops its pointers to them, but other windows of
 * the same statistic do not notice, and continue to sort and copy what they show. */
static GPtrArray *outdated;

static statistic *registered; /* list of all */

static statistic *statistic_of(const stat_tap_table_ui *ui)
{
    statistic *s = registered;
    while (&s->state.ui != ui)
        s = s->state.next;
    return s;
}

static void free_cell(stat_tap_table *table _U_, guint row _U_, guint column _U_, stat_tap_table_item_type *cell)
{
    if (cell->type == TABLE_ITEM_STRING)
        g_free((char *)(uintptr_t)cell->value.string_value);
    cell->type = TABLE_ITEM_NONE;
}

static void free_table(gpointer data)
{
    stat_tap_table *table = data;
    for (guint row = 0; row < table->num_elements; row++) {
        for (guint column = 0; column < table->num_fields; column++)
            free_cell(table, row, column, stat_tap_get_field_data(table, row, column));
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
static void make_table(statistic *s)
{
    if (stat_tap_find_table(&s->state.ui, s->table))
        return;
    free_outdated(s->table);
    stat_tap_add_table(&s->state.ui, stat_tap_init_table(s->table, (int)s->state.ui.nfields, 0, NULL));
}

/* Removes all rows. Their memory stays valid, for other windows that show them, until the table is made again. */
static void empty_table(stat_tap_table *table)
{
    if (table->num_elements == 0)
        return;
    if (!outdated)
        outdated = g_ptr_array_new_with_free_func(free_table);
    g_ptr_array_add(outdated, g_memdup2(table, sizeof *table));
    table->elements = NULL;
    table->num_elements = 0;
}

static unsigned digits_of(rows_kind kind, const rows_cell *c)
{
    char digits[24], *end = digits + sizeof digits;
    return (unsigned)(end - text_digits(end, c->number, kind == ROWS_ADDRESS ? 16 : 10)) + c->negative;
}

/* Programs get plain digits, windows groups with commas. Windows sort texts, so all of a column are as wide as its longest
 * number: where there is no comma there is a blank of the same width. */
static void write_number(char *text, const rows_cell *c, unsigned width)
{
    char digits[24], *end = digits + sizeof digits;
    const unsigned n = (unsigned)(end - text_digits(end, c->number, 10));
    unsigned at = 0;
    const bool grouped = menus_windows() != NULL;
    for (unsigned place = width; place > 0; place--) {
        const bool sign = c->negative && place == n + 1, gap = grouped && place % 3 == 1 && place > 1;
        if (gap && sign)
            text[at++] = ' ';
        text[at++] = place <= n ? end[-(int)place] : sign ? '-' : ' ';
        if (gap && !sign)
            text[at++] = place <= n ? ',' : ' ';
    }
    text[at] = '\0';
}

static void table_write_value(char *text, rows_kind kind, const rows_cell *c, unsigned width)
{
    if (c->state != ROWS_IS_NUMBER)
        snprintf(text, CELL, "%*s", c->state == ROWS_NONE ? 0 : (int)width,
                 c->state == ROWS_UNKNOWN   ? "unknown"
                 : c->state == ROWS_IS_TEXT ? c->text
                                            : "");
    else if (kind == ROWS_RATIO)
        snprintf(text, CELL, "%12" PRIu64 ".%03u", c->number / 1000, (unsigned)(c->number % 1000));
    else if (kind == ROWS_PERCENT)
        snprintf(text, CELL, "%4" PRIu64 ".%u", c->number / 10, (unsigned)(c->number % 10));
    else if (kind == ROWS_ADDRESS) {
        char hexadecimal[19];
        snprintf(hexadecimal, sizeof hexadecimal, "0x%" PRIx64, c->number);
        snprintf(text, CELL, "%*s", (int)(strlen("0x") + width), hexadecimal);
    } else
        write_number(text, c, width);
}

/* Other windows may show the same cell, so what is there changes only if it must. */
static void table_show_text(stat_tap_table_item_type *cell, const char *text)
{
    if (strcmp(cell->value.string_value, text) == 0)
        return;
    g_free((char *)(uintptr_t)cell->value.string_value);
    cell->value.string_value = g_strdup(text);
}

/* Wireshark's window makes a column as wide as its longest text, so longer ones would push other columns out of sight. */
static void show_name(stat_tap_table_item_type *cell, const rows_cell *c)
{
    enum { WIDEST = 80 };
    g_autoptr(GString) cut = NULL;
    const shown_name name = c->state == ROWS_IS_TEXT ? rows_name_in(c) : shown_name_of("");
    if (menus_windows() && g_utf8_strlen(name.text, -1) > WIDEST)
        short_name_append_cut(cut = g_string_new(NULL), &name, WIDEST, 0);
    table_show_text(cell, cut ? cut->str : name.text);
}

/* Wireshark's own numbers have 32 bits and, in windows, no commas, as is right for ordinals. */
static bool is_short_number(rows_kind kind)
{
    return kind == ROWS_ORDINAL || (kind == ROWS_COUNT && !menus_windows());
}

/* The heading of a time has ns. */
static void show_cell(stat_tap_table_item_type *cell, rows_kind kind, const rows_cell *c, unsigned width, bool in_ticks)
{
    char *text = (char *)(uintptr_t)cell->value.string_value;
    if (is_short_number(kind))
        cell->value.uint_value = c->state == ROWS_IS_NUMBER ? (guint)MIN(c->number, G_MAXUINT) : 0;
    else if (kind == ROWS_TEXT)
        show_name(cell, c);
    else
        table_write_value(text, kind, c, width);
    if (kind == ROWS_TIME && in_ticks && c->state == ROWS_IS_NUMBER)
        g_strlcat(text, " ticks", CELL);
}

static void table_add_row(const statistic *s, stat_tap_table *table)
{
    g_autofree stat_tap_table_item_type *cells = g_new0(stat_tap_table_item_type, s->counts->column_count + 1);
    cells[0].type = TABLE_ITEM_UINT;
    for (unsigned i = 0; i < s->counts->column_count; i++) {
        const rows_kind kind = s->counts->columns[s->state.shown[i]].kind;
        cells[i + 1].type = is_short_number(kind) ? TABLE_ITEM_UINT : TABLE_ITEM_STRING;
        if (cells[i + 1].type == TABLE_ITEM_STRING)
            cells[i + 1].value.string_value = kind == ROWS_TEXT ? g_strdup("") : g_malloc0(CELL);
    }
    stat_tap_init_table_row(table, table->num_elements, s->counts->column_count + 1, cells);
}

/* The first column is the place of a row in the order in which programs print them: Wireshark's window always begins with
 * its rows sorted by that column. */
static void show_rows(const statistic *s, stat_tap_table *table, const rows *r, const unsigned *order)
{
    unsigned widths[ROWS_COLUMNS_MAX] = {0};
    for (unsigned row = 0; row < rows_length(r); row++)
        for (unsigned i = 0; i < s->counts->column_count; i++)
            if (rows_at(r, row)[i].state == ROWS_IS_NUMBER)
                widths[i] = MAX(widths[i], digits_of(s->counts->columns[i].kind, &rows_at(r, row)[i]));
    for (unsigned row = 0; row < rows_length(r); row++) {
        if (row == table->num_elements)
            table_add_row(s, table);
        for (unsigned i = 0; i < s->counts->column_count; i++) {
            const unsigned of = s->state.shown[i];
            show_cell(stat_tap_get_field_data(table, row, i + 1), s->counts->columns[of].kind, &rows_at(r, row)[of],
                      widths[of], statistic_in_ticks(s->state.run));
        }
    }
    for (unsigned place = 0; place < rows_length(r); place++)
        stat_tap_get_field_data(table, order[place], 0)->value.uint_value = place + 1;
}

/* --- counting ---------------------------------------------------------------------------------------------------------- */

/* Programs draw once, at the end, and have their rows sorted; windows draw also in between, and sort themselves. */
static void table_before_drawing(void *data)
{
    statistic *s = data;
    stat_tap_table *table = stat_tap_find_table(&s->state.ui, s->table);
    if (!table || s->state.finished)
        return;
    s->state.finished = !menus_windows();
    rows *r = statistic_run_rows(s->state.run);
    const rows_sorting by = statistic_run_sorting(s->state.run);
    if (s->state.finished)
        rows_sort(r, &by);
    g_autofree unsigned *order = rows_in_order(r, &by);
    show_rows(s, table, r, order);
    rows_free(r);
}

static void table_listener_gone(void *data)
{
    ((statistic *)data)->state.listens = false;
}

void table_show(statistic_run *run)
{
    statistic *s = run->of;
    statistic_run_free(s->state.run);
    s->state.run = run;
    statistic_run_begin(run);
    s->state.finished = false;
}

/* Wireshark has only one table for all that ask for it, whatever their filters, and each counts into it. Windows count one
 * after the other, and again after Apply, each time from nothing. */
static void table_begin_counting(stat_tap_table_ui *ui)
{
    statistic *s = statistic_of(ui);
    g_autoptr(GError) error = NULL;
    if (s->state.listens)
        remove_tap_listener(s);
    if (stat_tap_find_table(ui, s->table) && !menus_windows())
        notices_say(NOTICE_COMMAND,
                    "%s was requested twice. Wireshark counts both in one table, so its numbers are those of both "
                    "filters together. Ask for one at a time.",
                    s->command);
    statistic_run *run = s->state.run ? g_steal_pointer(&s->state.run) : statistic_run_new(s);
    if (!run->filter && !statistic_run_take(run, "", &error)) /* some programs start all without words */
        notices_say(NOTICE_WARNING, "%s: %s", s->command, error->message);
    table_show(run);
    make_table(s);
}

static tap_packet_status table_packet(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *tapped,
                                      tap_flags_t flags _U_)
{
    statistic *s = statistic_of(((stat_data_t *)data)->stat_tap_data);
    if (!s->state.listens)
        s->state.listens = drawing_listen(s->tap, s, table_before_drawing, table_listener_gone);
    return statistic_run_packet(s->state.run, pinfo, tapped);
}

static void table_reset(stat_tap_table *table)
{
    statistic *s = registered;
    while (strcmp(s->table, table->title) != 0)
        s = s->state.next;
    empty_table(table);
    statistic_run_begin(s->state.run);
    s->state.finished = false;
}

/* --- registration ------------------------------------------------------------------------------------------------------ */

/* Appends those of `columns` that are not there yet: at most `most` numbers, or texts. */
static void show_columns(statistic *s, unsigned *n, const unsigned char *columns, unsigned count, unsigned most, bool texts)
{
    for (unsigned i = 0; i < count && most; i++)
        if (rows_holds_numbers(&s->counts->columns[columns[i]]) != texts && !memchr(s->state.shown, columns[i], *n)) {
            s->state.shown[(*n)++] = columns[i];
            most--;
        }
}

/* The usual columns that most traces fill. */
static unsigned usual_columns(const statistic *s, const rows *r, unsigned char columns[ROWS_COLUMNS_MAX])
{
    unsigned char usual[ROWS_COLUMNS_MAX], seldom[ROWS_COLUMNS_MAX] = {0};
    const unsigned count = rows_usual_columns(r, s->usual, usual),
                   few = s->seldom ? rows_usual_columns(r, s->seldom, seldom) : 0;
    unsigned n = 0;
    for (unsigned i = 0; i < count; i++)
        if (!memchr(seldom, usual[i], few))
            columns[n++] = usual[i];
    return n;
}

/* How many numbers come before the texts: Wireshark opens a window of 590 pixels, half of which are for texts. Columns are
 * at least as wide as their titles. */
static unsigned numbers_first(const statistic *s, const unsigned char *columns, unsigned count)
{
    enum { NUMBERS = 3, LETTERS = 32 };
    unsigned n = 0, letters = 0;
    for (unsigned i = 0; i < count && n < NUMBERS; i++) {
        const rows_column *c = &s->counts->columns[columns[i]];
        if (!rows_holds_numbers(c))
            continue;
        letters += (unsigned)(strlen(c->title) + (c->kind == ROWS_TIME ? strlen(" (ns)") : 0));
        if (n && letters > LETTERS)
            break;
        n++;
    }
    return n;
}

/* The order of columns in a window: a few numbers and the texts that say what they are about come first, as not all are seen
 * at once; only the texts where two names leave no room. Wireshark has all columns before it counts, so those that may stay
 * empty come after the usual ones. */
static void order_columns(statistic *s)
{
    const rows none = {.columns = s->counts->columns, .count = s->counts->column_count};
    unsigned char usual[ROWS_COLUMNS_MAX], all[ROWS_COLUMNS_MAX];
    const unsigned count = usual_columns(s, &none, usual), every = rows_usual_columns(&none, NULL, all);
    unsigned n = 0;
    show_columns(s, &n, usual, count, s->names_first ? 0 : numbers_first(s, usual, count), false);
    show_columns(s, &n, usual, count, count, true);
    show_columns(s, &n, usual, count, count, false);
    show_columns(s, &n, all, every, every, false);
    show_columns(s, &n, all, every, every, true);
}

/* Wireshark's columns; never freed. */
static stat_tap_table_item *items_of(const statistic *s)
{
    stat_tap_table_item *items = g_new0(stat_tap_table_item, s->counts->column_count + 1);
    items[0] = (stat_tap_table_item){TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "#", "%u"};
    for (unsigned i = 0; i < s->counts->column_count; i++) {
        const rows_column *c = &s->counts->columns[s->state.shown[i]];
        items[i + 1] = (stat_tap_table_item){
            .type = is_short_number(c->kind) ? TABLE_ITEM_UINT : TABLE_ITEM_STRING,
            .align = rows_holds_numbers(c) ? TAP_ALIGN_RIGHT : TAP_ALIGN_LEFT,
            .column_name = c->kind == ROWS_TIME ? g_strconcat(c->title, " (ns)", NULL) : c->title,
            .field_format = is_short_number(c->kind) ? "%u" : "%s",
        };
    }
    return items;
}

void table_register(statistic *s)
{
    order_columns(s);
    s->state.ui = (stat_tap_table_ui){
        .group = MENUS_GROUP,
        .title = s->title,
        .tap_name = s->tap,
        .cli_string = s->command,
        .stat_tap_init_cb = table_begin_counting,
        .packet_func = table_packet,
        .stat_tap_reset_table_cb = table_reset,
        .stat_tap_free_table_item_cb = free_cell,
        .nfields = s->counts->column_count + 1,
        .fields = items_of(s),
    };
    s->state.next = registered;
    registered = s;
    if (menus_windows()) /* another name than that of the command: Wireshark takes what follows the second comma for a filter
                          */
        s->state.ui.cli_string = g_strconcat("table,", g_strdelimit(g_strdup(s->command), ",", '-'), NULL); /* never freed */
    register_stat_tap_table_ui(&s->state.ui);
}
