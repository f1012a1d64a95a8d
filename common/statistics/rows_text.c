/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows as a table that a person reads: columns as wide as they must be, numbers with units, nothing wider than the
 * terminal. */
#include "statistics/rows_print.h"

#include <stdio.h>
#include <string.h>

#include "util/math128.h"
#include "util/short_names.h"
#include "util/text.h"

#define GAP "  "
#define FOLDED_INDENT "    "
enum { GAP_WIDTH = 2, INDENT = 2, SHOWN_TEXTS = 4096 };

/* A column of a table that is printed. */
typedef struct shown_column {
    const rows_column *column;
    unsigned number;
    glong width, blanks; /* `blanks`: most before a text */
    bool deep;           /* there is no room for so many */
    char **cut;          /* by row: texts that are shorter than those of the rows, without blanks; NULL: all fit */
} shown_column;

typedef struct table {
    const rows *rows;
    const rows_words *words;
    const rows_heading *heading;
    const rows_page *page;
    shown_column columns[ROWS_COLUMNS_MAX];
    unsigned count, length; /* of columns; of rows that are printed */
    rows_cell *total;       /* a row of sums; NULL: there is none */
    char total_of[40];
    bool numbered;     /* there are texts that only numbers distinguish where they are cut */
    GString *left_out; /* names of columns for which there is no room */
    GString *cell;
} table;

/* --- cells --------------------------------------------------------------------------------------------------------- */

static void rows_text_append_number(GString *text, rows_kind kind, uint64_t n, rows_unit unit)
{
    char time[TEXT_TIME];
    const bool thousandths = kind == ROWS_RATIO || unit == ROWS_US;
    if ((kind == ROWS_TIME || kind == ROWS_CLOCK) && unit == ROWS_READABLE) {
        g_string_append(text, text_time(time, n));
    } else if (kind == ROWS_PERCENT) {
        text_append_grouped(text, n / 10);
        g_string_append_printf(text, ".%u", (unsigned)(n % 10));
    } else if (thousandths) {
        text_append_grouped(text, n / 1000);
        g_string_append_printf(text, ".%03u", (unsigned)(n % 1000));
    } else if (kind == ROWS_YES_NO) {
        g_string_append(text, n ? "yes" : "no");
    } else if (kind == ROWS_ADDRESS) {
        g_string_append(text, "0x");
        text_append_digits(text, n, 16);
    } else if (kind == ROWS_ORDINAL) {
        text_append_digits(text, n, 10);
    } else {
        text_append_grouped(text, n);
    }
}

/* How many blanks come before a text, which show the depth of its row. */
static glong blanks_of(const rows_cell *c)
{
    return c->state == ROWS_IS_TEXT && c->names & ROWS_INDENTED ? (glong)c->depth * INDENT : 0;
}

/* A cell without blanks around it; valid until the next one. */
static const char *rows_text_shown(const table *t, const rows_cell *c, const rows_column *column)
{
    g_string_truncate(t->cell, 0);
    if (c->state == ROWS_IS_TEXT) {
        text_append_shown(t->cell, c->text);
    } else if (c->state == ROWS_UNKNOWN) {
        g_string_append(t->cell, "unknown");
    } else if (c->state == ROWS_IS_NUMBER) {
        if (c->negative)
            g_string_append_c(t->cell, '-');
        rows_text_append_number(t->cell, column->kind, c->number, rows_column_unit(column, t->words->unit));
        if (column->kind == ROWS_PERCENT && !strchr(column->title, '%'))
            g_string_append(t->cell, " %");
    }
    return t->cell->str;
}

static const rows_cell *rows_text_cell_at(const table *t, unsigned row, const shown_column *c)
{
    return &rows_at(t->rows, row)[c->number];
}

static char *title_of(const table *t, const rows_column *c)
{
    const rows_unit unit = rows_column_unit(c, t->words->unit);
    return unit == ROWS_READABLE ? g_strdup(c->title) : g_strdup_printf("%s (%s)", c->title, rows_unit_words[unit]);
}

/* --- which columns ------------------------------------------------------------------------------------------------- */

unsigned rows_usual_columns(const rows *r, const char *usual, unsigned char columns[ROWS_COLUMNS_MAX])
{
    rows_words w = {0};
    g_auto(GStrv) names = g_strsplit(usual ? usual : "", ",", -1);
    for (char **name = names; *name; name++) {
        bool taken;
        g_autofree char *word = g_strconcat(w.more_columns ? "" : "columns:", *name, NULL);
        if (!rows_words_take(&w, r->columns, r->count, word, &taken, NULL) || !taken)
            g_error("%s is not a column", *name); /* a mistake in the program */
    }
    for (unsigned i = 0; !usual && i < r->count; i++)
        w.columns[w.column_count++] = (unsigned char)i;
    memcpy(columns, w.columns, sizeof w.columns);
    return w.column_count;
}

/* Nothing, or only zeros. */
static bool rows_text_is_empty(const rows *r, unsigned column)
{
    unsigned row = 0;
    for (; row < rows_length(r); row++) {
        const rows_cell *c = &rows_at(r, row)[column];
        if (c->state == ROWS_UNKNOWN || (c->state == ROWS_IS_NUMBER && c->number) || (c->state == ROWS_IS_TEXT && *c->text))
            break;
    }
    return row == rows_length(r);
}

/* Those that were asked for, or the usual ones that are not empty. */
static void choose_columns(table *t)
{
    const rows_words *w = t->words;
    unsigned char usual[ROWS_COLUMNS_MAX];
    const unsigned count = w->column_count ? w->column_count : rows_usual_columns(t->rows, t->heading->usual, usual);
    const unsigned char *columns = w->column_count ? w->columns : usual;
    for (unsigned i = 0; i < count; i++) {
        const bool sorted = w->order != ROWS_OWN_ORDER && columns[i] == w->sorted_by;
        if (w->column_count || rows_length(t->rows) == 0 || sorted || !rows_text_is_empty(t->rows, columns[i]))
            t->columns[t->count++] = (shown_column){.column = &t->rows->columns[columns[i]], .number = columns[i]};
    }
}

static void sum_column(table *t, unsigned column)
{
    rows_cell *sum = &t->total[column];
    for (unsigned row = 0; row < rows_length(t->rows); row++) {
        const rows_cell *c = &rows_at(t->rows, row)[column];
        if (c->state == ROWS_IS_NUMBER && sum->state != ROWS_UNKNOWN)
            *sum = rows_known(sum_saturated(sum->number, c->number));
        else if (c->state == ROWS_UNKNOWN)
            *sum = rows_unknown();
    }
}

/* Sums of all rows, also of those that are not printed, beside a word in the first text. */
static void add_total(table *t)
{
    bool any = false;
    unsigned text = 0;
    for (unsigned i = 0; i < t->count; i++)
        any = any || t->columns[i].column->total == ROWS_ADDS;
    while (text < t->count && t->columns[text].column->kind != ROWS_TEXT)
        text++;
    if (!any || text == t->count || rows_length(t->rows) < 2)
        return;
    t->total = g_new0(rows_cell, t->rows->count);
    for (unsigned i = 0; i < t->count; i++)
        if (t->columns[i].column->total == ROWS_ADDS)
            sum_column(t, t->columns[i].number);
    snprintf(t->total_of, sizeof t->total_of, t->length < rows_length(t->rows) ? "(total of %u)" : "(total)",
             rows_length(t->rows));
    t->total[t->columns[text].number] = rows_lasting_text(t->total_of);
}

/* --- widths -------------------------------------------------------------------------------------------------------- */

static glong rows_text_width_of(const table *t, const rows_cell *cell, const rows_column *column)
{
    const size_t plain = cell->state == ROWS_IS_TEXT ? text_plain(cell->text) : 0;
    if (plain)
        return blanks_of(cell) + (glong)plain;
    const char *value = rows_text_shown(t, cell, column);
    return cell->state == ROWS_IS_TEXT ? blanks_of(cell) + g_utf8_strlen(value, -1) : (glong)t->cell->len;
}

/* Larger numbers are not narrower, unless they have units. */
static void measure(const table *t, shown_column *c)
{
    g_autofree char *title = title_of(t, c->column);
    const bool units = rows_holds_times(c->column) && t->words->unit == ROWS_READABLE;
    const rows_cell *largest = NULL;
    c->width = g_utf8_strlen(title, -1);
    for (unsigned row = 0; row < t->length; row++) {
        const rows_cell *cell = rows_text_cell_at(t, row, c);
        c->blanks = MAX(c->blanks, blanks_of(cell));
        if (units || cell->state != ROWS_IS_NUMBER || cell->negative)
            c->width = MAX(c->width, rows_text_width_of(t, cell, c->column));
        else if (!largest || cell->number > largest->number)
            largest = cell;
    }
    if (largest)
        c->width = MAX(c->width, rows_text_width_of(t, largest, c->column));
    if (t->total)
        c->width = MAX(c->width, rows_text_width_of(t, &t->total[c->number], c->column));
}

/* The width of numbers and of what is between columns, and how many texts there are. */
static glong fixed_width(const table *t, unsigned *texts)
{
    glong width = t->count ? (glong)(t->count - 1) * GAP_WIDTH : 0;
    *texts = 0;
    for (unsigned i = 0; i < t->count; i++)
        if (t->columns[i].column->kind == ROWS_TEXT)
            ++*texts;
        else
            width += t->columns[i].width;
    return width;
}

/* What texts need at least: two fifths of the page, or half of it for several, if they are so long. */
static glong least_width(const table *t)
{
    glong width = 0;
    unsigned texts = 0;
    for (unsigned i = 0; i < t->count; i++)
        if (t->columns[i].column->kind == ROWS_TEXT) {
            width += t->columns[i].width;
            texts++;
        }
    return MIN(width, (glong)t->page->width * (texts > 1 ? 5 : 4) / 10);
}

/* Leaves out the last column of numbers. False: there are none but the first. */
static bool leave_out(table *t)
{
    unsigned last = t->count;
    while (last-- > 1)
        if (t->columns[last].column->kind != ROWS_TEXT)
            break;
    if (last == 0 || last >= t->count)
        return false;
    g_autofree char *name = rows_column_name(t->columns[last].column);
    g_string_prepend(t->left_out, t->left_out->len ? ", " : "");
    g_string_prepend(t->left_out, name);
    memmove(&t->columns[last], &t->columns[last + 1], (t->count - last - 1) * sizeof *t->columns);
    t->count--;
    return true;
}

/* The blanks before a text in a column: half as many if that is too deep for the column, and never more than half of it.
 * `cell`: NULL: none. */
static glong kept_blanks(const shown_column *c, const rows_cell *cell)
{
    const glong blanks = cell ? blanks_of(cell) : 0;
    return c->deep ? MIN(blanks / 2, c->width / 2) : blanks;
}

/* What a cell consists of when it is shown, without its text. Only the first of two names may have another length then. */
static shown_name rows_text_shown_name(const table *t, const rows_cell *c)
{
    shown_name name = c->state == ROWS_IS_TEXT ? rows_name_in(c) : (shown_name){0};
    if (name.first && !text_plain(name.text)) {
        g_autofree char *first = g_strndup(name.text, name.first);
        const gsize before = t->cell->len;
        text_append_shown(t->cell, first);
        name.first = (uint32_t)(t->cell->len - before);
        g_string_truncate(t->cell, before);
    }
    return name;
}

/* Cuts the texts of a column such that different ones stay different. */
static void rows_text_shorten(table *t, shown_column *c)
{
    g_autoptr(GStringChunk) texts = g_string_chunk_new(SHOWN_TEXTS);
    g_autofree shown_name *names = g_new0(shown_name, t->length + 1);
    g_autofree size_t *widths = g_new0(size_t, t->length + 1);
    for (unsigned row = 0; row < t->length; row++) {
        const rows_cell *cell = rows_text_cell_at(t, row, c);
        const char *value = rows_text_shown(t, cell, c->column);
        widths[row] = (size_t)(c->width - kept_blanks(c, cell));
        names[row] = rows_text_shown_name(t, cell);
        names[row].text = g_string_chunk_insert(texts, value);
    }
    c->cut = short_names_cut(names, widths, t->length, &t->numbered);
}

/* Makes no text of the first `count` columns wider than needed for all of them to fit in `room`: long ones are cut to one
 * width. */
static void cut_texts(table *t, unsigned count, glong room, unsigned texts)
{
    glong each = 0;
    for (bool fits = false; texts && !fits;) { /* the width that is left for each that is longer */
        glong left = room;
        unsigned longer = 0;
        for (unsigned i = 0; i < count; i++)
            if (t->columns[i].column->kind == ROWS_TEXT) {
                const bool is_short = t->columns[i].width <= each;
                left -= is_short ? t->columns[i].width : 0;
                longer += !is_short;
            }
        const glong share = longer ? left / longer : each;
        fits = share <= each;
        each = MAX(each, share);
    }
    for (unsigned i = 0; i < count; i++) {
        shown_column *c = &t->columns[i];
        if (c->column->kind == ROWS_TEXT && c->width > each) {
            c->width = MAX(each, 1);
            c->deep = c->blanks > c->width / 2;
            rows_text_shorten(t, c);
        }
    }
}

static bool folds(const table *t)
{
    return t->page->folded && t->columns[t->count - 1].column->kind == ROWS_TEXT;
}

static void fit(table *t)
{
    unsigned texts;
    const glong room = t->page->width;
    for (unsigned i = 0; i < t->count; i++)
        measure(t, &t->columns[i]);
    if (!room)
        return;
    while (!t->words->column_count && fixed_width(t, &texts) + least_width(t) > room && leave_out(t))
        continue;
    const glong fixed = fixed_width(t, &texts);
    if (folds(t)) /* it has at least two fifths of the page */
        cut_texts(t, t->count - 1, MAX(room * 3 / 5 - fixed, 1), texts - 1);
    else
        cut_texts(t, t->count, MAX(room - fixed, 1), texts);
}

/* --- lines --------------------------------------------------------------------------------------------------------- */

static void append_blanks(GString *text, glong count)
{
    const gsize before = text->len;
    if (count <= 0)
        return;
    g_string_set_size(text, before + (gsize)count);
    memset(text->str + before, ' ', (gsize)count);
}

/* `cell`: NULL: it is the title. `width`: of the value with blanks; `cut`: in place of the value; NULL: it is whole. */
static void append_cell(const table *t, GString *text, const shown_column *c, const rows_cell *cell, const char *value,
                        glong width, const char *cut)
{
    const bool left = c->column->kind == ROWS_TEXT, last = c == &t->columns[t->count - 1];
    append_blanks(text, (c != t->columns ? GAP_WIDTH : 0) + (left ? 0 : c->width - width));
    append_blanks(text, kept_blanks(c, cell));
    if (cut) {
        g_string_append(text, cut);
        width = kept_blanks(c, cell) + g_utf8_strlen(cut, -1);
    } else if (width > c->width) {
        text_append_cut(text, value, (size_t)(c->width - kept_blanks(c, cell)));
        width = c->width;
    } else {
        g_string_append(text, value);
    }
    append_blanks(text, left && !last ? c->width - width : 0);
}

/* Where the last column begins. */
static glong last_column(const table *t)
{
    glong before = 0;
    for (unsigned i = 0; i + 1 < t->count; i++)
        before += t->columns[i].width + GAP_WIDTH;
    return before;
}

/* The last blank up to `end`, if possible after a comma; `line`: there is none. */
static const char *break_of(const char *line, const char *end)
{
    const char *comma = end, *blank = end;
    while (comma > line && !(*comma == ' ' && comma[-1] == ','))
        comma--;
    while (blank > line && *blank != ' ')
        blank--;
    return comma > line ? comma : blank;
}

/* Continues a line that is too long for a window on further ones, if its last column is a text. */
static void fold(const table *t, GString *text, gsize from)
{
    const glong width = (glong)t->page->folded;
    if (!folds(t) || g_utf8_strlen(text->str + from, -1) <= width)
        return;
    glong room = MAX(width - last_column(t), 1);
    gsize start = (gsize)(g_utf8_offset_to_pointer(text->str + from, width - room) - text->str);
    while (g_utf8_strlen(text->str + start, -1) > room) {
        const char *line = text->str + start, *at = break_of(line, g_utf8_offset_to_pointer(line, room));
        if (at == line)
            return;
        start = (gsize)(at - text->str) + 1;
        text->str[start - 1] = '\n';
        g_string_insert(text, (gssize)start, FOLDED_INDENT);
        start += strlen(FOLDED_INDENT);
        room = width - (glong)strlen(FOLDED_INDENT);
    }
}

/* Ends a line that begins at `from`, which is never wider than the page. */
static void end_line(const table *t, GString *text, gsize from)
{
    while (text->len > from && text->str[text->len - 1] == ' ')
        g_string_truncate(text, text->len - 1);
    if (t->page->width && !folds(t) && g_utf8_strlen(text->str + from, -1) > (glong)t->page->width) {
        g_autofree char *line = g_strdup(text->str + from);
        g_string_truncate(text, from);
        text_append_cut(text, line, t->page->width);
    }
    fold(t, text, from);
    g_string_append_c(text, '\n');
}

static void append_titles(const table *t, GString *text)
{
    const gsize from = text->len;
    for (unsigned i = 0; i < t->count; i++) {
        g_autofree char *title = title_of(t, t->columns[i].column);
        append_cell(t, text, &t->columns[i], NULL, title, g_utf8_strlen(title, -1), NULL);
    }
    end_line(t, text, from);
}

/* `cells`: of a row, or the sums; `row`: its number, or that of the rows. */
static void append_row(const table *t, GString *text, const rows_cell *cells, unsigned row)
{
    const gsize from = text->len;
    for (unsigned i = 0; i < t->count; i++) {
        const shown_column *c = &t->columns[i];
        const rows_cell *cell = &cells[c->number];
        const char *value = rows_text_shown(t, cell, c->column);
        const glong width = cell->state == ROWS_IS_TEXT ? blanks_of(cell) + g_utf8_strlen(value, -1) : (glong)t->cell->len;
        append_cell(t, text, c, cell, value, width, c->cut && row < t->length ? c->cut[row] : NULL);
    }
    end_line(t, text, from);
}

/* Returns whether a name that is printed has a number that distinguishes it. */
static bool shows_numbers(const table *t)
{
    bool found = false;
    for (unsigned i = 0; i < t->count; i++)
        for (unsigned row = 0; row < t->length && !found; row++) {
            const rows_cell *c = rows_text_cell_at(t, row, &t->columns[i]);
            found = c->state == ROWS_IS_TEXT && c->names & ROWS_NUMBERED;
        }
    return found;
}

/* Appends a list as lines that are not wider than the page, broken after commas. */
static void append_list(const table *t, GString *text, const char *list)
{
    const glong width = (glong)t->page->width;
    gsize from = text->len;
    for (const char *at; width && g_utf8_strlen(text->str + from, -1) + g_utf8_strlen(list, -1) > width; list = at + 1) {
        const glong room = MAX(width - g_utf8_strlen(text->str + from, -1), 0);
        at = break_of(list, g_utf8_offset_to_pointer(list, MIN(room, g_utf8_strlen(list, -1))));
        if (at == list && !(at = strchr(list, ' ')))
            break;
        g_string_append_len(text, list, at - list);
        end_line(t, text, from);
        from = text->len;
        g_string_append(text, FOLDED_INDENT);
    }
    g_string_append(text, list);
    end_line(t, text, from);
}

/* What is not there, and how to see it. Commands are not broken. */
static void append_notes(const table *t, GString *text)
{
    if (t->length < rows_length(t->rows) && !t->words->top) {
        text_append_grouped(text, t->length);
        g_string_append(text, " of ");
        text_append_grouped(text, rows_length(t->rows));
        g_string_append_printf(text, " rows. All of them: -z %s,all\n", t->heading->command);
    }
    if (shows_numbers(t))
        g_string_append_printf(text,
                               "Numbers in brackets distinguish names that are the same when short. In full: -z %s,full\n",
                               t->heading->command);
    const gsize from = text->len;
    if (t->numbered)
        end_line(t, g_string_append(text, "Numbers in brackets distinguish names that are the same at this width."), from);
    if (t->left_out->len) {
        g_autofree char *note = g_strdup_printf("Too narrow for: %s", t->left_out->str);
        append_list(t, text, note);
    }
    if (t->heading->note)
        append_list(t, text, t->heading->note);
}

static void append_heading(const table *t, GString *text)
{
    if (!t->heading->title)
        return;
    g_string_append_c(text, '\n');
    const gsize from = text->len;
    g_string_append(text, t->heading->title);
    if (t->heading->filter)
        g_string_append_printf(text, ", %s: %s", t->heading->filtered ? t->heading->filtered : "filter", t->heading->filter);
    end_line(t, text, from);
}

void rows_append_text(GString *text, const rows *r, const rows_words *w, const rows_heading *heading, const rows_page *page,
                      rows_writer write)
{
    const unsigned most = w->top ? w->top : w->all || !page->rows ? G_MAXUINT : page->rows;
    table t = {.rows = r,
               .words = w,
               .heading = heading,
               .page = page,
               .length = MIN(rows_length(r), most),
               .left_out = g_string_new(NULL),
               .cell = g_string_new(NULL)};
    choose_columns(&t);
    add_total(&t);
    fit(&t);
    append_heading(&t, text);
    if (r->missing)
        append_list(&t, text, r->missing);
    if (t.length)
        append_titles(&t, text);
    else
        g_string_append(text, "(none)\n");
    for (unsigned row = 0; row < t.length; row++) {
        append_row(&t, text, rows_at(r, row), row);
        text_write_piece(text, write);
    }
    if (t.total)
        append_row(&t, text, t.total, t.length);
    append_notes(&t, text);
    g_free(t.total);
    for (unsigned i = 0; i < t.count; i++)
        g_strfreev(t.columns[i].cut);
    g_string_free(t.left_out, TRUE);
    g_string_free(t.cell, TRUE);
}
