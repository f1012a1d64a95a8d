/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of the levels of caches: how many accesses each has answered, and how many none of them. */
#ifndef WIRETRACE_CACHERAY_LEVEL_COLUMNS_H
#define WIRETRACE_CACHERAY_LEVEL_COLUMNS_H

#include "cacheray/analysis.h"
#include "statistics/rows.h"

enum { CACHERAY_LEVELS = CACHES_LEVELS + 1 };
#define CACHERAY_LEVEL_COLUMNS \
    {"Level 1", ROWS_NUMBER, 0}, {"Level 2", ROWS_NUMBER, 0}, {"Level 3", ROWS_NUMBER, 0}, {"Level 4", ROWS_NUMBER, 0}, \
    { \
        "Misses", ROWS_NUMBER, 0 \
    }
/* The one of these, from 0, in which an access counts. */
static inline unsigned cacheray_level_of(const cacheray_view *v)
{
    return v->cache.level ? v->cache.level - 1u : CACHES_LEVELS;
}

#endif
