/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "merge.h"

#include "trace.h"

static bool before(const merge_entry *a, const merge_entry *b)
{
    if (a->phase != b->phase)
        return a->phase < b->phase;
    if (a->order != b->order)
        return a->order < b->order;
    if (a->tie != b->tie)
        return a->tie < b->tie;
    return a->offset < b->offset;
}

static merge_entry entry_of(walk *w)
{
    const record *r = &w->record;
    return (merge_entry){r->order, r->context.offset, w->stream->tie, w->stream->number & MERGE_STREAM, r->phase, w};
}

static merge_entry entry_before(const stream *s)
{
    return (merge_entry){s->first_order, 0, s->tie, s->number & MERGE_STREAM, s->first_phase, NULL};
}

static void sift_down(merge *m, uint32_t at)
{
    merge_entry moved = m->heap[at];
    for (uint32_t child; (child = 2 * at + 1) < m->count; at = child) {
        if (child + 1 < m->count && before(&m->heap[child + 1], &m->heap[child]))
            child++;
        if (!before(&m->heap[child], &moved))
            break;
        m->heap[at] = m->heap[child];
    }
    m->heap[at] = moved;
}

/* The stream at the top has been given out, or has to begin: on to its next record. */
static void advance(merge *m)
{
    merge_entry *top = m->heap;
    walk *w = top->walk ? top->walk : walk_new(m->trace, trace_stream(m->trace, top->stream), false);
    step_result got = walk_next(w);
    if (got == STEP_BAD && !m->error) {
        m->error = w->window.error;
        m->failed = w->stream;
    }
    if (got == STEP_RECORD) {
        *top = entry_of(w);
    } else {
        walk_free(w);
        *top = m->heap[--m->count];
    }
    if (m->count > 1)
        sift_down(m, 0);
}

void merge_init(merge *m, trace *t)
{
    *m = (merge){.trace = t, .heap = g_new(merge_entry, MAX(t->streams->len, 1)), .count = t->streams->len};
    for (uint32_t i = 0; i < m->count; i++)
        m->heap[i] = entry_before(trace_stream(t, i));
    for (uint32_t i = m->count / 2; i-- > 0;)
        sift_down(m, i);
}

void merge_clear(merge *m)
{
    for (uint32_t i = 0; i < m->count; i++)
        walk_free(m->heap[i].walk);
    g_free(m->heap);
    *m = (merge){0};
}

walk *merge_next(merge *m)
{
    if (m->given)
        advance(m);
    while (m->count && !m->heap[0].walk)
        advance(m);
    m->given = m->count > 0;
    return m->count ? m->heap[0].walk : NULL;
}
