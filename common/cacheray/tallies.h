/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts of accesses for each of very many lines. Most lines are touched a few times: their counts take 8 bytes together. */
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
/* Of a line by its number; those that were never set have counted nothing. */
tally tallies_get(const tallies *t, uint32_t line);
void tallies_set(tallies *t, uint32_t line, const tally *counts);

#endif
