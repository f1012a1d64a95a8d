/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which data has most of the accesses that are slow: those that miss all simulated caches, and the contended ones, before
 * which a line has to move. A row per type (or variable) and member, or per element (docs/cacheray-statistics.md, "The
 * slowest accesses"). A trace has no times of accesses. */
#ifndef WIRETRACE_CACHERAY_STATISTICS_SLOWEST_H
#define WIRETRACE_CACHERAY_STATISTICS_SLOWEST_H

#include "cacheray/statistics/display.h"

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
/* Its word `elements`: each element of an array has its own row. Rows are in the order that was asked for. */
extern const counted cacheray_slowest_counted;

#endif
