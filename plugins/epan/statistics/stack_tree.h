/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums by stack, kept as a tree: stacks have most of their names in common. Every call in a file may have a stack of its own, so the memory
 * is limited: the limit grows slowly with the number of calls of stack_tree_of(). Once it is reached, stacks without sums of their
 * own are added up together. */
#ifndef WIRETRACE_STACK_TREE_H
#define WIRETRACE_STACK_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

#define STACK_TREE_OTHERS "(others)"

typedef struct stack_node stack_node;

typedef struct stack_tree {
    GHashTable *nodes; /* set of stack_node, by parent and name */
    GHashTable *names; /* set of the names in it */
    stack_node *root;
    unsigned columns;
    uint64_t kept;    /* bytes */
    uint64_t counted; /* calls of stack_tree_of() */
    bool full;        /* there was no room for a stack: sums of a later one would not be whole */
} stack_tree;

/* `columns`: numbers for each stack. Free with stack_tree_clear(). */
void stack_tree_init(stack_tree *t, unsigned columns);
void stack_tree_clear(stack_tree *t);
void stack_tree_reset(stack_tree *t);
/* The `columns` numbers of the stack `outer;...;inner`, 0 at first, or those of all others. The caller adds to them. Writes to `stack`. */
uint64_t *stack_tree_of(stack_tree *t, char *stack);

/* Visits the tree: below each name the names inside it, sorted by their bytes. `numbers`: of the stack that ends here, or NULL. */
typedef struct stack_tree_visitor {
    void (*enter)(void *data, const char *name, const uint64_t *numbers, bool first);
    void (*leave)(void *data, const char *name);
} stack_tree_visitor;
void stack_tree_visit(const stack_tree *t, const stack_tree_visitor *v, void *data);

#endif
