/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "formats.h"

#define LARGE_PAGE ((size_t)2 << 20)
#define CACHE_LINE 64u

trace *trace_open(const format *f, const trace_input *in, char **reason)
{
    trace *t = g_new0(trace, 1);
    t->format = f;
    t->streams = g_ptr_array_new_with_free_func((GDestroyNotify)stream_free);
    t->comment = g_string_new(NULL);
    t->warnings = g_string_new(NULL);
    t->random_access = in->random != NULL;
    if (!f->open(t, in, reason)) {
        trace_close(t);
        return NULL;
    }
    for (uint32_t i = 0; i < t->streams->len; i++) {
        stream *s = trace_stream(t, i);
        s->base.format = (uint8_t)formats_number(f);
        if (t->random_access)
            s->base.flags |= CONTEXT_RANDOM_ACCESS;
    }
    return t;
}

/* FNV-1a: the result must be the same on all machines and in all versions, so no seeded hash will do. */
static uint64_t fnv1a(uint64_t hash, const void *bytes, size_t length)
{
    const uint8_t *b = bytes;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ b[i]) * UINT64_C(0x100000001b3);
    return hash;
}

void trace_identify(trace *t, const uint8_t *head, size_t length)
{
    uint64_t hash = fnv1a(UINT64_C(0xcbf29ce484222325), head, length);
    for (uint32_t i = 0; i < t->streams->len; i++)
        hash = fnv1a(hash, trace_stream(t, i)->name, strlen(trace_stream(t, i)->name) + 1);
    for (uint32_t i = 0; i < t->streams->len; i++)
        trace_stream(t, i)->base.trace = hash;
}

uint64_t trace_bytes(const trace *t)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < t->streams->len; i++) {
        const stream *s = trace_stream(t, i);
        bytes += s->owns_source ? s->sequential->size : 0;
    }
    return bytes;
}

void trace_sequential_close(trace *t)
{
    merge_clear(&t->merge);
    free(t->blocks);
    t->blocks = NULL;
}

void trace_close(trace *t)
{
    trace_sequential_close(t);
    for (uint32_t i = 0; t->random && i < t->streams->len; i++)
        walk_free(t->random[i]);
    g_free(t->random);
    if (t->format->close)
        t->format->close(t);
    g_ptr_array_free(t->streams, TRUE);
    g_string_free(t->comment, TRUE);
    g_string_free(t->warnings, TRUE);
    g_free(t);
}

stream *trace_add_stream(trace *t, const char *name)
{
    stream *s = stream_new(t->streams->len, name);
    g_ptr_array_add(t->streams, s);
    return s;
}

/* The size of a stream's block, if it has its own file. An odd number of cache lines: with a multiple of a large power of
 * two, streams read at the same pace would compete for a few cache sets. */
static size_t room_of(const stream *s)
{
    size_t block = s->owns_source ? (size_t)MIN((uint64_t)s->sequential->block, s->sequential->size) : 0;
    return block ? ((block / CACHE_LINE + 1) | 1) * CACHE_LINE : 0;
}

/* Puts the blocks of all streams into huge pages: if thousands of streams take turns, the TLB does not cover small pages. */
static void lend_blocks(trace *t)
{
    size_t size = 0;
    for (uint32_t i = 0; i < t->streams->len; i++)
        size += room_of(trace_stream(t, i));
    if (size < LARGE_PAGE || posix_memalign(&t->blocks, LARGE_PAGE, size) != 0)
        return;
    madvise(t->blocks, size, MADV_HUGEPAGE); /* only a hint */
    size = 0;
    for (uint32_t i = 0; i < t->streams->len; i++) {
        stream *s = trace_stream(t, i);
        s->block = (uint8_t *)t->blocks + size;
        s->block_size = room_of(s);
        size += s->block_size;
    }
}

static void start_merge(trace *t)
{
    lend_blocks(t);
    merge_init(&t->merge, t, t->streams);
    t->merging = true;
}

walk *trace_next(trace *t)
{
    if (!t->merging)
        start_merge(t);
    walk *w = merge_next(&t->merge);
    if (w) {
        t->format->time(w);
        t->cut |= (w->record.context.flags & CONTEXT_TRUNCATED) != 0;
        t->bytes_read += w->record.context.length;
    }
    return w;
}

/* Frees the walk of the last random access if it is at its end and another stream follows: when reading in order of time
 * it is not needed again. */
static void free_ended_walk(trace *t, uint32_t next)
{
    walk *w = t->last_random;
    if (!w || w->stream->number == next || !walk_at_end(w))
        return;
    t->random[w->stream->number] = t->last_random = NULL;
    walk_free(w);
}

walk *trace_read(trace *t, uint64_t handle, int *err)
{
    uint32_t number = (uint32_t)(handle >> TRACE_OFFSET_BITS);
    *err = 0;
    if (number >= t->streams->len || !t->random_access)
        return NULL;
    if (!t->random)
        t->random = g_new0(walk *, t->streams->len);
    free_ended_walk(t, number);
    if (!t->random[number])
        t->random[number] = walk_new(t, trace_stream(t, number), true);
    walk *w = t->last_random = t->random[number];
    step_result got = walk_seek(w, handle & ((UINT64_C(1) << TRACE_OFFSET_BITS) - 1));
    if (got != STEP_RECORD) {
        *err = w->window.error;
        return NULL;
    }
    t->format->time(w);
    return w;
}
