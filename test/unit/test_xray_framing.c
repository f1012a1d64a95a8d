/* SPDX-License-Identifier: GPL-2.0-or-later */
/* XRay records: every kind, every version, both byte orders, complete and cut at every byte; damage is marked where it
 * is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>

#include "xray_log.h"
#include "core/settings_check.h"
#include "failed.h"

/* The records in the order of delivery; they must tile the file. */
static GArray *read_all(trace *t, size_t length)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(record));
    uint64_t sum = 0;
    for (walk *w; (w = trace_next(t));) {
        g_array_append_val(all, w->record);
        sum += w->record.context.length;
    }
    assert_int_equal(sum, length);
    return all;
}

static const record *at(const GArray *all, guint i)
{
    assert_true(i < all->len);
    return &g_array_index(all, record, i);
}

static const record *find(const GArray *all, uint64_t offset)
{
    for (guint i = 0; i < all->len; i++)
        if (at(all, i)->context.offset == offset)
            return at(all, i);
    fail_msg("no record at %u", (unsigned)offset);
    return NULL;
}

static void expect(const record *r, uint8_t kind, uint64_t length, uint64_t tsc)
{
    assert_int_equal(r->context.kind, kind);
    assert_int_equal(r->context.length, length);
    assert_int_equal(r->context.fault, FAULT_NONE);
    if (tsc)
        assert_int_equal(xray_context_of(&r->context)->tsc, tsc);
}

static void put_everything_v5(builder *b)
{
    put_extents(b, PREAMBLE + 8 + 16 + 8 + 16 + 16 + 21 + 21 + 8 + 8);
    put_preamble(b, 7, 5, 3, 1000);
    put_function(b, 3, 17, 10); /* entry with arguments */
    put_argument(b, 0xfffffffffffffffe);
    put_function(b, 1, 17, 20);
    put_wrap(b, 5000);
    put_cpu(b, 4, 6000);
    put_event_v5(b, -1, -5, "hello");
    put_event_v5(b, 65535, 7, "typed");
    put_function(b, 0, 0xfffffff, 0x7fffffff);
    put_function(b, 2, 1, 1);
}

static void every_kind(void **state)
{
    (void)state;
    for (int big = 0; big <= 1; big++) {
        builder b = log_begin(5, XRAY_TYPE_FDR, big, 16384);
        put_everything_v5(&b);
        opened o = log_open(&b, b.bytes->len);
        GArray *all = read_all(o.trace, b.bytes->len);
        assert_int_equal(all->len, 15);
        expect(at(all, 0), XRAY_HEADER, 32, 0);
        expect(at(all, 1), XRAY_BUFFER_EXTENTS, 16, 0);
        expect(at(all, 2), XRAY_NEW_BUFFER, 16, 0);
        expect(at(all, 3), XRAY_WALL_CLOCK, 16, 0);
        expect(at(all, 4), XRAY_PROCESS_ID, 16, 0);
        expect(at(all, 5), XRAY_NEW_CPU, 16, 1000);
        expect(at(all, 6), XRAY_ENTRY_ARGUMENTS, 8, 1010);
        expect(at(all, 7), XRAY_CALL_ARGUMENT, 16, 1010);
        expect(at(all, 8), XRAY_EXIT, 8, 1030);
        expect(at(all, 9), XRAY_TSC_WRAP, 16, 5000);
        expect(at(all, 10), XRAY_NEW_CPU, 16, 6000);
        expect(at(all, 11), XRAY_CUSTOM_EVENT, 21, 5995);
        expect(at(all, 12), XRAY_TYPED_EVENT, 21, 6002);
        expect(at(all, 13), XRAY_ENTRY, 8, 6002 + 0x7fffffffu);
        expect(at(all, 14), XRAY_TAIL_EXIT, 8, 6003 + 0x7fffffffu);
        for (guint i = 1; i < all->len; i++) {
            assert_int_equal(xray_context_of(&at(all, i)->context)->thread, 7);
            assert_int_equal(xray_context_of(&at(all, i)->context)->process, 5);
        }
        assert_int_equal(xray_context_of(&at(all, 9)->context)->cpu, 3);
        assert_int_equal(xray_context_of(&at(all, 11)->context)->cpu, 4);
        assert_string_equal(trace_stream(o.trace, 1)->name, "5/7");
        assert_false(o.trace->cut);
        g_array_free(all, TRUE);
        log_close(&o);
        log_free(&b);
    }
}

/* In version 1, a buffer without a CPU record continues from the previous one in time, wherever that is in the ring. */
static void carried_in_a_ring(void **state)
{
    (void)state;
    builder b = log_begin(1, XRAY_TYPE_FDR, false, 80);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t nth = (i + 1) % 3; /* in order of time */
        put_new_buffer(&b, 5);
        put_wall(&b, 100, 1000 * nth);
        if (nth == 0)
            put_cpu(&b, 3, 5000);
        put_function(&b, 0, nth, 1);
        put_function(&b, 1, nth, 1000000);
        put_end_of_buffer(&b);
        put_garbage(&b, nth ? 16 : 0);
    }
    opened o = log_open(&b, b.bytes->len);
    GArray *all = read_all(o.trace, b.bytes->len);
    uint32_t functions = 0;
    for (guint i = 0; i < all->len; i++)
        if (xray_is_function(at(all, i)->context.kind)) {
            functions++;
            assert_int_equal(xray_context_of(&at(all, i)->context)->tsc,
                             5000 + (functions + 1) / 2 + functions / 2 * 1000000);
            assert_int_equal(xray_context_of(&at(all, i)->context)->cpu, 3);
        }
    assert_int_equal(functions, 6);
    g_array_free(all, TRUE);
    log_close(&o);
    log_free(&b);
}

/* Threads without a stream of their own share the last one, which is reported. */
static void very_many_threads(void **state)
{
    (void)state;
    for (uint32_t more = 0; more < 2; more++) {
        const uint32_t own = TRACE_INTERFACES_MAX - 2;
        builder b = log_begin(3, XRAY_TYPE_BASIC, false, 0);
        for (uint32_t i = 0; i < own + more; i++)
            put_basic_function(&b, 0, 0, 1, 1000 + i, 1 + i, 5);
        opened o = log_open(&b, b.bytes->len);
        GArray *all = read_all(o.trace, b.bytes->len);
        assert_int_equal(all->len, 1 + own + more);
        for (uint32_t i = 0; i < own + more; i++) {
            assert_int_equal(xray_context_of(&at(all, 1 + i)->context)->thread, 1 + i);
            assert_int_equal(at(all, 1 + i)->context.stream, MIN(1 + i, own));
        }
        assert_int_equal(strstr(o.trace->comment->str, "too many threads") != NULL, more);
        g_array_free(all, TRUE);
        log_close(&o);
        log_free(&b);
    }
}

static uint64_t value_of(const record *r, const builder *b, enum xray_field field)
{
    const record_context *c = &r->context;
    cursor bytes = {b->bytes->data + c->offset, (size_t)c->length, (c->flags & CONTEXT_BIG_ENDIAN) != 0};
    uint64_t values[XRAY_FIELD_COUNT] = {0};
    xray_read(c, &bytes, values);
    return values[field];
}

static void fields_of_every_kind(void **state)
{
    (void)state;
    for (int big = 0; big <= 1; big++) {
        builder b = log_begin(5, XRAY_TYPE_FDR, big, 16384);
        put_everything_v5(&b);
        opened o = log_open(&b, b.bytes->len);
        GArray *all = read_all(o.trace, b.bytes->len);
#define VALUE(i, field) value_of(at(all, i), &b, field)
        assert_int_equal(VALUE(0, XRAY_FIELD_VERSION), 5);
        assert_int_equal(VALUE(0, XRAY_FIELD_FREQUENCY), 1000000000);
        assert_int_equal(VALUE(0, XRAY_FIELD_CONSTANT_TSC), 1);
        assert_int_equal(VALUE(0, XRAY_FIELD_NONSTOP_TSC), 1);
        assert_int_equal(VALUE(1, XRAY_FIELD_METADATA_KIND), 7);
        assert_int_equal(VALUE(1, XRAY_FIELD_DISCRIMINANT), 1);
        assert_int_equal(VALUE(2, XRAY_FIELD_THREAD), 7);
        assert_int_equal(VALUE(3, XRAY_FIELD_WALL_SECONDS), 100);
        assert_int_equal(VALUE(3, XRAY_FIELD_WALL_MICROSECONDS), 1);
        assert_int_equal(VALUE(4, XRAY_FIELD_PROCESS), 5);
        assert_int_equal(VALUE(5, XRAY_FIELD_CPU), 3);
        assert_int_equal(VALUE(5, XRAY_FIELD_TSC), 1000);
        assert_int_equal(VALUE(6, XRAY_FIELD_ACTION), 3);
        assert_int_equal(VALUE(6, XRAY_FIELD_FUNCTION), 17);
        assert_int_equal(VALUE(6, XRAY_FIELD_DISCRIMINANT), 0);
        assert_int_equal(VALUE(6, XRAY_FIELD_TSC_DELTA), 10);
        assert_int_equal(VALUE(7, XRAY_FIELD_ARGUMENT), 0xfffffffffffffffe);
        assert_int_equal(VALUE(9, XRAY_FIELD_TSC), 5000);
        assert_int_equal(VALUE(11, XRAY_FIELD_EVENT_SIZE), 5);
        assert_int_equal((int64_t)VALUE(11, XRAY_FIELD_EVENT_DELTA), -5);
        assert_int_equal(VALUE(12, XRAY_FIELD_EVENT_TYPE), 65535);
        assert_int_equal(VALUE(13, XRAY_FIELD_FUNCTION), 0xfffffff);
        g_array_free(all, TRUE);
        log_close(&o);
        log_free(&b);
    }
}

/* Complete records stay as they are; the rest of a cut one is one record; a cut is reported only if it is inside a
 * record. */
static void cut_everywhere(void **state)
{
    (void)state;
    for (int big = 0; big <= 1; big++) {
        builder b = log_begin(5, XRAY_TYPE_FDR, big, 16384);
        put_everything_v5(&b);
        opened whole = log_open(&b, b.bytes->len);
        GArray *all = read_all(whole.trace, b.bytes->len);
        for (size_t length = XRAY_HEADER_LENGTH + 1; length < b.bytes->len; length++) {
            opened o = log_open(&b, length);
            GArray *part = read_all(o.trace, length);
            bool inside = true;
            for (guint i = 0; i < part->len; i++) {
                const record *mine = at(part, i), *theirs = find(all, mine->context.offset);
                if (mine->context.length == theirs->context.length) {
                    assert_int_equal(mine->context.kind, theirs->context.kind);
                    assert_int_equal(xray_context_of(&mine->context)->known & XRAY_KNOWN_TSC,
                                     xray_context_of(&theirs->context)->known & XRAY_KNOWN_TSC);
                    if (xray_context_of(&mine->context)->known & XRAY_KNOWN_TSC)
                        assert_int_equal(xray_context_of(&mine->context)->tsc, xray_context_of(&theirs->context)->tsc);
                    inside &= mine->context.offset + mine->context.length != length;
                } else {
                    assert_int_equal(mine->context.kind, KIND_CUT);
                    assert_int_equal(mine->context.fault, FAULT_CUT_BY_FILE);
                    assert_true(mine->context.flags & CONTEXT_TRUNCATED);
                }
            }
            assert_int_equal(o.trace->cut, inside);
            g_array_free(part, TRUE);
            log_close(&o);
        }
        g_array_free(all, TRUE);
        log_close(&whole);
        log_free(&b);
    }
}

static void old_versions(void **state)
{
    (void)state;
    for (uint16_t version = 1; version <= 4; version++) {
        builder b = log_begin(version, XRAY_TYPE_FDR, false, 200);
        size_t begin = b.bytes->len;
        if (version >= 2)
            put_extents(&b, 16 * (version >= 3 ? 4 : 3) + 8 + 16 + 3 + 16 + 8);
        put_new_buffer(&b, 9);
        put_wall(&b, 50, 0);
        if (version >= 3)
            put_process(&b, 4);
        put_cpu(&b, 1, 100);
        put_function(&b, 0, 5, 10);
        put_metadata(&b, 5); /* a custom event with its own counter */
        put(&b, 3, 4);
        put(&b, 115, 8);
        put(&b, 6, 2); /* CPU in version 4, uninitialised before */
        put_garbage(&b, 1 + 3);
        if (version >= 2) {
            put_metadata(&b, 8); /* a typed event, which has no CPU of its own */
            put(&b, 0, 4);
            put(&b, 117, 8);
            put(&b, 6, 2); /* its type */
            put_garbage(&b, 1);
        }
        put_function(&b, 1, 5, 0xf0000000); /* old runtimes use all 32 bits */
        if (version == 1) {
            put_end_of_buffer(&b);
            put_garbage(&b, (unsigned)(begin + 200 - b.bytes->len));
            put_new_buffer(&b, 9); /* the second buffer continues without a CPU record */
            put_wall(&b, 50, 5);
            put_function(&b, 0, 6, 1);
        }
        opened o = log_open(&b, b.bytes->len);
        GArray *all = read_all(o.trace, b.bytes->len);
        guint i = version == 1 ? 4 : version == 2 ? 5 : 6;
        expect(at(all, i), XRAY_ENTRY, 8, 110);
        expect(at(all, i + 1), XRAY_CUSTOM_EVENT, 19, 115);
        assert_int_equal(xray_context_of(&at(all, i + 1)->context)->cpu, version == 4 ? 6 : 1);
        if (version >= 2) {
            expect(at(all, ++i + 1), XRAY_TYPED_EVENT, 16, 117);
            assert_int_equal(xray_context_of(&at(all, i + 1)->context)->cpu, 1);
        }
        expect(at(all, i + 2), XRAY_EXIT, 8, 110 + 0xf0000000ull);
        if (version == 1) {
            expect(at(all, i + 3), XRAY_END_OF_BUFFER, 16, 0);
            assert_int_equal(at(all, i + 4)->context.kind, KIND_PADDING);
            assert_int_equal(at(all, i + 4)->context.fault, FAULT_NONE);
            expect(at(all, i + 7), XRAY_ENTRY, 8, 111 + 0xf0000000ull);
        }
        g_array_free(all, TRUE);
        log_close(&o);
        log_free(&b);
    }
}

/* Damage affects one record or the rest of its buffer, never the next buffer. */
static void put_valid_buffer(builder *b)
{
    put_extents(b, PREAMBLE + 8);
    put_preamble(b, 8, 5, 0, 9000);
    put_function(b, 0, 2, 1);
}

static void check_damage(builder *b, uint64_t bad, uint8_t kind, uint64_t length, fault why)
{
    uint64_t next = b->bytes->len;
    put_valid_buffer(b);
    opened o = log_open(b, b->bytes->len);
    GArray *all = read_all(o.trace, b->bytes->len);
    const record *r = find(all, bad);
    assert_int_equal(r->context.kind, kind);
    assert_int_equal(r->context.length, length);
    assert_int_equal(r->context.fault, why);
    expect(find(all, next), XRAY_BUFFER_EXTENTS, 16, 0);
    expect(find(all, next + 16 + PREAMBLE), XRAY_ENTRY, 8, 9001);
    assert_false(o.trace->cut);
    g_array_free(all, TRUE);
    log_close(&o);
    log_free(b);
}

/* A log whose first buffer has these extents. */
static builder damaged_begin(uint64_t extent)
{
    builder b = log_begin(5, XRAY_TYPE_FDR, false, 16384);
    put_extents(&b, extent);
    return b;
}

/* The same with a preamble, followed by this many bytes. */
static builder damaged_body(uint64_t after_preamble)
{
    builder b = damaged_begin(PREAMBLE + after_preamble);
    put_preamble(&b, 7, 5, 3, 1000);
    return b;
}

static const uint64_t body = XRAY_HEADER_LENGTH + 16 + PREAMBLE;

static void damaged_records(void **state)
{
    (void)state;
    builder b = damaged_body(8 + 8); /* invalid action */
    put_function(&b, 5, 1, 0);
    put_function(&b, 0, 1, 0);
    check_damage(&b, body, KIND_UNKNOWN, 8, FAULT_XRAY_BAD_ACTION);

    b = damaged_body(40); /* unknown metadata kind: the rest of the buffer */
    put_metadata(&b, 12);
    put_garbage(&b, 39);
    check_damage(&b, body, KIND_UNKNOWN, 40, FAULT_XRAY_UNKNOWN_KIND);

    b = damaged_body(200000); /* many unknown bytes are shown in pieces */
    put_metadata(&b, 99);
    put_garbage(&b, 199999);
    check_damage(&b, body, KIND_UNKNOWN, RECORD_UNKNOWN_MAX, FAULT_XRAY_UNKNOWN_KIND);

    b = damaged_body(16 + 20); /* negative size */
    put_metadata(&b, 5);
    put(&b, 0xffffffff, 4);
    put_garbage(&b, 11 + 20);
    check_damage(&b, body, KIND_CUT, 36, FAULT_XRAY_NEGATIVE_SIZE);

    b = damaged_body(16); /* end-of-buffer record of version 1 */
    put_end_of_buffer(&b);
    check_damage(&b, body, XRAY_END_OF_BUFFER, 16, FAULT_XRAY_END_OF_BUFFER);

    b = damaged_begin(16 + 8); /* wrong order: a function before any counter */
    put_new_buffer(&b, 7);
    put_function(&b, 0, 1, 5);
    check_damage(&b, XRAY_HEADER_LENGTH + 32, XRAY_ENTRY, 8, FAULT_XRAY_ORDER);
}

static void damaged_extents(void **state)
{
    (void)state;
    builder b = damaged_body(5); /* extents too small, as happens with typed events */
    put(&b, 2, 1);
    put_garbage(&b, 4);
    check_damage(&b, body, KIND_CUT, 5, FAULT_XRAY_CUT_BY_BUFFER);

    b = damaged_body(0); /* unknown bytes between buffers */
    put_garbage(&b, 77);
    check_damage(&b, body, KIND_UNKNOWN, 77, FAULT_XRAY_OUTSIDE_BUFFER);

    b = damaged_begin(0); /* empty buffers are legal */
    put_extents(&b, 0);
    check_damage(&b, XRAY_HEADER_LENGTH, XRAY_BUFFER_EXTENTS, 16, FAULT_NONE);

    b = damaged_begin(UINT64_MAX); /* extents larger than the file: the next buffer still begins where it does */
    put_preamble(&b, 7, 5, 3, 1000);
    check_damage(&b, XRAY_HEADER_LENGTH, XRAY_BUFFER_EXTENTS, 16, FAULT_NONE);

    b = damaged_body(16 + 4);
    put_extents(&b, 4096); /* extents inside a buffer cannot lead out of it */
    put(&b, 2, 4);
    check_damage(&b, body + 16, KIND_CUT, 4, FAULT_XRAY_CUT_BY_BUFFER);
}

/* Counts the bytes read from a log in memory. */
typedef struct counting {
    source base, *memory;
    uint64_t bytes;
} counting;

static int64_t counting_read(source *s, uint64_t offset, void *buffer, size_t length, int *err)
{
    counting *c = (counting *)s;
    c->bytes += length;
    return c->memory->ops->read(c->memory, offset, buffer, length, err);
}

/* Nested buffers, each leading to a place where nothing begins: they must not be searched completely for each. */
static void nested_buffers(void **state)
{
    (void)state;
    static const source_ops ops = {counting_read, NULL};
    const unsigned count = 8192;
    builder b = log_begin(5, 1, false, 0);
    for (unsigned i = 0; i < count; i++)
        put_extents(&b, i % 2 ? 64001 : 33);
    source *memory = source_memory_new(b.bytes->data, b.bytes->len);
    counting s = {.base = *memory, .memory = memory};
    s.base.ops = &ops;
    trace_input in = {.path = "log", .sequential = &s.base, .random = &s.base, .seekable = true};
    trace *t = trace_open(&xray_fdr_format, &in, NULL);
    assert_non_null(t);
    assert_true(s.bytes < 20 * (uint64_t)b.bytes->len);
    trace_close(t);
    source_close(memory);
    g_byte_array_free(b.bytes, TRUE);
}

/* A log in memory of which one read fails. */
typedef struct failing {
    source base, *memory;
    unsigned reads, bad; /* number of the read, from 1; 0: none */
} failing;

static int64_t failing_read(source *s, uint64_t offset, void *buffer, size_t length, int *err)
{
    failing *f = (failing *)s;
    if (++f->reads != f->bad)
        return f->memory->ops->read(f->memory, offset, buffer, length, err);
    *err = EIO;
    return -1;
}

static failing failing_new(source *memory, unsigned bad)
{
    static const source_ops ops = {failing_read, NULL};
    failing f = {.base = *memory, .memory = memory, .bad = bad};
    f.base.ops = &ops;
    f.base.block = 100;
    return f;
}

static trace *open_failing(failing *f)
{
    trace_input in = {.path = "log", .sequential = &f->base, .random = &f->base, .seekable = true};
    return trace_open(&xray_fdr_format, &in, NULL);
}

/* Reads one by one fail: the records are those of the intact log, or the error is told, also for records that are read
 * again. Afterwards they can be read. Returns whether any read failed. */
static bool check_failing(source *memory, const GArray *intact, unsigned bad)
{
    failing f = failing_new(memory, bad);
    trace *t = open_failing(&f);
    if (!t) {
        assert_int_equal(f.base.error, EIO);
        return true;
    }
    bool same = true;
    walk *w;
    guint n = 0;
    for (; (w = trace_next(t)); n++)
        same = same && n < intact->len && g_array_index(intact, record, n).context.offset == w->record.context.offset &&
               g_array_index(intact, record, n).context.kind == w->record.context.kind;
    assert_true((same && n == intact->len) || t->error == EIO || t->merge.error == EIO);
    trace_close(t);
    return f.reads >= bad;
}

static bool check_failing_again(source *memory, const GArray *intact, unsigned bad)
{
    failing f = failing_new(memory, 0);
    trace *t = open_failing(&f);
    f.bad = f.reads + bad;
    for (guint i = 0; i < intact->len; i++) {
        const record *r = &g_array_index(intact, record, i);
        int err;
        const walk *w = trace_read(t, trace_handle(&r->context), &err);
        assert_true(w || err == EIO);
        w = w ? w : trace_read(t, trace_handle(&r->context), &err);
        assert_non_null(w);
        assert_int_equal(w->record.context.kind, r->context.kind);
        assert_int_equal(w->record.context.length, r->context.length);
    }
    trace_close(t);
    return f.reads >= f.bad;
}

static void reads_that_fail(void **state)
{
    (void)state;
    builder b = log_begin(5, 1, false, 0);
    for (unsigned i = 0; i < 6; i++) {
        put_extents(&b, 64 + 40 * 8);
        put_preamble(&b, 1 + i % 3, 1, 0, 1000 * (6 - i)); /* in another order than in the file */
        for (unsigned k = 0; k < 40; k++)
            put_function(&b, k % 2, 1 + k, 3);
    }
    source *memory = source_memory_new(b.bytes->data, b.bytes->len);
    g_autoptr(GArray) intact = g_array_new(FALSE, FALSE, sizeof(record));
    failing none = failing_new(memory, 0);
    trace *t = open_failing(&none);
    for (walk *w; (w = trace_next(t));)
        g_array_append_val(intact, w->record);
    trace_close(t);
    assert_int_equal(intact->len, 1 + 6 * 45);
    unsigned bad = 1, again = 1;
    while (check_failing(memory, intact, bad))
        bad++;
    while (check_failing_again(memory, intact, again))
        again++;
    assert_true(bad > 10 && again > 10);
    source_close(memory);
    log_free(&b);
}

/* Bytes are missing from a buffer, so that its extents reach into the next one. */
static void missing_bytes(void **state)
{
    (void)state;
    for (unsigned missing = 1; missing <= 80; missing++) {
        builder b = damaged_body(10 * 8);
        unsigned there = 10 * 8 - missing, rest = there % 8;
        for (unsigned i = 0; i < there / 8; i++)
            put_function(&b, 0, 1 + i, 1);
        for (unsigned i = 0; i < rest; i++)
            put(&b, 0, 1);
        if (rest)
            check_damage(&b, body + there - rest, KIND_CUT, rest, FAULT_XRAY_CUT_BY_BUFFER);
        else
            check_damage(&b, body - 16, XRAY_NEW_CPU, 16, FAULT_NONE);
    }
}

/* Consecutive function records use what is known from the previous one. The result is the same if the walk is made to
 * forget that. */
static void check_rows(const builder *b, bool seekable)
{
    opened o = log_open_as(b, b->bytes->len, seekable);
    for (uint32_t i = 0; i < o.trace->streams->len; i++) {
        walk row, single;
        walk_init(&row, o.trace, trace_stream(o.trace, i), true);
        walk_init(&single, o.trace, trace_stream(o.trace, i), true);
        while (walk_next(&row) == STEP_RECORD) {
            single.record.context.kind = KIND_UNKNOWN;
            assert_int_equal(walk_next(&single), STEP_RECORD);
            assert_memory_equal(&row.record, &single.record, sizeof row.record);
            assert_memory_equal(&row.state, &single.state, sizeof row.state);
        }
        assert_int_equal(walk_next(&single), STEP_END);
        walk_clear(&row);
        walk_clear(&single);
    }
    log_close(&o);
}

static void put_row(builder *b)
{
    for (unsigned action = 0; action < 5; action++)
        put_function(b, action < 4 ? action : 1, 7 + action, 10);
}

static void rows_of_functions(void **state)
{
    (void)state;
    for (int big = 0; big <= 1; big++) {
        builder b = log_begin(1, XRAY_TYPE_FDR, big, 88); /* the second buffer has only function records */
        put_new_buffer(&b, 9);
        put_wall(&b, 50, 0);
        put_cpu(&b, 1, 100);
        for (int i = 0; i < 3; i++)
            put_row(&b);
        check_rows(&b, true);
        check_rows(&b, false);
        log_free(&b);

        b = log_begin(5, XRAY_TYPE_FDR, big, 16384);
        put_extents(&b, PREAMBLE + 5 * 40 + 16 + 16 + 8 + 16);
        put_preamble(&b, 7, 5, 3, 1000);
        put_row(&b);
        put_argument(&b, 1);
        put_row(&b);
        put_new_buffer(&b, 8); /* misplaced: the first function record after it is in the wrong order */
        put_row(&b);
        put_function(&b, 6, 1, 1); /* no such action */
        put_row(&b);
        put_end_of_buffer(&b); /* not valid in this version */
        put_row(&b);
        put_extents(&b, 16 + 40); /* no counter */
        put_new_buffer(&b, 7);
        put_row(&b);
        check_rows(&b, true);
        check_rows(&b, false);
        log_free(&b);
    }
}

/* s390x: the header says 10^9, but the counter is the time of day since 1900 in units of 2^-12 microseconds. */
static void time_of_day(void **state)
{
    (void)state;
    const uint64_t second = UINT64_C(4096000000), date = 1767225600; /* 2026 */
    const uint64_t tsc = UINT64_C(9048018124800000000) + date * second;
    for (int big = 0; big <= 1; big++)
        for (int seekable = 0; seekable <= 1; seekable++)
            for (int fdr = 0; fdr <= 1; fdr++) {
                builder b = log_begin(fdr ? 5 : 3, fdr ? XRAY_TYPE_FDR : XRAY_TYPE_BASIC, big, 16384);
                if (fdr) {
                    put_extents(&b, PREAMBLE + 16);
                    put_preamble(&b, 7, 5, 0, tsc);
                    put_function(&b, 0, 1, 4096);
                    put_function(&b, 1, 1, 2048000000);
                } else {
                    put_basic_function(&b, 0, 0, 1, tsc + 4096, 7, 5);
                    put_basic_function(&b, 0, 1, 1, tsc + 4096 + 2048000000, 7, 5);
                }
                opened o = log_open_as(&b, b.bytes->len, seekable);
                GArray *all = read_all(o.trace, b.bytes->len);
                const record *entry = at(all, all->len - 2), *exit = at(all, all->len - 1);
                assert_int_equal(entry->seconds == (int64_t)date, big);
                assert_int_equal(xray_context_of(&exit->context)->frequency, big ? second : 1000000000);
                if (big) {
                    assert_int_equal(entry->nanoseconds, 1000);
                    assert_int_equal(exit->seconds, date);
                    assert_int_equal(exit->nanoseconds, 500001000);
                }
                assert_int_equal(strstr(o.trace->comment->str, "s390x") != NULL, big);
                g_array_free(all, TRUE);
                log_close(&o);
                log_free(&b);
            }
    assert_int_equal(xray_frequency(1000000000, true, UINT64_C(1790000000000000000)),
                     1000000000); /* a clock in nanoseconds */
    assert_int_equal(xray_frequency(2000000000, true, tsc), 2000000000);
}

static void no_problem(void)
{
    assert_true(settings_check(&xray_fdr_format, NULL));
}

/* An invalid frequency is not used, but reported. */
static void frequency_setting(void **state)
{
    (void)state;
    static const char *const bad[] = {"abc", "0", "-5", "+5", " 5", "2.6e9", "1000Hz", "18446744073709551616", "\xff\x1b["};
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_setenv(xray_frequency_setting.variable, bad[i], TRUE);
        g_autoptr(GError) error = NULL;
        assert_false(settings_check(&xray_fdr_format, &error));
        assert_true(g_utf8_validate(error->message, -1, NULL));
        assert_null(strchr(error->message, 0x1b));
        assert_int_equal(xray_frequency(77, false, 1), 77);
    }
    static const char *const good[] = {"1", "2596120000", "18446744073709551615", ""};
    for (size_t i = 0; i < G_N_ELEMENTS(good); i++) {
        g_setenv(xray_frequency_setting.variable, good[i], TRUE);
        no_problem();
        assert_int_equal(xray_frequency(77, false, 1), *good[i] ? g_ascii_strtoull(good[i], NULL, 10) : 77);
    }
    g_unsetenv(xray_frequency_setting.variable);
    no_problem();
}

/* A log of a later version is recognised, to say so; bytes that could be anything are not. */
static void unknown_version(void **state)
{
    (void)state;
    for (int big = 0; big <= 1; big++)
        for (uint16_t type = XRAY_TYPE_BASIC; type <= XRAY_TYPE_FDR; type++) {
            builder b = log_begin(9, type, big, 16384);
            if (type == XRAY_TYPE_FDR)
                put_extents(&b, 0);
            else
                put_basic_function(&b, 0, 0, 1, 1000, 7, 5);
            for (size_t length = 0; length <= b.bytes->len; length++) {
                probe p = {b.bytes->data, length, true, "log"};
                bool enough = length == XRAY_HEADER_LENGTH || length == b.bytes->len ||
                              (type && length > XRAY_HEADER_LENGTH);
                assert_int_equal(type == XRAY_TYPE_FDR ? xray_fdr_probe(&p) : xray_basic_probe(&p), enough);
            }
            GError *error = NULL;
            source *s = source_memory_new(b.bytes->data, b.bytes->len);
            trace_input in = {.path = "log", .sequential = s, .random = s, .seekable = true};
            assert_null(trace_open(type == XRAY_TYPE_FDR ? &xray_fdr_format : &xray_basic_format, &in, &error));
            assert_failed(&error, "version 9 of XRay logs is not known");
            source_close(s);
            for (size_t i = 4; i < 24; i++) { /* flags, frequency, and the size of a buffer */
                uint8_t byte = b.bytes->data[i];
                probe p = {b.bytes->data, b.bytes->len, true, "log"};
                b.bytes->data[i] = i == 4 ? 0 : (uint8_t)(byte ^ 0xff);
                bool checked = i == 4 || (big ? i >= 8 && i < 11 : i > 12 && i < 16);
                if (checked)
                    assert_false(type == XRAY_TYPE_FDR ? xray_fdr_probe(&p) : xray_basic_probe(&p));
                b.bytes->data[i] = byte;
            }
            log_free(&b);
        }
}

enum { CALLS = PREAMBLE + 16 };

static void put_calls(builder *b, uint32_t thread, uint64_t tsc, uint32_t delta)
{
    put_extents(b, CALLS);
    put_preamble(b, thread, 5, 3, tsc);
    put_function(b, 0, 1, 10);
    put_function(b, 1, 1, delta);
}

/* Whether the records of the buffer at `offset` say that it repeats the one at `first` (0: none). */
static void check_repeats(GArray *all, uint64_t offset, uint64_t first)
{
    unsigned records = 0;
    for (guint i = 0; i < all->len; i++) {
        const record_context *c = &at(all, i)->context;
        if (c->offset < offset || c->offset >= offset + 16 + CALLS)
            continue;
        records++;
        assert_int_equal((xray_context_of(c)->known & XRAY_REPEATED) != 0, first != 0);
        assert_int_equal(xray_context_of(c)->about_buffer, first);
    }
    assert_int_equal(records, 7);
}

/* A buffer with the same bytes is a repetition; with any other byte it is not. */
static void repeated(void **state)
{
    (void)state;
    enum { SIZE = 16 + CALLS };
    for (int big = 0; big <= 1; big++) {
        builder b = log_begin(5, XRAY_TYPE_FDR, big, 16384);
        const struct {
            uint32_t thread, tsc, delta, first;
        } buffers[] = {{7, 1000, 10, 0},  {8, 1000, 10, 0}, {7, 1000, 11, 0},
                       {7, 1000, 10, 32}, {7, 1001, 10, 0}, {7, 1000, 11, 32 + 2 * SIZE},
                       {7, 1000, 10, 32}};
        for (size_t i = 0; i < G_N_ELEMENTS(buffers); i++)
            put_calls(&b, buffers[i].thread, buffers[i].tsc, buffers[i].delta);
        opened o = log_open(&b, b.bytes->len);
        GArray *all = read_all(o.trace, b.bytes->len);
        for (uint32_t i = 0; i < G_N_ELEMENTS(buffers); i++)
            check_repeats(all, 32 + i * SIZE, buffers[i].first);
        assert_non_null(strstr(o.trace->comment->str, "counted once: 3."));
        g_array_free(all, TRUE);
        log_close(&o);
        check_rows(&b, true);
        for (size_t length = b.bytes->len - 1; length > b.bytes->len - SIZE; length--) { /* cut, and so different */
            o = log_open(&b, length);
            all = read_all(o.trace, length);
            for (guint i = 0; i < all->len; i++)
                assert_true(!(xray_context_of(&at(all, i)->context)->known & XRAY_REPEATED) ||
                            at(all, i)->context.offset < 32 + 6 * SIZE);
            g_array_free(all, TRUE);
            log_close(&o);
        }
        log_free(&b);
    }
}

static void check_writers(const uint32_t processes[2], const char *name, const char *warning)
{
    builder b = log_begin(5, 1, false, 4096);
    for (unsigned i = 0; i < 2; i++) {
        put_extents(&b, 5 * 16 + 2 * 8);
        put_preamble(&b, 7 + i, processes[i], 1, 1000 + i);
        put_function(&b, 0, 1, 10);
        put_function(&b, 1, 1, 10);
    }
    opened o = log_open_named(&b, name, b.bytes->len, true);
    const char *found = strstr(o.trace->warnings->str, *warning ? warning : "process");
    if (!found != !*warning)
        fail_msg("%s: %s", name, o.trace->warnings->str);
    log_close(&o);
    log_free(&b);
}

/* A child of fork writes what it has inherited: it is noticed by the processes of the buffers, and by the name of the log.
 */
static void buffers_of_other_processes(void **state)
{
    (void)state;
    const uint32_t one[] = {1234, 1234}, two[] = {1234, 1235};
    check_writers(two, "log", "several processes, such as 1234 and 1235:");
    check_writers(two, "xray-log.prog.1235", "several processes, such as 1234 and 1235:");
    check_writers(one, "folder/xray-log.prog.1235",
                  "All buffers of this log are of process 1234, but it is named after process 1235.");
    check_writers(one, "xray-log.prog.1235.2.gz", "process 1235");
    static const char *const own[] = {"log",
                                      "xray-log.prog.1234",
                                      "xray-log.prog.1234.2",
                                      "xray-log.prog.1234.5000",
                                      "xray-log.prog.99",
                                      "xray-log.prog.x1235",
                                      "1235",
                                      "xray-log.1235x",
                                      "xray-log.prog.1235.x",
                                      "xray-log.prog.99999999999"};
    for (unsigned i = 0; i < G_N_ELEMENTS(own); i++)
        check_writers(one, own[i], "");
}

/* Whether the first buffers of these threads were overwritten: from the order of the buffers in the ring. */
static void overwritten(void **state)
{
    (void)state;
    static const struct {
        const char *buffers; /* in file order: thread, and when it began */
        const char *threads; /* that have lost records */
    } cases[] = {
        {"a1 a3 a5", ""},       /* complete */
        {"b2 b4 a1 a6 b5", ""}, /* a thread has kept its buffer for long */
        {"b2 c3 b4 d5 a1", ""}, /* it waits for the others to the end */
        {"a1 b2 b4 b2 a3", ""}, /* a buffer that is there twice */
        {"a5 a1 a3", "a"},      /* the ring has gone round */
        {"a3 a1", "a"},         /* the same, with as few buffers as possible */
        {"b6 a5 a2 b1 b3 a4", "ab"},
        {"a6 c5 a1 b2 a3 a4", "ab"},  /* c has begun later: all of it is there */
        {"d5 e6 a1 b2 a4 c3", "abc"}, /* threads that end with their first buffer */
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        for (int big = 0; big <= 1; big++) {
            builder b = log_begin(5, XRAY_TYPE_FDR, big, 96);
            char comment[64];
            for (const char *at = cases[i].buffers; *at; at += at[2] ? 3 : 2)
                put_calls(&b, (uint32_t)at[0], (uint64_t)(at[1] - '0') * 1000, 10);
            opened o = log_open(&b, b.bytes->len);
            GArray *all = read_all(o.trace, b.bytes->len);
            const unsigned threads = (unsigned)strlen(cases[i].threads);
            for (guint k = 0; k < all->len; k++) {
                const record_context *c = &at(all, k)->context;
                const char thread = (char)xray_context_of(c)->thread;
                assert_int_equal(xray_depth_unknown(c), thread ? strchr(cases[i].threads, thread) != NULL : threads > 0);
                assert_int_equal(xray_context_of(c)->flags & XRAY_HEADER_FLAGS, 3);
            }
            g_snprintf(comment, sizeof comment, "the oldest records of %u thread%s were overwritten", threads,
                       threads == 1 ? "" : "s");
            assert_int_equal(strstr(o.trace->comment->str, "begins in the middle") != NULL, threads > 0);
            assert_int_equal(strstr(o.trace->comment->str, comment) != NULL, threads > 0);
            assert_string_equal(o.trace->warnings->str, threads ? strstr(o.trace->comment->str, " The log begins") : "");
            g_array_free(all, TRUE);
            log_close(&o);
            log_free(&b);
        }
}

/* Threads of one buffer that ended one after another: begin and number of threads, in the order of the file. */
static unsigned late_threads(const unsigned begins[], unsigned count)
{
    builder b = log_begin(5, XRAY_TYPE_FDR, false, 16384);
    for (unsigned i = 0; i < count; i++)
        put_calls(&b, i + 1, 1000 * begins[i], 10);
    opened o = log_open(&b, b.bytes->len);
    const unsigned late = ((const xray_log *)o.trace->detail)->late;
    assert_int_equal(strstr(o.trace->warnings->str, "seems to begin in the middle: ") != NULL, late > 0);
    log_close(&o);
    log_free(&b);
    return late;
}

/* Of short threads whole ones are lost. Those that wait for the end without a record come last as well, but not in turn. */
static void late_buffers(void **state)
{
    (void)state;
    unsigned begins[24];
    for (unsigned i = 0; i < 24; i++)
        begins[i] = i + 1;
    assert_int_equal(late_threads(begins, 24), 0);
    for (unsigned i = 0; i < 24; i++)
        begins[i] = (i + 12) % 24 + 1; /* the ring has gone round */
    assert_int_equal(late_threads(begins, 24), 12);
    for (unsigned i = 12; i < 24; i++)
        begins[i] = 24 - i; /* the last ones wait for the end, in another order */
    assert_int_equal(late_threads(begins, 24), 0);
    for (unsigned i = 12; i < 24; i++)
        begins[i] = 1; /* they began together */
    assert_int_equal(late_threads(begins, 24), 0);
    for (unsigned i = 0; i < 7; i++)
        begins[17 + i] = i + 1; /* there are few of them */
    for (unsigned i = 0; i < 17; i++)
        begins[i] = i + 8;
    assert_int_equal(late_threads(begins, 24), 0);
}

/* The ring may have gone round exactly: then it only shows that it is full, and how large it is if nobody has set it. */
static void full_ring(void **state)
{
    (void)state;
    for (unsigned count = 99; count <= 101; count++)
        for (unsigned size = 16384; size <= 16385; size++) {
            builder b = log_begin(5, XRAY_TYPE_FDR, false, size);
            for (unsigned i = 0; i < count; i++)
                put_calls(&b, i == 5 ? 8 : 7, 1000 + 1000 * i, 10);
            opened o = log_open(&b, b.bytes->len);
            assert_int_equal(((const xray_log *)o.trace->detail)->overwritten, count == 100 && size == 16384 ? 1 : 0);
            log_close(&o);
            log_free(&b);
        }
}

/* The bytes missing from the last buffer. */
static void short_buffer(void **state)
{
    (void)state;
    for (int big = 0; big <= 1; big++) {
        builder b = log_begin(5, XRAY_TYPE_FDR, big, 16384);
        put_calls(&b, 7, 1000, 10);
        size_t begin = b.bytes->len;
        put_calls(&b, 7, 2000, 10);
        for (size_t length = b.bytes->len; length >= begin + 16; length--) {
            opened o = log_open(&b, length);
            GArray *all = read_all(o.trace, length);
            uint64_t missing = b.bytes->len - length;
            for (guint i = 0; i < all->len; i++)
                assert_int_equal(xray_context_of(&at(all, i)->context)->about_buffer,
                                 at(all, i)->context.offset == begin ? missing : 0);
            assert_int_equal(strstr(o.trace->comment->str, "bytes are missing") != NULL, missing != 0);
            g_array_free(all, TRUE);
            log_close(&o);
        }
        log_free(&b);
    }
}

static void basic(void **state)
{
    (void)state;
    for (int big = 0; big <= 1; big++)
        for (uint16_t version = 1; version <= 3; version++) {
            builder b = log_begin(version, XRAY_TYPE_BASIC, big, 0);
            put_basic_function(&b, 2, 3, 6, 1000, 11, 1);
            put_basic_argument(&b, 6, 11, 1, 0xdead);
            put_basic_argument(&b, 6, 11, 1, 0xbeef);
            put_basic_function(&b, 1, 0, 7, 900, 12, 1);
            put_basic_function(&b, 2, 1, 6, 1100, 11, 1);
            put_basic_function(&b, 2, 9, 6, 1200, 11, 1); /* no such action */
            opened o = log_open(&b, b.bytes->len);
            GArray *all = read_all(o.trace, b.bytes->len);
            assert_int_equal(all->len, 7);
            assert_string_equal(trace_stream(o.trace, 1)->name, version == 3 ? "1/11" : "?/11");
            expect(at(all, 1), XRAY_ENTRY, 32, 900); /* in order of time, not file order */
            expect(at(all, 2), XRAY_ENTRY_ARGUMENTS, 32, 1000);
            assert_int_equal(xray_context_of(&at(all, 2)->context)->cpu, 2);
            expect(at(all, 3), XRAY_CALL_ARGUMENT, 32, 0);
            assert_int_equal(at(all, 3)->nanoseconds, 1000); /* the time of its call */
            assert_int_equal(xray_context_of(&at(all, 4)->context)->argument_index, 1);
            assert_false(xray_context_of(&at(all, 4)->context)->known & (XRAY_KNOWN_CPU | XRAY_KNOWN_TSC));
            expect(at(all, 5), XRAY_EXIT, 32, 1100);
            assert_int_equal(at(all, 6)->context.fault, FAULT_XRAY_BAD_ACTION);
            g_array_free(all, TRUE);
            log_close(&o);
            for (size_t length = XRAY_HEADER_LENGTH + 20; length < b.bytes->len; length++) {
                o = log_open(&b, length);
                g_array_free(read_all(o.trace, length), TRUE);
                assert_int_equal(o.trace->cut, length % 32 != 0);
                log_close(&o);
            }
            log_free(&b);
        }
}

/* A log of basic mode begins with a call, or the argument of a call that was written earlier. */
static void basic_probes(void **state)
{
    (void)state;
    for (int big = 0; big <= 1; big++)
        for (int argument = 0; argument <= 1; argument++) {
            builder b = log_begin(3, XRAY_TYPE_BASIC, big, 0);
            if (argument)
                put_basic_argument(&b, 1, 7, 5, 9);
            else
                put_basic_function(&b, 0, 0, 1, 1000, 7, 5);
            const size_t header = XRAY_HEADER_LENGTH, whole = b.bytes->len;
            for (size_t length = 0; length <= whole; length++) {
                /* the call begins with type and action; up to its thread nothing more can be checked */
                bool call = length >= header + 2 && !argument, thread = length >= header + (argument ? 32 : 20);
                bool right = length == header || thread || call;
                probe p = {b.bytes->data, length, true, "log"};
                assert_int_equal(xray_basic_probe(&p), right);
                p.whole = false;
                assert_int_equal(xray_basic_probe(&p), thread);
            }
            probe p = {b.bytes->data, whole, true, "log"};
            memset(b.bytes->data + header + (argument ? 8 : 16), 0, 4); /* no thread */
            assert_false(xray_basic_probe(&p));
            b.bytes->data[header + (big ? 1 : 0)] = 2; /* no type */
            assert_false(xray_basic_probe(&p));
            b.bytes->data[4] = 0; /* no flags */
            assert_false(xray_basic_probe(&p));
            log_free(&b);
        }
}

/* What users are told of the clock, and times before the first one. */
static void clocks(void **state)
{
    (void)state;
    static const struct {
        xray_log log;
        const char *words;
    } cases[] = {{{.time_of_day = true, .frequency = 1}, "time-of-day clock of s390x"},
                 {{.base_tsc = 5, .frequency = 7}, "counter at 7 ticks per second); the log has no date"},
                 {{.frequency = 9}, "9 ticks per second from an arbitrary zero"},
                 {{.frequency = 0}, "counter ticks shown as nanoseconds"}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        GString *text = g_string_new(NULL);
        xray_clock_comment(&cases[i].log, text);
        assert_non_null(strstr(text->str, cases[i].words));
        g_string_free(text, TRUE);
    }
    const xray_log log = {.frequency = 1000, .base_tsc = 5000, .base_seconds = 10, .base_nanoseconds = 400000000};
    static const struct {
        uint64_t tsc;
        int64_t seconds;
        int32_t nanoseconds;
    } times[] = {{5000, 10, 400000000}, {5600, 11, 0},        {4600, 10, 0},      {5700, 11, 100000000},
                 {4700, 10, 100000000}, {4500, 9, 900000000}, {500, 5, 900000000}};
    for (size_t i = 0; i < G_N_ELEMENTS(times); i++) {
        int64_t seconds;
        int32_t nanoseconds;
        xray_clock_time(&log, times[i].tsc, &seconds, &nanoseconds);
        assert_int_equal(seconds, times[i].seconds);
        assert_int_equal(nanoseconds, times[i].nanoseconds);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(basic_probes),
        cmocka_unit_test(clocks),
        cmocka_unit_test(unknown_version),
        cmocka_unit_test(time_of_day),
        cmocka_unit_test(frequency_setting),
        cmocka_unit_test(repeated),
        cmocka_unit_test(short_buffer),
        cmocka_unit_test(every_kind),
        cmocka_unit_test(carried_in_a_ring),
        cmocka_unit_test(very_many_threads),
        cmocka_unit_test(fields_of_every_kind),
        cmocka_unit_test(cut_everywhere),
        cmocka_unit_test(old_versions),
        cmocka_unit_test(damaged_records),
        cmocka_unit_test(damaged_extents),
        cmocka_unit_test(missing_bytes),
        cmocka_unit_test(nested_buffers),
        cmocka_unit_test(reads_that_fail),
        cmocka_unit_test(rows_of_functions),
        cmocka_unit_test(basic),
        cmocka_unit_test(buffers_of_other_processes),
        cmocka_unit_test(overwritten),
        cmocka_unit_test(late_buffers),
        cmocka_unit_test(full_ring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
