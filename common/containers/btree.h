/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A B+ tree: a map from 64-bit numbers (addresses) to small numbers, in order of the keys. Finds the value at a key or at
 * the next lower one. A look-up touches few cache lines, however many keys there are. Every function costs O(log n). */
#ifndef WIRETRACE_CONTAINERS_BTREE_H
#define WIRETRACE_CONTAINERS_BTREE_H

#include <stdint.h>

typedef struct btree_node btree_node;

typedef struct btree {
    btree_node *nodes;
    uint32_t count, room; /* of nodes; node 0 stands for none */
    uint32_t unused;      /* list of free nodes */
    uint32_t root;
    unsigned height; /* of the root above the leaves; 0: it is a leaf */
} btree;

void btree_init(btree *t);
void btree_clear(btree *t);
/* The value of the largest key that is not above `key`, and that key in *found; 0 if there is none. */
uint32_t btree_find(const btree *t, uint64_t key, uint64_t *found);
/* The value of exactly this key; 0 if it has none. */
uint32_t btree_get(const btree *t, uint64_t key);
/* Sets the value of a key, which must not be 0, and replaces the old one if there is one. */
void btree_set(btree *t, uint64_t key, uint32_t value);
/* Removes a key, which must be there. */
void btree_remove(btree *t, uint64_t key);

#endif
