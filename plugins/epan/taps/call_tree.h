/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls as trees, from the outermost to the innermost, and self time, of all calls with the same name. What is added up is
 * in call_sums.h. Programs print a row for each stack. In windows and sharkd a node of Wireshark's trees has a single count,
 * shown as a percentage of its parent's, so there the number of calls and their time are in two trees. */
#ifndef WIRETRACE_TAPS_CALL_TREE_H
#define WIRETRACE_TAPS_CALL_TREE_H

#include "taps/stacks.h"

enum { CALLTREE_CALLS, CALLTREE_TIME, CALLTREE_SELF, CALLTREES };

typedef struct calltree {
    const stacks_protocol *stacks;
    struct {
        const char *name, *title; /* for -z, and for menus */
    } trees[CALLTREES];
    stack_piece_name label; /* of a piece, as people read it; NULL: its name */
    const char *root;       /* name of the root node of all three */
    unsigned groups; /* this many names at the start of a stack are not calls; their nodes have the sum of what is below */
    uint64_t (*nanoseconds)(const void *tapped, uint64_t ticks); /* NULL: ticks are nanoseconds */
    struct calltree *next;
} calltree;

/* Call when all protocols are handed off. The row has static storage. */
void calltree_register(calltree *t);

#endif
