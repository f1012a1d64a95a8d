/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The accesses to types and members in two traces, side by side; elements of an array count together. */
#ifndef WIRETRACE_CACHERAY_COMPARISON_H
#define WIRETRACE_CACHERAY_COMPARISON_H

#include "cacheray/analysis.h"
#include "statistics/comparison.h"

enum {
    CACHERAY_COMPARISON_ACCESSES,
    CACHERAY_COMPARISON_READS,
    CACHERAY_COMPARISON_WRITES,
    CACHERAY_COMPARISON_MISSES, /* no value without simulated caches */
    CACHERAY_COMPARISON_MEASURES
};
enum { CACHERAY_COMPARISON_COLUMNS = COMPARISON_COLUMNS(CACHERAY_COMPARISON_MEASURES) };
extern const rows_column cacheray_comparison_columns[CACHERAY_COMPARISON_COLUMNS];

typedef struct cacheray_comparison cacheray_comparison;

cacheray_comparison *cacheray_comparison_new(void);
void cacheray_comparison_free(cacheray_comparison *c);
/* Counts a record of an access; false: it is another one. */
bool cacheray_comparison_add(cacheray_comparison *c, comparison_side side, const cacheray_view *v);
/* Adds what another one has counted of other accesses of the same traces. */
void cacheray_comparison_merge(cacheray_comparison *c, const cacheray_comparison *other);
/* Forgets the trace after the baseline. */
void cacheray_comparison_forget(cacheray_comparison *c);
/* Adds rows. */
void cacheray_comparison_fill(cacheray_comparison *c, rows *to);

#endif
