/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "containers/number_set.h"

#include <stddef.h>

void number_set_clear(number_set *s)
{
    if (s->all.slots)
        hash_map_clear(&s->all);
    *s = (number_set){0};
}

void number_set_put(number_set *s, uint64_t number)
{
    if (s->count && !s->all.slots) {
        hash_map_init(&s->all);
        hash_map_add(&s->all, s->last);
    }
    if (s->count)
        hash_map_add(&s->all, number);
    s->count = s->count ? s->all.count : 1;
    s->last = number;
}

void number_set_join(number_set *s, const number_set *other)
{
    if (other->count)
        number_set_add(s, other->last);
    for (size_t i = 0; other->all.slots && i < (size_t)1 << other->all.bits; i++)
        if (other->all.slots[i].value)
            number_set_add(s, other->all.slots[i].key);
}
