/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/tallies.h"

#include <glib.h>
#include <stdbool.h>

#include "pages.h"

/* What is kept of every line: its counts, or where they are. */
typedef union packed {
    struct {
        uint16_t reads, writes, atomics, contended;
    };
    struct {
        uint32_t number;
        uint16_t unused, elsewhere; /* ELSEWHERE: the counts are in `large` */
    };
} packed;

#define ELSEWHERE UINT16_MAX

_Static_assert(sizeof(packed) == 8, "as it says");

struct tallies {
    pool lines; /* of packed */
    pool large; /* of tally */
};

tallies *tallies_new(void)
{
    tallies *t = g_new0(tallies, 1);
    pool_init(&t->lines, sizeof(packed));
    pool_init(&t->large, sizeof(tally));
    return t;
}

void tallies_free(tallies *t)
{
    if (!t)
        return;
    pool_clear(&t->lines);
    pool_clear(&t->large);
    g_free(t);
}

tally tallies_get(const tallies *t, uint32_t line)
{
    if (line >= t->lines.count)
        return (tally){0};
    const packed *p = pool_at(&t->lines, line);
    if (p->elsewhere == ELSEWHERE)
        return *(const tally *)pool_at(&t->large, p->number);
    return (tally){p->reads, p->writes, p->atomics, p->contended, 0};
}

static bool fits(const tally *c)
{
    return !c->row && MAX(MAX(c->reads, c->writes), MAX(c->atomics, c->contended)) < ELSEWHERE;
}

void tallies_set(tallies *t, uint32_t line, const tally *c)
{
    while (line >= t->lines.count)
        pool_add(&t->lines);
    packed *p = pool_at(&t->lines, line);
    if (p->elsewhere != ELSEWHERE) {
        if (fits(c)) {
            *p = (packed){{(uint16_t)c->reads, (uint16_t)c->writes, (uint16_t)c->atomics, (uint16_t)c->contended}};
            return;
        }
        *p = (packed){.number = pool_add(&t->large), .elsewhere = ELSEWHERE};
    }
    *(tally *)pool_at(&t->large, p->number) = *c;
}
