/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/caches.h"

#include <glib.h>

#include "containers/hash_map.h"
#include "util/fail.h"

#define SIZE_MAX_BYTES (1u << 30)
#define LINE_BITS_MIN 4u
#define LINE_BITS_MAX 12u

/* A slot for a line. */
typedef struct way {
    uint64_t line;  /* address >> line_bits */
    uint64_t stamp; /* time when it was loaded or last used; 0: empty */
} way;

typedef struct cache {
    way *ways; /* all ways of the first set, then of the second, and so on */
    uint64_t clock, random;
} cache;

struct caches {
    caches_config config;
    hash_map threads;
    GPtrArray *all[CACHES_LEVELS]; /* of cache, one per thread or a single one */
};

const caches_config *caches_of(const caches *c)
{
    return &c->config;
}

static unsigned ways_of(const cache_level *l)
{
    return l->ways ? l->ways : l->size >> l->line_bits;
}

static uint64_t sets_of(const cache_level *l)
{
    return (l->size >> l->line_bits) / ways_of(l);
}

/* --- configuration ----------------------------------------------------------------------------------------------------- */

bool caches_check(const caches_config *config, GError **error)
{
    if (config->count == 0 || config->count > CACHES_LEVELS)
        return fail_with(error, "there must be from one to four caches");
    for (unsigned i = 0; i < config->count; i++) {
        const cache_level *l = &config->levels[i];
        if (l->line_bits < LINE_BITS_MIN || l->line_bits > LINE_BITS_MAX)
            return fail_with(error, "a block must have from 2^4 to 2^12 bytes");
        if (l->size >> l->line_bits == 0 || l->size > SIZE_MAX_BYTES)
            return fail_with(error, "a cache must have at least one block, and at most 2^30 bytes");
        if (ways_of(l) > CACHES_WAYS || l->size % ((uint64_t)ways_of(l) << l->line_bits))
            return fail_with(error, "a cache must consist of whole sets, of at most 4096 blocks each");
        if (l->replacement != REPLACE_LRU && l->replacement != REPLACE_FIFO && l->replacement != REPLACE_RANDOM)
            return fail_with(error, "replacement must be 0 (LRU), 1 (FIFO) or 4 (random)");
    }
    return true;
}

/* --- simulation -------------------------------------------------------------------------------------------------------- */

static void free_cache(gpointer p)
{
    if (p)
        g_free(((cache *)p)->ways);
    g_free(p);
}

caches *caches_new(const caches_config *config)
{
    caches *c = g_new0(caches, 1);
    c->config = *config;
    hash_map_init(&c->threads);
    for (unsigned i = 0; i < config->count; i++)
        c->all[i] = g_ptr_array_new_with_free_func(free_cache);
    return c;
}

void caches_free(caches *c)
{
    if (!c)
        return;
    for (unsigned i = 0; i < c->config.count; i++)
        g_ptr_array_free(c->all[i], TRUE);
    hash_map_clear(&c->threads);
    g_free(c);
}

/* Which of the caches of a level a thread has: 0 is a shared one, or that of all further threads. */
static guint index_of(caches *c, unsigned level, uint64_t thread)
{
    if (!c->config.levels[level].per_thread)
        return 0;
    uint32_t known = hash_map_find(&c->threads, thread);
    if (!known && c->threads.count < CACHES_THREADS)
        known = hash_map_add(&c->threads, thread);
    return known;
}

static cache *cache_of(caches *c, unsigned level, guint i)
{
    const cache_level *l = &c->config.levels[level];
    if (i >= c->all[level]->len)
        g_ptr_array_set_size(c->all[level], (gint)i + 1);
    cache *found = g_ptr_array_index(c->all[level], i);
    if (!found) {
        found = g_new0(cache, 1);
        found->ways = g_new0(way, ways_of(l) * sets_of(l));
        found->random = c->config.seed;
        g_ptr_array_index(c->all[level], i) = found;
    }
    return found;
}

/* xorshift64* */
static uint64_t next_random(cache *c)
{
    c->random ^= c->random >> 12;
    c->random ^= c->random << 25;
    c->random ^= c->random >> 27;
    return c->random * 0x2545f4914f6cdd1du;
}

/* The slot of a set to be used for a new line: an empty one, otherwise the one with the oldest stamp or a random one. */
static way *victim(const cache_level *l, cache *c, way *set)
{
    unsigned n = ways_of(l);
    way *oldest = set;
    for (unsigned i = 0; i < n; i++)
        if (set[i].stamp < oldest->stamp)
            oldest = &set[i];
    if (oldest->stamp && l->replacement == REPLACE_RANDOM)
        return &set[(next_random(c) >> 32) % n];
    return oldest;
}

static way *set_of(const cache_level *l, const cache *c, uint64_t line)
{
    return &c->ways[line % sets_of(l) * ways_of(l)];
}

/* The slot with a line, or NULL. */
static way *find_way(const cache_level *l, way *set, uint64_t line)
{
    for (unsigned i = 0; i < ways_of(l); i++)
        if (set[i].line == line && set[i].stamp)
            return &set[i];
    return NULL;
}

/* Looks up a line, and if it is not there loads it, unless `keep_out`. True if it was; otherwise *out is the evicted line
 * (stamp 0: none). */
static bool cacheray_caches_look_up(const cache_level *l, cache *c, uint64_t line, bool keep_out, way *out)
{
    way *set = set_of(l, c, line), *there = find_way(l, set, line);
    c->clock++;
    if (there && l->replacement == REPLACE_LRU)
        there->stamp = c->clock;
    if (there || keep_out)
        return there;
    way *place = victim(l, c, set);
    *out = *place;
    *place = (way){line, c->clock};
    return false;
}

/* Removes what a thread writes from the private caches of all others; returns how many had it. */
static uint32_t invalidate(caches *c, uint64_t address, uint64_t thread)
{
    uint32_t had = 0;
    for (unsigned i = 0; i < c->config.count; i++) {
        const cache_level *l = &c->config.levels[i];
        const guint own = index_of(c, i, thread);
        const uint64_t line = address >> l->line_bits;
        for (guint k = 0; l->per_thread && k < c->all[i]->len; k++) {
            const cache *other = k != own ? g_ptr_array_index(c->all[i], k) : NULL;
            way *there = other ? find_way(l, set_of(l, other, line), line) : NULL;
            if (there) {
                there->stamp = 0;
                had++;
            }
        }
    }
    return had;
}

/* The level that has the line of an address, from 1; 0: none. */
static uint8_t find_line(caches *c, uint64_t address, uint64_t thread, bool write, cache_result *result)
{
    const bool keep_out = write && c->config.no_write_allocate;
    if (write && c->config.coherent)
        result->invalidated += invalidate(c, address, thread);
    for (unsigned i = 0; i < c->config.count; i++) {
        const cache_level *l = &c->config.levels[i];
        way out = {0, 0};
        if (cacheray_caches_look_up(l, cache_of(c, i, index_of(c, i, thread)), address >> l->line_bits, keep_out, &out))
            return (uint8_t)(i + 1);
        if (i == 0 && out.stamp && !result->evicts) {
            result->evicts = true;
            result->evicted = out.line << l->line_bits;
        }
    }
    return 0;
}

void caches_access(caches *c, uint64_t address, uint8_t size, uint64_t thread, bool write, cache_result *result)
{
    uint64_t line = (uint64_t)1 << c->config.levels[0].line_bits, next = (address | (line - 1)) + 1;
    *result = (cache_result){.level = 0};
    result->level = find_line(c, address, thread, write, result);
    if (next && size > 1 && next - address < size) {
        uint8_t other = find_line(c, next, thread, write, result);
        result->level = result->level && other ? MAX(result->level, other) : 0;
    }
}
