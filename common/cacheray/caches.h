/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Simulated caches. Rules:
 *   - every line (of the first level) that an access touches is looked up in the first level, then in the next, until one has
 *     it; all levels before that one take it. Reads and writes are alike;
 *   - an access hits where the line hits that goes furthest;
 *   - a full set gives up the line that was used (LRU) or came (FIFO) the longest time ago, or one by lot, from the seed;
 *   - a level is shared, or each thread has its own: CACHES_THREADS threads at most, all further ones use one together;
 *   - levels do not know of each other: what a level gives up stays in the others, and so does what another thread writes.
 * Knows nothing of records. */
#ifndef WIRETRACE_CACHERAY_CACHES_H
#define WIRETRACE_CACHERAY_CACHES_H

#include <stdbool.h>
#include <stdint.h>

#define CACHES_LEVELS 4u
#define CACHES_WAYS 4096u
#define CACHES_THREADS 256u

/* The numbers are those of Cacheray's simulator. */
typedef enum replacement { REPLACE_LRU = 0, REPLACE_FIFO = 1, REPLACE_RANDOM = 4 } replacement;

typedef struct cache_level {
    unsigned size_bits, line_bits; /* powers of two: bytes of the cache, of a line */
    unsigned ways;                 /* 0: fully associative */
    replacement replacement;
    bool per_thread;
} cache_level;

typedef struct caches_config {
    cache_level levels[CACHES_LEVELS]; /* nearest first */
    unsigned count;
    uint64_t seed; /* not 0 */
} caches_config;

/* Reads the simulator's JSON: {"caches": [{"cache_size": 15, "block_size": 6, "set_assoc": 8, "rep_policy": 0}, ...]}, sizes as
 * powers of two. Ours besides: "private": true in a level, "seed" beside the levels. NULL, or what is wrong, to be freed with
 * g_free(). */
char *caches_read(const char *path, caches_config *config);
/* What makes a configuration impossible, or NULL. */
const char *caches_check(const caches_config *config);

typedef struct caches caches;
caches *caches_new(const caches_config *config); /* one that passes the check */
void caches_free(caches *c);

typedef struct cache_result {
    uint8_t level; /* that hit, from 1; 0: none */
    bool evicts;   /* `evicted` is the line that went from the first level; the first of two */
    uint64_t evicted;
} cache_result;

/* How many levels there are. */
unsigned caches_levels(const caches *c);
/* `size` as far as the next line; 0 counts as 1. */
void caches_access(caches *c, uint64_t address, uint8_t size, uint64_t thread, cache_result *result);

#endif
