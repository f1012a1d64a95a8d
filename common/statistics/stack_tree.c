/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics/stack_tree.h"

#include <string.h>

#include "containers/hash.h"
#include "util/text.h"

#define NODE_BYTES 120u /* of a node and its place in the hash table, without its name and numbers */

struct stack_node {
    stack_node *parent, *first, *next; /* inside it: the one added last; the one added to `parent` before */
    const char *name;
    bool ends;      /* a stack ends here */
    uint8_t remark; /* bytes at the end of the name, as in shown_name */
    uint64_t numbers[];
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

/* A piece that has been seen. */
typedef struct known_piece {
    stack_piece piece; /* first: it is the key */
    const char *name;
    size_t length;
    unsigned remark;
} known_piece;

/* A piece of the latest stack of an owner. */
typedef struct path_step {
    stack_piece piece;
    stack_node *node;
} path_step;

static void stack_tree_begin(stack_tree *t)
{
    t->nodes = g_hash_table_new_full(hash_node, is_same_node, g_free, NULL);
    t->names = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
    t->pieces = g_hash_table_new_full(hash_pair_of, hash_pair_equal, g_free, NULL);
    for (guint i = 0; i < STACK_TREE_PATHS; i++)
        t->paths[i] = g_array_new(FALSE, FALSE, sizeof(path_step));
    t->root = g_new0(stack_node, 1);
}

void stack_tree_init(stack_tree *t, unsigned columns, stack_piece_name name)
{
    *t = (stack_tree){.columns = columns, .name = name, .limit = LIMIT_OF_BYTES};
    stack_tree_begin(t);
}

void stack_tree_clear(stack_tree *t)
{
    g_hash_table_destroy(t->nodes);
    g_hash_table_destroy(t->names);
    g_hash_table_destroy(t->pieces);
    for (guint i = 0; i < STACK_TREE_PATHS; i++)
        g_array_free(t->paths[i], TRUE);
    g_free(t->root);
}

static bool stack_tree_has_room(stack_tree *t, uint64_t bytes)
{
    return limit_allows(&t->limit, t->kept + bytes);
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

static const known_piece *piece_add(stack_tree *t, const stack_piece *piece, const char *name, unsigned remark)
{
    const size_t more = g_hash_table_contains(t->names, name) ? 0 : strlen(name);
    if (!stack_tree_has_room(t,
                             sizeof(known_piece) + NODE_BYTES + more)) /* a file may have very many pieces with one name */
        return NULL;
    known_piece *known = g_new(known_piece, 1);
    *known = (known_piece){*piece, keep_name(t, name), strlen(name), remark};
    g_hash_table_add(t->pieces, known);
    t->kept += sizeof *known + NODE_BYTES;
    return known;
}

/* NULL: there is no room for its name. */
static const known_piece *stack_tree_piece_of(stack_tree *t, const stack_piece *piece, const void *data)
{
    const known_piece *known = g_hash_table_lookup(t->pieces, piece);
    if (known)
        return known;
    GString *name = g_string_new(NULL);
    const unsigned remark = t->name(data, piece, name);
    known = piece_add(t, piece, name->str, remark);
    g_string_free(name, TRUE);
    return known;
}

/* The node of a kept name; NULL: it is not there, and there is no room for it. */
static stack_node *stack_tree_node_below(stack_tree *t, stack_node *parent, const char *name, unsigned remark, bool must)
{
    const stack_node key = {.parent = parent, .name = name};
    stack_node *n = g_hash_table_lookup(t->nodes, &key);
    if (n || (!must && !stack_tree_has_room(t, NODE_BYTES)))
        return n;
    n = g_malloc0(sizeof *n + t->columns * sizeof *n->numbers);
    *n = (stack_node){.parent = parent, .next = parent->first, .name = name, .remark = (uint8_t)remark};
    parent->first = n;
    t->kept += NODE_BYTES;
    g_hash_table_add(t->nodes, n);
    return n;
}

/* How many pieces the stack has in common with the latest one of its owner. */
static unsigned shared_pieces(const GArray *path, const stack_piece *pieces, unsigned n)
{
    unsigned same = 0;
    for (; same < n && same < path->len; same++) {
        const stack_piece *latest = &g_array_index(path, path_step, same).piece;
        if (latest->id != pieces[same].id || latest->kind != pieces[same].kind)
            break;
    }
    return same;
}

/* NULL: there is no room for it. */
static stack_node *node_of(stack_tree *t, const stack_piece *pieces, unsigned n, const void *data)
{
    GArray *path = t->paths[(t->owner ^ t->owner >> 32) % STACK_TREE_PATHS];
    unsigned i = shared_pieces(path, pieces, n);
    g_array_set_size(path, i);
    stack_node *at = i ? g_array_index(path, path_step, i - 1).node : t->root;
    for (; i < n && at; i++) {
        const known_piece *known = stack_tree_piece_of(t, &pieces[i], data);
        const path_step step = {pieces[i],
                                at = known ? stack_tree_node_below(t, at, known->name, known->remark, false) : NULL};
        if (at)
            g_array_append_val(path, step);
    }
    return at == t->root ? NULL : at;
}

/* `n`: NULL: there is no room for the node. */
static uint64_t *stack_tree_numbers_of(stack_tree *t, stack_node *n)
{
    if (!n || (!n->ends && t->limit.full)) /* a stack that ends inside others that are there is a new one, too */
        n = stack_tree_node_below(t, t->root, keep_name(t, TEXT_OTHERS), 0, true);
    if (!n->ends)
        t->kept += t->columns * sizeof *n->numbers;
    n->ends = true;
    return n->numbers;
}

uint64_t *stack_tree_of(stack_tree *t, const stack_piece *pieces, unsigned n, const void *data)
{
    t->limit.counted++;
    return stack_tree_numbers_of(t, node_of(t, pieces, n, data));
}

uint64_t stack_tree_bytes(stack_tree *t, const stack_piece *pieces, unsigned n, const void *data)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < n; i++) {
        const known_piece *known = stack_tree_piece_of(t, &pieces[i], data);
        bytes += known ? known->length : 0;
    }
    return bytes;
}

/* --- merging ----------------------------------------------------------------------------------------------------------- */

typedef struct merging {
    stack_tree *to;
    const stack_tree *from;
    GHashTable *same; /* node of `from` -> that of `to`, or NULL: there is no room for it */
} merging;

/* Stacks are limited in depth (calls.h), and so is this recursion. */
static stack_node *same_node(const merging *m, const stack_node *n)
{
    gpointer known = m->to->root;
    if (n == m->from->root || g_hash_table_lookup_extended(m->same, n, NULL, &known))
        return known;
    stack_node *above = same_node(m, n->parent), *same = NULL;
    if (above && (g_hash_table_contains(m->to->names, n->name) || stack_tree_has_room(m->to, NODE_BYTES + strlen(n->name))))
        same = stack_tree_node_below(m->to, above, keep_name(m->to, n->name), n->remark, false);
    g_hash_table_insert(m->same, (gpointer)(uintptr_t)n, same);
    return same;
}

void stack_tree_merge(stack_tree *t, const stack_tree *other, void (*add)(uint64_t *to, const uint64_t *from))
{
    GHashTableIter nodes;
    gpointer node;
    const merging m = {t, other, g_hash_table_new(NULL, NULL)};
    t->limit.counted += other->limit.counted;
    g_hash_table_iter_init(&nodes, other->nodes);
    while (g_hash_table_iter_next(&nodes, &node, NULL)) {
        stack_node *same = same_node(&m, node);
        if (((const stack_node *)node)->ends)
            add(stack_tree_numbers_of(t, same), ((const stack_node *)node)->numbers);
    }
    g_hash_table_destroy(m.same);
}

/* --- visiting ---------------------------------------------------------------------------------------------------------- */

static int stack_tree_compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp((*(const stack_node *const *)a)->name, (*(const stack_node *const *)b)->name);
}

/* Stacks are limited in depth (calls.h), and so is this recursion. */
static void visit_below(const stack_node *n, const stack_tree_visitor *visitor, void *data)
{
    if (!n->first)
        return;
    g_autoptr(GPtrArray) inside = g_ptr_array_new();
    for (stack_node *one = n->first; one; one = one->next)
        g_ptr_array_add(inside, one);
    if (inside->len > 1)
        g_ptr_array_sort(inside, stack_tree_compare_names);
    for (guint i = 0; i < inside->len; i++) {
        const stack_node *one = g_ptr_array_index(inside, i);
        const shown_name name = {.text = one->name, .remark = one->remark};
        visitor->enter(data, name, one->ends ? one->numbers : NULL, i == 0);
        visit_below(one, visitor, data);
        visitor->leave(data, name);
    }
}

void stack_tree_visit(const stack_tree *t, const stack_tree_visitor *visitor, void *data)
{
    visit_below(t->root, visitor, data);
}

typedef struct writing {
    GString *text, *stack;
    GArray *ends; /* gsize: of the names in `stack` */
    void (*write)(GString *text);
    bool *unknown;
} writing;

/* flamegraph.pl takes a number after a blank at the end of a name for a second count, as of a comparison: that blank becomes
 * one that does not break. */
static void append_folded(GString *stack, const char *name)
{
    const char *last = strrchr(name, ' '), *number = last ? last + 1 + strspn(last + 1, "0123456789.") : NULL;
    if (number && !*number && number > last + 1)
        g_string_append_printf(stack, "%.*s\u00a0%s", (int)(last - name), name, last + 1);
    else
        g_string_append(stack, name);
}

static void write_enter(void *data, shown_name name, const uint64_t *numbers, bool first)
{
    (void)first;
    const writing *w = data;
    if (w->stack->len)
        g_string_append_c(w->stack, ';');
    append_folded(w->stack, name.text);
    g_array_append_val(w->ends, w->stack->len);
    if (numbers) {
        *w->unknown |= numbers[0] == UINT64_MAX;
        g_string_append_len(w->text, w->stack->str, (gssize)w->stack->len);
        g_string_append_c(w->text, ' ');
        text_append_digits(w->text, numbers[0], 10);
        g_string_append_c(w->text, '\n');
    }
    text_write_piece(w->text, w->write);
}

static void write_leave(void *data, shown_name name)
{
    (void)name;
    const writing *w = data;
    g_array_set_size(w->ends, w->ends->len - 1);
    g_string_truncate(w->stack, w->ends->len ? g_array_index(w->ends, gsize, w->ends->len - 1) : 0);
}

bool stack_tree_write(const stack_tree *t, GString *text, void (*write)(GString *text))
{
    static const stack_tree_visitor visitor = {write_enter, write_leave};
    bool unknown = false;
    writing w = {text, g_string_new(NULL), g_array_new(FALSE, FALSE, sizeof(gsize)), write, &unknown};
    stack_tree_visit(t, &visitor, &w);
    g_string_free(w.stack, TRUE);
    g_array_free(w.ends, TRUE);
    return unknown;
}
