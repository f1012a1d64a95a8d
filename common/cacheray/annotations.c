/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Regions that no newer one overlaps are "on top". They have no bytes in common, so one look-up by start finds the one that
 * covers an address, and it is the newest that does. In most traces all regions are on top.
 *
 * A region that a newer one overlaps is "hidden" from then on, even after the newer one has been removed. Its "block" is
 * the smallest range of 2^n addresses, a multiple of its size, that contains it. The hidden regions of a block are in a
 * list, the latest first. Those of them that cover an address are in the order of their numbers, as each was hidden before
 * the next one was. An address is in one block of each size, so a look-up goes through few lists. A region leads past the
 * older ones in it, such as those that were at the same place and never removed: what it does not cover, they do not
 * cover either.
 *
 * Hidden regions that begin at the same address are in a linked list, newest first; so are empty ones. All links are indices
 * into arrays; 0: no entry. */
#include "cacheray/annotations.h"

#include <glib.h>
#include <string.h>

#include "containers/hash_map.h"
#include "containers/btree.h"
#include "containers/pool.h"

/* Links of a region that is hidden or empty. */
typedef struct hooks {
    uint32_t older;       /* the next older one with the same start */
    uint32_t over, under; /* of the same block: hidden next and before; `under` stays when it is removed */
    uint32_t past;        /* hidden before: all between are in this one */
} hooks;

enum { RECENT = 16, RECENT_BITS = 10 };

struct annotations {
    annotation *regions;
    hooks *hooks; /* indexed like `regions`; unused for those on top */
    uint32_t count, room;
    btree top;               /* start -> region on top */
    btree hidden, empty;     /* start -> newest of these regions */
    hash_map blocks;         /* block_of() -> index in `latest` + 1 */
    GArray *latest;          /* uint32_t: the hidden region of a block that was hidden last */
    uint64_t levels;         /* bit n: there may be hidden regions with level_of() n */
    uint32_t concealed;      /* hidden regions */
    uint32_t recent[RECENT]; /* regions on top that were found last, see recent_of(); 0: none */
};

annotations *annotations_new(void)
{
    annotations *a = g_new0(annotations, 1);
    btree_init(&a->top);
    btree_init(&a->hidden);
    btree_init(&a->empty);
    hash_map_init(&a->blocks);
    a->latest = g_array_new(FALSE, TRUE, sizeof(uint32_t));
    return a;
}

void annotations_free(annotations *a)
{
    if (!a)
        return;
    btree_clear(&a->top);
    btree_clear(&a->hidden);
    btree_clear(&a->empty);
    pool_free(a->regions, a->room, sizeof(annotation));
    g_free(a->hooks);
    hash_map_clear(&a->blocks);
    g_array_free(a->latest, TRUE);
    g_free(a);
}

const annotation *annotations_get(const annotations *a, uint32_t number)
{
    return &a->regions[number];
}

static uint64_t last_byte(uint64_t start, uint64_t length)
{
    return length - 1 > UINT64_MAX - start ? UINT64_MAX : start + (length - 1);
}

static uint64_t cacheray_annotations_last_of(const annotations *a, uint32_t i)
{
    return last_byte(a->regions[i].start, annotation_length(&a->regions[i]));
}

/* --- hidden regions ---------------------------------------------------------------------------------------------------- */

/* The block of a region has 2^(level + 1) addresses. */
static unsigned level_of(uint64_t start, uint64_t last)
{
    return 63 - (unsigned)__builtin_clzll((start ^ last) | 1);
}

/* The block of this level that contains an address, by its middle. */
static uint64_t block_of(uint64_t address, unsigned level)
{
    return (address | UINT64_C(1) << level) >> level << level;
}

static uint32_t *latest_of(const annotations *a, uint32_t block)
{
    return &g_array_index(a->latest, uint32_t, block - 1);
}

/* Passes over removed regions, and remembers that. False: there is none, or `*steps`, the number of regions that may still
 * be looked at, has become 0. */
static bool is_there(const annotations *a, uint32_t *i, unsigned *steps)
{
    for (; *i && *steps; *i = a->hooks[*i].under) {
        --*steps;
        if (!a->regions[*i].removed)
            return true;
    }
    return false;
}

static void conceal(annotations *a, uint32_t i)
{
    const uint64_t start = a->regions[i].start, last = cacheray_annotations_last_of(a, i);
    const unsigned level = level_of(start, last);
    const uint32_t block = hash_map_add(&a->blocks, block_of(start, level));
    if (block > a->latest->len)
        g_array_set_size(a->latest, block);
    hooks *h = &a->hooks[i];
    h->over = 0;
    h->under = h->past = *latest_of(a, block);
    if (h->under)
        a->hooks[h->under].over = i;
    for (unsigned steps = ANNOTATIONS_STEPS; is_there(a, &h->past, &steps) && a->regions[h->past].start >= start &&
                                             cacheray_annotations_last_of(a, h->past) <= last;)
        h->past = a->hooks[h->past].past;
    *latest_of(a, block) = i;
    a->levels |= UINT64_C(1) << level;
    a->concealed++;
}

static void reveal(annotations *a, uint32_t i)
{
    const uint64_t start = a->regions[i].start;
    const hooks *h = &a->hooks[i];
    *(h->over
          ? &a->hooks[h->over].under
          : latest_of(a, hash_map_find(&a->blocks,
                                       block_of(start, level_of(start, cacheray_annotations_last_of(a, i)))))) = h->under;
    if (h->under)
        a->hooks[h->under].over = h->over;
    if (--a->concealed == 0)
        a->levels = 0;
}

static uint32_t find_hidden(const annotations *a, uint64_t address, bool *cut)
{
    uint32_t newest = 0;
    unsigned steps = ANNOTATIONS_STEPS;
    for (uint64_t levels = a->levels; levels; levels &= levels - 1) {
        const uint32_t block = hash_map_find(&a->blocks, block_of(address, (unsigned)__builtin_ctzll(levels)));
        for (uint32_t *i = block ? latest_of(a, block) : NULL; i && is_there(a, i, &steps); i = &a->hooks[*i].past)
            if (a->regions[*i].start <= address && cacheray_annotations_last_of(a, *i) >= address) {
                newest = MAX(newest, *i);
                break;
            }
    }
    *cut = steps == 0;
    return *cut ? 0 : newest;
}

/* --- annotations ------------------------------------------------------------------------------------------------------- */

/* The last of the regions on top that overlap the bytes from `start` to `last`; 0: none. */
static uint32_t top_within(const annotations *a, uint64_t start, uint64_t last)
{
    uint64_t found;
    uint32_t i = btree_find(&a->top, last, &found);
    return i && cacheray_annotations_last_of(a, i) >= start ? i : 0;
}

/* Inserts a region before the older ones with the same start. */
static void chain(annotations *a, btree *heads, uint32_t i)
{
    uint64_t start = a->regions[i].start;
    a->hooks[i].older = btree_get(heads, start);
    btree_set(heads, start, i);
}

static void unlink_entry(annotations *a, btree *heads, uint32_t i)
{
    uint64_t start = a->regions[i].start;
    if (a->hooks[i].older)
        btree_set(heads, start, a->hooks[i].older);
    else
        btree_remove(heads, start);
}

static void hide(annotations *a, uint32_t i)
{
    btree_remove(&a->top, a->regions[i].start);
    chain(a, &a->hidden, i);
    conceal(a, i);
}

/* Accesses stay among few regions, so most need no look-up. By blocks of addresses, so that walks through several regions at
 * once do not displace each other. */
static uint32_t *recent_of(annotations *a, uint64_t address)
{
    return &a->recent[(address >> RECENT_BITS) % RECENT];
}

/* To be called when regions on top change. */
static void forget_recent(annotations *a)
{
    memset(a->recent, 0, sizeof a->recent);
}

uint32_t annotations_add(annotations *a, const annotation *added)
{
    forget_recent(a);
    if (a->count + 1 >= a->room) {
        const uint32_t before = a->room;
        a->room = a->room * 2 + 64;
        a->regions = pool_grow(a->regions, before, a->count ? a->count + 1 : 0, a->room, sizeof(annotation));
        a->hooks = g_renew(hooks, a->hooks, a->room);
    }
    uint32_t i = ++a->count;
    a->regions[i] = *added;
    a->regions[i].removed = 0;
    if (annotation_length(added) == 0) {
        chain(a, &a->empty, i);
        return i;
    }
    uint32_t under;
    while ((under = top_within(a, added->start, cacheray_annotations_last_of(a, i))) != 0)
        hide(a, under);
    btree_set(&a->top, added->start, i);
    return i;
}

uint32_t annotations_remove(annotations *a, uint64_t start, uint32_t record)
{
    uint32_t top = btree_get(&a->top, start), hidden = btree_get(&a->hidden, start);
    uint32_t empty = btree_get(&a->empty, start), i = MAX(MAX(top, hidden), empty);
    if (!i)
        return 0;
    a->regions[i].removed = record;
    forget_recent(a);
    if (i == top) {
        btree_remove(&a->top, start);
    } else if (i == empty) {
        unlink_entry(a, &a->empty, i);
    } else {
        unlink_entry(a, &a->hidden, i);
        reveal(a, i);
    }
    return i;
}

uint32_t annotations_find(annotations *a, uint64_t address, bool *cut)
{
    *cut = false;
    uint64_t start;
    uint32_t *recent = recent_of(a, address);
    if (*recent && a->regions[*recent].start <= address && cacheray_annotations_last_of(a, *recent) >= address)
        return *recent;
    uint32_t top = btree_find(&a->top, address, &start);
    if (!top || cacheray_annotations_last_of(a, top) < address)
        return find_hidden(a, address, cut);
    *recent = top;
    return top;
}

bool annotations_overlap(const annotations *a, uint64_t start, uint64_t length)
{
    if (length == 0)
        return false;
    bool cut;
    uint64_t last = last_byte(start, length), begins;
    return top_within(a, start, last) || find_hidden(a, start, &cut) || cut ||
           (btree_find(&a->hidden, last, &begins) && begins >= start);
}
