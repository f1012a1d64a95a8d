/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums by stack, kept as a tree: stacks have most of their names in common. Every call in a file may have a stack of its
 * own, so the memory is limited: see limit.h. */
#ifndef WIRETRACE_STATISTICS_STACK_TREE_H
#define WIRETRACE_STATISTICS_STACK_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

#include "statistics/limit.h"
#include "util/shown_name.h"

/* One level of a stack, such as a function. What the numbers mean is up to the caller. Equal ones must have equal names
 * throughout. */
typedef struct stack_piece {
    uint64_t kind, id;
} stack_piece;

/* Appends the name of a piece; asked when it is seen first. Returns the bytes of the remark that it ends with
 * (shown_name.h). */
typedef unsigned (*stack_piece_name)(const void *data, const stack_piece *piece, GString *name);

typedef struct stack_node stack_node;

#define STACK_TREE_PATHS 16u

typedef struct stack_tree {
    stack_piece_name name;
    GHashTable *nodes;               /* set of stack_node, by parent and name */
    GHashTable *names;               /* set of the names in it */
    GHashTable *pieces;              /* set of those seen, with their names */
    GArray *paths[STACK_TREE_PATHS]; /* the latest stack of an owner: its pieces and their nodes */
    uint64_t owner; /* of the next stack, such as its thread: any number. Those that follow each other should have pieces in
                       common */
    stack_node *root;
    unsigned columns;
    uint64_t kept;        /* bytes */
    counting_limit limit; /* it counts calls of stack_tree_of() */
} stack_tree;

/* `columns`: numbers for each stack. Free with stack_tree_clear(). */
void stack_tree_init(stack_tree *t, unsigned columns, stack_piece_name name);
void stack_tree_clear(stack_tree *t);
/* The `columns` numbers of a stack of `n` pieces, outermost first: 0 at first, or those of all others. The caller adds to
 * them. `data` is for the name. */
uint64_t *stack_tree_of(stack_tree *t, const stack_piece *pieces, unsigned n, const void *data);
/* The bytes of the names of a stack. */
uint64_t stack_tree_bytes(stack_tree *t, const stack_piece *pieces, unsigned n, const void *data);

/* Adds the numbers of all stacks of another tree to those of the same stacks of this one. */
void stack_tree_merge(stack_tree *t, const stack_tree *other, void (*add)(uint64_t *to, const uint64_t *from));

/* Visits the tree: below each name the names inside it, sorted by their bytes. `numbers`: of the stack that ends here, or
 * NULL. */
typedef struct stack_tree_visitor {
    void (*enter)(void *data, shown_name name, const uint64_t *numbers, bool first);
    void (*leave)(void *data, shown_name name);
} stack_tree_visitor;
void stack_tree_visit(const stack_tree *t, const stack_tree_visitor *v, void *data);
/* Appends the tree as flame graph tools read it: a line for each stack, `outer;inner`, a blank and its first number. The
 * blank in a name that ends with a blank and a number becomes U+00A0. `write`: a rows_writer. Returns whether a number is
 * UINT64_MAX, a sum that is not known. */
bool stack_tree_write(const stack_tree *t, GString *text, void (*write)(GString *text));

#endif
