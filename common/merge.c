/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "merge.h"

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
    return (merge_entry){r->order, r->context.offset, w->stream->tie, r->phase, w};
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

/* Advances a walk; false when it has nothing more. */
static bool advance(merge *m, walk *w)
{
    step_result got = walk_next(w);
    if (got == STEP_BAD && !m->error) {
        m->error = w->window.error;
        m->failed = w->stream;
    }
    if (got != STEP_RECORD)
        walk_clear(w);
    return got == STEP_RECORD;
}

void merge_init(merge *m, walk **walks, uint32_t count)
{
    *m = (merge){.heap = g_new(merge_entry, MAX(count, 1))};
    for (uint32_t i = 0; i < count; i++)
        if (advance(m, walks[i]))
            m->heap[m->count++] = entry_of(walks[i]);
    for (uint32_t i = m->count / 2; i-- > 0;)
        sift_down(m, i);
}

void merge_clear(merge *m)
{
    g_free(m->heap);
    *m = (merge){0};
}

walk *merge_next(merge *m)
{
    if (m->given) {
        walk *w = m->heap[0].walk;
        m->heap[0] = advance(m, w) ? entry_of(w) : m->heap[--m->count];
        if (m->count > 1)
            sift_down(m, 0);
    }
    m->given = m->count > 0;
    return m->count ? m->heap[0].walk : NULL;
}
