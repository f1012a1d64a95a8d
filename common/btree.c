/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A B+ tree. What counts is how many places in memory a look-up goes to, one after the other: a node is three lines of
 * the processor's cache, of which the first two say where to go on. A node that is full is parted on the way to a place
 * for a new key, one that is empty is taken out; those that are half empty stay, so no node is ever moved or refilled.
 */
#include "btree.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "pages.h"

#define CACHE_LINE 64u
#define KEYS 15u
#define HEIGHT_MAX 32u /* each level has at least two nodes for one above */
#define FIRST_ROOM 64u

struct btree_node {
    /* Ascending. Of an inner node: no key below the n-th child is below the n-th one; the first is 0. */
    _Alignas(CACHE_LINE) uint64_t keys[KEYS];
    uint32_t count;
    uint32_t values[KEYS]; /* in a leaf; else numbers of nodes */
};

void btree_init(btree *o)
{
    *o = (btree){.room = FIRST_ROOM, .count = 1};
    o->nodes = pages_new(FIRST_ROOM, sizeof(btree_node));
}

void btree_clear(btree *o)
{
    pages_free(o->nodes, o->room, sizeof(btree_node));
    o->nodes = NULL;
}

/* How many keys of a node are not above a key. */
static unsigned keys_to(const btree_node *n, uint64_t key)
{
    unsigned count = 0;
    for (unsigned i = 0; i < n->count; i++)
        count += n->keys[i] <= key;
    return count;
}

/* The child of an inner node that a key belongs to. */
static unsigned child_for(const btree_node *n, uint64_t key)
{
    return keys_to(n, key) - 1;
}

/* --- finding ---------------------------------------------------------------------------------------------------------------- */

uint32_t btree_find(const btree *o, uint64_t key, uint64_t *found)
{
    const btree_node *n = &o->nodes[o->root], *before = &o->nodes[0]; /* the nearest node whose keys are all below */
    unsigned before_height = 0;
    for (unsigned height = o->height; height > 0; height--) {
        unsigned i = child_for(n, key);
        if (i > 0) {
            before = &o->nodes[n->values[i - 1]];
            before_height = height - 1;
        }
        n = &o->nodes[n->values[i]];
    }
    unsigned count = keys_to(n, key);
    if (count == 0) {
        for (n = before; before_height > 0; before_height--)
            n = &o->nodes[n->values[n->count - 1]];
        count = n->count;
    }
    if (count == 0)
        return 0;
    *found = n->keys[count - 1];
    return n->values[count - 1];
}

uint32_t btree_get(const btree *o, uint64_t key)
{
    uint64_t found;
    uint32_t value = btree_find(o, key, &found);
    return value && found == key ? value : 0;
}

/* --- changing --------------------------------------------------------------------------------------------------------------- */

/* Room for so many more nodes: pointers to nodes stay right while they are made. */
static void reserve(btree *o, uint32_t more)
{
    if (o->count + more <= o->room)
        return;
    o->nodes = pages_grow(o->nodes, o->room, o->count, 2 * (size_t)o->room, sizeof(btree_node));
    o->room *= 2;
}

static uint32_t make_node(btree *o)
{
    uint32_t i = o->unused;
    if (!i)
        return o->count++;
    o->unused = o->nodes[i].values[0];
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

/* Parts the full i-th child, a leaf or not, of a node that is not full: in halves, or so that keys that come in order
 * fill all nodes. */
static void part(btree *o, btree_node *above, unsigned i, bool leaf, uint64_t key)
{
    uint32_t made = make_node(o);
    btree_node *left = &o->nodes[above->values[i]], *right = &o->nodes[made];
    unsigned stay = key > left->keys[KEYS - 1] ? KEYS - 1 : KEYS / 2;
    right->count = KEYS - stay;
    memcpy(right->keys, &left->keys[stay], right->count * sizeof right->keys[0]);
    memcpy(right->values, &left->values[stay], right->count * sizeof right->values[0]);
    left->count = stay;
    insert_at(above, i + 1, right->keys[0], made);
    if (!leaf)
        right->keys[0] = 0;
}

/* Makes a root that is not full. */
static void raise_root(btree *o)
{
    if (!o->root) {
        o->root = make_node(o);
        o->nodes[o->root].count = 0;
    } else if (o->nodes[o->root].count == KEYS) {
        uint32_t made = make_node(o);
        o->nodes[made] = (btree_node){.count = 1, .values = {o->root}};
        o->root = made;
        o->height++;
    }
}

void btree_set(btree *o, uint64_t key, uint32_t value)
{
    reserve(o, HEIGHT_MAX);
    raise_root(o);
    btree_node *n = &o->nodes[o->root];
    for (unsigned height = o->height; height > 0; height--) {
        unsigned i = child_for(n, key);
        if (o->nodes[n->values[i]].count == KEYS) {
            part(o, n, i, height == 1, key);
            i = child_for(n, key);
        }
        n = &o->nodes[n->values[i]];
    }
    unsigned count = keys_to(n, key);
    if (count && n->keys[count - 1] == key)
        n->values[count - 1] = value;
    else
        insert_at(n, count, key, value);
}

void btree_remove(btree *o, uint64_t key)
{
    uint32_t path[HEIGHT_MAX] = {o->root};
    unsigned place[HEIGHT_MAX], depth = 0;
    for (; depth < o->height; depth++) {
        const btree_node *n = &o->nodes[path[depth]];
        place[depth] = child_for(n, key);
        path[depth + 1] = n->values[place[depth]];
    }
    place[depth] = keys_to(&o->nodes[path[depth]], key) - 1;
    for (;; depth--) {
        btree_node *n = &o->nodes[path[depth]];
        remove_at(n, place[depth]);
        if (depth < o->height)
            n->keys[0] = 0;
        if (n->count)
            return;
        n->values[0] = o->unused;
        o->unused = path[depth];
        if (depth == 0)
            break;
    }
    o->root = 0;
    o->height = 0;
}
