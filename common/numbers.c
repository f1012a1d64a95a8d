/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "numbers.h"

#include <glib.h>

#include "pages.h"

#define FIRST_BITS 6u

uint64_t numbers_seed(void)
{
    return (uint64_t)g_random_int() << 32 | g_random_int();
}

void numbers_init(numbers *n)
{
    *n = (numbers){.bits = FIRST_BITS, .seed = numbers_seed()};
    n->slots = pages_new((size_t)1 << FIRST_BITS, sizeof(numbers_slot));
}

void numbers_clear(numbers *n)
{
    pages_free(n->slots, (size_t)1 << n->bits, sizeof(numbers_slot));
    n->slots = NULL;
}

/* The slot of a key, or the free one where it belongs. */
static numbers_slot *slot_of(const numbers *n, uint64_t key)
{
    uint64_t mask = ((uint64_t)1 << n->bits) - 1, at = numbers_home(key, n->seed, n->bits);
    while (n->slots[at].value && n->slots[at].key != key)
        at = (at + 1) & mask;
    return &n->slots[at];
}

uint32_t numbers_find(const numbers *n, uint64_t key)
{
    return slot_of(n, key)->value;
}

static void grow(numbers *n)
{
    numbers_slot *old = n->slots;
    size_t slots = (size_t)1 << n->bits;
    n->bits++;
    n->slots = pages_new(slots * 2, sizeof(numbers_slot));
    for (size_t i = 0; i < slots; i++)
        if (old[i].value)
            *slot_of(n, old[i].key) = old[i];
    pages_free(old, slots, sizeof(numbers_slot));
}

uint32_t numbers_add(numbers *n, uint64_t key)
{
    numbers_slot *s = slot_of(n, key);
    if (s->value)
        return s->value;
    if (n->count >= (uint64_t)1 << (n->bits - 1)) {
        grow(n);
        s = slot_of(n, key);
    }
    *s = (numbers_slot){key, ++n->count};
    return s->value;
}
