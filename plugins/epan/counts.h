/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes of a statistics tree with names from the file. For a new node Wireshark searches all of its siblings, and a file
 * may have a million names: after the first COUNTS_MAX, all further names share a node. */
#ifndef WIRETRACE_COUNTS_H
#define WIRETRACE_COUNTS_H

#include "../compat.h"

#include <epan/stats_tree.h>

#define COUNTS_MAX 10000u
/* Flags for a tree that is sorted by count, largest first. */
#define COUNTS_LARGEST_FIRST (ST_FLG_SORT_DESC | ST_SORT_COL_COUNT << ST_FLG_SRTCOL_SHIFT)
#define COUNTS_OTHERS "(others)"

/* The names below a node, or below its children. */
typedef struct counts {
    GHashTable *names;
    const struct counts_place *recent[256];
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

#endif
