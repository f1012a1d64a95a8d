/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/distances.h"

#include <glib.h>
#include <stdbool.h>

#include "containers/hash_map.h"
#include "containers/last_uses.h"

/* Which lines are kept must not differ from run to run. */
#define SEED UINT64_C(0x9e3779b97f4a7c15)
#define HALVINGS_MAX 31u /* so that sums of up to 2^32 uses fit */
enum { GROUP_AT = 28 };

struct distances {
    hash_map lines; /* number of a line -> index in `uses` + 1 */
    GArray *uses;   /* uint32_t: its last use */
    last_uses order;
    uint32_t most;
    unsigned halvings;
    uint64_t last; /* the line that was used last */
    bool any;      /* there is one */
};

static uint32_t *use_of(const distances *d, uint32_t number)
{
    return &g_array_index(d->uses, uint32_t, number - 1);
}

distances *distances_new(uint32_t most)
{
    distances *d = g_new0(distances, 1);
    d->most = most;
    hash_map_init(&d->lines);
    d->uses = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    last_uses_init(&d->order, 0);
    return d;
}

void distances_free(distances *d)
{
    if (!d)
        return;
    hash_map_clear(&d->lines);
    g_array_free(d->uses, TRUE);
    last_uses_clear(&d->order);
    g_free(d);
}

unsigned distances_halvings(const distances *d)
{
    return d->halvings;
}

uint32_t distances_kept(const distances *d)
{
    return d->lines.count;
}

unsigned distances_group(uint64_t line)
{
    return (unsigned)(hash_map_hash(line, SEED) >> GROUP_AT) % DISTANCES_GROUPS;
}

/* By the upper bits of its hash, which are the best mixed. */
static bool is_kept(const distances *d, uint64_t line)
{
    return !d->halvings || hash_map_hash(line, SEED) >> (64 - d->halvings) == 0;
}

/* Numbers all last uses again. */
static void renumber(distances *d)
{
    for (guint i = 0; i < d->uses->len; i++)
        *use_of(d, i + 1) = last_uses_rank(&d->order, *use_of(d, i + 1));
    const uint32_t count = d->order.count;
    last_uses_clear(&d->order);
    last_uses_init(&d->order, count);
}

/* Leaves out half of the lines. */
static void halve(distances *d)
{
    hash_map old = d->lines;
    GArray *uses = d->uses;
    hash_map_init(&d->lines);
    d->uses = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    d->halvings++;
    for (size_t i = 0; i < (size_t)1 << old.bits; i++) {
        const hash_map_slot *s = &old.slots[i];
        const uint32_t use = s->value ? g_array_index(uses, uint32_t, s->value - 1) : 0;
        if (!s->value)
            continue;
        if (is_kept(d, s->key)) {
            hash_map_add(&d->lines, s->key);
            g_array_append_val(d->uses, use);
        } else {
            last_uses_remove(&d->order, use);
        }
    }
    hash_map_clear(&old);
    g_array_free(uses, TRUE);
}

/* Makes room for a new line. False: it is not kept. */
static bool make_room(distances *d, uint64_t line)
{
    while (d->lines.count >= d->most && d->halvings < HALVINGS_MAX)
        halve(d);
    return d->lines.count < d->most && is_kept(d, line);
}

static uint32_t use_new(distances *d, uint64_t line)
{
    if (!make_room(d, line))
        return DISTANCE_NONE;
    const uint32_t use = last_uses_add(&d->order);
    hash_map_add(&d->lines, line);
    g_array_append_val(d->uses, use);
    d->last = line;
    d->any = true;
    return DISTANCE_FIRST;
}

uint32_t distances_use(distances *d, uint64_t line)
{
    if (d->any && d->last == line && is_kept(d, line))
        return 0;
    if (!is_kept(d, line))
        return DISTANCE_NONE;
    if (last_uses_full(&d->order))
        renumber(d);
    const uint32_t number = hash_map_find(&d->lines, line);
    if (!number)
        return use_new(d, line);
    uint32_t *use = use_of(d, number);
    const uint32_t distance = d->order.count - 1 - last_uses_rank(&d->order, *use);
    last_uses_remove(&d->order, *use);
    *use = last_uses_add(&d->order);
    d->last = line;
    return distance;
}
