/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The largest of very many items, kept in the memory that these few need. Of items with the same value those with the lower
 * tie are kept, and come first. Knows nothing of what the items are. */
#ifndef WIRETRACE_STATISTICS_TOP_N_H
#define WIRETRACE_STATISTICS_TOP_N_H

#include "statistics/rows_words.h"

/* Rows that a statistic prints if nobody asks for more, and at most, with the word `all`. */
#define LARGEST_USUAL 25u
#define LARGEST_ALL 1000000u

/* Which items: how many, and those with the largest or the smallest values of a column. */
typedef struct top_n_by {
    unsigned most, column;
    bool smallest;
} top_n_by;
/* What the words ask for. `usual`: the column, unless the words sort by another one that holds numbers. */
top_n_by largest_asked(const rows_words *w, const rows_column *columns, unsigned usual);

typedef struct top_n top_n;

/* `size`: of an item in bytes. */
top_n *top_n_new(const top_n_by *by, size_t size);
void top_n_free(top_n *l); /* NULL is allowed */
top_n *top_n_copy(const top_n *l);
/* Adds a copy of an item; NULL as value: it has none, and is after all that have one. */
void top_n_add(top_n *l, const uint64_t *value, uint64_t tie, const void *item);
/* The same, with the value that the row of the item has in the column that decides. */
void top_n_add_row(top_n *l, const rows_cell *row, uint64_t tie, const void *item);
/* Visits the items in order. */
typedef void (*top_n_visitor)(void *data, const void *item);
void top_n_each(const top_n *l, top_n_visitor visitor, void *data);

#endif
