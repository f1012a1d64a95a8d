/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which data has most of the accesses that are slow: those that miss all simulated caches, and the contended ones, before
 * which a line has to move. A row per type (or variable) and member, or per element (docs/cacheray-statistics.md, "The
 * slowest accesses"). A trace has no times of accesses. */
#ifndef WIRETRACE_CACHERAY_STATISTICS_SLOWEST_H
#define WIRETRACE_CACHERAY_STATISTICS_SLOWEST_H

#include "cacheray/analysis.h"
#include "statistics/top_n.h"

enum {
    CACHERAY_SLOWEST_SLOW,  /* missed or contended; once if both */
    CACHERAY_SLOWEST_SHARE, /* of all that are */
    CACHERAY_SLOWEST_MISSED,
    CACHERAY_SLOWEST_CONTENDED,
    CACHERAY_SLOWEST_ACCESSES,
    CACHERAY_SLOWEST_THREADS, /* of the slow ones */
    CACHERAY_SLOWEST_FIRST,   /* record of the first slow one */
    CACHERAY_SLOWEST_TYPE,
    CACHERAY_SLOWEST_ELEMENT, /* of the annotated region or variable; only with `elements` */
    CACHERAY_SLOWEST_MEMBER,
    CACHERAY_SLOWEST_COLUMNS
};
extern const rows_column cacheray_slowest_columns[CACHERAY_SLOWEST_COLUMNS];

typedef struct cacheray_slowest cacheray_slowest;

/* `elements`: each element of an array has its own row. */
cacheray_slowest *cacheray_slowest_new(unsigned line_size, bool elements);
void cacheray_slowest_free(cacheray_slowest *s); /* NULL is allowed */
/* All accesses come from one analysis, which must last as long. `place`: its number. False: it is not an access. */
bool cacheray_slowest_add(cacheray_slowest *s, const cacheray_tapped *v, uint32_t place);
/* Adds rows for the data with slow accesses, in the order of `by`. `frame_of`: as record_frame() of the plugins. */
void cacheray_slowest_fill(const cacheray_slowest *s, const top_n_by *by, uint32_t (*frame_of)(uint32_t place), rows *to);

#endif
