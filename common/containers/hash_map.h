/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hash map from 64-bit numbers (addresses, thread ids) to small numbers counted from 1. Keys are never removed. The
 * hash is seeded randomly, so that no file can force collisions. */
#ifndef WIRETRACE_CONTAINERS_HASH_MAP_H
#define WIRETRACE_CONTAINERS_HASH_MAP_H

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

/* The upper bits are the best mixed. */
static inline uint64_t hash_map_hash(uint64_t key, uint64_t seed)
{
    uint64_t x = key ^ seed;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    return (x ^ (x >> 32) ^ seed) * 0xd6e8feb86659fd93u;
}

/* A random seed. */
uint64_t hash_map_seed(void);

void hash_map_init(hash_map *m);
void hash_map_clear(hash_map *m);
/* The value of a key; 0 if it has none. */
uint32_t hash_map_find(const hash_map *m, uint64_t key);
/* The value of a key. A new key gets the next one: the number of keys. */
uint32_t hash_map_add(hash_map *m, uint64_t key);

#endif
