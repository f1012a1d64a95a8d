/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls as statistics trees. A tree of Wireshark has one number that counts, and shows it as a part of that of the node above. So
 * there are three: calls from the outermost inwards, and how long each of them was; their time; and the time of their own, of all
 * calls of a name together. */
#ifndef WIRETRACE_CALLTREE_H
#define WIRETRACE_CALLTREE_H

#include "stacks.h"

enum { CALLTREE_CALLS, CALLTREE_TIME, CALLTREE_SELF, CALLTREES };

typedef struct calltree {
    const stacks_protocol *stacks;
    struct {
        const char *name, *title; /* for -z and in the menu */
    } trees[CALLTREES];
    const char *root; /* what all of them are called */
    unsigned groups;  /* so many names on each stack are no calls: they have the sum of what is below them */
    uint64_t (*nanoseconds)(const void *tapped, uint64_t ticks); /* NULL: ticks are nanoseconds */
    struct calltree *next;
} calltree;

/* When all protocols are handed off. The row has static storage. */
void calltree_register(calltree *t);

#endif
