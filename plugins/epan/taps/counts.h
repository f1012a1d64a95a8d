/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics trees that count records by names from the file. Looking up nodes by their names costs more than all else that
 * a tree does. So records are counted in cells of our own, and handed to the tree when its search for bursts comes to a new
 * interval, and before it is drawn. The tree becomes the same: within an interval only the number of ticks and the time of
 * the first one matter to it. */
#ifndef WIRETRACE_TAPS_COUNTS_H
#define WIRETRACE_TAPS_COUNTS_H

#include "compat.h"

#include <epan/stats_tree.h>

#include "statistics/count_cells.h"

/* Flags for a tree that is sorted by count, largest first. */
#define COUNTS_LARGEST_FIRST (ST_FLG_SORT_DESC | ST_SORT_COL_COUNT << ST_FLG_SRTCOL_SHIFT)

/* The name of a node: in a window cut, as numbers follow the widest name there. Trees may find nodes by their names, so one
 * that would be cut to the name of another one is not cut. `owners`: what the names of a tree have been cut to, g_str_hash()
 * with g_free() for both. Valid as long as `name` and `owners`. */
const char *counts_node_name(GHashTable *owners, const char *name);

/* For the init of a tree, whose nodes are gone then; and for its cleanup. `cells` has only those of the first nodes, which
 * appear even if nothing is counted there; the tree frees them. Others appear when they are counted. */
void counts_batch_begin(stats_tree *tree, count_cells *cells, const char *const *names, unsigned count);
void counts_batch_end(stats_tree *tree);
/* The cells in which to count a record. */
count_cells *counts_batch_enter(const stats_tree *tree);

#endif
