/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A limit of the memory for what is counted by name. A file may have very many names, so there is some room at first, and it
 * grows slowly with what has been counted. What has no room counts in TEXT_OTHERS. Once there was none, there never is
 * again, as some of what a later name would count is in TEXT_OTHERS. */
#ifndef WIRETRACE_STATISTICS_LIMIT_H
#define WIRETRACE_STATISTICS_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "util/text.h"

#define LIMIT_PER_COUNT 32u /* bytes */

typedef struct counting_limit {
    uint64_t room;    /* bytes, at first */
    uint64_t counted; /* records or calls; the user adds to it */
    bool full;        /* there was no room */
} counting_limit;

/* Returns whether there is room for a new name, so that all take this many bytes. */
static inline bool limit_allows(counting_limit *l, uint64_t bytes)
{
    l->full = l->full || bytes > l->room + l->counted * LIMIT_PER_COUNT;
    return !l->full;
}

/* Leaves a `share`th of the room. */
static inline void limit_share(counting_limit *l, unsigned share)
{
    l->room /= share;
}

/* Rows of statistics: one, with what has been counted for it, needs about this many bytes. */
#define LIMIT_ROW 1536u
#define LIMIT_ROWS 32000u
#define LIMIT_OF_ROWS ((counting_limit){.room = (uint64_t)LIMIT_ROWS * LIMIT_ROW})

/* Returns whether there is room for one more row than there are. */
static inline bool limit_allows_row(counting_limit *l, uint64_t rows)
{
    return limit_allows(l, (rows + 1) * LIMIT_ROW);
}

/* Trees of calls, and what else is counted in bytes. */
#define LIMIT_OF_BYTES ((counting_limit){.room = 40u << 20})

#endif
