/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Regions that no newer one overlaps are "on top". They have no bytes in common, so one look-up by start finds the one that
 * covers an address, and it is the newest that does. In most traces all regions are on top.
 *
 * A region that a newer one overlaps is "hidden" from then on, even after the newer one has been removed. Hidden regions are
 * in an interval tree over the address space: a node stands for the 2^height addresses with its prefix, and contains the
 * regions that are within them and on both sides of their middle. So every region is in exactly one node, and the nodes that
 * may contain an address form a path of at most 65. In such a node, an address below the middle is covered by the regions
 * that begin at or before it, one above by those that end at or after it: two treaps, by start and by last byte, tell which
 * of these is the newest. Nodes without regions exist only where two paths separate.
 *
 * Hidden regions that begin at the same address are in a linked list, newest first; so are empty ones. All links are indices
 * into arrays; 0: no entry. */
#include "cacheray/annotations.h"

#include <glib.h>
#include <string.h>

#include "containers/hash_map.h"
#include "containers/btree.h"
#include "containers/large_memory.h"

/* The treaps of a node. */
typedef enum order { BY_START, BY_LAST, ORDERS } order;

typedef struct branch {
    uint32_t left, right;
    uint32_t newest; /* highest number in this subtree */
} branch;

/* Links of a region that is hidden or empty. */
typedef struct hooks {
    branch branches[ORDERS];
    uint32_t older; /* the next older one with the same start */
} hooks;

typedef struct node {
    uint64_t prefix; /* its first address */
    uint32_t child[2];
    uint32_t regions[ORDERS]; /* roots of the treaps */
    uint8_t height;           /* 0: one address, 64: all addresses */
} node;

enum { RECENT = 16, RECENT_BITS = 10 };

struct annotations {
    annotation *regions;
    hooks *hooks; /* indexed like `regions`; unused for those on top */
    uint32_t count, room;
    btree top;           /* start -> region on top */
    btree hidden, empty; /* start -> newest of these regions */
    node *nodes;
    uint32_t node_count, node_room;
    uint32_t free_node; /* list linked by child[0] */
    uint32_t root;
    uint64_t seed;           /* so that no file can determine the shape of the treaps */
    uint32_t recent[RECENT]; /* regions on top that were found last, see recent_of(); 0: none */
};

annotations *annotations_new(void)
{
    annotations *a = g_new0(annotations, 1);
    btree_init(&a->top);
    btree_init(&a->hidden);
    btree_init(&a->empty);
    a->seed = hash_map_seed();
    return a;
}

void annotations_free(annotations *a)
{
    if (!a)
        return;
    btree_clear(&a->top);
    btree_clear(&a->hidden);
    btree_clear(&a->empty);
    large_memory_free(a->regions, a->room, sizeof(annotation));
    g_free(a->hooks);
    g_free(a->nodes);
    g_free(a);
}

const annotation *annotations_get(const annotations *a, uint32_t number)
{
    return &a->regions[number];
}

/* --- treaps ------------------------------------------------------------------------------------------------------------ */

static uint64_t priority(const annotations *a, uint32_t i)
{
    uint64_t x = i + a->seed;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t last_byte(uint64_t start, uint64_t length)
{
    return length - 1 > UINT64_MAX - start ? UINT64_MAX : start + (length - 1);
}

static uint64_t last_of(const annotations *a, uint32_t i)
{
    return last_byte(a->regions[i].start, annotation_length(&a->regions[i]));
}

/* The sort key in a treap: the further a region reaches, the lower its key. */
static uint64_t key(const annotations *a, order o, uint32_t i)
{
    return o == BY_LAST ? ~last_of(a, i) : a->regions[i].start;
}

static branch *branch_of(const annotations *a, order o, uint32_t i)
{
    return &a->hooks[i].branches[o];
}

/* Whether i comes before j. Regions with the same key are in the order of their numbers. */
static bool before(const annotations *a, order o, uint32_t i, uint32_t j)
{
    uint64_t x = key(a, o, i), y = key(a, o, j);
    return x < y || (x == y && i < j);
}

static void update(annotations *a, order o, uint32_t i)
{
    branch *l = branch_of(a, o, i);
    uint32_t below = MAX(branch_of(a, o, l->left)->newest, branch_of(a, o, l->right)->newest);
    l->newest = MAX(i, below);
}

/* Splits a treap into what comes before i and the rest. */
static void split(annotations *a, order o, uint32_t root, uint32_t i, uint32_t *left, uint32_t *right)
{
    if (!root) {
        *left = *right = 0;
        return;
    }
    branch *l = branch_of(a, o, root);
    if (before(a, o, root, i)) {
        *left = root;
        split(a, o, l->right, i, &l->right, right);
    } else {
        *right = root;
        split(a, o, l->left, i, left, &l->left);
    }
    update(a, o, root);
}

static uint32_t join(annotations *a, order o, uint32_t left, uint32_t right)
{
    if (!left || !right)
        return left ? left : right;
    uint32_t root = priority(a, left) > priority(a, right) ? left : right;
    branch *l = branch_of(a, o, root);
    if (root == left)
        l->right = join(a, o, l->right, right);
    else
        l->left = join(a, o, left, l->left);
    update(a, o, root);
    return root;
}

static void treap_insert(annotations *a, order o, uint32_t *root, uint32_t i)
{
    branch *l = branch_of(a, o, i);
    if (!*root || priority(a, i) > priority(a, *root)) {
        split(a, o, *root, i, &l->left, &l->right);
        *root = i;
    } else {
        branch *above = branch_of(a, o, *root);
        treap_insert(a, o, before(a, o, i, *root) ? &above->left : &above->right, i);
    }
    update(a, o, *root);
}

static void treap_remove(annotations *a, order o, uint32_t *root, uint32_t i)
{
    branch *l = branch_of(a, o, *root);
    if (*root == i) {
        *root = join(a, o, l->left, l->right);
        return;
    }
    treap_remove(a, o, before(a, o, i, *root) ? &l->left : &l->right, i);
    update(a, o, *root);
}

/* The newest region whose key is at most `most`. */
static uint32_t newest_to(const annotations *a, order o, uint32_t root, uint64_t most)
{
    uint32_t newest = 0;
    while (root) {
        const branch *l = branch_of(a, o, root);
        if (key(a, o, root) > most) {
            root = l->left;
            continue;
        }
        newest = MAX(newest, MAX(root, branch_of(a, o, l->left)->newest));
        root = l->right;
    }
    return newest;
}

/* --- nodes ------------------------------------------------------------------------------------------------------------- */

/* The height of the lowest node that contains both addresses. */
static uint8_t height_of(uint64_t x, uint64_t y)
{
    return x == y ? 0 : (uint8_t)(64 - __builtin_clzll(x ^ y));
}

static uint64_t prefix_of(uint64_t address, uint8_t height)
{
    return height == 64 ? 0 : address >> height << height;
}

static bool holds(const node *n, uint64_t address)
{
    return prefix_of(address, n->height) == n->prefix;
}

static unsigned half(const node *n, uint64_t address)
{
    return address >> (n->height - 1) & 1;
}

/* Makes room for this many nodes, so that creating them does not move the others. */
static void reserve_nodes(annotations *a, uint32_t more)
{
    if (a->node_count + more < a->node_room)
        return;
    a->node_room = a->node_room * 2 + 64;
    a->nodes = g_renew(node, a->nodes, a->node_room);
    a->node_count = MAX(a->node_count, 1);
}

static uint32_t make_node(annotations *a, uint64_t prefix, uint8_t height)
{
    uint32_t i = a->free_node;
    if (i)
        a->free_node = a->nodes[i].child[0];
    else
        i = a->node_count++;
    a->nodes[i] = (node){.prefix = prefix, .height = height};
    return i;
}

/* The node for a prefix, created if necessary. */
static node *node_for(annotations *a, uint64_t prefix, uint8_t height)
{
    reserve_nodes(a, 2);
    uint32_t *at = &a->root;
    while (*at) {
        node *n = &a->nodes[*at];
        if (n->height == height && n->prefix == prefix)
            return n;
        if (n->height <= height || !holds(n, prefix))
            break;
        at = &n->child[half(n, prefix)];
    }
    uint32_t old = *at, made = make_node(a, prefix, height);
    node *n = &a->nodes[made];
    if (!old) {
        *at = made;
    } else if (holds(n, a->nodes[old].prefix)) {
        n->child[half(n, a->nodes[old].prefix)] = old;
        *at = made;
    } else {
        uint64_t other = a->nodes[old].prefix;
        uint8_t parting = height_of(prefix, other);
        uint32_t fork = make_node(a, prefix_of(prefix, parting), parting);
        a->nodes[fork].child[half(&a->nodes[fork], prefix)] = made;
        a->nodes[fork].child[half(&a->nodes[fork], other)] = old;
        *at = fork;
    }
    return n;
}

/* Removes a node if it is no longer needed; otherwise false. */
static bool drop_node(annotations *a, uint32_t *at)
{
    uint32_t i = *at;
    node *n = &a->nodes[i];
    if (n->regions[BY_START] || (n->child[0] && n->child[1]))
        return false;
    *at = n->child[0] ? n->child[0] : n->child[1];
    n->child[0] = a->free_node;
    a->free_node = i;
    return true;
}

static void tree_insert(annotations *a, uint32_t i)
{
    uint64_t start = a->regions[i].start;
    uint8_t height = height_of(start, last_of(a, i));
    node *n = node_for(a, prefix_of(start, height), height);
    treap_insert(a, BY_START, &n->regions[BY_START], i);
    treap_insert(a, BY_LAST, &n->regions[BY_LAST], i);
}

static void tree_remove(annotations *a, uint32_t i)
{
    uint64_t start = a->regions[i].start;
    uint8_t height = height_of(start, last_of(a, i));
    uint32_t *path[66];
    unsigned depth = 0;
    path[0] = &a->root;
    while (a->nodes[*path[depth]].height != height) {
        node *n = &a->nodes[*path[depth]];
        path[++depth] = &n->child[half(n, start)];
    }
    node *n = &a->nodes[*path[depth]];
    treap_remove(a, BY_START, &n->regions[BY_START], i);
    treap_remove(a, BY_LAST, &n->regions[BY_LAST], i);
    while (drop_node(a, path[depth]) && depth > 0)
        depth--;
}

static uint32_t tree_find(const annotations *a, uint64_t address)
{
    uint32_t newest = 0;
    for (uint32_t i = a->root; i;) {
        const node *n = &a->nodes[i];
        if (!holds(n, address))
            break;
        bool upper = n->height == 0 || half(n, address);
        uint32_t found = upper ? newest_to(a, BY_LAST, n->regions[BY_LAST], ~address)
                               : newest_to(a, BY_START, n->regions[BY_START], address);
        newest = MAX(newest, found);
        i = n->height ? n->child[upper] : 0;
    }
    return newest;
}

/* --- annotations ------------------------------------------------------------------------------------------------------- */

/* The last of the regions on top that overlap the bytes from `start` to `last`; 0: none. */
static uint32_t top_within(const annotations *a, uint64_t start, uint64_t last)
{
    uint64_t found;
    uint32_t i = btree_find(&a->top, last, &found);
    return i && last_of(a, i) >= start ? i : 0;
}

/* Inserts a region before the older ones with the same start. */
static void chain(annotations *a, btree *heads, uint32_t i)
{
    uint64_t start = a->regions[i].start;
    a->hooks[i] = (hooks){.older = btree_get(heads, start)};
    btree_set(heads, start, i);
}

static void unlink_entry(annotations *a, btree *heads, uint32_t i)
{
    uint64_t start = a->regions[i].start;
    if (a->hooks[i].older)
        btree_set(heads, start, a->hooks[i].older);
    else
        btree_remove(heads, start);
}

static void hide(annotations *a, uint32_t i)
{
    btree_remove(&a->top, a->regions[i].start);
    chain(a, &a->hidden, i);
    tree_insert(a, i);
}

/* Accesses stay among few regions, so most need no look-up. By blocks of addresses, so that walks through several regions at once do not
 * displace each other. */
static uint32_t *recent_of(annotations *a, uint64_t address)
{
    return &a->recent[(address >> RECENT_BITS) % RECENT];
}

/* To be called when regions on top change. */
static void forget_recent(annotations *a)
{
    memset(a->recent, 0, sizeof a->recent);
}

uint32_t annotations_add(annotations *a, const annotation *added)
{
    forget_recent(a);
    if (a->count + 1 >= a->room) {
        const uint32_t before = a->room;
        a->room = a->room * 2 + 64;
        a->regions = large_memory_grow(a->regions, before, a->count ? a->count + 1 : 0, a->room, sizeof(annotation));
        a->hooks = g_renew(hooks, a->hooks, a->room);
        a->hooks[0] = (hooks){.older = 0};
    }
    uint32_t i = ++a->count;
    a->regions[i] = *added;
    a->regions[i].removed = 0;
    if (annotation_length(added) == 0) {
        chain(a, &a->empty, i);
        return i;
    }
    uint32_t under;
    while ((under = top_within(a, added->start, last_of(a, i))) != 0)
        hide(a, under);
    btree_set(&a->top, added->start, i);
    return i;
}

uint32_t annotations_remove(annotations *a, uint64_t start, uint32_t record)
{
    uint32_t top = btree_get(&a->top, start), hidden = btree_get(&a->hidden, start);
    uint32_t empty = btree_get(&a->empty, start), i = MAX(MAX(top, hidden), empty);
    if (!i)
        return 0;
    a->regions[i].removed = record;
    forget_recent(a);
    if (i == top) {
        btree_remove(&a->top, start);
    } else if (i == empty) {
        unlink_entry(a, &a->empty, i);
    } else {
        unlink_entry(a, &a->hidden, i);
        tree_remove(a, i);
    }
    return i;
}

uint32_t annotations_find(annotations *a, uint64_t address)
{
    uint64_t start;
    uint32_t *recent = recent_of(a, address);
    if (*recent && a->regions[*recent].start <= address && last_of(a, *recent) >= address)
        return *recent;
    uint32_t top = btree_find(&a->top, address, &start);
    if (!top || last_of(a, top) < address)
        return tree_find(a, address);
    *recent = top;
    return top;
}

bool annotations_overlap(const annotations *a, uint64_t start, uint64_t length)
{
    if (length == 0)
        return false;
    uint64_t last = last_byte(start, length), begins;
    return top_within(a, start, last) || tree_find(a, start) || (btree_find(&a->hidden, last, &begins) && begins >= start);
}
