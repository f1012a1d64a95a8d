/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many records there are of each kind and of each thread, and how many accesses to each type and, below it, member: a
 * tree of counts. */
#ifndef WIRETRACE_CACHERAY_STATISTICS_COUNTS_H
#define WIRETRACE_CACHERAY_STATISTICS_COUNTS_H

#include "cacheray/analysis.h"
#include "statistics/count_cells.h"

enum { CACHERAY_COUNTS_FIRST = 3 };
/* The names of the cells at the top, which are always there. */
extern const char *const cacheray_counts_first[CACHERAY_COUNTS_FIRST];

/* Counts a record. All come from one analysis, which must last as long. `kind_name`: of cacheray_tapped.context->kind, for
 * one that is new. */
void cacheray_counts_add(count_cells *c, const cacheray_tapped *v, const char *(*kind_name)(uint8_t kind));

#endif
