/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes of a statistics tree with names from the file. For a new node Wireshark searches all of its siblings, and a file
 * may have a million names: after the first COUNT_CELLS_MAX, all further names share a node. */
#ifndef WIRETRACE_COUNTS_H
#define WIRETRACE_COUNTS_H

#include "compat.h"

#include <epan/stats_tree.h>

#include "statistics/count_cells.h"

/* Flags for a tree that is sorted by count, largest first. */
#define COUNTS_LARGEST_FIRST (ST_FLG_SORT_DESC | ST_SORT_COL_COUNT << ST_FLG_SRTCOL_SHIFT)

/* The names below a node, or below its children. */
typedef struct counts {
    GHashTable *names;
} counts;

/* Call these around everything that counts a record. Wireshark's trees look for bursts, and crash if the time since the
 * first record is so long that a double cannot distinguish tenths of a second. Such records are counted without that. */
bool counts_enter(const packet_info *pinfo);
void counts_leave(bool bursts);
/* Forgets all names, for a new tree. */
void counts_begin(counts *c);
/* Counts `name` below the node `parent`. `inner`: the node can have children, and its number is returned for them. This
 * must always be the same for a node: if one gets children later, Wireshark fails an assertion. */
int counts_tick(counts *c, stats_tree *tree, int parent, const char *name, bool inner);

/* --- many records ------------------------------------------------------------------------------------------------------
 * Looking up nodes by their names costs more than all else that a tree does. So records are counted in cells of our own, and
 * handed to the tree when its search for bursts comes to a new interval, and before it is drawn. The tree becomes the same:
 * within an interval only the number of ticks and the time of the first one matter to it. With counts_tick() instead, a tree
 * of three names per record takes 10,540 instructions per record, not 7,590. */

/* For the init of a tree, whose nodes are gone then; and for its cleanup. `cells` has only those of the first nodes, which appear even if
 * nothing is counted there; the tree frees them. Others appear when they are counted. */
void counts_batch_begin(stats_tree *tree, count_cells *cells, const char *const *names, unsigned count);
void counts_batch_end(stats_tree *tree);
/* The cells in which to count a record. */
count_cells *counts_batch_enter(const stats_tree *tree, const packet_info *pinfo);

#endif
