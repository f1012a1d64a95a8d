/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts of accesses for each of very many lines. Most lines are accessed only a few times, and then all counts are
 * packed into the 4 bytes that the caller keeps per line. */
#ifndef WIRETRACE_CACHERAY_STATISTICS_TALLIES_H
#define WIRETRACE_CACHERAY_STATISTICS_TALLIES_H

#include "containers/pool.h"

typedef struct tally {
    uint32_t reads, writes, atomics, contended;
} tally;

/* `large`: of tally, for those that do not fit. `kept`: the caller's number for a line, initially 0. */
tally tallies_get(const pool *large, uint32_t kept);
void tallies_set(pool *large, uint32_t *kept, const tally *counts);

#endif
