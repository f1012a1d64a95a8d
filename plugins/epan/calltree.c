/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calltree.h"

#include <epan/stats_tree.h>
#include <epan/stats_tree_priv.h>

#include <string.h>

#include "counts.h"
#include "hash.h"

/* Exact values of a node, as Wireshark's nodes add up single-precision numbers. */
typedef struct tree_node {
    struct tree_node *parent; /* NULL: the root, or the node of all others */
    int id;
    uint64_t calls, ns, min, max;
} tree_node;

static calltree *registered; /* list of all rows */

/* A tree that counts. */
typedef struct counting {
    const calltree *row;
    int which;         /* of the row's trees */
    GHashTable *nodes; /* "outer;inner" -> tree_node, of self time "name" */
    tree_node root, others;
} counting;

static GHashTable *countings; /* stats_tree -> counting; replaced when a tree begins again */

static void counting_free(void *data)
{
    g_hash_table_destroy(((counting *)data)->nodes);
    g_free(data);
}

static counting *counting_new(const stats_tree *tree)
{
    counting *c = g_new0(counting, 1);
    c->nodes = g_hash_table_new_full(hash_text, g_str_equal, g_free, g_free);
    for (c->row = registered;; c->row = c->row->next)
        for (c->which = 0; c->which < CALLTREES; c->which++)
            if (strcmp(c->row->trees[c->which].name, tree->cfg->abbr) == 0)
                return c;
}

static void node_make(stats_tree *tree, tree_node *n, tree_node *parent, const char *name)
{
    *n = (tree_node){.parent = parent, .min = UINT64_MAX};
    n->id = stats_tree_create_node(tree, name, parent ? parent->id : 0, STAT_DT_FLOAT, TRUE);
}

static bool is_full(const counting *c)
{
    return g_hash_table_size(c->nodes) + 1 >= COUNTS_MAX;
}

static tree_node *node_others(stats_tree *tree, counting *c)
{
    if (!c->others.id)
        node_make(tree, &c->others, NULL, COUNTS_OTHERS);
    return &c->others;
}

/* The node of a stack. If there is no room for it, a node for all others, which has no children. */
static tree_node *node_of(stats_tree *tree, counting *c, const char *stack)
{
    tree_node *n = g_hash_table_lookup(c->nodes, stack), *parent = &c->root;
    const char *last = strrchr(stack, ';');
    if (n)
        return n;
    if (last && !is_full(c)) {
        char *above = g_strndup(stack, (size_t)(last - stack));
        parent = node_of(tree, c, above);
        g_free(above);
    }
    if (is_full(c))
        return node_others(tree, c);
    n = g_new(tree_node, 1);
    node_make(tree, n, parent, last ? last + 1 : stack);
    g_hash_table_insert(c->nodes, g_strdup(stack), n);
    return n;
}

/* The nearest node above a stack. */
static tree_node *node_above(counting *c, const char *stack)
{
    char *above = g_strdup(stack);
    tree_node *n = NULL;
    for (char *last; !n && (last = strrchr(above, ';'));) {
        *last = 0;
        n = g_hash_table_lookup(c->nodes, above);
    }
    g_free(above);
    return n ? n : &c->root;
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

static bool is_outermost(const counting *c, const char *stack)
{
    unsigned above = 0;
    for (; (stack = strchr(stack, ';')) && above <= c->row->groups; stack++)
        above++;
    return above == c->row->groups;
}

/* A call counts at its own node; an outermost call also at the nodes above. */
static void add_call(stats_tree *tree, counting *c, const char *stack, uint64_t ns)
{
    node_add(tree, node_of(tree, c, stack), ns, c->which);
    if (is_outermost(c, stack))
        for (tree_node *n = node_above(c, stack); n; n = n->parent)
            node_add(tree, n, ns, c->which);
}

/* Self time counts at one node per name. */
static void add_self(stats_tree *tree, counting *c, const char *stack, uint64_t ns)
{
    const char *last = strrchr(stack, ';');
    node_add(tree, &c->root, ns, c->which);
    node_add(tree, node_of(tree, c, last ? last + 1 : stack), ns, c->which);
}

static void add(stats_tree *tree, counting *c, packet_info *pinfo, const void *tapped, uint32_t i, const call *k)
{
    uint64_t ticks = c->which == CALLTREE_SELF ? k->self : k->duration;
    uint64_t ns = c->row->nanoseconds ? c->row->nanoseconds(tapped, ticks) : ticks;
    wmem_strbuf_t *stack = wmem_strbuf_new(pinfo->pool, NULL);
    c->row->stacks->append_stack(stack, tapped, i);
    (c->which == CALLTREE_SELF ? add_self : add_call)(tree, c, wmem_strbuf_get_str(stack), ns);
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
                add(tree, c, pinfo, tapped, i, &k);
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
