/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wireshark's statistics trees that count records by names from the file. Looking up nodes by their names costs more than
 * all else that a tree does. So records are counted in cells of our own, and handed to the tree when its search for bursts
 * comes to a new interval, and before it is drawn. The tree becomes the same: within an interval only the number of records
 * and the time of the first one matter to it. Programs without windows start ours here, not by Wireshark's own command,
 * which asks for every record to be dissected. */
#ifndef WIRETRACE_SHOWING_COUNT_TREE_H
#define WIRETRACE_SHOWING_COUNT_TREE_H

#include "compat.h"

#include <epan/stats_tree.h>

#include "host/record_seen.h"
#include "statistics/count_cells.h"

/* A tree. All pointers have static storage. */
typedef struct count_tree {
    const char *tap, *name, *title; /* `name` is that in -z NAME,tree; `title` is for menus */
    const char *const *first;       /* the names of the nodes at the top, which are always there */
    unsigned first_count;
    bool (*add)(count_cells *c, const void *tapped); /* counts a record; false: such a record does not count */
} count_tree;

/* Call when all protocols are handed off. */
void count_tree_register(const count_tree *t);

#endif
