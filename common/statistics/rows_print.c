/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics/rows_print.h"

#include <inttypes.h>
#include <string.h>

#include "statistics/first_rows.h"
#include "util/json_text.h"
#include "util/text.h"

/* A print in progress. */
typedef struct printing {
    GString *text, *cell; /* `cell`: a text as it is shown */
    const rows_column *all;
    const rows_words *words;
    unsigned char columns[ROWS_COLUMNS_MAX];
    char *keys[ROWS_COLUMNS_MAX]; /* for JSON: the names of these columns, with what is between name and value */
    unsigned count;               /* of columns */
    enum { OTHER, DIGITS_ONLY, WORDS } numbers[ROWS_COLUMNS_MAX]; /* of these columns; WORDS: true and false */
    rows_writer write;
} printing;

#define DIGITS 24u /* of a number, with a sign and a comma; at most. As words they are shorter */

static void rows_print_append_number(GString *text, const rows_column *column, const rows_cell *c, const rows_words *w)
{
    const bool thousandths = column->kind == ROWS_RATIO || (rows_holds_times(column) && w->unit == ROWS_US);
    const bool hex = column->kind == ROWS_ADDRESS && !w->decimal;
    if (c->negative)
        g_string_append_c(text, '-');
    if (hex)
        g_string_append(text, "0x");
    if (column->kind == ROWS_PERCENT)
        g_string_append_printf(text, "%" PRIu64 ".%u", c->number / 10, (unsigned)(c->number % 10));
    else if (thousandths)
        g_string_append_printf(text, "%" PRIu64 ".%03u", c->number / 1000, (unsigned)(c->number % 1000));
    else if (column->kind == ROWS_YES_NO)
        g_string_append(text, c->number ? "true" : "false");
    else
        text_append_digits(text, c->number, hex ? 16 : 10);
}

void rows_append_cell(GString *text, const rows_column *column, const rows_cell *c)
{
    static const rows_words none;
    if (c->state == ROWS_IS_NUMBER)
        rows_print_append_number(text, column, c, &none);
    else if (c->state == ROWS_IS_TEXT)
        g_string_append(text, c->text);
}

char *rows_column_unit_name(const rows_column *column, const rows_words *w)
{
    g_autofree char *name = rows_column_name(column);
    const rows_unit asked = rows_column_unit(column, w->unit), unit = asked == ROWS_READABLE ? ROWS_NS : asked;
    return rows_holds_times(column) ? g_strdup_printf("%s_%s", name, rows_unit_words[unit]) : g_steal_pointer(&name);
}

/* RFC 4180. */
static void append_csv(GString *text, const char *value)
{
    if (!strpbrk(value, ",\"\r\n")) {
        g_string_append(text, value);
        return;
    }
    g_string_append_c(text, '"');
    for (const char *quote; (quote = strchr(value, '"')) != NULL; value = quote + 1) {
        g_string_append_len(text, value, quote + 1 - value);
        g_string_append_c(text, '"');
    }
    g_string_append(text, value);
    g_string_append_c(text, '"');
}

/* Returns a text as it is shown; valid until the next one. */
static const char *text_shown(printing *p, const char *text)
{
    if (text_plain(text))
        return text;
    g_string_truncate(p->cell, 0);
    text_append_shown(p->cell, text);
    return p->cell->str;
}

static void print_csv_titles(printing *p)
{
    for (unsigned i = 0; i < p->count; i++) {
        g_autofree char *name = rows_column_unit_name(&p->all[p->columns[i]], p->words);
        g_string_append_printf(p->text, "%s%s", i ? "," : "", name);
    }
    g_string_append_c(p->text, '\n');
}

/* As rows_cell.plain. */
static uint32_t plain_length(const rows_cell *c)
{
    return c->names & (ROWS_TWO_NAMES | ROWS_INDENTED) ? 0 : c->plain;
}

static void print_csv_cell(printing *p, const rows_column *column, const rows_cell *c)
{
    if (c->state == ROWS_IS_NUMBER)
        rows_print_append_number(p->text, column, c, p->words);
    else if (c->state == ROWS_IS_TEXT)
        append_csv(p->text, plain_length(c) ? c->text : text_shown(p, c->text));
    else if (c->state == ROWS_UNKNOWN)
        g_string_append(p->text, "unknown");
}

/* More bytes than plain numbers need in all further columns, if a text of `length` is before them. */
static size_t room_for(const printing *p, unsigned from, size_t length)
{
    return (p->count - from + 1) * DIGITS + length;
}

/* Where the next cell is written, with room for plain numbers in all columns from this one on. */
static char *begin_cells(const printing *p, unsigned from)
{
    GString *text = p->text;
    const size_t room = room_for(p, from, 0), length = text->len;
    if (G_UNLIKELY(text->allocated_len - length <= room))
        g_string_truncate(g_string_set_size(text, length + room), length);
    return text->str + length;
}

static char *put_number(char *to, const rows_cell *c)
{
    char digits[2 * DIGITS], *const end = digits + DIGITS, *const first = text_digits(end, c->number, 10);
    if (c->negative)
        *to++ = '-';
    memcpy(to, first, DIGITS); /* more than there are takes less than as many as there are */
    return to + (end - first);
}

/* `cells`: of each column. */
static void print_csv(printing *p, const rows_cell *cells)
{
    GString *text = p->text;
    const gsize begin = text->len;
    char *to = begin_cells(p, 0);
    for (unsigned i = 0; i < p->count; i++, *to++ = ',') {
        const rows_cell *c = &cells[i];
        if (c->state == ROWS_NONE)
            continue;
        if (c->state == ROWS_IS_NUMBER && p->numbers[i] == DIGITS_ONLY) {
            to = put_number(to, c);
        } else if (c->state == ROWS_IS_NUMBER && p->numbers[i] == WORDS) {
            to = (char *)memcpy(to, c->number ? "true" : "false", 5) + (c->number ? 4 : 5);
        } else if (c->state == ROWS_IS_TEXT && plain_length(c) &&
                   text->allocated_len - (gsize)(to - text->str) > room_for(p, i, c->plain)) {
            to = (char *)memcpy(to, c->text, c->plain) + c->plain;
        } else {
            text->len = (gsize)(to - text->str);
            print_csv_cell(p, &p->all[p->columns[i]], c);
            to = begin_cells(p, i + 1);
        }
    }
    text->len = (gsize)(to - text->str) - 1; /* the last comma */
    if (text->len == begin)                  /* readers skip an empty line */
        g_string_append(text, "\"\"");
    g_string_append_c(text, '\n');
    text_write_piece(p->text, p->write);
}

static void name_members(printing *p)
{
    g_autoptr(GString) key = g_string_new(NULL);
    for (unsigned i = 0; i < p->count; i++) {
        g_autofree char *name = rows_column_unit_name(&p->all[p->columns[i]], p->words);
        g_string_assign(key, i ? ", " : "{");
        json_text_append(key, name);
        g_string_append(key, ": ");
        p->keys[i] = g_strdup(key->str);
    }
}

static void print_json(printing *p, const rows_cell *cells)
{
    for (unsigned i = 0; i < p->count; i++) {
        const rows_column *column = &p->all[p->columns[i]];
        const rows_cell *c = &cells[i];
        g_string_append(p->text, p->keys[i]);
        if (c->state == ROWS_NONE && rows_holds_numbers(column)) {
            g_string_append(p->text, "null");
        } else if (c->state == ROWS_IS_NUMBER &&
                   (column->kind == ROWS_TEXT || (column->kind == ROWS_ADDRESS && !p->words->decimal))) {
            g_string_append_c(p->text, '"');
            rows_print_append_number(p->text, column, c, p->words);
            g_string_append_c(p->text, '"');
        } else if (c->state == ROWS_IS_NUMBER) {
            rows_print_append_number(p->text, column, c, p->words);
        } else {
            json_text_append(p->text, c->state == ROWS_IS_TEXT   ? text_shown(p, c->text)
                                      : c->state == ROWS_UNKNOWN ? "unknown"
                                                                 : "");
        }
    }
    g_string_append_c(p->text, '}');
}

/* The cells of a row in the order of the columns that are printed. */
static const rows_cell *ordered_cells(const printing *p, const rows_cell *row, rows_cell cells[ROWS_COLUMNS_MAX])
{
    for (unsigned i = 0; i < p->count; i++)
        cells[i] = row[p->columns[i]];
    return cells;
}

static void print_all(printing *p, const rows *r, unsigned length)
{
    rows_cell cells[ROWS_COLUMNS_MAX];
    if (p->words->form == ROWS_AS_CSV) {
        print_csv_titles(p);
        for (unsigned row = 0; row < length; row++)
            print_csv(p, ordered_cells(p, rows_at(r, row), cells));
        return;
    }
    name_members(p);
    for (unsigned row = 0; row < length; row++) {
        g_string_append(p->text, row ? ",\n" : "[\n");
        print_json(p, ordered_cells(p, rows_at(r, row), cells));
        text_write_piece(p->text, p->write);
    }
    g_string_append(p->text, length ? "\n]\n" : "[]\n");
}

static void printing_begin(printing *p, const rows_column *columns, unsigned count, const rows_words *w, rows_writer write)
{
    *p = (printing){.text = g_string_new(NULL),
                    .cell = g_string_new(NULL),
                    .all = columns,
                    .words = w,
                    .count = w->column_count ? w->column_count : count,
                    .write = write};
    for (unsigned i = 0; i < p->count; i++) {
        p->columns[i] = w->column_count ? w->columns[i] : (unsigned char)i;
        const rows_column *c = &columns[p->columns[i]];
        if (c->kind == ROWS_YES_NO)
            p->numbers[i] = WORDS;
        else if (c->kind == ROWS_COUNT || c->kind == ROWS_NUMBER || c->kind == ROWS_ORDINAL ||
                 (c->kind == ROWS_ADDRESS && w->decimal) || (rows_holds_times(c) && w->unit != ROWS_US))
            p->numbers[i] = DIGITS_ONLY;
    }
}

static void printing_end(printing *p)
{
    if (p->text->len)
        p->write(p->text);
    g_string_free(p->text, TRUE);
    g_string_free(p->cell, TRUE);
    for (unsigned i = 0; i < p->count; i++)
        g_free(p->keys[i]);
}

void rows_print(const rows *r, const rows_words *w, rows_writer write)
{
    printing p;
    printing_begin(&p, r->columns, r->count, w, write);
    print_all(&p, r, w->top ? MIN(w->top, rows_length(r)) : rows_length(r));
    printing_end(&p);
}

/* --- rows one by one --------------------------------------------------------------------------------------------------- */

struct rows_stream {
    printing printing;
    const rows_heading *heading;
    const rows_page *page;
    rows *table; /* of a table: its rows */
    first_rows *rows;
    rows_cell *cells;                        /* of the next one */
    unsigned count;                          /* of cells */
    uint64_t printed;                        /* rows, at most */
    unsigned char columns[ROWS_COLUMNS_MAX]; /* of the cells */
};

/* Rows are sorted by the cell of a column that is printed, or of one more. */
static first_rows *rows_stream_sorted(rows_stream *s)
{
    const rows_words *w = s->printing.words;
    const unsigned char *printed = memchr(s->columns, (int)w->sorted_by, s->count);
    const top_n_by by = largest_sorted(w, s->printing.all);
    const unsigned deciding = printed ? (unsigned)(printed - s->columns) : s->count;
    if (!printed)
        s->columns[s->count++] = (unsigned char)w->sorted_by;
    return first_rows_new(&by, s->count, deciding);
}

rows_stream *rows_stream_new(const rows_column *columns, unsigned count, const rows_words *w, const rows_heading *heading,
                             const rows_page *page, rows_writer write)
{
    rows_stream *s = g_new0(rows_stream, 1);
    printing *p = &s->printing;
    printing_begin(p, columns, count, w, write);
    s->heading = heading;
    s->page = page;
    s->printed = w->top ? w->top : w->form == ROWS_AS_TEXT && page->rows && !w->all ? page->rows : UINT64_MAX;
    if (w->form == ROWS_AS_TEXT) {
        s->table = rows_new(columns, count);
        if (!w->column_count)
            p->count = rows_usual_columns(s->table, heading->usual, p->columns);
    } else if (w->form == ROWS_AS_JSON) {
        name_members(p);
    } else {
        print_csv_titles(p);
    }
    s->count = p->count;
    memcpy(s->columns, p->columns, sizeof s->columns);
    s->rows = w->order != ROWS_OWN_ORDER ? rows_stream_sorted(s) : first_rows_new(NULL, s->count, 0);
    s->cells = first_rows_begin(s->rows);
    return s;
}

const unsigned char *rows_stream_columns(const rows_stream *s, unsigned *count)
{
    *count = s->count;
    return s->columns;
}

first_rows *rows_stream_rows(const rows_stream *s)
{
    return s->rows;
}

static void add_to_table(rows_stream *s, const rows_cell *cells)
{
    const printing *p = &s->printing;
    rows_cell *row = rows_add(s->table);
    for (unsigned i = 0; i < p->count; i++)
        row[p->columns[i]] = rows_kept(s->table, &cells[i]);
}

static void rows_stream_print(void *data, const void *row)
{
    rows_stream *s = data;
    printing *p = &s->printing;
    if (s->table) {
        add_to_table(s, row);
    } else if (p->words->form == ROWS_AS_CSV) {
        print_csv(p, row);
    } else {
        print_json(p, row);
        g_string_append_c(p->text, '\n');
        text_write_piece(p->text, p->write);
    }
}

void rows_stream_add(rows_stream *s)
{
    const uint64_t before = first_rows_found(s->rows);
    if (!first_rows_keep(s->rows) && before < s->printed)
        rows_stream_print(s, s->cells);
}

void rows_stream_continue(rows_stream *s, rows_writer write)
{
    g_string_truncate(s->printing.text, 0);
    s->printing.write = write;
}

void rows_stream_end(rows_stream *s)
{
    printing *p = &s->printing;
    first_rows_each(s->rows, rows_stream_print, s);
    if (s->table) {
        rows_append_text(p->text, s->table, p->words, s->heading, s->page, p->write);
        const uint64_t found = first_rows_found(s->rows);
        if (found > s->printed)
            g_string_append_printf(p->text, "%" PRIu64 " more rows: \"%s,all\" has all, \"%s,csv\" for programs\n",
                                   found - s->printed, s->heading->command, s->heading->command);
    }
    if (p->text->len)
        p->write(p->text);
}

void rows_stream_free(rows_stream *s)
{
    if (!s)
        return;
    if (s->table)
        rows_free(s->table);
    first_rows_free(s->rows);
    g_string_truncate(s->printing.text, 0);
    printing_end(&s->printing);
    g_free(s);
}
