/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls from the outermost inwards, as two of Wireshark's statistics trees: how many and how long each, and what part of the
 * time. A tree of Wireshark has one number that counts, and shows it as a part of that of the node above: calls in one of
 * them, time in the other. */
#ifndef WIRETRACE_CALLTREE_H
#define WIRETRACE_CALLTREE_H

#include "stacks.h"

typedef struct calltree {
    const stacks_protocol *stacks;
    const char *calls, *calls_title; /* name for -z, and in the menu */
    const char *time, *time_title;
    const char *root; /* what all of them are called */
    unsigned groups;  /* so many names on each stack are no calls: they have the sum of what is below them */
    uint64_t (*nanoseconds)(const void *tapped, uint64_t ticks); /* NULL: ticks are nanoseconds */
    struct calltree *next;
} calltree;

/* When all protocols are handed off. The row has static storage. */
void calltree_register(calltree *t);

#endif
