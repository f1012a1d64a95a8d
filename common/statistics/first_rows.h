/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows that are found one by one, of which only the first ones in an order are kept: all that are wanted for `sort:` and
 * `top:`, and as the slowest of something. Or all of them stay in their own order, and none is kept. Knows nothing of what
 * they are, and prints nothing. */
#ifndef WIRETRACE_STATISTICS_FIRST_ROWS_H
#define WIRETRACE_STATISTICS_FIRST_ROWS_H

#include "statistics/top_n.h"

typedef struct first_rows first_rows;

/* `count`: of cells; `deciding`: which of them, or `count`: one that does not belong to the row. `by`: how many, and in
 * which direction; NULL: they stay in their own order. */
first_rows *first_rows_new(const top_n_by *by, unsigned count, unsigned deciding);
void first_rows_free(first_rows *f); /* NULL is allowed */
first_rows *first_rows_copy(const first_rows *f);

/* The cells of the next row, all of which must be set. Texts must last until it is kept. Of rows whose deciding cells are
 * equal those come first that were found first, or that have the lower `tie` if one is set. */
rows_cell *first_rows_begin(first_rows *f);
void first_rows_tie(first_rows *f, uint64_t tie);
/* The cell that decides; NULL: rows stay in their own order. Once it is set, others need not be made for a row that is not
 * wanted, which must not be kept. */
rows_cell *first_rows_deciding(first_rows *f);
bool first_rows_wants(first_rows *f);
/* False if rows stay in their own order: then it is not kept, but only counted. */
bool first_rows_keep(first_rows *f);
/* How many have been found. */
uint64_t first_rows_found(const first_rows *f);

/* Visits the cells of the rows that are kept, in order. */
void first_rows_each(const first_rows *f, top_n_visitor visitor, void *data);

#endif
