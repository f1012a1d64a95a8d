/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/merge.h"

#include "containers/heap.h"

/* Bits of merge_key.low: the index of the stream, the tie, and the low part of the order. */
enum {
    NUMBER_BITS = 24,
    TIE_BITS = 32,
    ORDER_BITS_LOW = 64 - TIE_BITS - NUMBER_BITS,
    ORDER_BITS_HIGH = 64 - ORDER_BITS_LOW
};

/* Greater than the phase of any record. */
#define PHASE_END 0xff

static uint32_t merge_number_of(merge_key key)
{
    return (uint32_t)key.low & ((1u << NUMBER_BITS) - 1);
}

static merge_key merge_key_of(uint8_t phase, uint64_t order, uint32_t tie, uint32_t number)
{
    return (merge_key){(uint64_t)phase << ORDER_BITS_HIGH | order >> ORDER_BITS_LOW,
                       order << (TIE_BITS + NUMBER_BITS) | (uint64_t)tie << NUMBER_BITS | number};
}

static merge_key key_of_end(uint32_t number)
{
    return merge_key_of(PHASE_END, 0, 0, number);
}

static bool is_end(merge_key key)
{
    return key.high >> ORDER_BITS_HIGH == PHASE_END;
}

/* A stream that has not begun comes before all records with the same key. */
static uint64_t offset_of(const merge *m, merge_key key)
{
    const walk *w = m->walks[merge_number_of(key)];
    return w ? w->record.context.offset : 0;
}

static inline __attribute__((always_inline)) bool before(const merge *m, merge_key a, merge_key b)
{
    if (((a.high ^ b.high) | (a.low ^ b.low) >> NUMBER_BITS) == 0) /* streams in the same file, at the same time */
        return offset_of(m, a) < offset_of(m, b);
    return (a.high < b.high) | ((a.high == b.high) & (a.low < b.low));
}

/* Replays the matches of a stream with its new key, from its leaf up. Returns the overall winner. */
static merge_key merge_replay(merge *m, merge_key key)
{
    for (uint32_t at = (m->streams->len + merge_number_of(key)) / 2; at; at /= 2) {
        merge_key other = m->tree[at];
        uint64_t lost = UINT64_C(0) - before(m, other, key); /* all ones or all zeros: compilers would turn a conditional
                                                              * into a branch */
        merge_key swap = {(key.high ^ other.high) & lost, (key.low ^ other.low) & lost};
        m->tree[at] = (merge_key){other.high ^ swap.high, other.low ^ swap.low};
        key = (merge_key){key.high ^ swap.high, key.low ^ swap.low};
    }
    return key;
}

/* Plays all matches. The streams are at [count] to [2 count - 1]; the winner between [2n] and [2n + 1] goes to [n]. */
static void first_round(merge *m)
{
    uint32_t count = m->streams->len;
    merge_key *winners = g_new(merge_key, 2 * (gsize)count);
    for (uint32_t i = 0; i < count; i++) {
        const stream *s = g_ptr_array_index(m->streams, i);
        winners[count + i] = s->left_out ? key_of_end(i) : merge_key_of(s->first_phase, s->first_order, s->tie, i);
        m->alive += !s->left_out;
    }
    for (uint32_t at = count; --at > 0;) {
        merge_key a = winners[2 * at], b = winners[2 * at + 1];
        bool first = before(m, a, b);
        winners[at] = first ? a : b;
        m->tree[at] = first ? b : a;
    }
    m->tree[0] = winners[1];
    g_free(winners);
}

void merge_init(merge *m, trace *t, GPtrArray *streams)
{
    gsize count = MAX(streams->len, 1);
    *m = (merge){.trace = t, .streams = streams, .heap_from = UINT64_MAX};
    const stream *first = streams->len ? g_ptr_array_index(streams, 0) : NULL;
    if (first && first->format->heap_phase)
        m->heap_from = merge_key_of(first->format->heap_phase, 0, 0, 0).high;
    m->walks = g_new0(walk *, count);
    m->tree = g_new(merge_key, count);
    m->tree[0] = key_of_end(0);
    if (streams->len)
        first_round(m);
}

void merge_clear(merge *m)
{
    for (uint32_t i = 0; m->walks && i < m->streams->len; i++)
        walk_free(m->walks[i]);
    g_free(m->walks);
    g_free(m->tree);
    g_free(m->heap);
    *m = (merge){0};
}

/* Removes a stream that has ended or failed. */
static merge_key retire(merge *m, walk *w, uint32_t number, step_result got)
{
    if (got == STEP_BAD && !m->error) {
        m->error = w->window.error;
        m->failed = w->stream;
    }
    walk_free(w);
    m->walks[number] = NULL;
    m->alive--;
    return key_of_end(number);
}

/* Makes the heap, in the order of streams, when all of them have come to the phase for it. */
static void begin_heap(merge *m)
{
    uint32_t length = 0;
    m->heap = g_new(merge_key, m->alive + 1);
    for (uint32_t i = 0; i < m->streams->len; i++)
        if (m->walks[i])
            heap_insert(m->heap, length++, (merge_key){m->walks[i]->record.order, i});
    m->tree[0] = (merge_key){0, heap_pop(m->heap, length).low};
}

/* What is next if a stream that was not in the heap has come to a record or to its end. */
static merge_key next_of_heap(merge *m, walk *w, uint32_t number, step_result got)
{
    merge_key next = {0};
    if (got == STEP_RECORD)
        heap_insert(m->heap, m->alive - 1, (merge_key){w->record.order, number});
    else
        next = retire(m, w, number, got);
    if (m->alive)
        next = (merge_key){0, heap_pop(m->heap, m->alive).low};
    return next;
}

/* Moves the stream at the top to its next record, or begins it. */
static void advance(merge *m)
{
    uint32_t number = merge_number_of(m->tree[0]);
    walk *w = m->walks[number];
    if (!w)
        w = m->walks[number] = walk_new(m->trace, g_ptr_array_index(m->streams, number), false);
    step_result got = walk_next(w);
    if (got == STEP_RECORD && m->alive == 1) /* there is no other stream to compare with */
        return;
    if (m->heap) {
        m->tree[0] = next_of_heap(m, w, number, got);
        return;
    }
    const record *r = &w->record;
    m->tree[0] = merge_replay(m, got == STEP_RECORD ? merge_key_of(r->phase, r->order, w->tie, number)
                                                    : retire(m, w, number, got));
    if (m->tree[0].high >= m->heap_from && m->alive)
        begin_heap(m);
}

walk *merge_next(merge *m)
{
    if (!m->tree) /* after merge_clear() */
        return NULL;
    if (m->given)
        advance(m);
    while (!is_end(m->tree[0]) && !m->walks[merge_number_of(m->tree[0])])
        advance(m);
    m->given = !is_end(m->tree[0]);
    return m->given ? m->walks[merge_number_of(m->tree[0])] : NULL;
}

bool merge_at_end(const merge *m)
{
    return m->given && m->alive == 1 && walk_at_end(m->walks[merge_number_of(m->tree[0])]);
}
