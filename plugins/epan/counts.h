/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes of a statistics tree whose names come from the file. For a new node Wireshark goes through all that stand
 * beside it, and a file may name a million: after the first COUNTS_MAX names further ones count together. */
#ifndef WIRETRACE_COUNTS_H
#define WIRETRACE_COUNTS_H

#include "../compat.h"

#include <epan/stats_tree.h>

#define COUNTS_MAX 10000u
#define COUNTS_OTHERS "(others)"

/* The names below one node, or below its children. */
typedef struct counts {
    GHashTable *names;
} counts;

/* Forgets all names: a tree begins. */
void counts_begin(counts *c);
/* Counts `name` below the node `parent`. `inner`: nodes may come below it, which must not change; returns its number
 * for them. Of a node that was not inner at first Wireshark ends with an assertion when one comes below it. */
int counts_tick(counts *c, stats_tree *tree, int parent, const char *name, bool inner);

#endif
