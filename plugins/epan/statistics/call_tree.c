/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics/call_tree.h"

#include <epan/stats_tree.h>
#include <epan/stats_tree_priv.h>

#include <string.h>

#include "statistics/count_tree.h"
#include "statistics/counts.h"
#include "containers/hash.h"

/* Exact values of a node, as Wireshark's nodes add up single-precision numbers. */
typedef struct tree_node {
    struct tree_node *parent; /* NULL: the root, or the node of all others */
    const char *name;
    int id;
    uint64_t calls, ns, min, max;
} tree_node;

static calltree *registered; /* list of all rows */

/* A tree that counts. */
typedef struct counting {
    const calltree *row;
    int which; /* of the row's trees */
    GHashTable
        *nodes; /* set of tree_node, by parent and name; not by stack, which may be much longer than the names in it */
    tree_node root, others;
} counting;

static GHashTable *countings; /* stats_tree -> counting; replaced when a tree begins again */

static unsigned hash_node(const void *node)
{
    const tree_node *n = node;
    return hash_text(n->name) + (unsigned)n->parent->id;
}

static gboolean is_same_node(const void *a, const void *b)
{
    const tree_node *one = a, *other = b;
    return one->parent == other->parent && strcmp(one->name, other->name) == 0;
}

static void counting_free(void *data)
{
    g_hash_table_destroy(((counting *)data)->nodes);
    g_free(data);
}

static void node_free(void *node)
{
    g_free((char *)((tree_node *)node)->name);
    g_free(node);
}

static counting *counting_new(const stats_tree *tree)
{
    counting *c = g_new0(counting, 1);
    c->nodes = g_hash_table_new_full(hash_node, is_same_node, node_free, NULL);
    for (c->row = registered;; c->row = c->row->next)
        for (c->which = 0; c->which < CALLTREES; c->which++)
            if (strcmp(c->row->trees[c->which].name, tree->cfg->abbr) == 0)
                return c;
}

static void node_make(stats_tree *tree, tree_node *n, tree_node *parent, const char *name)
{
    *n = (tree_node){.parent = parent, .name = name, .min = UINT64_MAX};
    n->id = stats_tree_create_node(tree, name, parent ? parent->id : 0, STAT_DT_FLOAT, TRUE);
}

/* The node of a name below another node. If there is no room for it, a node for all others, which has no children. */
static tree_node *node_below(stats_tree *tree, counting *c, tree_node *parent, const char *name)
{
    const tree_node key = {.parent = parent, .name = name};
    tree_node *n = g_hash_table_lookup(c->nodes, &key);
    if (n)
        return n;
    if (g_hash_table_size(c->nodes) + 1 >= COUNT_CELLS_MAX) {
        if (!c->others.id)
            node_make(tree, &c->others, NULL, COUNT_CELLS_OTHERS);
        return &c->others;
    }
    n = g_new(tree_node, 1);
    node_make(tree, n, parent, g_strdup(name));
    g_hash_table_add(c->nodes, n);
    return n;
}

static void node_show(const stats_tree *tree, const tree_node *n, int which)
{
    stat_node *shown = g_ptr_array_index(tree->parents, (guint)n->id);
    shown->counter = (int)MIN(which == CALLTREE_CALLS ? n->calls : n->ns / 1000, INT32_MAX);
    if (which != CALLTREE_CALLS)
        return;
    shown->st_flags |= ST_FLG_AVERAGE;
    shown->total.float_total = (float)((double)n->ns / 1000);
    shown->minvalue.float_min = (float)((double)n->min / 1000);
    shown->maxvalue.float_max = (float)((double)n->max / 1000);
}

static void node_add(const stats_tree *tree, tree_node *n, uint64_t ns, int which)
{
    n->calls++;
    n->ns += ns;
    n->min = MIN(n->min, ns);
    n->max = MAX(n->max, ns);
    node_show(tree, n, which);
}

/* The node of the innermost piece of a stack; *above: of the one around it. */
static tree_node *node_of(stats_tree *tree, counting *c, const void *tapped, const stack_piece *pieces, unsigned count,
                          tree_node **above)
{
    tree_node *n = &c->root;
    GString *name = g_string_new(NULL);
    for (unsigned i = 0; i < count && n != &c->others; i++) {
        g_string_truncate(name, 0);
        c->row->stacks->name(tapped, &pieces[i], name);
        *above = n;
        n = node_below(tree, c, n, name->str);
    }
    g_string_free(name, TRUE);
    return n;
}

/* A call counts at its own node; an outermost call also at the nodes above. Self time counts at one node per name. */
static void add(stats_tree *tree, counting *c, const void *tapped, uint32_t i, const call *k)
{
    const bool self = c->which == CALLTREE_SELF;
    const uint64_t ticks = self ? k->self : k->duration;
    const uint64_t ns = c->row->nanoseconds ? c->row->nanoseconds(tapped, ticks) : ticks;
    stack_piece pieces[STACKS_PIECES];
    tree_node *above = NULL;
    const unsigned n = c->row->stacks->stack(tapped, i, STACKS_SHORT, pieces), skipped = self && n ? n - 1 : 0;
    const bool outermost = self || n == c->row->groups + 1;
    node_add(tree, node_of(tree, c, tapped, pieces + skipped, n - skipped, &above), ns, c->which);
    for (; outermost && above; above = above->parent)
        node_add(tree, above, ns, c->which);
}

static void tree_init(stats_tree *tree)
{
    if (!countings)
        countings = g_hash_table_new_full(NULL, NULL, NULL, counting_free);
    counting *c = counting_new(tree);
    g_hash_table_insert(countings, tree, c);
    node_make(tree, &c->root, NULL, c->row->root);
    node_show(tree, &c->root, CALLTREE_TIME); /* nothing counted yet */
}

static void tree_forget(stats_tree *tree)
{
    g_hash_table_remove(countings, tree);
}

static tap_packet_status tree_packet(stats_tree *tree, packet_info *pinfo, epan_dissect_t *edt, const void *tapped,
                                     tap_flags_t flags)
{
    (void)edt;
    (void)flags;
    counting *c = g_hash_table_lookup(countings, tree);
    bool any = false;
    call k;
    for (uint32_t i = 0; c->row->stacks->ended(tapped, pinfo, i, &k); i++)
        if (k.state & CALL_TIMED) {
            any = true;
            if (c->which != CALLTREE_SELF || k.state & CALL_SELF)
                add(tree, c, tapped, i, &k);
        }
    return any ? TAP_PACKET_REDRAW : TAP_PACKET_DONT_REDRAW;
}

void calltree_register(calltree *t)
{
    t->next = registered;
    registered = t;
    for (int i = 0; i < CALLTREES; i++) {
        count_tree *tree = wmem_new(wmem_epan_scope(), count_tree);
        *tree = (count_tree){t->stacks->tap, t->trees[i].name, t->trees[i].title, tree_packet, tree_init, tree_forget};
        count_tree_register(tree);
    }
}
