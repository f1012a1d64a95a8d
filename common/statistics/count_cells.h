/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts in a tree whose nodes have names from the file. Its nodes are cells, found by a number that stands for the name,
 * such as its address. A file may have a million names: after the first COUNT_CELLS_MAX, all further ones share a cell.
 * Somebody else takes what has been counted from time to time. Knows nothing of what is counted. */
#ifndef WIRETRACE_STATISTICS_COUNT_CELLS_H
#define WIRETRACE_STATISTICS_COUNT_CELLS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "statistics/limit.h"

#define COUNT_CELLS_MAX 10000u
#define COUNT_CELLS_TOP 0u /* the tree itself; it has no count of its own */
enum { COUNT_CELLS_KINDS = 4 };

typedef struct count_cells count_cells;

count_cells *count_cells_new(void);
void count_cells_free(count_cells *c);
/* Adds a cell below another one. There are at most COUNT_CELLS_MAX of each kind; any further ones are the cell of
 * TEXT_OTHERS. `inner`: it can have cells below it. Without a name it only groups keys, and is not taken: cells below it are
 * taken like those of its parent. Cells are numbered from 1 in the order in which they are made. */
uint32_t count_cells_make(count_cells *c, unsigned kind, uint32_t parent, uint64_t key, const char *name, bool inner);
/* The cell that was made for a key; 0: none. */
uint32_t count_cells_known(const count_cells *c, uint32_t parent, uint64_t key);
/* The time of all that is counted from now on, for count_cells_counted. */
void count_cells_at(count_cells *c, double now);
/* Adds 1 to a cell; what is taken of those above it has that, too. */
void count_cells_add(count_cells *c, uint32_t cell);
/* What decides in which cells something is counted. */
typedef struct count_cells_key {
    uint64_t of[4];
} count_cells_key;
/* To be called before. True: it was counted in the cells of the latest with the same key. False: they are not known any
 * more, and are those that are added next, at most four. */
bool count_cells_again(count_cells *c, const count_cells_key *key);

/* What has been counted in a cell since it was taken last. */
typedef struct count_cells_counted {
    uint32_t cell, parent;
    const char *name;
    bool inner;
    uint32_t count;
    double first; /* the time of the first */
} count_cells_counted;
/* Takes it for each cell, in the order of the first time: parents come before their children. */
void count_cells_take(count_cells *c, void (*take)(void *data, const count_cells_counted *counted), void *data);

#endif
