/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calltree.h"

#include <epan/stats_tree.h>
#include <epan/stats_tree_priv.h>

#include <string.h>

#include "counts.h"
#include "hash.h"

/* Exact values of a node, as Wireshark's nodes add up single-precision numbers. */
typedef struct tree_node {
    int id;
    uint64_t calls, ns, min, max;
} tree_node;

static calltree *registered; /* list of all rows */

/* "parent name" -> tree_node, for each tree that counts; replaced when a tree begins again */
static GHashTable *nodes_of_trees; /* stats_tree -> GHashTable */

/* The row of a tree, and which of its trees it is. */
static const calltree *row_of(const stats_tree *tree, int *which)
{
    for (const calltree *t = registered;; t = t->next)
        for (*which = 0; *which < CALLTREES; ++*which)
            if (strcmp(t->trees[*which].name, tree->cfg->abbr) == 0)
                return t;
}

static tree_node *node_make(stats_tree *tree, GHashTable *nodes, int parent, const char *name, char *key)
{
    tree_node *n = g_new0(tree_node, 1);
    n->id = stats_tree_create_node(tree, name, parent, STAT_DT_FLOAT, TRUE);
    n->min = UINT64_MAX;
    g_hash_table_insert(nodes, key, n);
    return n;
}

/* The node of a name below another node. If there is no room for it, a node for all others, which has no children. */
static tree_node *node_below(stats_tree *tree, int parent, const char *name)
{
    GHashTable *nodes = g_hash_table_lookup(nodes_of_trees, tree);
    char *key = g_strdup_printf("%d %s", parent, name);
    tree_node *n = g_hash_table_lookup(nodes, key);
    if (!n && g_hash_table_size(nodes) >= COUNTS_MAX && strcmp(name, COUNTS_OTHERS) != 0)
        n = node_below(tree, 0, COUNTS_OTHERS);
    if (!n)
        return node_make(tree, nodes, parent, name, key);
    g_free(key);
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

static tree_node *others_of(const stats_tree *tree)
{
    return g_hash_table_lookup(g_hash_table_lookup(nodes_of_trees, tree), "0 " COUNTS_OTHERS);
}

/* Counts a call at its own node; an outermost call also at the nodes above. */
static void add_call(stats_tree *tree, const calltree *t, int which, char **names, uint64_t ns)
{
    unsigned count = g_strv_length(names);
    tree_node *n = node_below(tree, 0, t->root);
    for (unsigned i = 0; i < count && n != others_of(tree); i++) {
        if (count == t->groups + 1)
            node_add(tree, n, ns, which);
        n = node_below(tree, n->id, names[i]);
    }
    node_add(tree, n, ns, which);
}

/* Counts self time at one node per name. */
static void add_self(stats_tree *tree, const calltree *t, char **names, uint64_t ns)
{
    tree_node *root = node_below(tree, 0, t->root);
    node_add(tree, root, ns, CALLTREE_SELF);
    node_add(tree, node_below(tree, root->id, names[g_strv_length(names) - 1]), ns, CALLTREE_SELF);
}

static void add(stats_tree *tree, packet_info *pinfo, const void *tapped, uint32_t i, const call *k)
{
    int which;
    const calltree *t = row_of(tree, &which);
    uint64_t ticks = which == CALLTREE_SELF ? k->self : k->duration;
    uint64_t ns = t->nanoseconds ? t->nanoseconds(tapped, ticks) : ticks;
    wmem_strbuf_t *stack = wmem_strbuf_new(pinfo->pool, NULL);
    t->stacks->append_stack(stack, tapped, i);
    char **names = g_strsplit(wmem_strbuf_get_str(stack), ";", -1);
    if (which != CALLTREE_SELF)
        add_call(tree, t, which, names, ns);
    else if (k->state & CALL_SELF)
        add_self(tree, t, names, ns);
    g_strfreev(names);
}

static void tree_init(stats_tree *tree)
{
    if (!nodes_of_trees)
        nodes_of_trees = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_hash_table_destroy);
    g_hash_table_insert(nodes_of_trees, tree, g_hash_table_new_full(hash_text, g_str_equal, g_free, g_free));
    int which;
    const calltree *t = row_of(tree, &which);
    node_show(tree, node_below(tree, 0, t->root), CALLTREE_TIME); /* nothing counted yet */
}

static void tree_forget(stats_tree *tree)
{
    g_hash_table_remove(nodes_of_trees, tree);
}

static tap_packet_status tree_packet(stats_tree *tree, packet_info *pinfo, epan_dissect_t *edt, const void *tapped,
                                     tap_flags_t flags)
{
    (void)edt;
    (void)flags;
    int which;
    const calltree *t = row_of(tree, &which);
    bool any = false;
    call k;
    for (uint32_t i = 0; t->stacks->ended(tapped, pinfo, i, &k); i++)
        if (k.state & CALL_TIMED) {
            add(tree, pinfo, tapped, i, &k);
            any = true;
        }
    return any ? TAP_PACKET_REDRAW : TAP_PACKET_DONT_REDRAW;
}

void calltree_register(calltree *t)
{
    t->next = registered;
    registered = t;
    for (int i = 0; i < CALLTREES; i++)
        stats_tree_register_plugin(t->stacks->tap, t->trees[i].name, t->trees[i].title, COUNTS_LARGEST_FIRST, tree_packet,
                                   tree_init, tree_forget);
}
