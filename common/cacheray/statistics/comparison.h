/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The accesses to types and members in two traces, side by side (types.h); elements of an array count together, and places
 * of allocations have the line that they have in the later trace. No single access decides a count, but how often a program
 * polls while it waits does. What a machine feels of a change is accesses that are slow: rows are sorted by these first, and
 * by all accesses where they are equal, as with one thread and no caches. */
#ifndef WIRETRACE_CACHERAY_STATISTICS_COMPARISON_H
#define WIRETRACE_CACHERAY_STATISTICS_COMPARISON_H

#include "cacheray/statistics/types.h"
#include "statistics/comparison.h"

enum {
    CACHERAY_COMPARISON_SLOW,
    CACHERAY_COMPARISON_ACCESSES,
    CACHERAY_COMPARISON_READS,
    CACHERAY_COMPARISON_WRITES,
    CACHERAY_COMPARISON_MISSES, /* no value without simulated caches */
    CACHERAY_COMPARISON_CONTENDED,
    CACHERAY_COMPARISON_MEASURES
};
enum { CACHERAY_COMPARISON_COLUMNS = COMPARISON_COLUMNS(CACHERAY_COMPARISON_MEASURES) };
/* Its words BASELINE, and what the baseline's own program is, are for whoever reads the baseline. */
extern const counted cacheray_comparison_counted;

/* Its data, each of cacheray_types_compared. */
typedef struct cacheray_comparison {
    void *before, *after;
} cacheray_comparison;

#endif
