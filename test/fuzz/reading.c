/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/trace.h"
#include "reading.h"

#include "fuzz.h"

/* At most this many records are read again: each may cost a walk through its buffer. */
#define AGAIN_MAX 24u
/* The block size: small, so that windows move often. */
#define BLOCK 256u

const format *reading_recognise(const char *path, const uint8_t *data, size_t length)
{
    probe p = {data, MIN(length, PROBE_LENGTH), length < PROBE_LENGTH, path};
    for (int i = 0; i < FORMAT_COUNT; i++)
        if (!formats[i]->many_files && formats[i]->probe(&p))
            return formats[i];
    return NULL;
}

/* --- a pipe ------------------------------------------------------------------------------------------------------------ */

/* As the reader gets it from Wireshark: the beginning can be read again, the rest only once. */
typedef struct pipe_source {
    source base;
    const uint8_t *data;
    size_t length;
    uint64_t at; /* anything before it is gone */
} pipe_source;

static int64_t pipe_read(source *s, uint64_t offset, void *buffer, size_t length, int *err)
{
    pipe_source *p = (pipe_source *)s;
    (void)err;
    FUZZ_CHECK(offset >= p->at || offset < PROBE_LENGTH, "a pipe is read backwards, at %zu", (size_t)offset);
    if (offset >= p->length)
        return 0;
    size_t n = MIN(length, p->length - (size_t)offset);
    memcpy(buffer, p->data + offset, n);
    p->at = MAX(p->at, offset + n);
    return (int64_t)n;
}

static void pipe_close(source *s)
{
    (void)s;
}

/* --- a single record --------------------------------------------------------------------------------------------------- */

static void decode_layout(const layout *l, const cursor *c)
{
    for (unsigned i = 0; i < l->count; i++)
        layout_value(&l->rows[i], c);
}

void reading_decode(const record *r, const uint8_t *data, size_t length)
{
    const record_context *c = &r->context;
    const cursor bytes = {data, length, (c->flags & CONTEXT_BIG_ENDIAN) != 0};
    char text[256];
    FUZZ_CHECK(c->format < FORMAT_COUNT && r->nanoseconds >= 0 && r->nanoseconds < 1000000000, "format %u, %d ns", c->format,
               r->nanoseconds);
    const format *f = formats[c->format];
    const layout *layouts[FORMAT_LAYOUTS_MAX];
    fault_text(f->faults, c->fault, c->fault_value, text, sizeof text);
    FUZZ_CHECK(c->fault == FAULT_UNKNOWN || *fault_name(f->faults, c->fault), "fault %u", c->fault);
    FUZZ_CHECK(f->min_length(c) != UINT64_MAX, "kind %u", c->kind);
    for (unsigned n = f->layouts(c, layouts); n-- > 0;)
        decode_layout(layouts[n], &bytes);
    if (!f->describe)
        return;
    size_t n = f->describe(c, &bytes, text, sizeof text);
    FUZZ_CHECK(n < sizeof text && text[n] == 0 && g_utf8_validate(text, (gssize)n, NULL), "description is no text");
}

static void check_record(const walk *w, const uint8_t *bytes, size_t n, const uint8_t *data, size_t length)
{
    const record_context *c = &w->record.context;
    FUZZ_CHECK(c->length > 0 && c->offset <= length && c->length <= length - c->offset, "record of %zu bytes at %zu",
               (size_t)c->length, (size_t)c->offset);
    FUZZ_CHECK(n == MIN(c->length, RECORD_FRAME_MAX) && memcmp(bytes, data + c->offset, n) == 0, "other bytes at %zu",
               (size_t)c->offset);
    FUZZ_CHECK(!(c->flags & CONTEXT_TRUNCATED) || c->offset + c->length == length, "cut record at %zu is not at the end",
               (size_t)c->offset);
    FUZZ_CHECK(c->kind != KIND_CUT || c->fault, "cut record without a reason");
    FUZZ_CHECK(c->fault != FAULT_UNKNOWN, "fault of a later version at %zu", (size_t)c->offset);
    reading_decode(&w->record, bytes, n);
}

/* --- all records ------------------------------------------------------------------------------------------------------- */

static GArray *read_all(trace *t, const uint8_t *data, size_t length)
{
    GArray *all = g_array_new(FALSE, TRUE, sizeof(record));
    bool cut = false;
    for (walk *w; (w = trace_next(t));) {
        const uint8_t *bytes;
        size_t n = walk_bytes(w, &bytes);
        check_record(w, bytes, n, data, length);
        cut |= (w->record.context.flags & CONTEXT_TRUNCATED) != 0;
        g_array_append_val(all, w->record);
        FUZZ_CHECK(all->len <= length, "more records than bytes");
    }
    FUZZ_CHECK(t->merge.error == 0 && t->cut == cut, "ends with error %d", t->merge.error);
    trace_sequential_close(t);
    return all;
}

static int compare_offsets(const void *a, const void *b)
{
    const record *x = a, *y = b;
    return (x->context.offset > y->context.offset) - (x->context.offset < y->context.offset);
}

/* Offsets and lengths must tile the file. */
static void check_tiles(const GArray *all, size_t length, bool in_order)
{
    record *sorted = g_memdup2(all->data, all->len * sizeof(record));
    uint64_t at = 0;
    if (!in_order && all->len)
        qsort(sorted, all->len, sizeof *sorted, compare_offsets);
    for (guint i = 0; i < all->len; i++) {
        FUZZ_CHECK(sorted[i].context.offset == at, "record at %zu, expected at %zu", (size_t)sorted[i].context.offset,
                   (size_t)at);
        at += sorted[i].context.length;
    }
    FUZZ_CHECK(at == length, "records hold %zu bytes of %zu", (size_t)at, length);
    g_free(sorted);
}

static void check_same(const record *x, const record *y)
{
    FUZZ_CHECK(memcmp(&x->context, &y->context, sizeof x->context) == 0 && x->seconds == y->seconds &&
                   x->nanoseconds == y->nanoseconds,
               "record at %zu is another one when read again", (size_t)x->context.offset);
}

static void check_again(trace *t, const GArray *all, const uint8_t *data, size_t length)
{
    guint jump = 7919; /* a prime, so that all are visited if there are fewer */
    for (guint i = 0, k = 0; i < MIN(all->len, AGAIN_MAX); i++, k = (k + jump) % all->len) {
        const record *one = &g_array_index(all, record, k);
        const uint8_t *bytes;
        int err;
        walk *w = trace_read(t, trace_handle(&one->context), &err);
        FUZZ_CHECK(w, "no record at %zu when read again", (size_t)one->context.offset);
        check_same(one, &w->record);
        size_t n = walk_bytes(w, &bytes);
        check_record(w, bytes, n, data, length);
    }
}

/* The last record of each stream is found without reading what is before it. */
static void check_last(trace *t, const GArray *all)
{
    const record **last = g_new0(const record *, MAX(t->streams->len, 1));
    for (guint i = 0; i < all->len; i++)
        last[g_array_index(all, record, i).context.stream] = &g_array_index(all, record, i);
    for (uint32_t i = 0; i < t->streams->len; i++) {
        walk w;
        walk_init(&w, t, trace_stream(t, i), false);
        FUZZ_CHECK(walk_last(&w) == (last[i] != NULL), "stream %u has a last record, or has not", i);
        if (last[i]) {
            t->format->time(&w);
            check_same(last[i], &w.record);
        }
        walk_clear(&w);
    }
    g_free(last);
}

static GArray *read_as(const format *f, const trace_input *in, const uint8_t *data, size_t length)
{
    g_autoptr(GError) error = NULL;
    trace *t = trace_open(f, in, &error);
    FUZZ_CHECK(!t == !!error, "refused without a reason");
    FUZZ_CHECK(!t || g_utf8_validate(t->comment->str, (gssize)t->comment->len, NULL), "comment is no text");
    GArray *all = t ? read_all(t, data, length) : NULL;
    if (all) {
        check_tiles(all, length, !in->seekable);
        if (in->random)
            check_again(t, all, data, length);
        if (in->seekable)
            check_last(t, all);
        trace_close(t);
    }
    return all;
}

GArray *reading_check(const format *f, const char *path, const uint8_t *data, size_t length)
{
    static const source_ops ops = {pipe_read, pipe_close};
    source *memory = source_memory_new(data, length);
    memory->block = BLOCK;
    trace_input seekable = {.path = path, .sequential = memory, .random = memory, .seekable = true};
    GArray *all = read_as(f, &seekable, data, length);
    source_close(memory);

    pipe_source once = {{&ops, SOURCE_SIZE_UNKNOWN, BLOCK, 0}, data, length, 0};
    trace_input forward = {.sequential = &once.base, .only_once = true};
    GArray *other = read_as(f, &forward, data, length);
    FUZZ_CHECK(!all == !other, "a pipe is refused otherwise");
    if (other)
        g_array_free(other, TRUE);
    return all;
}
