/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics/stack_tree.h"

#include <string.h>

#include "containers/hash.h"

#define KEPT_MAX (40u << 20) /* bytes; more for each call of stack_tree_of() */
#define KEPT_PER_COUNT 32u
#define NODE_BYTES 120u /* of a node and its place in the hash table, without its name and numbers */

struct stack_node {
    const stack_node *parent;
    const char *name;
    uint64_t *numbers; /* NULL: no stack ends here */
};

static unsigned hash_node(const void *node)
{
    const stack_node *n = node;
    const hash_pair key = {(uintptr_t)n->parent, (uintptr_t)n->name};
    return hash_pair_of(&key);
}

static gboolean is_same_node(const void *a, const void *b)
{
    const stack_node *one = a, *other = b;
    return one->parent == other->parent && one->name == other->name; /* names are kept once */
}

static void free_node(void *node)
{
    g_free(((stack_node *)node)->numbers);
    g_free(node);
}

static void begin(stack_tree *t)
{
    t->nodes = g_hash_table_new_full(hash_node, is_same_node, free_node, NULL);
    t->names = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
    t->root = g_new0(stack_node, 1);
}

void stack_tree_init(stack_tree *t, unsigned columns)
{
    *t = (stack_tree){.columns = columns};
    begin(t);
}

void stack_tree_clear(stack_tree *t)
{
    g_hash_table_destroy(t->nodes);
    g_hash_table_destroy(t->names);
    g_free(t->root);
}

void stack_tree_reset(stack_tree *t)
{
    const unsigned columns = t->columns;
    stack_tree_clear(t);
    stack_tree_init(t, columns);
}

static bool has_room(stack_tree *t, uint64_t bytes)
{
    t->full = t->full || t->kept + bytes > KEPT_MAX + t->counted * KEPT_PER_COUNT;
    return !t->full;
}

static const char *keep_name(stack_tree *t, const char *name)
{
    char *kept = g_hash_table_lookup(t->names, name);
    if (!kept) {
        kept = g_strdup(name);
        t->kept += strlen(name) + NODE_BYTES;
        g_hash_table_add(t->names, kept);
    }
    return kept;
}

/* The node of a name; NULL: it is not there, and there is no room for it. */
static stack_node *node_below(stack_tree *t, const stack_node *parent, const char *name, bool must)
{
    const char *kept = g_hash_table_lookup(t->names, name);
    const stack_node key = {.parent = parent, .name = kept};
    stack_node *n = kept ? g_hash_table_lookup(t->nodes, &key) : NULL;
    if (n || (!must && !has_room(t, NODE_BYTES + (kept ? 0 : strlen(name)))))
        return n;
    n = g_new0(stack_node, 1);
    n->parent = parent;
    n->name = keep_name(t, name);
    t->kept += NODE_BYTES;
    g_hash_table_add(t->nodes, n);
    return n;
}

static uint64_t *numbers_of(stack_tree *t, stack_node *n)
{
    if (!n->numbers) {
        n->numbers = g_new0(uint64_t, t->columns);
        t->kept += t->columns * sizeof *n->numbers;
    }
    return n->numbers;
}

uint64_t *stack_tree_of(stack_tree *t, char *stack)
{
    stack_node *n = t->root;
    t->counted++;
    for (char *name = stack, *next; name && n; name = next) {
        next = strchr(name, ';');
        if (next)
            *next++ = '\0';
        n = node_below(t, n, name, false);
    }
    if (!n || (!n->numbers && t->full)) /* a stack that ends inside others that are there is a new one, too */
        n = node_below(t, t->root, STACK_TREE_OTHERS, true);
    return numbers_of(t, n);
}

/* --- visiting ---------------------------------------------------------------------------------------------------------- */

typedef struct visit {
    GHashTable *children; /* node -> GPtrArray of the nodes inside it */
    const stack_tree_visitor *visitor;
    void *data;
} visit;

static int compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp((*(const stack_node *const *)a)->name, (*(const stack_node *const *)b)->name);
}

/* Stacks are limited in depth (calls.h), and so is this recursion. */
static void visit_below(const visit *v, const stack_node *n)
{
    GPtrArray *inside = g_hash_table_lookup(v->children, n);
    if (!inside)
        return;
    g_ptr_array_sort(inside, compare_names);
    for (guint i = 0; i < inside->len; i++) {
        const stack_node *one = g_ptr_array_index(inside, i);
        v->visitor->enter(v->data, one->name, one->numbers, i == 0);
        visit_below(v, one);
        v->visitor->leave(v->data, one->name);
    }
}

static void free_array(void *array)
{
    g_ptr_array_free(array, TRUE);
}

void stack_tree_visit(const stack_tree *t, const stack_tree_visitor *visitor, void *data)
{
    GHashTableIter nodes;
    gpointer node;
    const visit v = {g_hash_table_new_full(NULL, NULL, NULL, free_array), visitor, data};
    g_hash_table_iter_init(&nodes, t->nodes);
    while (g_hash_table_iter_next(&nodes, &node, NULL)) {
        gpointer parent = (gpointer)(uintptr_t)((const stack_node *)node)->parent;
        GPtrArray *inside = g_hash_table_lookup(v.children, parent);
        if (!inside) {
            inside = g_ptr_array_new();
            g_hash_table_insert(v.children, parent, inside);
        }
        g_ptr_array_add(inside, node);
    }
    visit_below(&v, t->root);
    g_hash_table_destroy(v.children);
}
