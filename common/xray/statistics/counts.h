/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many records there are of each kind and of each thread, and how often each function was entered: a tree of counts. */
#ifndef WIRETRACE_XRAY_STATISTICS_COUNTS_H
#define WIRETRACE_XRAY_STATISTICS_COUNTS_H

#include "statistics/count_cells.h"
#include "xray/context.h"

enum { XRAY_COUNTS_FIRST = 3 };
/* The names of the cells at the top, which are always there. */
extern const char *const xray_counts_first[XRAY_COUNTS_FIRST];

/* What a function is called in the tree, which never changes; NULL: it has no name. */
typedef shown_name (*xray_counts_label)(uint32_t function);
/* Counts a record. `function`: its id, in an entry. */
void xray_counts_add(count_cells *c, const record_context *r, uint32_t function, xray_counts_label label);

#endif
