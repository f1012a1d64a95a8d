/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hash map from numbers of 64 bits (addresses, threads) to small numbers that count from 1. Nothing is ever taken out. Where a
 * number lies cannot be known from outside, so that no file can make it slow. */
#ifndef WIRETRACE_HASH_MAP_H
#define WIRETRACE_HASH_MAP_H

#include <stdint.h>

typedef struct hash_map_slot {
    uint64_t key;
    uint32_t value; /* 0: free */
} hash_map_slot;

typedef struct hash_map {
    hash_map_slot *slots;
    uint64_t seed;
    uint32_t count;
    unsigned bits; /* 2^bits slots */
} hash_map;

/* The upper bits are the best. */
static inline uint64_t hash_map_hash(uint64_t key, uint64_t seed)
{
    uint64_t x = key ^ seed;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    return (x ^ (x >> 32) ^ seed) * 0xd6e8feb86659fd93u;
}

/* So that nobody can know it from outside. */
uint64_t hash_map_seed(void);

void hash_map_init(hash_map *n);
void hash_map_clear(hash_map *n);
/* The value of a key, 0 where it has none. */
uint32_t hash_map_find(const hash_map *n, uint64_t key);
/* The value of a key; where it has none it gets the next: the count of keys. */
uint32_t hash_map_add(hash_map *n, uint64_t key);

#endif
