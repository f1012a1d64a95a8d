/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The largest of very many items, kept in the memory that these few need. Of items with the same value those with the lower
 * tie are kept, and come first. Knows nothing of what the items are, unless they are rows, whose texts it then owns. */
#ifndef WIRETRACE_STATISTICS_TOP_N_H
#define WIRETRACE_STATISTICS_TOP_N_H

#include "statistics/rows_words.h"

/* Rows that are kept at most, with the word `all`. */
#define LARGEST_ALL 1000000u

/* Which items: how many, and those with the largest or the smallest values of a column. */
typedef struct top_n_by {
    unsigned most, column;
    bool smallest;
    bool texts; /* the column holds texts, of which the largest are the last ones */
} top_n_by;
/* What the words ask for. `usual`: the column, unless the words sort by another one that holds numbers. */
top_n_by largest_asked(const rows_words *w, const rows_column *columns, unsigned usual);
/* The same for words that sort by a column, whatever that holds. */
top_n_by largest_sorted(const rows_words *w, const rows_column *columns);

typedef struct top_n top_n;

/* `size`: of an item in bytes; or items are rows of so many cells. */
top_n *top_n_new(const top_n_by *by, size_t size);
top_n *top_n_new_rows(const top_n_by *by, unsigned cells);
void top_n_free(top_n *l); /* NULL is allowed */
top_n *top_n_copy(const top_n *l);
/* Adds a copy of an item; NULL as value: it has none, and is after all that have one. */
void top_n_add(top_n *l, const uint64_t *value, uint64_t tie, const void *item);
/* The same of a row, with the cell that decides, and copies of its texts. Whether a row would be kept shows before its other
 * cells are made. */
bool top_n_wants(const top_n *l, const rows_cell *by, uint64_t tie);
void top_n_add_row(top_n *l, const rows_cell *by, uint64_t tie, const rows_cell *row);
/* Visits the items in order. */
typedef void (*top_n_visitor)(void *data, const void *item);
void top_n_each(const top_n *l, top_n_visitor visitor, void *data);

#endif
