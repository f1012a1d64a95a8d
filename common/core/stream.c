/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/stream.h"

#include <errno.h>

#include "containers/binary_search.h"

stream *stream_new(const format *f, uint32_t number, const char *name)
{
    stream *s = g_new0(stream, 1);
    s->format = f;
    s->number = number;
    s->base.stream = number;
    s->name = g_strdup(name);
    s->ranges = g_new0(stream_ranges, 1);
    return s;
}

void stream_free(stream *s)
{
    if (s->owns_source)
        source_close(s->sequential);
    g_free(s->name);
    g_free(s->description);
    g_free(s->by_offset);
    g_free(s->ranges);
    if (s->checkpoints)
        g_array_free(s->checkpoints, TRUE);
    g_free(s);
}

void stream_add_range(stream *s, const stream_range *range)
{
    uint32_t n = s->ranges->len;
    if ((n & (n - 1)) == 0)
        s->ranges = g_realloc(s->ranges, sizeof *s->ranges + MAX(2 * (gsize)n, 1) * sizeof *range);
    s->ranges->at[s->ranges->len++] = *range;
}

static const stream_range *range_at(const stream *s, uint32_t i)
{
    return &s->ranges->at[i];
}

static void walk_enter(walk *w, uint32_t range)
{
    w->range = range;
    w->window.limit = 0;
    if (range >= w->stream->ranges->len)
        return;
    const stream_range *r = range_at(w->stream, range);
    w->window.limit = r->end;
    w->state.offset = r->begin;
    walk_share(w);
    if (range == 0) /* in later ranges the number is known only if the walk has read on from the first */
        w->state.number = 0;
    memset(w->state.own, 0, sizeof w->state.own);
    if (w->stream->format->enter)
        w->stream->format->enter(w->trace, r, &w->state);
}

void walk_init(walk *w, trace *t, stream *s, bool random)
{
    memset(w, 0, sizeof *w);
    w->step = s->format->step;
    w->trace = t;
    w->stream = s;
    w->tie = s->tie;
    w->checkpoint_at = random ? UINT64_MAX : CHECKPOINT_EVERY - 1;
    window_init(&w->window, random ? s->random : s->sequential);
    if (!random && s->block_size)
        window_borrow(&w->window, s->block, s->block_size);
    walk_enter(w, 0);
}

void walk_clear(walk *w)
{
    window_clear(&w->window);
}

walk *walk_new(trace *t, stream *s, bool random)
{
    walk *w = g_new(walk, 1);
    walk_init(w, t, s, random);
    return w;
}

void walk_free(walk *w)
{
    if (w)
        walk_clear(w);
    g_free(w);
}

/* Only inside a range: its beginning needs no checkpoint. */
static __attribute__((noinline)) void keep_checkpoint(walk *w)
{
    stream *s = w->stream;
    w->checkpoint_at += CHECKPOINT_EVERY;
    if (w->state.offset == range_at(s, w->range)->begin)
        return;
    if (!s->checkpoints)
        s->checkpoints = g_array_new(FALSE, FALSE, sizeof(stream_checkpoint));
    stream_checkpoint c = {w->range, w->state};
    g_array_append_val(s->checkpoints, c);
}

/* A record of no bytes, which would come again and again: a mistake in the format, or what a read error leaves. */
static __attribute__((noinline)) step_result no_progress(walk *w)
{
    if (!w->window.error)
        g_critical("the format %s gives a record of no bytes at %" G_GUINT64_FORMAT, w->stream->format->name,
                   w->state.offset);
    w->window.error = w->window.error ? w->window.error : EIO;
    return STEP_BAD;
}

/* The next record of the range that the walk is in. */
static inline __attribute__((always_inline)) step_result next_in_range(walk *w)
{
    uint64_t offset = w->state.offset;
    if (G_UNLIKELY(offset >= w->window.limit))
        return STEP_END;
    if (G_UNLIKELY(w->state.number == w->checkpoint_at))
        keep_checkpoint(w);
    step_result got = w->step(w);
    if (G_LIKELY(got == STEP_RECORD)) {
        if (G_UNLIKELY(w->record.context.length == 0 && w->state.number > 0))
            return no_progress(w);
        w->state.offset = offset + w->record.context.length;
        w->state.number++;
        return STEP_RECORD;
    }
    return w->window.error ? STEP_BAD : got;
}

step_result walk_next(walk *w)
{
    for (;; walk_enter(w, w->range + 1)) {
        step_result got = next_in_range(w);
        if (G_LIKELY(got != STEP_END) || w->range >= w->stream->ranges->len)
            return got;
    }
}

bool walk_last(walk *w)
{
    const format *f = w->stream->format;
    bool any = false;
    w->checkpoint_at = UINT64_MAX;
    for (uint32_t i = w->stream->ranges->len; !any && i-- > 0;) {
        walk_enter(w, i);
        if (f->near_end)
            f->near_end(w);
        while (next_in_range(w) == STEP_RECORD)
            any = true;
    }
    return any;
}

static const stream *sorting; /* for qsort(); g_qsort_with_data() is slow to set up, and its stability is not needed:
                               * offsets are distinct */

static int compare_begin(const void *a, const void *b)
{
    const stream_range *x = range_at(sorting, *(const uint32_t *)a), *y = range_at(sorting, *(const uint32_t *)b);
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end); /* empty ranges first, so that they do not hide a range with the same
                                                   * begin */
}

static void index_by_offset(stream *s)
{
    s->by_offset = g_new(uint32_t, MAX(s->ranges->len, 1));
    for (uint32_t i = 0; i < s->ranges->len; i++)
        s->by_offset[i] = i;
    sorting = s;
    qsort(s->by_offset, s->ranges->len, sizeof *s->by_offset, compare_begin);
}

/* The index of the range that contains the offset, or the number of ranges. */
static uint32_t range_of(stream *s, uint64_t offset)
{
    uint32_t n = s->ranges->len;
    if (!s->by_offset)
        index_by_offset(s);
    size_t before = BINARY_SEARCH(n, i, range_at(s, s->by_offset[i])->begin <= offset);
    if (before == 0)
        return n;
    uint32_t range = s->by_offset[before - 1];
    return offset < range_at(s, range)->end ? range : n;
}

/* The last checkpoint of the range that is not after the offset, or NULL. */
static const stream_checkpoint *checkpoint_before(const stream *s, uint32_t range, uint64_t offset)
{
    const stream_checkpoint *all = s->checkpoints ? (const stream_checkpoint *)(void *)s->checkpoints->data : NULL;
    size_t before = BINARY_SEARCH(all ? s->checkpoints->len : 0, i,
                                  all[i].range < range || (all[i].range == range && all[i].state.offset <= offset));
    return before && all[before - 1].range == range ? &all[before - 1] : NULL;
}

/* Returns whether the record at the offset is the next one, as when all are read again in order. */
static bool is_next(const walk *w, uint64_t offset)
{
    return w->state.offset == offset && w->record.context.length && w->range < w->stream->ranges->len &&
           offset >= range_at(w->stream, w->range)->begin && offset < range_at(w->stream, w->range)->end;
}

/* Goes to a record from where the one at the offset is reached. False: no range contains it. */
static bool approach(walk *w, uint64_t offset)
{
    uint32_t range = range_of(w->stream, offset);
    if (range == w->stream->ranges->len)
        return false;
    const stream_checkpoint *c = checkpoint_before(w->stream, range, offset);
    uint64_t from = c ? c->state.offset : range_at(w->stream, range)->begin;
    /* just read on if that is possible, but not from the end of a record of no bytes */
    if (w->range != range || w->state.offset > offset || w->state.offset < from || !w->record.context.length) {
        walk_enter(w, range);
        if (c)
            w->state = c->state;
    }
    return true;
}

step_result walk_seek(walk *w, uint64_t offset)
{
    if (!is_next(w, offset) && !approach(w, offset))
        return STEP_END;
    const uint32_t range = w->range;
    w->window.error = 0;
    while (w->range == range && w->state.offset <= offset) {
        step_result got = walk_next(w);
        if (w->window.error) { /* then a record may be taken for cut, and what follows for damaged */
            w->record.context.length = 0;
            return STEP_BAD;
        }
        if (got != STEP_RECORD)
            return got;
        if (w->record.context.offset == offset)
            return STEP_RECORD;
    }
    return STEP_END;
}

bool walk_at_end(const walk *w)
{
    return w->state.offset >= MIN(w->window.limit, w->window.source->size) && w->range + 1 == w->stream->ranges->len;
}
