/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Large tables that are read at random places: in large pages where the system has them, as half of the time goes into finding
 * the small ones. */
#ifndef WIRETRACE_PAGES_H
#define WIRETRACE_PAGES_H

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed memory for so many things. */
void *pages_new(size_t count, size_t size);
void pages_free(void *all, size_t count, size_t size);
/* The same with the first `used` things of `old`, which has room for `room` and is freed. */
void *pages_grow(void *old, size_t room, size_t used, size_t count, size_t size);

/* Things of one size that have numbers from 0 and stay where they are. */
typedef struct pool {
    GPtrArray *blocks;
    size_t size;
    uint32_t count;
} pool;

#ifndef POOL_BLOCK_BITS
#define POOL_BLOCK_BITS 18u /* a block of small things is several large pages */
#endif

void pool_init(pool *p, size_t size);
void pool_clear(pool *p);
/* Number of a new one, which is zeroed. */
uint32_t pool_add(pool *p);

static inline void *pool_at(const pool *p, uint32_t number)
{
    char *block = g_ptr_array_index(p->blocks, number >> POOL_BLOCK_BITS);
    return block + (number & ((1u << POOL_BLOCK_BITS) - 1)) * p->size;
}

#endif
