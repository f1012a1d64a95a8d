/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "merge.h"

static bool before(const walk *a, const walk *b)
{
    const record *x = &a->record, *y = &b->record;
    if (x->phase != y->phase)
        return x->phase < y->phase;
    if (x->order != y->order)
        return x->order < y->order;
    if (a->stream->tie != b->stream->tie)
        return a->stream->tie < b->stream->tie;
    return x->context.offset < y->context.offset;
}

static void sift_down(merge *m, uint32_t at)
{
    walk *moved = m->heap[at];
    for (uint32_t child; (child = 2 * at + 1) < m->count; at = child) {
        if (child + 1 < m->count && before(m->heap[child + 1], m->heap[child]))
            child++;
        if (!before(m->heap[child], moved))
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
    *m = (merge){.heap = g_new(walk *, MAX(count, 1))};
    for (uint32_t i = 0; i < count; i++)
        if (advance(m, walks[i]))
            m->heap[m->count++] = walks[i];
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
        if (!advance(m, m->heap[0]))
            m->heap[0] = m->heap[--m->count];
        if (m->count > 1)
            sift_down(m, 0);
    }
    m->given = m->count > 0;
    return m->count ? m->heap[0] : NULL;
}
