/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "containers/last_uses.h"

#include <string.h>

#include "containers/pool.h"

enum { WORD_BITS = 64, BLOCK_WORDS = 4, BLOCK = WORD_BITS * BLOCK_WORDS };

static uint32_t count_bits(uint64_t word)
{
    return (uint32_t)__builtin_popcountll(word);
}

static uint32_t bits_of_block(const last_uses *u, uint32_t block)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < BLOCK_WORDS; i++)
        sum += count_bits(u->bits[(size_t)block * BLOCK_WORDS + i]);
    return sum;
}

/* Adds modulo 2^32. */
static void add_to_block(last_uses *u, uint32_t block, uint32_t more)
{
    for (uint32_t at = block + 1; at <= u->blocks; at += at & -at)
        u->sums[at] += more;
}

/* Of all blocks before this one. */
static uint32_t sum_before(const last_uses *u, uint32_t block)
{
    uint32_t sum = 0;
    for (uint32_t at = block; at; at -= at & -at)
        sum += u->sums[at];
    return sum;
}

void last_uses_init(last_uses *u, uint32_t count)
{
    *u = (last_uses){.blocks = count / BLOCK * 2 + 8};
    u->bits = pool_new((size_t)u->blocks * BLOCK_WORDS, sizeof *u->bits);
    u->sums = pool_new((size_t)u->blocks + 1, sizeof *u->sums);
    for (uint32_t i = 0; i < count; i++)
        last_uses_add(u);
}

void last_uses_clear(last_uses *u)
{
    pool_free(u->bits, (size_t)u->blocks * BLOCK_WORDS, sizeof *u->bits);
    pool_free(u->sums, (size_t)u->blocks + 1, sizeof *u->sums);
    *u = (last_uses){0};
}

bool last_uses_full(const last_uses *u)
{
    return u->next / BLOCK == u->blocks;
}

uint32_t last_uses_add(last_uses *u)
{
    const uint32_t use = u->next++;
    u->bits[use / WORD_BITS] |= UINT64_C(1) << use % WORD_BITS;
    u->count++;
    if (u->next % BLOCK == 0) /* the block of the next use is not in the tree yet */
        add_to_block(u, use / BLOCK, bits_of_block(u, use / BLOCK));
    return use;
}

void last_uses_remove(last_uses *u, uint32_t use)
{
    u->bits[use / WORD_BITS] &= ~(UINT64_C(1) << use % WORD_BITS);
    u->count--;
    if (use / BLOCK != u->next / BLOCK)
        add_to_block(u, use / BLOCK, UINT32_MAX);
}

uint32_t last_uses_rank(const last_uses *u, uint32_t use)
{
    const uint32_t word = use / WORD_BITS;
    uint32_t rank = sum_before(u, use / BLOCK);
    for (uint32_t i = word / BLOCK_WORDS * BLOCK_WORDS; i < word; i++)
        rank += count_bits(u->bits[i]);
    return rank + count_bits(u->bits[word] & ((UINT64_C(1) << use % WORD_BITS) - 1));
}
