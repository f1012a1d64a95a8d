/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/statistics/tallies.h"

#include <glib.h>
#include <stdbool.h>

/* The number kept per line: its counts from the lowest bit up, or ELSEWHERE and an index in the pool. */
enum { READS_BITS = 10, WRITES_BITS = 10, ATOMICS_BITS = 6, CONTENDED_BITS = 5 };
enum { WRITES_AT = READS_BITS, ATOMICS_AT = WRITES_AT + WRITES_BITS, CONTENDED_AT = ATOMICS_AT + ATOMICS_BITS };

#define ELSEWHERE (UINT32_C(1) << 31)

_Static_assert(CONTENDED_AT + CONTENDED_BITS == 31, "the highest bit is left");

static uint32_t cacheray_tallies_part(uint32_t kept, unsigned at, unsigned bits)
{
    return kept >> at & ((1u << bits) - 1);
}

tally tallies_get(const pool *large, uint32_t kept)
{
    if (kept & ELSEWHERE)
        return *(const tally *)pool_at(large, kept & ~ELSEWHERE);
    return (tally){cacheray_tallies_part(kept, 0, READS_BITS), cacheray_tallies_part(kept, WRITES_AT, WRITES_BITS),
                   cacheray_tallies_part(kept, ATOMICS_AT, ATOMICS_BITS),
                   cacheray_tallies_part(kept, CONTENDED_AT, CONTENDED_BITS)};
}

static bool cacheray_tallies_fits(const tally *c)
{
    return !(c->reads >> READS_BITS) && !(c->writes >> WRITES_BITS) && !(c->atomics >> ATOMICS_BITS) &&
           !(c->contended >> CONTENDED_BITS);
}

void tallies_set(pool *large, uint32_t *kept, const tally *c)
{
    if (!(*kept & ELSEWHERE)) {
        if (cacheray_tallies_fits(c)) {
            *kept = c->reads | c->writes << WRITES_AT | c->atomics << ATOMICS_AT | c->contended << CONTENDED_AT;
            return;
        }
        *kept = pool_add(large) | ELSEWHERE;
    }
    *(tally *)pool_at(large, *kept & ~ELSEWHERE) = *c;
}
