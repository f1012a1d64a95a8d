/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes of a statistics tree with names from the file. For a new node Wireshark searches all of its siblings, and a file
 * may have a million names: after the first COUNTS_MAX, all further names share a node. */
#ifndef WIRETRACE_COUNTS_H
#define WIRETRACE_COUNTS_H

#include "compat.h"

#include <epan/stats_tree.h>

#define COUNTS_MAX 10000u
/* Flags for a tree that is sorted by count, largest first. */
#define COUNTS_LARGEST_FIRST (ST_FLG_SORT_DESC | ST_SORT_COL_COUNT << ST_FLG_SRTCOL_SHIFT)
#define COUNTS_OTHERS "(others)"

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

typedef struct counts_batch counts_batch;

/* For the init of a tree, whose nodes are gone then; and for its cleanup. */
counts_batch *counts_batch_begin(stats_tree *tree);
void counts_batch_end(stats_tree *tree);
counts_batch *counts_batch_of(const stats_tree *tree);

#define COUNTS_TOP 0u /* the cell of the tree itself */
enum { COUNTS_KINDS = 4 };
/* A cell for the node `name` below that of another cell. `key` stands for the name, such as its address. Of each kind there
 * are COUNTS_MAX at most; any further ones are the cell of COUNTS_OTHERS. Nodes appear in the tree when they are counted. */
uint32_t counts_cell(counts_batch *b, unsigned kind, uint32_t parent, uint64_t key, const char *name, bool inner);
/* The cell that was made for a key; 0: none. */
uint32_t counts_known(const counts_batch *b, uint32_t parent, uint64_t key);
/* Call this before all that counts a record. */
void counts_batch_enter(counts_batch *b, const packet_info *pinfo);
void counts_add(counts_batch *b, uint32_t cell);

#endif
