/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts of accesses for each of very many lines. Most lines are touched a few times: their counts take 4 bytes together, which
 * the caller keeps. */
#ifndef WIRETRACE_CACHERAY_TALLIES_H
#define WIRETRACE_CACHERAY_TALLIES_H

#include <stdint.h>

typedef struct tally {
    uint32_t reads, writes, atomics, contended;
    uint32_t row; /* that the line has in a table, from 1; 0: none */
} tally;

typedef struct tallies tallies;

tallies *tallies_new(void);
void tallies_free(tallies *t);
/* Of what is kept of a line: 0 where nothing has been counted. */
tally tallies_get(const tallies *t, uint32_t kept);
void tallies_set(tallies *t, uint32_t *kept, const tally *counts);

#endif
