/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wireshark's statistics trees. Programs without windows start ours here, not by Wireshark's own command, which asks for
 * every record to be dissected. */
#ifndef WIRETRACE_TAPS_COUNT_TREE_H
#define WIRETRACE_TAPS_COUNT_TREE_H

#include "compat.h"

#include <epan/stats_tree.h>

/* A tree. All pointers have static storage. */
typedef struct count_tree {
    const char *tap, *name, *title; /* `name` is that in -z NAME,tree; `title` is for menus */
    stat_tree_packet_cb packet;
    stat_tree_init_cb init;
    stat_tree_cleanup_cb cleanup; /* or NULL */
} count_tree;

/* Call when all protocols are handed off. */
void count_tree_register(const count_tree *t);

#endif
