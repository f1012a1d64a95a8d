/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A B+ tree. What matters is how many memory accesses of a look-up depend on each other: a node takes three cache lines,
 * of which the first two are enough to find the child. A full node is split on the way down when a key is added; an empty
 * one is removed. Nodes that are merely half empty stay as they are: nodes are never merged. */
#include "containers/btree.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "containers/pool.h"

#define CACHE_LINE 64u
#define KEYS 15u
#define HEIGHT_MAX 32u /* each level has at least two nodes per node above */
#define FIRST_ROOM 64u

struct btree_node {
    /* Ascending. In an inner node, keys[n] is a lower bound of the keys below child n; keys[0] is 0. */
    _Alignas(CACHE_LINE) uint64_t keys[KEYS];
    uint32_t count;
    uint32_t values[KEYS]; /* in a leaf; otherwise node numbers of the children */
};

void btree_init(btree *t)
{
    *t = (btree){.room = FIRST_ROOM, .count = 1};
    t->nodes = pool_new(FIRST_ROOM, sizeof(btree_node));
}

void btree_clear(btree *t)
{
    pool_free(t->nodes, t->room, sizeof(btree_node));
    t->nodes = NULL;
}

/* How many keys of a node are not greater than `key`. */
static unsigned keys_to(const btree_node *n, uint64_t key)
{
    unsigned count = 0;
    for (unsigned i = 0; i < n->count; i++)
        count += n->keys[i] <= key;
    return count;
}

/* The index of the child of an inner node for a key. */
static unsigned child_for(const btree_node *n, uint64_t key)
{
    return keys_to(n, key) - 1;
}

/* --- finding ----------------------------------------------------------------------------------------------------------- */

uint32_t btree_find(const btree *t, uint64_t key, uint64_t *found)
{
    const btree_node *n = &t->nodes[t->root], *before = &t->nodes[0]; /* the nearest node with only smaller keys */
    unsigned before_height = 0;
    for (unsigned height = t->height; height > 0; height--) {
        unsigned i = child_for(n, key);
        if (i > 0) {
            before = &t->nodes[n->values[i - 1]];
            before_height = height - 1;
        }
        n = &t->nodes[n->values[i]];
    }
    unsigned count = keys_to(n, key);
    if (count == 0) {
        for (n = before; before_height > 0; before_height--)
            n = &t->nodes[n->values[n->count - 1]];
        count = n->count;
    }
    if (count == 0)
        return 0;
    *found = n->keys[count - 1];
    return n->values[count - 1];
}

uint32_t btree_get(const btree *t, uint64_t key)
{
    uint64_t found;
    uint32_t value = btree_find(t, key, &found);
    return value && found == key ? value : 0;
}

/* --- changing ---------------------------------------------------------------------------------------------------------- */

/* Makes room for this many nodes, so that creating them does not move the others. */
static void reserve(btree *t, uint32_t more)
{
    if (t->count + more <= t->room)
        return;
    t->nodes = pool_grow(t->nodes, t->room, t->count, 2 * (size_t)t->room, sizeof(btree_node));
    t->room *= 2;
}

static uint32_t make_node(btree *t)
{
    uint32_t i = t->unused;
    if (!i)
        return t->count++;
    t->unused = t->nodes[i].values[0];
    return i;
}

static void insert_at(btree_node *n, unsigned i, uint64_t key, uint32_t value)
{
    memmove(&n->keys[i + 1], &n->keys[i], (n->count - i) * sizeof n->keys[0]);
    memmove(&n->values[i + 1], &n->values[i], (n->count - i) * sizeof n->values[0]);
    n->keys[i] = key;
    n->values[i] = value;
    n->count++;
}

static void remove_at(btree_node *n, unsigned i)
{
    n->count--;
    memmove(&n->keys[i], &n->keys[i + 1], (n->count - i) * sizeof n->keys[0]);
    memmove(&n->values[i], &n->values[i + 1], (n->count - i) * sizeof n->values[0]);
}

/* Splits the full i-th child (a leaf or not) of a node that is not full. Normally in halves; if the new key comes last,
 * so that keys added in ascending order fill all nodes. */
static void btree_part(btree *t, btree_node *above, unsigned i, bool leaf, uint64_t key)
{
    uint32_t made = make_node(t);
    btree_node *left = &t->nodes[above->values[i]], *right = &t->nodes[made];
    unsigned stay = key > left->keys[KEYS - 1] ? KEYS - 1 : KEYS / 2;
    right->count = KEYS - stay;
    memcpy(right->keys, &left->keys[stay], right->count * sizeof right->keys[0]);
    memcpy(right->values, &left->values[stay], right->count * sizeof right->values[0]);
    left->count = stay;
    insert_at(above, i + 1, right->keys[0], made);
    if (!leaf)
        right->keys[0] = 0;
}

/* Makes sure that there is a root and that it is not full. */
static void raise_root(btree *t)
{
    if (!t->root) {
        t->root = make_node(t);
        t->nodes[t->root].count = 0;
    } else if (t->nodes[t->root].count == KEYS) {
        uint32_t made = make_node(t);
        t->nodes[made] = (btree_node){.count = 1, .values = {t->root}};
        t->root = made;
        t->height++;
    }
}

void btree_set(btree *t, uint64_t key, uint32_t value)
{
    reserve(t, HEIGHT_MAX);
    raise_root(t);
    btree_node *n = &t->nodes[t->root];
    for (unsigned height = t->height; height > 0; height--) {
        unsigned i = child_for(n, key);
        if (t->nodes[n->values[i]].count == KEYS) {
            btree_part(t, n, i, height == 1, key);
            i = child_for(n, key);
        }
        n = &t->nodes[n->values[i]];
    }
    unsigned count = keys_to(n, key);
    if (count && n->keys[count - 1] == key)
        n->values[count - 1] = value;
    else
        insert_at(n, count, key, value);
}

void btree_remove(btree *t, uint64_t key)
{
    uint32_t path[HEIGHT_MAX] = {t->root};
    unsigned place[HEIGHT_MAX], depth = 0;
    for (; depth < t->height; depth++) {
        const btree_node *n = &t->nodes[path[depth]];
        place[depth] = child_for(n, key);
        path[depth + 1] = n->values[place[depth]];
    }
    place[depth] = keys_to(&t->nodes[path[depth]], key) - 1;
    for (;; depth--) {
        btree_node *n = &t->nodes[path[depth]];
        remove_at(n, place[depth]);
        if (depth < t->height)
            n->keys[0] = 0;
        if (n->count)
            return;
        n->values[0] = t->unused;
        t->unused = path[depth];
        if (depth == 0)
            break;
    }
    t->root = 0;
    t->height = 0;
}
