/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wireshark's statistics trees that are counted by us and get their nodes when they are drawn: what all of them have in
 * common (count_tree.h, call_tree.h). */
#ifndef WIRETRACE_SHOWING_DRAWN_TREE_H
#define WIRETRACE_SHOWING_DRAWN_TREE_H

#include "compat.h"

#include <epan/stats_tree.h>

#include "util/shown_name.h"

/* A tree from when it begins until it begins again. What is counted follows it, zeroed at first. */
typedef struct drawn_tree {
    const struct drawn_tree_kind *kind;
    const void *of; /* of its registration */
    stats_tree *tree;
    GHashTable *owners; /* private: what names have been cut to, and of which */
    bool listens;       /* private: for when it is drawn */
} drawn_tree;

/* All pointers have static storage. */
typedef struct drawn_tree_kind {
    size_t size;                  /* with what is counted */
    void (*begin)(drawn_tree *t); /* there are no nodes yet */
    stat_tree_packet_cb packet;
    void (*draw)(void *t);
    void (*end)(drawn_tree *t); /* frees what is counted */
} drawn_tree_kind;

/* Registers a tree, sorted by count, largest first. Call when all protocols are handed off. */
void drawn_tree_register(const drawn_tree_kind *kind, const char *tap, const char *name, const char *title, const void *of);
/* A tree that counts now, and will be drawn. */
drawn_tree *drawn_tree_of(const stats_tree *tree);
/* The name of a node, below `depth` others: in a window cut, as numbers follow the widest name there, the more the further
 * it is indented. Trees may find nodes by their names, so one that would be cut to the name of another one is cut less, or
 * not. Valid as long as `name` and the tree. */
const char *drawn_tree_node_name(const drawn_tree *t, const shown_name *name, unsigned depth);

#endif
