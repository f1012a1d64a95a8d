/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics/rows_print.h"

#include <inttypes.h>
#include <string.h>

#include "util/json_text.h"
#include "util/text.h"

/* A print in progress. */
typedef struct printing {
    GString *text, *cell; /* `cell`: see shown() */
    const rows *rows;
    const rows_words *words;
    unsigned char columns[ROWS_COLUMNS_MAX];
    unsigned count;  /* of columns */
    unsigned length; /* rows that are printed */
    rows_writer write;
} printing;

#define WRITE_FROM (64u << 10)

static void write_some(const printing *p, size_t from)
{
    if (p->text->len >= from)
        p->write(p->text);
}

static void rows_print_append_number(GString *text, const rows_column *column, const rows_cell *c, const rows_words *w)
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

/* A cell as it is shown; valid until the next one. */
static const char *rows_print_shown(const printing *p, unsigned row, unsigned column)
{
    const rows_cell *c = &rows_at(p->rows, row)[column];
    g_string_truncate(p->cell, 0);
    if (c->state == ROWS_IS_TEXT) {
        text_append_shown(p->cell, c->text);
    } else if (c->state == ROWS_UNKNOWN) {
        g_string_append(p->cell, "unknown");
    } else if (c->state == ROWS_IS_NUMBER) {
        rows_print_append_number(p->cell, &p->rows->columns[column], c, p->words);
    }
    return p->cell->str;
}

/* The name of a column with its unit, for programs. */
static char *rows_print_full_name(const rows_column *column, const rows_words *w)
{
    g_autofree char *name = rows_column_name(column);
    const rows_unit unit = w->unit == ROWS_READABLE ? ROWS_NS : w->unit;
    return column->kind == ROWS_TIME ? g_strdup_printf("%s_%s", name, rows_unit_words[unit]) : g_steal_pointer(&name);
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
    for (unsigned i = 0; i < p->count; i++) {
        g_autofree char *name = rows_print_full_name(&p->rows->columns[p->columns[i]], p->words);
        g_string_append_printf(p->text, "%s%s", i ? "," : "", name);
    }
    g_string_append_c(p->text, '\n');
    for (unsigned row = 0; row < p->length; row++) {
        const gsize begin = p->text->len;
        for (unsigned i = 0; i < p->count; i++) {
            g_string_append(p->text, i ? "," : "");
            append_csv(p->text, rows_print_shown(p, row, p->columns[i]));
        }
        if (p->text->len == begin) /* readers skip an empty line */
            g_string_append(p->text, "\"\"");
        g_string_append_c(p->text, '\n');
        write_some(p, WRITE_FROM);
    }
}

static void append_member(const printing *p, unsigned row, unsigned i)
{
    const rows_column *column = &p->rows->columns[i];
    const rows_cell *c = &rows_at(p->rows, row)[i];
    g_autofree char *name = rows_print_full_name(column, p->words);
    json_text_append(p->text, name);
    g_string_append(p->text, ": ");
    if (c->state == ROWS_NONE && rows_holds_numbers(column))
        g_string_append(p->text, "null");
    else if (c->state == ROWS_IS_NUMBER && column->kind != ROWS_ADDRESS)
        g_string_append(p->text, rows_print_shown(p, row, i));
    else
        json_text_append(p->text, rows_print_shown(p, row, i));
}

static void print_json(const printing *p)
{
    for (unsigned row = 0; row < p->length; row++) {
        g_string_append(p->text, row ? ",\n" : "[\n");
        for (unsigned i = 0; i < p->count; i++) {
            g_string_append(p->text, i ? ", " : "{");
            append_member(p, row, p->columns[i]);
        }
        g_string_append_c(p->text, '}');
        write_some(p, WRITE_FROM);
    }
    g_string_append(p->text, p->length ? "\n]\n" : "[]\n");
}

void rows_print(const rows *r, const rows_words *w, const rows_heading *heading, const rows_page *page, rows_writer write)
{
    printing p = {.text = g_string_new(NULL),
                  .cell = g_string_new(NULL),
                  .rows = r,
                  .words = w,
                  .count = w->column_count ? w->column_count : r->count,
                  .length = w->top ? MIN(w->top, rows_length(r)) : rows_length(r),
                  .write = write};
    for (unsigned i = 0; i < p.count; i++)
        p.columns[i] = w->column_count ? w->columns[i] : (unsigned char)i;
    if (w->form == ROWS_AS_TEXT)
        rows_append_text(p.text, r, w, heading, page, write);
    else
        (w->form == ROWS_AS_CSV ? print_csv : print_json)(&p);
    write_some(&p, 1);
    g_string_free(p.text, TRUE);
    g_string_free(p.cell, TRUE);
}
