/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes of a statistics tree whose names come from the file. For a new node Wireshark goes through all that stand
 * beside it, and a file may name a million: after the first COUNTS_MAX names further ones count together. */
#ifndef WIRETRACE_COUNTS_H
#define WIRETRACE_COUNTS_H

#include "../compat.h"

#include <epan/stats_tree.h>

#define COUNTS_MAX 10000u
/* Flags of a tree that is to begin with its largest numbers. */
#define COUNTS_LARGEST_FIRST (ST_FLG_SORT_DESC | ST_SORT_COL_COUNT << ST_FLG_SRTCOL_SHIFT)
#define COUNTS_OTHERS "(others)"

/* The names below one node, or below its children. */
typedef struct counts {
    GHashTable *names;
} counts;

/* Around all that counts a record: the trees of Wireshark look for bursts, and crash where the time since the first record is
 * so long that a double does not tell one tenth of a second from the next. Such records are counted without that. */
bool counts_enter(const packet_info *pinfo);
void counts_leave(bool bursts);
/* Forgets all names: a tree begins. */
void counts_begin(counts *c);
/* Counts `name` below the node `parent`. `inner`: nodes may come below it, which must not change; returns its number
 * for them. Of a node that was not inner at first Wireshark ends with an assertion when one comes below it. */
int counts_tick(counts *c, stats_tree *tree, int parent, const char *name, bool inner);

#endif
