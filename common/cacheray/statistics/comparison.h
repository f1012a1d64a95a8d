/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The accesses to types and members in two traces, side by side (types.h); elements of an array count together. */
#ifndef WIRETRACE_CACHERAY_STATISTICS_COMPARISON_H
#define WIRETRACE_CACHERAY_STATISTICS_COMPARISON_H

#include "cacheray/statistics/types.h"
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

/* Adds rows. */
void cacheray_comparison_fill(const cacheray_types *before, const cacheray_types *after, rows *to);

#endif
