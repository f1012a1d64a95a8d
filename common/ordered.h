/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A map from numbers of 64 bits (addresses) to small numbers, in order: what stands at a key or next before it is found
 * in a few places of memory, however many keys there are. Every call costs O(log n). */
#ifndef WIRETRACE_ORDERED_H
#define WIRETRACE_ORDERED_H

#include <stdint.h>

typedef struct ordered_node ordered_node;

typedef struct ordered {
    ordered_node *nodes;
    uint32_t count, room; /* of nodes; the first stands for none */
    uint32_t unused;      /* chain of nodes */
    uint32_t root;
    unsigned height; /* of the root; 0: a leaf */
} ordered;

void ordered_init(ordered *o);
void ordered_clear(ordered *o);
/* The value of the last key that is not above `key`, and that key; 0 where there is none. */
uint32_t ordered_find(const ordered *o, uint64_t key, uint64_t *found);
/* The value of this very key; 0 where it has none. */
uint32_t ordered_get(const ordered *o, uint64_t key);
/* Gives a key a value, not 0, in the place of the one that it may have. */
void ordered_set(ordered *o, uint64_t key, uint32_t value);
/* Takes a key out, which must be there. */
void ordered_remove(ordered *o, uint64_t key);

#endif
