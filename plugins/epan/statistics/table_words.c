/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics/table_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/json_text.h"
#include "host/printing.h"
#include "util/text.h"

/* Times are columns whose title ends with this. Their cells are nanoseconds, or ticks if those are wanted. */
#define TIME_SUFFIX " (ns)"

static const char *const unit_words[] = {[TABLE_NS] = "ns", [TABLE_US] = "us", [TABLE_TICKS] = "ticks"};
static const char *const unit_titles[] = {[TABLE_NS] = "ns", [TABLE_US] = "µs", [TABLE_TICKS] = "ticks"};

static bool is_time(const stat_tap_table_item *column)
{
    return g_str_has_suffix(column->column_name, TIME_SUFFIX);
}

/* The title without a unit. */
static char *plain_title(const stat_tap_table_item *column)
{
    return g_strndup(column->column_name, strlen(column->column_name) - (is_time(column) ? strlen(TIME_SUFFIX) : 0));
}

/* The name of a column: its title in lower case, with underscores for all but letters and digits. */
static char *column_name(const stat_tap_table_item *column)
{
    g_autofree char *title = plain_title(column);
    GString *name = g_string_new(NULL);
    for (const char *c = title; *c; c++) {
        if (g_ascii_isalnum(*c))
            g_string_append_c(name, g_ascii_tolower(*c));
        else if (*c == '%')
            g_string_append(name, "percent");
        else if (name->len && name->str[name->len - 1] != '_')
            g_string_append_c(name, '_');
    }
    if (name->len && name->str[name->len - 1] == '_')
        g_string_truncate(name, name->len - 1);
    return g_string_free(name, FALSE);
}

/* --- words ------------------------------------------------------------------------------------------------------------ */

static void append_columns(GString *text, const stat_tap_table_ui *ui)
{
    for (guint i = 0; i < ui->nfields; i++) {
        g_autofree char *name = column_name(&ui->fields[i]);
        g_string_append_printf(text, "%s%s", i ? ", " : "", name);
    }
}

char *table_words_help(const stat_tap_table_ui *ui, const char *own)
{
    GString *text = g_string_new("Words before the filter: csv, json, sort:COLUMN, top:N, ns, us, ticks");
    g_string_append_printf(text, "%s%s. Columns: ", own ? ", " : "", own ? own : "");
    append_columns(text, ui);
    g_string_append_c(text, '.');
    return g_string_free(text, FALSE);
}

static bool has_times(const stat_tap_table_ui *ui)
{
    guint i = 0;
    while (i < ui->nfields && !is_time(&ui->fields[i]))
        i++;
    return i < ui->nfields;
}

static void take_sort(table_words *w, const stat_tap_table_ui *ui, const char *column, char **error)
{
    w->order = *column == '+' ? TABLE_RISING : *column == '-' ? TABLE_FALLING : TABLE_USUAL;
    if (w->order != TABLE_USUAL)
        column++;
    for (guint i = 0; i < ui->nfields; i++) {
        g_autofree char *name = column_name(&ui->fields[i]);
        w->sorted_by = i;
        if (strcmp(name, column) == 0)
            return;
    }
    *error = g_strdup_printf("no column is called \"%s\"", column);
}

static void take_top(table_words *w, const char *number, char **error)
{
    guint64 top;
    if (g_ascii_string_to_unsigned(number, 10, 1, G_MAXUINT, &top, NULL))
        w->top = (unsigned)top;
    else
        *error = g_strdup_printf("\"top:%s\" needs a number of rows, from 1", number);
}

bool table_words_take(table_words *w, const stat_tap_table_ui *ui, const char *word, char **error)
{
    for (table_unit unit = TABLE_NS; unit <= TABLE_TICKS; unit++)
        if (strcmp(word, unit_words[unit]) == 0) {
            w->unit = unit;
            if (!has_times(ui))
                *error = g_strdup_printf("\"%s\" is a unit of time, and no column is a time", word);
            return true;
        }
    if (g_str_has_prefix(word, "sort:"))
        take_sort(w, ui, word + strlen("sort:"), error);
    else if (g_str_has_prefix(word, "top:"))
        take_top(w, word + strlen("top:"), error);
    else if (strcmp(word, "csv") == 0)
        w->form = TABLE_CSV;
    else if (strcmp(word, "json") == 0)
        w->form = TABLE_JSON;
    else
        return false;
    return true;
}

/* --- cells ------------------------------------------------------------------------------------------------------------ */

bool table_holds_numbers(const stat_tap_table_item *column)
{
    return column->type == TABLE_ITEM_UINT || column->align == TAP_ALIGN_RIGHT;
}

/* Without the blanks around it, which give numbers one width; g_free() it. */
static char *text_of(const stat_tap_table_item *column, const stat_tap_table_item_type *cell)
{
    if (cell->type == TABLE_ITEM_UINT)
        return g_strdup_printf("%u", cell->value.uint_value);
    if (cell->type != TABLE_ITEM_STRING)
        return g_strdup("");
    char *text = text_show_all(cell->value.string_value);
    return table_holds_numbers(column) ? g_strstrip(text) : text;
}

/* Digits that may have a minus sign before them and a fraction after them. */
static bool is_number(const char *text)
{
    const char *digits = text + (*text == '-');
    size_t whole = strspn(digits, "0123456789");
    const char *rest = digits + whole;
    size_t fraction = *rest == '.' ? strspn(rest + 1, "0123456789") : 0;
    return whole && (*rest == '\0' || (fraction && rest[1 + fraction] == '\0'));
}

/* As it is shown: in the unit that is wanted. */
static char *shown(const stat_tap_table_item *column, const stat_tap_table_item_type *cell, const table_words *w)
{
    char *text = text_of(column, cell);
    if (w->unit != TABLE_US || !is_time(column) || !is_number(text))
        return text;
    bool negative = *text == '-';
    guint64 ns = g_ascii_strtoull(text + negative, NULL, 10);
    g_free(text);
    return g_strdup_printf("%s%" PRIu64 ".%03u", negative ? "-" : "", ns / 1000, (unsigned)(ns % 1000));
}

/* Orders like the numbers, which are all in one unit and have at most one fraction of the same length. */
static int compare_numbers(const char *a, const char *b)
{
    bool negative = *a == '-';
    if (negative != (*b == '-'))
        return negative ? -1 : 1;
    const char *x = a + negative, *y = b + negative;
    size_t m = strcspn(x, "."), n = strcspn(y, ".");
    int order = m != n ? (m > n) - (m < n) : strcmp(x, y);
    return negative ? -order : order;
}

int table_compare_cells(const stat_tap_table_item *column, const stat_tap_table_item_type *a,
                        const stat_tap_table_item_type *b, bool falling)
{
    g_autofree char *x = text_of(column, a), *y = text_of(column, b);
    bool numbers = table_holds_numbers(column), none_x = numbers && !is_number(x), none_y = numbers && !is_number(y);
    if (none_x != none_y)
        return none_x - none_y;
    int order = numbers && !none_x ? compare_numbers(x, y) : strcmp(x, y);
    return falling ? -order : order;
}

/* --- printing --------------------------------------------------------------------------------------------------------- */

#define FLUSH_FROM (64u << 10)

static void flush(GString *text, size_t from)
{
    if (text->len >= from)
        printing_flush(text);
}

static guint rows_of(const stat_tap_table *table, const table_words *w)
{
    return w->top ? MIN(w->top, table->num_elements) : table->num_elements;
}

/* The name of a column with its unit, for programs. */
static char *full_name(const stat_tap_table_item *column, const table_words *w)
{
    g_autofree char *name = column_name(column);
    return is_time(column) ? g_strdup_printf("%s_%s", name, unit_words[w->unit]) : g_steal_pointer(&name);
}

/* RFC 4180. */
static void append_csv(GString *text, const char *value)
{
    if (!strpbrk(value, ",\"\r\n")) {
        g_string_append(text, value);
        return;
    }
    g_string_append_c(text, '"');
    for (; *value; value++) {
        if (*value == '"')
            g_string_append_c(text, '"');
        g_string_append_c(text, *value);
    }
    g_string_append_c(text, '"');
}

static void print_csv(GString *text, const stat_tap_table_ui *ui, const stat_tap_table *table, const table_words *w)
{
    for (guint i = 0; i < ui->nfields; i++) {
        g_autofree char *name = full_name(&ui->fields[i], w);
        g_string_append_printf(text, "%s%s", i ? "," : "", name);
    }
    g_string_append_c(text, '\n');
    for (guint row = 0; row < rows_of(table, w); row++) {
        for (guint i = 0; i < ui->nfields; i++) {
            g_autofree char *value = shown(&ui->fields[i], stat_tap_get_field_data(table, row, i), w);
            g_string_append(text, i ? "," : "");
            append_csv(text, value);
        }
        g_string_append_c(text, '\n');
        flush(text, FLUSH_FROM);
    }
}

static void append_member(GString *text, const stat_tap_table_item *column, const stat_tap_table_item_type *cell,
                          const table_words *w)
{
    g_autofree char *name = full_name(column, w), *value = shown(column, cell, w);
    json_text_append(text, name);
    g_string_append(text, ": ");
    if (!table_holds_numbers(column))
        json_text_append(text, value);
    else if (is_number(value))
        g_string_append(text, value);
    else if (*value)
        json_text_append(text, value);
    else
        g_string_append(text, "null");
}

static void print_json(GString *text, const stat_tap_table_ui *ui, const stat_tap_table *table, const table_words *w)
{
    for (guint row = 0; row < rows_of(table, w); row++) {
        g_string_append(text, row ? ",\n" : "[\n");
        for (guint i = 0; i < ui->nfields; i++) {
            g_string_append(text, i ? ", " : "{");
            append_member(text, &ui->fields[i], stat_tap_get_field_data(table, row, i), w);
        }
        g_string_append_c(text, '}');
        flush(text, FLUSH_FROM);
    }
    g_string_append(text, rows_of(table, w) ? "\n]\n" : "[]\n");
}

/* In the text form a `|` between cells has a blank before it, and one inside a name a backslash. */
static void append_without_bars(GString *text, const char *value)
{
    for (; *value; value++) {
        if (*value == '|')
            g_string_append_c(text, '\\');
        g_string_append_c(text, *value);
    }
}

static void append_blanks(GString *text, glong count)
{
    for (; count > 0; count--)
        g_string_append_c(text, ' ');
}

/* The least width of a column, negative if it is aligned to the left: the number in a format such as "%-40s". */
static int width_of(const stat_tap_table_item *column)
{
    enum { TIME_WIDTH = 16 }; /* as table_set() gives them */
    return is_time(column) ? TIME_WIDTH : atoi(column->field_format + 1);
}

static void append_cell(GString *text, const stat_tap_table_item *column, const stat_tap_table_item_type *cell,
                        const table_words *w)
{
    bool as_it_is = cell->type == TABLE_ITEM_STRING && (w->unit != TABLE_US || !is_time(column));
    g_autofree char *value = as_it_is ? text_show_all(cell->value.string_value) : shown(column, cell, w);
    const int width = *value ? width_of(column) : 0;
    glong blanks = ABS(width) - g_utf8_strlen(value, -1);
    for (const char *bar = value; (bar = strchr(bar, '|')) != NULL; bar++)
        blanks--;
    append_blanks(text, width > 0 ? blanks : 0);
    append_without_bars(text, value);
    append_blanks(text, width < 0 ? blanks : 0);
    g_string_append(text, " |");
}

static void print_text(GString *text, const stat_tap_table_ui *ui, const stat_tap_table *table, const table_words *w,
                       const char *filter)
{
    static const char line[] =
        "=====================================================================================================\n";
    g_string_append_printf(text, "\n%s%s:\nFilter for statistics: %s\n", line, ui->title, filter ? filter : "");
    for (guint i = 0; i < ui->nfields; i++) {
        const stat_tap_table_item *column = &ui->fields[i];
        g_autofree char *title = plain_title(column);
        if (is_time(column))
            g_string_append_printf(text, "%s (%s) |", title, unit_titles[w->unit]);
        else
            g_string_append_printf(text, "%s |", title);
    }
    g_string_append_printf(text, "\n%s\n", table->title);
    for (guint row = 0; row < rows_of(table, w); row++) {
        for (guint i = 0; i < ui->nfields; i++)
            append_cell(text, &ui->fields[i], stat_tap_get_field_data(table, row, i), w);
        g_string_append_c(text, '\n');
        flush(text, FLUSH_FROM);
    }
    g_string_append(text, line);
}

void table_print(const stat_tap_table_ui *ui, const stat_tap_table *table, const table_words *w, const char *filter)
{
    GString *text = g_string_new(NULL);
    if (w->form == TABLE_CSV)
        print_csv(text, ui, table, w);
    else if (w->form == TABLE_JSON)
        print_json(text, ui, table, w);
    else
        print_text(text, ui, table, w, filter);
    flush(text, 1);
    g_string_free(text, TRUE);
}
