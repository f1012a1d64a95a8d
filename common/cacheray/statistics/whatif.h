/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Misses and contended accesses of each type as traced, and as they would be with members moved (remap.h), side by side;
 * then which structs should change (proposals.h). Sharing and caches are computed here, from the accesses that are added
 * (docs/cacheray-statistics.md). What two of these have counted cannot be merged: what an access meets depends on those
 * before it. */
#ifndef WIRETRACE_CACHERAY_STATISTICS_WHATIF_H
#define WIRETRACE_CACHERAY_STATISTICS_WHATIF_H

#include "cacheray/remap/proposals.h"
#include "cacheray/statistics/display.h"

enum {
    CACHERAY_WHATIF_TYPE,
    CACHERAY_WHATIF_ACCESSES,
    CACHERAY_WHATIF_CONTENDED,                             /* before; the next column: after, and so on */
    CACHERAY_WHATIF_FIRST = CACHERAY_WHATIF_CONTENDED + 2, /* missed the first level */
    CACHERAY_WHATIF_ALL = CACHERAY_WHATIF_FIRST + 2,       /* missed all levels */
    CACHERAY_WHATIF_COLUMNS = CACHERAY_WHATIF_ALL + 2
};
/* Rows: a type each, the one with most contended accesses first, and the sums of all in the last one; none if there was no
 * access. Misses have no values if no caches are simulated. */
extern const counted cacheray_whatif_counted;
/* Its word within:N, as for proposals_new(); 0: that is not a number that is possible. */
unsigned cacheray_whatif_within(const statistic_words *words);

typedef struct cacheray_whatif cacheray_whatif; /* its data */

/* Returns whether members are moved, in what was counted so far. */
bool cacheray_whatif_remaps(const cacheray_whatif *w);
/* Appends lines for remap.h, each with its reasons before it as lines that begin with '#'. Only those that gain something if
 * the accesses are counted again with this struct moved, the best first: fewer contended accesses and misses of the first
 * and of all levels; without caches fewer cache lines instead of misses. Then what was left out. Returns
 * how many there are. */
unsigned cacheray_whatif_propose(const cacheray_whatif *w, GString *text);

#endif
