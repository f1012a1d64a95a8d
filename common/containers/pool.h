/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory for large tables: zeroed, at cache lines, returned to the system at once when it is freed. */
#ifndef WIRETRACE_CONTAINERS_POOL_H
#define WIRETRACE_CONTAINERS_POOL_H

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed memory for `count` items of `size` bytes. */
void *pool_new(size_t count, size_t size);
void pool_free(void *all, size_t count, size_t size);
/* The same, with the first `used` items copied from `old`, which has room for `room` items and is freed. */
void *pool_grow(void *old, size_t room, size_t used, size_t count, size_t size);

/* An array of fixed-size items that never move. They are numbered from 0. */
typedef struct pool {
    GPtrArray *blocks;
    size_t size;
    uint32_t count;
} pool;

#ifndef POOL_BLOCK_BITS
#define POOL_BLOCK_BITS 18u
#endif

void pool_init(pool *p, size_t size);
void pool_clear(pool *p);
/* Adds a zeroed item and returns its number. */
uint32_t pool_add(pool *p);

static inline void *pool_at(const pool *p, uint32_t number)
{
    char *block = g_ptr_array_index(p->blocks, number >> POOL_BLOCK_BITS);
    return block + (number & ((1u << POOL_BLOCK_BITS) - 1)) * p->size;
}

#endif
