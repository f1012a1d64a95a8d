/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks into the rows of a statistic, by the texts and titles that people see. */
#ifndef TEST_FOUND_ROWS_H
#define TEST_FOUND_ROWS_H

#include <string.h>

#include "statistics/rows.h"

/* The row whose first cells have these texts; NULL as `second`: any. */
static inline const rows_cell *found_row(const rows *r, const char *first, const char *second)
{
    for (unsigned i = 0; i < rows_length(r); i++) {
        const rows_cell *cells = rows_at(r, i);
        if (strcmp(cells[0].text, first) == 0 && (!second || strcmp(cells[1].text, second) == 0))
            return cells;
    }
    fail_msg("there is no row of %s, %s", first, second ? second : "");
    return NULL;
}

static inline const rows_cell *found_cell(const rows *r, const rows_cell *row, const char *title)
{
    for (unsigned i = 0; i < r->count; i++)
        if (strcmp(r->columns[i].title, title) == 0)
            return &row[i];
    fail_msg("there is no column %s", title);
    return NULL;
}

static inline void expect_number(const rows *r, const rows_cell *row, const char *title, uint64_t number)
{
    const rows_cell *c = found_cell(r, row, title);
    if (c->state != ROWS_IS_NUMBER || c->number != number)
        fail_msg("%s: %s is %llu in state %u instead of %llu", row[0].text, title, (unsigned long long)c->number, c->state,
                 (unsigned long long)number);
}

static inline void expect_state(const rows *r, const rows_cell *row, const char *title, rows_state state)
{
    assert_int_equal(found_cell(r, row, title)->state, state);
}

/* That both have the same rows, in any order: rows are known by their first two cells. */
static inline void expect_same_rows(const rows *x, const rows *y)
{
    assert_int_equal(rows_length(x), rows_length(y));
    for (unsigned i = 0; i < rows_length(x); i++) {
        const rows_cell *a = rows_at(x, i), *b = found_row(y, a[0].text, a[1].state == ROWS_IS_TEXT ? a[1].text : NULL);
        for (unsigned c = 0; c < x->count; c++) {
            assert_int_equal(a[c].state, b[c].state);
            if (a[c].state == ROWS_IS_TEXT)
                assert_string_equal(a[c].text, b[c].text);
            else
                assert_int_equal(a[c].number, b[c].number);
            assert_int_equal(a[c].negative, b[c].negative);
        }
    }
}

#endif
