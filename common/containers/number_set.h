/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A set of 64-bit numbers of which only the count is asked for, such as the threads that have used something. There may be
 * very many sets, and most have one member, so a map is made only for the second. */
#ifndef WIRETRACE_CONTAINERS_NUMBER_SET_H
#define WIRETRACE_CONTAINERS_NUMBER_SET_H

#include "containers/hash_map.h"

/* All zero: empty. */
typedef struct number_set {
    uint64_t last; /* the member that was added last */
    uint32_t count;
    hash_map all; /* without slots if there is only `last` */
} number_set;

void number_set_clear(number_set *s);
void number_set_join(number_set *s, const number_set *other);
void number_set_put(number_set *s, uint64_t number); /* private */

static inline void number_set_add(number_set *s, uint64_t number)
{
    if (!s->count || s->last != number)
        number_set_put(s, number);
}

#endif
