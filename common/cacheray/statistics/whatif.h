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
extern const rows_column cacheray_whatif_columns[CACHERAY_WHATIF_COLUMNS];

typedef struct cacheray_whatif cacheray_whatif;

/* `line_size`: bytes, as for lines_new(). `within`: accesses, as for proposals_new(). */
cacheray_whatif *cacheray_whatif_new(unsigned line_size, unsigned within);
void cacheray_whatif_free(cacheray_whatif *w);
/* A record of an analysis, which must last as long and be the same for all. False: it is not an access. */
bool cacheray_whatif_add(cacheray_whatif *w, const cacheray_analysis *a, const cacheray_tapped *v);
/* Returns whether members are moved, in what was counted so far. */
bool cacheray_whatif_remaps(const cacheray_whatif *w);
/* Adds rows: a type each, the one with most contended accesses first, and the sums of all in the last one; none if there was
 * no access. Misses have no values if no caches are simulated. */
void cacheray_whatif_fill(const cacheray_whatif *w, rows *to);
/* Appends lines for remap.h, each with its reasons before it as lines that begin with '#'. Only those that gain something if
 * the accesses are counted again with this struct moved, the best first: fewer contended accesses and misses of the first
 * and of all levels; without caches fewer cache lines instead of misses. Then what was left out. `a`: of the accesses.
 * Returns how many there are. */
unsigned cacheray_whatif_propose(const cacheray_whatif *w, const cacheray_analysis *a, GString *text);

#endif
