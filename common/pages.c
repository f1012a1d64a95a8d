/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pages.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#define CACHE_LINE 64u
#define LARGE_PAGE (2u << 20)

/* Memory that nobody has touched yet takes none. */
static void *allocate(size_t count, size_t size)
{
    bool large = size && count >= LARGE_PAGE / size;
    void *all = g_aligned_alloc(count, size, large ? LARGE_PAGE : CACHE_LINE);
#ifdef MADV_HUGEPAGE
    if (large)
        madvise(all, count * size, MADV_HUGEPAGE); /* a hint: nothing depends on it */
#endif
    return all;
}

void *pages_new(size_t count, size_t size)
{
    return memset(allocate(count, size), 0, count * size);
}

void *pages_grow(void *old, size_t used, size_t count, size_t size)
{
    void *all = pages_new(count, size);
    if (used)
        memcpy(all, old, used * size);
    g_aligned_free(old);
    return all;
}

void pool_init(pool *p, size_t size)
{
    *p = (pool){.blocks = g_ptr_array_new_with_free_func(g_aligned_free), .size = size};
}

void pool_clear(pool *p)
{
    g_ptr_array_free(p->blocks, TRUE);
    p->blocks = NULL;
}

uint32_t pool_add(pool *p)
{
    if (p->count >> POOL_BLOCK_BITS == p->blocks->len)
        g_ptr_array_add(p->blocks, allocate((size_t)1 << POOL_BLOCK_BITS, p->size));
    memset(pool_at(p, p->count), 0, p->size);
    return p->count++;
}
