/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How annotated regions, that is allocations, are used: a row per region, or per type with its regions together. It says
 * where a region was added, and how long it lives, in records (docs/cacheray-statistics.md). */
#ifndef WIRETRACE_CACHERAY_STATISTICS_REGIONS_H
#define WIRETRACE_CACHERAY_STATISTICS_REGIONS_H

#include "cacheray/statistics/display.h"

enum {
    CACHERAY_REGIONS_TYPE,
    CACHERAY_REGIONS_COUNT,
    CACHERAY_REGIONS_ADDED,
    CACHERAY_REGIONS_THREAD,
    CACHERAY_REGIONS_ADDRESS,
    CACHERAY_REGIONS_BYTES,
    CACHERAY_REGIONS_READS,
    CACHERAY_REGIONS_WRITES,
    CACHERAY_REGIONS_THREADS,
    CACHERAY_REGIONS_LEVEL,
    CACHERAY_REGIONS_MISSES = CACHERAY_REGIONS_LEVEL + CACHES_LEVELS,
    CACHERAY_REGIONS_REMOVED,
    CACHERAY_REGIONS_LIFETIME,
    CACHERAY_REGIONS_COLUMNS
};
/* Accesses and annotations that add a region count. Its word `by:type`: a row per type. Rows are in the order in which
 * regions or types were first seen. */
extern const counted cacheray_regions_counted;

#endif
