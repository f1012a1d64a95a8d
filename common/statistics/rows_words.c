/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics/rows_words.h"

#include <inttypes.h>
#include <string.h>

#include "util/json_text.h"
#include "util/text.h"

static const char *const unit_words[] = {[ROWS_NS] = "ns", [ROWS_US] = "us", [ROWS_TICKS] = "ticks"};
static const char *const unit_titles[] = {[ROWS_NS] = "ns", [ROWS_US] = "µs", [ROWS_TICKS] = "ticks"};

/* The name of a column: its title in lower case, with underscores for all but letters and digits. */
static char *column_name(const rows_column *column)
{
    GString *name = g_string_new(NULL);
    for (const char *c = column->title; *c; c++) {
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

static bool has_kind(const rows_column *columns, unsigned count, rows_kind kind)
{
    unsigned i = 0;
    while (i < count && columns[i].kind != kind)
        i++;
    return i < count;
}

char *rows_words_help(const rows_column *columns, unsigned count, const char *own)
{
    GString *text = g_string_new("Words before the filter: csv, json, sort:COLUMN, top:N, ns, us, ticks");
    g_string_append(text, has_kind(columns, count, ROWS_PERCENT) ? ", min:N%" : "");
    g_string_append_printf(text, "%s%s. Columns: ", own ? ", " : "", own ? own : "");
    for (unsigned i = 0; i < count; i++) {
        g_autofree char *name = column_name(&columns[i]);
        g_string_append_printf(text, "%s%s", i ? ", " : "", name);
    }
    g_string_append_c(text, '.');
    return g_string_free(text, FALSE);
}

static void take_sort(rows_words *w, const rows_column *columns, unsigned count, const char *column, char **error)
{
    w->order = *column == '+' ? ROWS_RISING : *column == '-' ? ROWS_FALLING : ROWS_USUAL;
    if (w->order != ROWS_USUAL)
        column++;
    for (unsigned i = 0; i < count; i++) {
        g_autofree char *name = column_name(&columns[i]);
        w->sorted_by = i;
        if (strcmp(name, column) == 0)
            return;
    }
    *error = g_strdup_printf("no column is called \"%s\"", column);
}

static void take_top(rows_words *w, const char *number, char **error)
{
    guint64 top;
    if (g_ascii_string_to_unsigned(number, 10, 1, G_MAXUINT, &top, NULL))
        w->top = (unsigned)top;
    else
        *error = g_strdup_printf("\"top:%s\" needs a number of rows, from 1", number);
}

/* A number, which may have decimals, with or without a percent sign. */
static void take_min(rows_words *w, const rows_column *columns, unsigned count, const char *number, char **error)
{
    char *end;
    const double percent = g_ascii_strtod(number, &end);
    if (!has_kind(columns, count, ROWS_PERCENT))
        *error = g_strdup_printf("\"min:%s\" needs a column of percentages, and there is none", number);
    else if (end == number || strcmp(end, *end == '%' ? "%" : "") != 0 || !(percent >= 0 && percent <= 100))
        *error = g_strdup_printf("\"min:%s\" needs a percentage, from 0 to 100", number);
    else
        w->least = (unsigned)(percent * 10 + 0.5);
}

bool rows_words_take(rows_words *w, const rows_column *columns, unsigned count, const char *word, char **error)
{
    for (rows_unit unit = ROWS_NS; unit <= ROWS_TICKS; unit++)
        if (strcmp(word, unit_words[unit]) == 0) {
            w->unit = unit;
            if (!has_kind(columns, count, ROWS_TIME))
                *error = g_strdup_printf("\"%s\" is a unit of time, and no column is a time", word);
            return true;
        }
    if (g_str_has_prefix(word, "sort:"))
        take_sort(w, columns, count, word + strlen("sort:"), error);
    else if (g_str_has_prefix(word, "top:"))
        take_top(w, word + strlen("top:"), error);
    else if (g_str_has_prefix(word, "min:"))
        take_min(w, columns, count, word + strlen("min:"), error);
    else if (strcmp(word, "csv") == 0)
        w->form = ROWS_AS_CSV;
    else if (strcmp(word, "json") == 0)
        w->form = ROWS_AS_JSON;
    else
        return false;
    return true;
}

/* --- printing --------------------------------------------------------------------------------------------------------- */

/* A print in progress. */
typedef struct printing {
    GString *text, *cell; /* `cell`: see shown() */
    const rows *rows;
    const rows_words *words;
    const rows_heading *heading;
    rows_writer write;
    unsigned length; /* rows that are printed */
} printing;

#define WRITE_FROM (64u << 10)

static void write_some(const printing *p, size_t from)
{
    if (p->text->len >= from)
        p->write(p->text);
}

static void append_number(GString *text, const rows_column *column, const rows_cell *c, const rows_words *w)
{
    const bool thousandths = column->kind == ROWS_RATIO || (column->kind == ROWS_TIME && w->unit == ROWS_US);
    if (c->negative)
        g_string_append_c(text, '-');
    if (column->kind == ROWS_ADDRESS)
        g_string_append(text, "0x");
    if (column->kind == ROWS_PERCENT)
        g_string_append_printf(text, "%" PRIu64 ".%u", c->number / 10, (unsigned)(c->number % 10));
    else if (thousandths)
        g_string_append_printf(text, "%" PRIu64 ".%03u", c->number / 1000, (unsigned)(c->number % 1000));
    else
        text_append_digits(text, c->number, column->kind == ROWS_ADDRESS ? 16 : 10);
}

/* A cell as it is shown, without blanks around it; valid until the next one. */
static const char *shown(const printing *p, unsigned row, unsigned column)
{
    const rows_cell *c = &rows_at(p->rows, row)[column];
    g_string_truncate(p->cell, 0);
    if (c->state == ROWS_IS_TEXT) {
        g_autofree char *text = text_show_all(c->text);
        g_string_append(p->cell, text);
    } else if (c->state == ROWS_UNKNOWN) {
        g_string_append(p->cell, "unknown");
    } else if (c->state == ROWS_IS_NUMBER) {
        append_number(p->cell, &p->rows->columns[column], c, p->words);
    }
    return p->cell->str;
}

/* The name of a column with its unit, for programs. */
static char *full_name(const rows_column *column, const rows_words *w)
{
    g_autofree char *name = column_name(column);
    return column->kind == ROWS_TIME ? g_strdup_printf("%s_%s", name, unit_words[w->unit]) : g_steal_pointer(&name);
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

static void print_csv(const printing *p)
{
    const rows *r = p->rows;
    for (unsigned i = 0; i < r->count; i++) {
        g_autofree char *name = full_name(&r->columns[i], p->words);
        g_string_append_printf(p->text, "%s%s", i ? "," : "", name);
    }
    g_string_append_c(p->text, '\n');
    for (unsigned row = 0; row < p->length; row++) {
        for (unsigned i = 0; i < r->count; i++) {
            g_string_append(p->text, i ? "," : "");
            append_csv(p->text, shown(p, row, i));
        }
        g_string_append_c(p->text, '\n');
        write_some(p, WRITE_FROM);
    }
}

static void append_member(const printing *p, unsigned row, unsigned i)
{
    const rows_column *column = &p->rows->columns[i];
    const rows_cell *c = &rows_at(p->rows, row)[i];
    g_autofree char *name = full_name(column, p->words);
    json_text_append(p->text, name);
    g_string_append(p->text, ": ");
    if (c->state == ROWS_NONE && rows_holds_numbers(column))
        g_string_append(p->text, "null");
    else if (c->state == ROWS_IS_NUMBER && column->kind != ROWS_ADDRESS)
        g_string_append(p->text, shown(p, row, i));
    else
        json_text_append(p->text, shown(p, row, i));
}

static void print_json(const printing *p)
{
    const rows *r = p->rows;
    for (unsigned row = 0; row < p->length; row++) {
        g_string_append(p->text, row ? ",\n" : "[\n");
        for (unsigned i = 0; i < r->count; i++) {
            g_string_append(p->text, i ? ", " : "{");
            append_member(p, row, i);
        }
        g_string_append_c(p->text, '}');
        write_some(p, WRITE_FROM);
    }
    g_string_append(p->text, p->length ? "\n]\n" : "[]\n");
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

static unsigned width_of(const rows_column *column)
{
    enum { NUMBERS = 16 };
    return column->width ? column->width : column->kind == ROWS_TEXT ? 0 : NUMBERS;
}

static void append_blanks(GString *text, glong count)
{
    for (; count > 0; count--)
        g_string_append_c(text, ' ');
}

static void append_cell(const printing *p, unsigned row, unsigned i)
{
    const rows_column *column = &p->rows->columns[i];
    const bool left = column->kind == ROWS_TEXT;
    const char *value = shown(p, row, i);
    glong blanks = *value ? (glong)width_of(column) - g_utf8_strlen(value, -1) : 0;
    for (const char *bar = value; (bar = strchr(bar, '|')) != NULL; bar++)
        blanks--;
    append_blanks(p->text, left ? 0 : blanks);
    append_without_bars(p->text, value);
    append_blanks(p->text, left ? blanks : 0);
    g_string_append(p->text, " |");
}

static void print_text(const printing *p)
{
    static const char line[] =
        "=====================================================================================================\n";
    const rows *r = p->rows;
    g_string_append_printf(p->text, "\n%s%s:\nFilter for statistics: %s\n", line, p->heading->title,
                           p->heading->filter ? p->heading->filter : "");
    for (unsigned i = 0; i < r->count; i++) {
        g_string_append(p->text, r->columns[i].title);
        if (r->columns[i].kind == ROWS_TIME)
            g_string_append_printf(p->text, " (%s)", unit_titles[p->words->unit]);
        g_string_append(p->text, " |");
    }
    g_string_append_printf(p->text, "\n%s\n", p->heading->table);
    for (unsigned row = 0; row < p->length; row++) {
        for (unsigned i = 0; i < r->count; i++)
            append_cell(p, row, i);
        g_string_append_c(p->text, '\n');
        write_some(p, WRITE_FROM);
    }
    g_string_append(p->text, line);
}

static void append_wide(GString *text, const rows *r, unsigned i, const char *value)
{
    const int width = (int)width_of(&r->columns[i]);
    g_string_append_printf(text, "%*s%c", r->columns[i].kind == ROWS_TEXT ? -width : width, value,
                           i + 1 < r->count ? ' ' : '\n');
}

void rows_append_titles(GString *text, const rows *r)
{
    for (unsigned i = 0; i < r->count; i++) {
        g_autofree char *title = g_strconcat(r->columns[i].title, r->columns[i].kind == ROWS_TIME ? " (ns)" : "", NULL);
        append_wide(text, r, i, title);
    }
}

void rows_append_line(GString *text, const rows *r, unsigned row)
{
    static const rows_words none;
    g_autoptr(GString) number = g_string_new(NULL);
    for (unsigned i = 0; i < r->count; i++) {
        const rows_cell *c = &rows_at(r, row)[i];
        g_string_truncate(number, 0);
        if (c->state == ROWS_IS_NUMBER)
            append_number(number, &r->columns[i], c, &none);
        append_wide(text, r, i, c->state == ROWS_IS_TEXT ? c->text : number->str);
    }
}

void rows_print(const rows *r, const rows_words *w, const rows_heading *heading, rows_writer write)
{
    static void (*const forms[])(const printing *) = {
        [ROWS_AS_TEXT] = print_text, [ROWS_AS_CSV] = print_csv, [ROWS_AS_JSON] = print_json};
    const printing p = {.text = g_string_new(NULL),
                        .cell = g_string_new(NULL),
                        .rows = r,
                        .words = w,
                        .heading = heading,
                        .write = write,
                        .length = w->top ? MIN(w->top, rows_length(r)) : rows_length(r)};
    forms[w->form](&p);
    write_some(&p, 1);
    g_string_free(p.text, TRUE);
    g_string_free(p.cell, TRUE);
}
