/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How statistics name data, and the columns that several of them have. */
#ifndef WIRETRACE_CACHERAY_STATISTICS_DISPLAY_H
#define WIRETRACE_CACHERAY_STATISTICS_DISPLAY_H

#include "cacheray/analysis.h"
#include "statistics/rows.h"

#define CACHERAY_NOT_ANNOTATED "(not annotated)"
/* The data of an access: its type, or its variable. g_free() it. */
char *cacheray_data_name(const cacheray_tapped *v);
/* The text that names the data of an access, stored once per analysis: as a number it tells data apart. 0: not annotated. */
static inline uint64_t cacheray_data_key(const cacheray_tapped *v)
{
    return (uintptr_t)(v->variable ? v->variable : v->type);
}

/* The columns of the levels of caches: how many accesses each has answered, and how many none of them. */
enum { CACHERAY_LEVELS = CACHES_LEVELS + 1 };
#define CACHERAY_LEVEL_COLUMNS \
    {"Level 1", ROWS_NUMBER, ROWS_EACH}, {"Level 2", ROWS_NUMBER, ROWS_EACH}, {"Level 3", ROWS_NUMBER, ROWS_EACH}, \
        {"Level 4", ROWS_NUMBER, ROWS_EACH}, \
    { \
        "Misses", ROWS_NUMBER, ROWS_EACH \
    }
/* The one of these, from 0, in which an access counts. */
static inline unsigned cacheray_level_of(const cacheray_tapped *v)
{
    return v->cache.level ? v->cache.level - 1u : CACHES_LEVELS;
}

#endif
