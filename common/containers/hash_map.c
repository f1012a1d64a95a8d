/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "containers/hash_map.h"

#include <glib.h>

#include "containers/pool.h"

#define FIRST_BITS 6u

uint64_t hash_map_seed(void)
{
    return (uint64_t)g_random_int() << 32 | g_random_int();
}

void hash_map_init(hash_map *m)
{
    *m = (hash_map){.bits = FIRST_BITS, .seed = hash_map_seed()};
    m->slots = pool_new((size_t)1 << FIRST_BITS, sizeof(hash_map_slot));
}

void hash_map_clear(hash_map *m)
{
    pool_free(m->slots, (size_t)1 << m->bits, sizeof(hash_map_slot));
    m->slots = NULL;
}

/* The slot of a key, or the free one where it belongs. */
static hash_map_slot *slot_of(const hash_map *m, uint64_t key)
{
    uint64_t mask = ((uint64_t)1 << m->bits) - 1, at = hash_map_hash(key, m->seed) >> (64 - m->bits);
    while (m->slots[at].value && m->slots[at].key != key)
        at = (at + 1) & mask;
    return &m->slots[at];
}

uint32_t hash_map_find(const hash_map *m, uint64_t key)
{
    return slot_of(m, key)->value;
}

static void hash_map_grow(hash_map *m)
{
    hash_map_slot *old = m->slots;
    size_t slots = (size_t)1 << m->bits;
    m->bits++;
    m->slots = pool_new(slots * 2, sizeof(hash_map_slot));
    for (size_t i = 0; i < slots; i++)
        if (old[i].value)
            *slot_of(m, old[i].key) = old[i];
    pool_free(old, slots, sizeof(hash_map_slot));
}

uint32_t hash_map_add(hash_map *m, uint64_t key)
{
    hash_map_slot *s = slot_of(m, key);
    if (s->value)
        return s->value;
    if (m->count >= (uint64_t)1 << (m->bits - 1)) {
        hash_map_grow(m);
        s = slot_of(m, key);
    }
    *s = (hash_map_slot){key, ++m->count};
    return s->value;
}
