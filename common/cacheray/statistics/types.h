/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often types and their members are accessed: a row per type (or variable) and member. The elements of an array are one
 * row, `tag[]`, or each has its own. Where several rows belong to a member, to a type or to a variable, another one has
 * their sum: `price.*`, `*` (docs/cacheray-statistics.md). */
#ifndef WIRETRACE_CACHERAY_STATISTICS_TYPES_H
#define WIRETRACE_CACHERAY_STATISTICS_TYPES_H

#include "cacheray/statistics/display.h"

enum {
    CACHERAY_TYPES_TYPE,
    CACHERAY_TYPES_MEMBER,
    CACHERAY_TYPES_READS,
    CACHERAY_TYPES_WRITES,
    CACHERAY_TYPES_ATOMICS,
    CACHERAY_TYPES_UNALIGNED,
    CACHERAY_TYPES_THREADS,
    CACHERAY_TYPES_LEVEL,
    CACHERAY_TYPES_MISSES = CACHERAY_TYPES_LEVEL + CACHES_LEVELS,
    CACHERAY_TYPES_INVALIDATIONS,
    CACHERAY_TYPES_BYTES,
    CACHERAY_TYPES_COLUMNS,
    /* Only of those for comparison: contended accesses (lines.h); those, and the ones that missed all simulated caches, each
     * once. */
    CACHERAY_TYPES_CONTENDED = CACHERAY_TYPES_COLUMNS,
    CACHERAY_TYPES_SLOW,
    CACHERAY_TYPES_COMPARED
};
/* Its word `elements`: each element of an array has its own row. */
extern const counted cacheray_types_counted;
/* The same for comparison, with more columns: without the rows that are sums of others. */
extern const counted cacheray_types_compared;

#endif
