/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A minimal format, to test what all formats share. A record begins with its length (0: one byte that is no record; 255:
 * HUGE bytes); if it is long enough, its merge key follows, then its phase. The state is the sum of the keys since the
 * range began, so that when a record is read again, a wrong state is noticed. */
#ifndef WIRETRACE_FAKE_FORMAT_H
#define WIRETRACE_FAKE_FORMAT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <glib.h>
#include <string.h>

#include "core/format.h"
#include "core/settings.h"
#include "core/trace.h"
#include "util/fail.h"

#define FAKE_HUGE (3u << 20)

/* Bytes that count how often they are read, and fail on demand. */
typedef struct fake_source {
    source base;
    const uint8_t *bytes;
    size_t length;
    uint64_t bad_from; /* reading fails from here on */
    uint64_t bytes_read;
} fake_source;

static inline int64_t fake_read(source *s, uint64_t offset, void *buffer, size_t length, int *err)
{
    fake_source *f = (fake_source *)s;
    if (offset + length > f->bad_from) {
        *err = EIO;
        return -1;
    }
    size_t n = offset < f->length ? MIN(length, f->length - (size_t)offset) : 0;
    if (n)
        memcpy(buffer, f->bytes + offset, n);
    f->bytes_read += n;
    return (int64_t)n;
}

static inline void fake_source_close(source *s)
{
    (void)s; /* on the stack of a test */
}

static inline fake_source fake_source_of(const uint8_t *bytes, size_t length, size_t block)
{
    static const source_ops ops = {fake_read, fake_source_close};
    return (fake_source){{&ops, length, block, 0}, bytes, length, UINT64_MAX, 0};
}

/* What the next trace consists of; set by the test. */
typedef struct fake_stream {
    fake_source source;
    uint32_t tie;
    const stream_range *ranges; /* NULL: the whole file */
    unsigned range_count;
} fake_stream;

typedef struct fake_setup {
    fake_stream *streams;
    unsigned count;
    const char *refuse; /* why the file cannot be opened, or NULL */
    unsigned closed;
} fake_setup;
static fake_setup fake;

static bool fake_open(trace *t, const trace_input *in, GError **error)
{
    static const stream_range whole = {.begin = 0, .end = UINT64_MAX};
    (void)in;
    if (fake.refuse)
        fail_with(error, "%s", fake.refuse);
    for (unsigned i = 0; i < fake.count; i++) {
        fake_stream *from = &fake.streams[i];
        stream *s = trace_add_stream(t, "fake");
        s->sequential = s->random = &from->source.base;
        s->owns_source = true;
        s->tie = from->tie;
        for (unsigned n = 0; n < from->range_count; n++)
            stream_add_range(s, &from->ranges[n]);
        if (!from->ranges)
            stream_add_range(s, &whole);
    }
    return !fake.refuse;
}

static void fake_enter(const trace *t, const stream_range *range, stream_state *state)
{
    (void)t;
    (void)range;
    state->own[0] = 0;
}

static step_result fake_step(walk *w)
{
    const uint8_t *data;
    uint64_t at = w->state.offset;
    size_t got = window_at(&w->window, at, 3, &data);
    if (got == 0)
        return STEP_END; /* also on a read error: walk_next() distinguishes them */
    uint64_t length = data[0] == 255 ? FAKE_HUGE : data[0], there = window_available(&w->window, at, length);
    record *r = &w->record;
    memset(r, 0, sizeof *r);
    r->context = w->stream->base;
    r->context.stream = w->stream->number;
    r->context.kind = length == 0 ? KIND_UNKNOWN : there < length ? KIND_CUT : 1;
    r->context.flags |= there < length ? CONTEXT_TRUNCATED : 0;
    r->context.offset = at;
    r->context.length = length == 0 ? 1 : there;
    r->order = length > 1 && got > 1 ? data[1] : 0;
    r->phase = length > 2 && got > 2 ? data[2] : 0;
    w->state.own[0] += r->order;
    r->context.own[0] = w->state.own[0];
    return STEP_RECORD;
}

static void fake_time(walk *w)
{
    w->record.seconds = (int64_t)w->record.order;
}

/* A range may say its first time plus one. */
static bool fake_range_begins(const trace *t, const stream_range *range, int64_t *seconds, int32_t *nanoseconds)
{
    (void)t;
    *seconds = (int64_t)range->own[0] - 1;
    *nanoseconds = 0;
    return range->own[0] != 0;
}

static void fake_close(trace *t)
{
    (void)t;
    fake.closed++;
}

static const format fake_format = {.name = "fake",
                                   .protocol = "fake",
                                   .open = fake_open,
                                   .enter = fake_enter,
                                   .step = fake_step,
                                   .time = fake_time,
                                   .range_begins = fake_range_begins,
                                   .close = fake_close};

/* A trace with these streams. */
static inline trace *fake_trace(fake_stream *streams, unsigned count, bool random)
{
    fake_source unused = fake_source_of(NULL, 0, 1);
    trace_input in = {.sequential = &unused.base, .random = random ? &unused.base : NULL, .seekable = true};
    fake = (fake_setup){streams, count, NULL, 0};
    trace *t = trace_open(&fake_format, &in, NULL);
    assert_non_null(t);
    return t;
}

#endif
