/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Simulated caches. Rules:
 *   - every line (of the first level) that an access touches is looked up in the first level, then in the next, until one
 *     has it; all levels before that one load it. Without write allocation a write loads nothing; otherwise reads and writes
 *     are treated alike;
 *   - if an access touches two lines, the level farther away counts;
 *   - a line is in the set of its number modulo the number of sets, which need not be a power of two;
 *   - a full set evicts the line used (LRU) or loaded (FIFO) longest ago, or a random one, determined by the seed;
 *   - a level is shared, or private to each thread: for CACHES_THREADS threads at most, all further ones share another one;
 *   - levels are independent: what one evicts stays in the others;
 *   - coherent caches: a write removes its line from the private caches of all other threads, at every level, as the states
 *     of MESI demand. A read changes no other cache: whoever has the line keeps it, shared. Of lines of different sizes each
 *     level loses the one with the first byte written. Otherwise what another thread writes stays.
 * Knows nothing of records. */
#ifndef WIRETRACE_CACHERAY_CACHES_H
#define WIRETRACE_CACHERAY_CACHES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define CACHES_LEVELS 4u
#define CACHES_WAYS 4096u
#define CACHES_THREADS 256u
#define CACHES_SEED 0x9e3779b97f4a7c15u

/* The values are those of Cacheray's simulator. */
typedef enum replacement { REPLACE_LRU = 0, REPLACE_FIFO = 1, REPLACE_RANDOM = 4 } replacement;

typedef struct cache_level {
    unsigned size, line_bits; /* the size of the cache in bytes, and log2 of that of a line */
    unsigned ways;            /* 0: fully associative */
    replacement replacement;
    bool per_thread;
} cache_level;

typedef struct caches_config {
    cache_level levels[CACHES_LEVELS]; /* nearest level first */
    unsigned count;
    uint64_t seed;                    /* for random replacement; not 0 */
    bool coherent, no_write_allocate; /* not from the file; see above. The second one: without write allocation */
} caches_config;

/* Reads the JSON of the simulator: {"caches": [{"cache_size": 15, "block_size": 6, "set_assoc": 8, "rep_policy": 0},
 * ...]}, where sizes are powers of two. Our extensions: "bytes", any size of the cache, in place of "cache_size"; "private":
 * true in a level, and "seed" beside "caches". */
bool caches_read(const char *path, caches_config *config, GError **error);
/* Returns whether a configuration is valid. */
bool caches_check(const caches_config *config, GError **error);

typedef struct caches caches;
caches *caches_new(const caches_config *config); /* `config` must pass the check */
void caches_free(caches *c);

typedef struct cache_result {
    uint8_t level; /* that had the line, from 1; 0: none */
    bool evicts;   /* `evicted` is the address of the line evicted from the first level; of the first one if there are two */
    uint64_t evicted;
    uint32_t invalidated; /* copies removed from caches of other threads */
} cache_result;

const caches_config *caches_of(const caches *c);
/* `size` in bytes; 0 counts as 1, and anything beyond the next line is ignored. */
void caches_access(caches *c, uint64_t address, uint8_t size, uint64_t thread, bool write, cache_result *result);

#endif
