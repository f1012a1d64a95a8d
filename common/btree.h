/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A B+ tree: a map from numbers of 64 bits (addresses) to small numbers, in order: what stands at a key or next before it is found
 * in a few places of memory, however many keys there are. Every call costs O(log n). */
#ifndef WIRETRACE_BTREE_H
#define WIRETRACE_BTREE_H

#include <stdint.h>

typedef struct btree_node btree_node;

typedef struct btree {
    btree_node *nodes;
    uint32_t count, room; /* of nodes; the first stands for none */
    uint32_t unused;      /* chain of nodes */
    uint32_t root;
    unsigned height; /* of the root; 0: a leaf */
} btree;

void btree_init(btree *o);
void btree_clear(btree *o);
/* The value of the last key that is not above `key`, and that key; 0 where there is none. */
uint32_t btree_find(const btree *o, uint64_t key, uint64_t *found);
/* The value of this very key; 0 where it has none. */
uint32_t btree_get(const btree *o, uint64_t key);
/* Gives a key a value, not 0, in the place of the one that it may have. */
void btree_set(btree *o, uint64_t key, uint32_t value);
/* Takes a key out, which must be there. */
void btree_remove(btree *o, uint64_t key);

#endif
