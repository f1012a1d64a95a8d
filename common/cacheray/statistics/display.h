/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How statistics name data, and the columns that several of them have. */
#ifndef WIRETRACE_CACHERAY_STATISTICS_DISPLAY_H
#define WIRETRACE_CACHERAY_STATISTICS_DISPLAY_H

#include "cacheray/analysis.h"
#include "statistics/counted.h"

/* What statistics of accesses are counted and shown with: the `how` of counted.h. */
typedef struct cacheray_display {
    /* The analysis that all accesses come from, and which must last as long. NULL: none yet, or it is gone. */
    const cacheray_analysis *(*analysis)(void);
    unsigned line_size;                    /* bytes, as for lines_new() */
    bool coherent;                         /* copies in caches were invalidated */
    uint32_t (*frame_of)(uint32_t record); /* the number by which a record is shown; 0: not at all */
} cacheray_display;

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
