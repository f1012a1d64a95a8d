/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "containers/hash.h"

#include <string.h>

#include "containers/hash_map.h"
#include "util/math128.h"

static uint64_t start, factor; /* random */

/* Combines both halves of the product: in the lower half alone, the highest bits of the input would affect only the
 * highest bits of the result. */
static inline uint64_t hash_mix(uint64_t hash, uint64_t next)
{
    const wide128 product = wide_product(hash ^ next, factor);
    return product.low ^ product.high;
}

/* Before there are threads. */
__attribute__((constructor)) static void hash_settle(void)
{
    start = hash_map_seed();
    factor = hash_map_seed() | 1;
}

unsigned hash_bytes(const void *bytes, size_t length)
{
    const char *at = bytes;
    uint64_t hash = start, word;
    for (; length >= sizeof word; length -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = hash_mix(hash, word);
    }
    word = 0;
    memcpy(&word, at, length);
    return (unsigned)hash_mix(hash_mix(hash, word), start);
}

unsigned hash_text(const void *text)
{
    return hash_bytes(text, strlen(text));
}

/* Used for every record, so one and two numbers do not use hash_bytes(), which takes five times as long. */
unsigned hash_number(const void *number)
{
    uint64_t value;
    memcpy(&value, number, sizeof value);
    return (unsigned)(hash_map_hash(value, start) >> 32);
}

unsigned hash_pair_of(const void *pair)
{
    hash_pair p;
    memcpy(&p, pair, sizeof p);
    return (unsigned)(hash_map_hash(p.second ^ hash_map_hash(p.first, start), factor) >> 32);
}

int hash_pair_equal(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(hash_pair)) == 0;
}

unsigned hash_pointer(const void *pointer)
{
    const uint64_t number = (uintptr_t)pointer;
    return hash_number(&number);
}
