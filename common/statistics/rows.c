/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics/rows.h"

#include <string.h>

#include "util/math128.h"

enum { TEXTS = 4096, ROWS_DIGITS = 24 };

rows *rows_new(const rows_column *columns, unsigned count)
{
    rows *r = g_new0(rows, 1);
    r->columns = columns;
    r->count = count;
    r->cells = g_array_new(FALSE, TRUE, sizeof(rows_cell));
    r->texts = g_string_chunk_new(TEXTS);
    return r;
}

void rows_free(rows *r)
{
    if (!r)
        return;
    g_array_free(r->cells, TRUE);
    g_string_chunk_free(r->texts);
    g_free(r);
}

unsigned rows_length(const rows *r)
{
    return r->count ? r->cells->len / r->count : 0;
}

rows_cell *rows_at(const rows *r, unsigned row)
{
    return &g_array_index(r->cells, rows_cell, (gsize)row * r->count);
}

rows_cell *rows_add(rows *r)
{
    g_array_set_size(r->cells, r->cells->len + r->count);
    return rows_at(r, rows_length(r) - 1);
}

/* --- cells ------------------------------------------------------------------------------------------------------------- */

uint32_t rows_plain(const char *text)
{
    const size_t length = text_plain(text);
    return memchr(text, ',', length) || memchr(text, '"', length) ? 0 : (uint32_t)length;
}

rows_cell rows_lasting_text(const char *text)
{
    return (rows_cell){.text = text, .state = ROWS_IS_TEXT};
}

rows_cell rows_text(rows *r, const char *text)
{
    return rows_lasting_text(g_string_chunk_insert(r->texts, text));
}

rows_cell rows_lasting_name(const shown_name *name)
{
    rows_cell c = rows_lasting_text(name->text);
    c.names = name->first ? ROWS_TWO_NAMES : 0;
    c.first = name->first;
    c.remark = name->remark;
    c.other_remark = name->other_remark;
    return c;
}

rows_cell rows_name(rows *r, const shown_name *name)
{
    const rows_cell c = rows_lasting_name(name);
    return rows_kept(r, &c);
}

rows_cell rows_name_at(rows *r, const shown_name *name, unsigned depth)
{
    rows_cell c = rows_name(r, name);
    c.names = ROWS_INDENTED;
    c.depth = depth;
    return c;
}

rows_cell rows_kept(rows *r, const rows_cell *c)
{
    rows_cell copy = *c;
    if (c->state == ROWS_IS_TEXT)
        copy.text = g_string_chunk_insert(r->texts, c->text);
    return copy;
}

shown_name rows_name_in(const rows_cell *c)
{
    return (shown_name){.text = c->text,
                        .first = c->names & ROWS_TWO_NAMES ? c->first : 0,
                        .remark = c->remark,
                        .other_remark = c->other_remark};
}

rows_cell rows_number(uint64_t number)
{
    return (rows_cell){.number = number, .state = ROWS_IS_NUMBER};
}

rows_cell rows_signed(int64_t number)
{
    rows_cell c = rows_number(number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
    c.negative = number < 0;
    return c;
}

rows_cell rows_unknown(void)
{
    return (rows_cell){.state = ROWS_UNKNOWN};
}

void rows_show_frame(rows_cell *c, uint32_t (*frame_of)(uint32_t place))
{
    const uint32_t frame = c->state == ROWS_IS_NUMBER ? frame_of((uint32_t)c->number) : 0;
    *c = frame ? rows_number(frame) : (rows_cell){0};
}

rows_cell rows_known(uint64_t number)
{
    return number == UINT64_MAX ? rows_unknown() : rows_number(number);
}

rows_cell rows_change(uint64_t before, uint64_t after)
{
    rows_cell c = rows_number(after < before ? before - after : after - before);
    c.negative = after < before;
    return c;
}

rows_cell rows_ratio(uint64_t before, uint64_t after)
{
    return before ? rows_known(mul_div_nearest_u64(after, 1000, before)) : (rows_cell){0};
}

bool rows_holds_times(const rows_column *c)
{
    return c->kind == ROWS_TIME || c->kind == ROWS_CLOCK;
}

bool rows_holds_numbers(const rows_column *c)
{
    return c->kind != ROWS_TEXT;
}

/* --- order ------------------------------------------------------------------------------------------------------------- */

typedef struct sortable {
    const rows_column *column;
    const rows_sorting *by;
    const rows_cell *cells;
    uint64_t before, sum; /* in the rows' own order */
    unsigned row;
    bool others;
} sortable;

/* A text, or a number in a column of texts. */
static const char *rows_compared_text(const rows_cell *c, char digits[ROWS_DIGITS])
{
    if (c->state != ROWS_IS_NUMBER)
        return c->state == ROWS_IS_TEXT ? c->text : "";
    digits[ROWS_DIGITS - 1] = '\0';
    char *first = text_digits(digits + ROWS_DIGITS - 1, c->number, 10);
    if (c->negative)
        *--first = '-';
    return first;
}

int rows_compare_texts(const rows_cell *x, const rows_cell *y)
{
    char digits_x[ROWS_DIGITS], digits_y[ROWS_DIGITS];
    return strcmp(rows_compared_text(x, digits_x), rows_compared_text(y, digits_y));
}

static int rows_compare_cells(const sortable *a, const sortable *b)
{
    const bool numbers = rows_holds_numbers(a->column),
               falling = a->by->order == ROWS_FALLING || (a->by->order == ROWS_USUAL && numbers);
    return rows_compare(numbers, falling, &a->cells[a->by->column], &b->cells[b->by->column]);
}

static int compare_rows(const void *a, const void *b)
{
    const sortable *x = a, *y = b;
    if (x->others != y->others)
        return x->others - y->others;
    int order = x->by->order != ROWS_OWN_ORDER ? rows_compare_cells(x, y)
                : x->before != y->before       ? (x->before < y->before ? 1 : -1)
                                               : (x->sum < y->sum) - (x->sum > y->sum);
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

static sortable sortable_of(const rows *r, const rows_sorting *by, unsigned row)
{
    const rows_cell *cells = rows_at(r, row);
    sortable s = {.column = &r->columns[by->column], .by = by, .cells = cells, .row = row};
    s.others = cells[0].state == ROWS_IS_TEXT && strcmp(cells[0].text, TEXT_OTHERS) == 0;
    s.before = by->first && cells[by->first].state == ROWS_IS_NUMBER ? cells[by->first].number : 0;
    for (unsigned i = 0; by->largest && i < ROWS_LARGEST && by->largest[i]; i++)
        s.sum = sum_saturated(s.sum, cells[by->largest[i]].state == ROWS_IS_NUMBER ? cells[by->largest[i]].number : 0);
    return s;
}

unsigned *rows_in_order(const rows *r, const rows_sorting *by)
{
    const unsigned length = rows_length(r);
    unsigned *order = g_new(unsigned, length + 1);
    g_autofree sortable *all = g_new(sortable, length + 1);
    for (unsigned row = 0; row < length; row++)
        all[row] = sortable_of(r, by, row);
    if (by->order != ROWS_OWN_ORDER || by->first || (by->largest && by->largest[0]))
        qsort(all, length, sizeof *all, compare_rows);
    for (unsigned row = 0; row < length; row++)
        order[row] = all[row].row;
    return order;
}

void rows_sort(rows *r, const rows_sorting *by)
{
    g_autofree unsigned *order = rows_in_order(r, by);
    GArray *sorted = g_array_sized_new(FALSE, TRUE, sizeof(rows_cell), r->cells->len);
    for (unsigned row = 0; row < rows_length(r); row++)
        g_array_append_vals(sorted, rows_at(r, order[row]), r->count);
    g_array_free(r->cells, TRUE);
    r->cells = sorted;
}

void rows_drop_below(rows *r, unsigned least)
{
    unsigned column = 0, kept = 0;
    while (column < r->count && r->columns[column].kind != ROWS_PERCENT)
        column++;
    if (!least || column == r->count)
        return;
    for (unsigned row = 0; row < rows_length(r); row++) {
        const rows_cell *cells = rows_at(r, row);
        if (cells[column].state == ROWS_IS_NUMBER && cells[column].number >= least)
            memmove(rows_at(r, kept++), cells, r->count * sizeof *cells);
    }
    g_array_set_size(r->cells, kept * r->count);
}
