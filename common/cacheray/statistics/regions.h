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
extern const rows_column cacheray_regions_columns[CACHERAY_REGIONS_COLUMNS];

typedef struct cacheray_regions cacheray_regions;

/* `by_type`: a row per type. */
cacheray_regions *cacheray_regions_new(bool by_type);
void cacheray_regions_free(cacheray_regions *r);
/* All records come from one analysis, which must last as long. False: the record is neither an access nor adds a region. */
bool cacheray_regions_add(cacheray_regions *r, const cacheray_tapped *v);
/* Adds rows, in the order in which regions or types were first seen. `a`: the analysis; NULL: it is gone. `frame`: the
 * number by which a record of the analysis is shown, 0: not at all. */
void cacheray_regions_fill(const cacheray_regions *r, const cacheray_analysis *a, uint32_t (*frame)(uint32_t record),
                           rows *to);

#endif
