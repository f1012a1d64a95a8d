/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A map from numbers of 64 bits (addresses, threads) to small numbers that count from 1. Nothing is ever taken out. Where a
 * number lies cannot be known from outside, so that no file can make it slow. */
#ifndef WIRETRACE_NUMBERS_H
#define WIRETRACE_NUMBERS_H

#include <stdint.h>

typedef struct numbers_slot {
    uint64_t key;
    uint32_t value; /* 0: free */
} numbers_slot;

typedef struct numbers {
    numbers_slot *slots;
    uint64_t seed;
    uint32_t count;
    unsigned bits; /* 2^bits slots */
} numbers;

/* The upper bits are the best. */
static inline uint64_t numbers_hash(uint64_t key, uint64_t seed)
{
    uint64_t x = key ^ seed;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    return (x ^ (x >> 32) ^ seed) * 0xd6e8feb86659fd93u;
}

/* Where a key belongs in a table of 2^bits places. */
static inline uint64_t numbers_home(uint64_t key, uint64_t seed, unsigned bits)
{
    return numbers_hash(key, seed) >> (64 - bits);
}

/* So that nobody can know it from outside. */
uint64_t numbers_seed(void);

void numbers_init(numbers *n);
void numbers_clear(numbers *n);
/* The value of a key, 0 where it has none. */
uint32_t numbers_find(const numbers *n, uint64_t key);
/* The value of a key; where it has none it gets the next: the count of keys. */
uint32_t numbers_add(numbers *n, uint64_t key);

#endif
