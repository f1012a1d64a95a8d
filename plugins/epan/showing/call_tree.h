/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Spans that nest, such as calls, as trees, from the outermost to the innermost; and self time, of all with the same name.
 * What is added up is in call_sums.h. Programs print a row for each stack. In windows and sharkd a node of Wireshark's trees
 * has a single count, shown as a percentage of its parent's, so there the number of calls and their time are in two trees.
 */
#ifndef WIRETRACE_SHOWING_CALL_TREE_H
#define WIRETRACE_SHOWING_CALL_TREE_H

#include "showing/stacks.h"

/* Which of the three. */
enum { CALLTREE_CALLS, CALLTREE_TIME, CALLTREE_SELF, CALLTREES };

/* Registers the trees of a format. Call when all protocols are handed off. */
void call_tree_register(const span_source *from);

#endif
