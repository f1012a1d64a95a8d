/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts in a tree whose nodes have names from the file. Its nodes are cells, found by numbers that stand for the name, such
 * as its address. A file may have a million names: after the first COUNT_CELLS_MAX, all further ones share a cell.
 * Somebody else takes what has been counted from time to time. Knows nothing of what is counted. */
#ifndef WIRETRACE_STATISTICS_COUNT_CELLS_H
#define WIRETRACE_STATISTICS_COUNT_CELLS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "containers/hash.h"
#include "statistics/limit.h"
#include "util/shown_name.h"

#define COUNT_CELLS_MAX 10000u
enum { COUNT_CELLS_KINDS = 4 };

typedef struct count_cell {
    hash_pair key;                     /* first: it is the key of a hash table */
    struct count_cell *above, *others; /* `others`: below this one; NULL: there is none */
    shown_name name;
    const char *shown; /* of whoever takes it; NULL at first */
    bool inner;        /* there can be cells below it */
    uint32_t count;    /* since it was taken; without those below it */
    double first;      /* the time of the first of these */
} count_cell;

typedef struct count_cells count_cells;

/* `first`: names of cells below which the others are. Free with count_cells_free(). */
count_cells *count_cells_new(const char *const *first, unsigned count);
void count_cells_free(count_cells *c);
/* The cells of the first names, numbered from 0. */
count_cell *count_cells_first(const count_cells *c, unsigned number);
/* The cell that was made for a key; NULL: none. */
count_cell *count_cells_find(count_cells *c, const hash_pair *key);
/* Makes it, below another one. There are at most COUNT_CELLS_MAX of each kind; any further ones are the cell of TEXT_OTHERS,
 * and are not found. */
count_cell *count_cells_make(count_cells *c, unsigned kind, const hash_pair *key, count_cell *above, shown_name name,
                             bool inner);
/* The time of all that is counted from now on. */
void count_cells_at(count_cells *c, double now);
/* Adds 1 to a cell. */
void count_cells_add(count_cells *c, count_cell *cell);
/* Takes what has been counted: calls `take` for each cell with a count, in the order of the first time. */
void count_cells_take(count_cells *c, void (*take)(void *data, count_cell *cell), void *data);

#endif
