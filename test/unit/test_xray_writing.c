/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saving XRay logs: a complete log is reproduced byte for byte; in any part of one, every record keeps its meaning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "xray/writing/writing.h"
#include "memory_sink.h"
#include "xray_log.h"

typedef bool (*wanted)(const record_context *c, unsigned number);

static bool everything(const record_context *c, unsigned number)
{
    (void)c;
    (void)number;
    return true;
}

/* Saves the wanted records of a log; NULL if one is refused. */
static GByteArray *save(const builder *b, wanted want, GError **error)
{
    opened o = log_open(b, b->bytes->len);
    const write_ops *ops = o.trace->format->write;
    memory_sink out = memory_sink_new(UINT32_MAX);
    void *state = ops->begin();
    bool good = true;
    unsigned number = 0;
    for (walk *w; good && (w = trace_next(o.trace));) {
        const uint8_t *data;
        size_t length = walk_bytes(w, &data);
        write_record r = {&w->record.context, data, length, w->record.seconds, w->record.nanoseconds};
        if (want(&w->record.context, number++))
            good = ops->record(state, &out.base, &r, error);
    }
    good = good && ops->finish(state, &out.base);
    ops->end(state);
    log_close(&o);
    if (good)
        return out.bytes;
    g_byte_array_free(out.bytes, TRUE);
    return NULL;
}

/* The meaning of a record, independent of its place. */
typedef struct meaning {
    uint64_t tsc;
    int64_t seconds;
    int32_t nanoseconds;
    uint32_t thread, process;
    uint16_t cpu;
    uint8_t kind, known;
    uint32_t word; /* function and action */
} meaning;

static GArray *read_log(const builder *b, wanted want)
{
    opened o = log_open(b, b->bytes->len);
    GArray *all = g_array_new(FALSE, TRUE, sizeof(meaning));
    unsigned number = 0;
    for (walk *w; (w = trace_next(o.trace));) {
        const uint8_t *data;
        const record_context *c = &w->record.context;
        size_t length = walk_bytes(w, &data);
        cursor bytes = {data, length, b->big};
        uint8_t known = xray_context_of(c)->known & (XRAY_KNOWN_TSC | XRAY_KNOWN_CPU | XRAY_KNOWN_PROCESS);
        meaning m = {.tsc = known & XRAY_KNOWN_TSC ? xray_context_of(c)->tsc : 0,
                     .seconds = w->record.seconds,
                     .nanoseconds = w->record.nanoseconds,
                     .thread = xray_context_of(c)->thread,
                     .process = xray_context_of(c)->process,
                     .cpu = known & XRAY_KNOWN_CPU ? xray_context_of(c)->cpu : 0,
                     .kind = c->kind,
                     .known = known,
                     .word = xray_is_function(c->kind) ? cursor_u32(&bytes, 0) : 0};
        if (want(c, number++))
            g_array_append_val(all, m);
    }
    log_close(&o);
    return all;
}

/* Every wanted record is in the copy, in order, and the rest is what a log needs. */
static void check_part(const builder *log, wanted want, bool same)
{
    GError *error = NULL;
    GByteArray *bytes = save(log, want, &error);
    assert_null(error);
    builder copy = {bytes, log->big};
    GArray *left = read_log(log, want), *got = read_log(&copy, everything);
    guint at = 0;
    for (guint i = 0; i < got->len; i++) {
        const meaning *m = &g_array_index(got, meaning, i);
        if (at < left->len && memcmp(m, &g_array_index(left, meaning, at), sizeof *m) == 0)
            at++;
        else
            assert_true(m->kind == XRAY_HEADER || m->kind == KIND_PADDING ||
                        (m->kind >= XRAY_NEW_BUFFER && !xray_is_event(m->kind) && m->kind != XRAY_CALL_ARGUMENT));
    }
    assert_int_equal(at, left->len);
    if (same) {
        assert_int_equal(bytes->len, log->bytes->len);
        assert_memory_equal(bytes->data, log->bytes->data, bytes->len);
    }
    g_array_free(left, TRUE);
    g_array_free(got, TRUE);
    log_free(&copy);
}

/* --- logs -------------------------------------------------------------------------------------------------------------- */

static void put_event(builder *b, uint16_t version, uint64_t tsc, int32_t delta)
{
    if (version >= 5) {
        put_event_v5(b, -1, delta, "hello");
        return;
    }
    put_metadata(b, 5);
    put(b, 5, 4);
    put(b, tsc, 8);
    put(b, version == 4 ? 3 : 0xaaaa, 2);
    put_garbage(b, 1);
    g_byte_array_append(b->bytes, (const uint8_t *)"hello", 5);
}

#define BUFFER_SIZE 256u

/* A thread's buffer: calls, an event, another CPU, a wrap, an argument. */
static void put_buffer(builder *b, uint16_t version, uint32_t thread, uint64_t tsc)
{
    guint begin = b->bytes->len;
    if (version >= 2)
        put_extents(b, 0);
    guint first = b->bytes->len;
    put_new_buffer(b, thread);
    put_wall(b, 100 + tsc / 1000000000, (uint32_t)(tsc % 1000000000 / 1000));
    if (version >= 3)
        put_process(b, 77);
    put_cpu(b, 1, tsc);
    put_function(b, 0, 10, 0);
    put_event(b, version, tsc + 5, 5);
    put_function(b, 1, 10, 100);
    put_cpu(b, 2, tsc + 1000);
    put_function(b, version >= 4 ? 3 : 0, 11, 7);
    put_argument(b, thread);
    put_wrap(b, tsc + UINT64_C(9000000000));
    put_function(b, 2, 11, 3);
    put_function(b, 0, 12, 0x7fffff00);
    if (version >= 2) {
        builder size = {g_byte_array_new(), b->big};
        put(&size, b->bytes->len - first, 8);
        memcpy(b->bytes->data + begin + 1, size.bytes->data, 8);
        log_free(&size);
        return;
    }
    put_end_of_buffer(b);
    put_garbage(b, BUFFER_SIZE - (b->bytes->len - begin));
}

/* Buffers in ring order: the later one of thread 5 comes first. */
static builder whole_log(uint16_t version, bool big)
{
    builder b = log_begin(version, XRAY_TYPE_FDR, big, BUFFER_SIZE);
    put_buffer(&b, version, 5, UINT64_C(60000000000));
    put_buffer(&b, version, 6, UINT64_C(20000000123));
    put_buffer(&b, version, 5, UINT64_C(30000000456));
    return b;
}

static builder basic_log(uint16_t version, bool big)
{
    builder b = log_begin(version, XRAY_TYPE_BASIC, big, 0);
    uint32_t process = version >= 3 ? 77 : 0;
    for (uint32_t i = 0; i < 12; i++) {
        put_basic_function(&b, (uint8_t)(i & 1), i % 3 == 2 ? 3 : i & 1, i, 1000 - i / 4 * 100 + i, 5 + i / 4, process);
        if (i % 3 == 2)
            put_basic_argument(&b, i, 5 + i / 4, process, i);
    }
    return b;
}

/* --- parts ------------------------------------------------------------------------------------------------------------- */

static bool calls(const record_context *c, unsigned number)
{
    (void)number;
    return xray_is_function(c->kind);
}

static bool no_preambles(const record_context *c, unsigned number)
{
    (void)number;
    return xray_is_function(c->kind) || xray_is_event(c->kind) || c->kind == XRAY_CALL_ARGUMENT;
}

static bool odd(const record_context *c, unsigned number)
{
    return number % 2 && c->kind != XRAY_CALL_ARGUMENT && c->kind != KIND_PADDING;
}

static bool thirds(const record_context *c, unsigned number)
{
    return number % 3 == 1 && c->kind != XRAY_CALL_ARGUMENT && c->kind != KIND_PADDING;
}

static bool one_thread(const record_context *c, unsigned number)
{
    (void)number;
    return xray_context_of(c)->thread == 5;
}

static bool no_header(const record_context *c, unsigned number)
{
    (void)number;
    return c->kind != XRAY_HEADER;
}

static bool only_new_buffers(const record_context *c, unsigned number)
{
    (void)number;
    return c->kind == XRAY_NEW_BUFFER;
}

static bool only_extents(const record_context *c, unsigned number)
{
    (void)number;
    return c->kind == (xray_context_of(c)->version == 1 ? XRAY_NEW_BUFFER : XRAY_BUFFER_EXTENTS);
}

static bool events(const record_context *c, unsigned number)
{
    (void)number;
    return xray_is_event(c->kind);
}

static const wanted parts[] = {calls,     no_preambles,     odd,          thirds, one_thread,
                               no_header, only_new_buffers, only_extents, events};

static void every_version(void **state)
{
    (void)state;
    for (uint16_t version = 1; version <= 5; version++)
        for (int big = 0; big <= 1; big++) {
            builder b = whole_log(version, big);
            check_part(&b, everything, true);
            for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
                check_part(&b, parts[i], false);
            log_free(&b);
        }
}

static void basic_versions(void **state)
{
    (void)state;
    static const wanted some[] = {calls, odd, one_thread, no_header};
    for (uint16_t version = 1; version <= 3; version++)
        for (int big = 0; big <= 1; big++) {
            builder b = basic_log(version, big);
            check_part(&b, everything, true);
            for (size_t i = 0; i < G_N_ELEMENTS(some); i++)
                check_part(&b, some[i], false);
            log_free(&b);
        }
}

/* A log cut anywhere is reproduced when all of it is saved. */
static void cut_anywhere(void **state)
{
    (void)state;
    for (uint16_t version = 1; version <= 5; version += 2) {
        builder b = whole_log(version, false);
        for (guint length = b.bytes->len; length > XRAY_HEADER_LENGTH + XRAY_METADATA_LENGTH; length--) {
            g_byte_array_set_size(b.bytes, length);
            check_part(&b, everything, true);
        }
        log_free(&b);
    }
}

/* The first records of a log, in one buffer: the extents fit what is there. */
static bool first_nine(const record_context *c, unsigned number)
{
    (void)c;
    return number < 9;
}

static void beginning_of_a_log(void **state)
{
    (void)state;
    builder b = log_begin(5, XRAY_TYPE_FDR, false, BUFFER_SIZE);
    put_buffer(&b, 5, 5, UINT64_C(60000000000));
    GByteArray *bytes = save(&b, first_nine, NULL);
    cursor c = {bytes->data, bytes->len, false};
    assert_memory_equal(bytes->data + 48, b.bytes->data + 48, bytes->len - 48);
    assert_int_equal(cursor_u64(&c, 33), bytes->len - 48);
    assert_true(bytes->len < b.bytes->len);
    g_byte_array_free(bytes, TRUE);
    log_free(&b);
}

/* Passes all records of a log, as one of several files with parts of it, to a writer; false if one is refused. */
static bool hand_over(void *state, sink *out, const builder *b, uint64_t file, GError **error)
{
    opened o = log_open(b, b->bytes->len);
    const write_ops *ops = o.trace->format->write;
    bool good = true;
    for (walk *w; good && (w = trace_next(o.trace));) {
        const uint8_t *data;
        record_context c = w->record.context;
        size_t length = walk_bytes(w, &data);
        write_record r = {&c, data, length, w->record.seconds, w->record.nanoseconds};
        c.trace = file;
        good = ops->record(state, out, &r, error);
    }
    log_close(&o);
    return good;
}

/* A log with one buffer, cut inside its last function record. */
static builder cut_log(uint16_t version)
{
    builder b = log_begin(version, XRAY_TYPE_FDR, false, BUFFER_SIZE);
    put_buffer(&b, version, 6, UINT64_C(20000000123));
    guint end = b.bytes->len;
    while (b.bytes->data[end - 1] == 0xaa) /* padding, and all but the first byte of the end-of-buffer record */
        end--;
    g_byte_array_set_size(b.bytes, end - (version == 1) - 3);
    return b;
}

/* The cut record of one part of a log becomes the last one of the joined log, and is still cut; there cannot be two. */
static void cut_part_of_a_log(void **state)
{
    (void)state;
    for (uint16_t version = 1; version <= 5; version++) {
        g_autoptr(GError) error = NULL;
        builder first = cut_log(version), second = whole_log(version, false);
        memory_sink out = memory_sink_new(UINT32_MAX);
        void *w = xray_fdr_write.begin();
        assert_true(hand_over(w, &out.base, &first, 1, NULL));
        assert_true(hand_over(w, &out.base, &second, 2, NULL));
        assert_false(hand_over(w, &out.base, &first, 3, &error));
        assert_non_null(strstr(error->message, "can be cut"));
        assert_true(xray_fdr_write.finish(w, &out.base));
        xray_fdr_write.end(w);
        builder log = {out.bytes, false};
        opened o = log_open(&log, log.bytes->len);
        unsigned cut = 0;
        uint64_t end = 0;
        for (walk *r; (r = trace_next(o.trace));)
            if (r->record.context.flags & CONTEXT_TRUNCATED) {
                cut++;
                end = r->record.context.offset + r->record.context.length;
            }
        log_close(&o);
        assert_int_equal(cut, 1);
        assert_int_equal(end, log.bytes->len);
        log_free(&log);
        log_free(&first);
        log_free(&second);
    }
}

static bool other_thirds(const record_context *c, unsigned number)
{
    return number % 3 != 1 && c->kind != XRAY_CALL_ARGUMENT && c->kind != KIND_PADDING;
}

static bool earlier(const record *a, const record *b)
{
    return a->seconds != b->seconds ? a->seconds < b->seconds : a->nanoseconds < b->nanoseconds;
}

/* As mergecap does: by time, and if times are equal the first file first. */
static GByteArray *merge_two(const builder files[2])
{
    memory_sink out = memory_sink_new(UINT32_MAX);
    void *state = xray_fdr_write.begin();
    opened o[2];
    walk *next[2];
    for (int i = 0; i < 2; i++) {
        o[i] = log_open(&files[i], files[i].bytes->len);
        next[i] = trace_next(o[i].trace);
    }
    while (next[0] || next[1]) {
        int i = !next[0] || (next[1] && earlier(&next[1]->record, &next[0]->record));
        const uint8_t *data;
        record_context c = next[i]->record.context;
        size_t length = walk_bytes(next[i], &data);
        write_record r = {&c, data, length, next[i]->record.seconds, next[i]->record.nanoseconds};
        c.trace = 1 + (uint64_t)i;
        assert_true(xray_fdr_write.record(state, &out.base, &r, NULL));
        next[i] = trace_next(o[i].trace);
    }
    assert_true(xray_fdr_write.finish(state, &out.base));
    xray_fdr_write.end(state);
    log_close(&o[0]);
    log_close(&o[1]);
    return out.bytes;
}

/* If a log is taken apart record by record and joined again, its calls are the same in the same order. */
static void apart_and_together(void **state)
{
    (void)state;
    for (uint16_t version = 1; version <= 5; version++) {
        builder log = whole_log(version, false);
        builder files[2] = {{save(&log, other_thirds, NULL), false}, {save(&log, thirds, NULL), false}};
        builder again = {merge_two(files), false};
        GArray *want = read_log(&log, calls), *got = read_log(&again, calls);
        assert_int_equal(got->len, want->len);
        assert_memory_equal(got->data, want->data, want->len * sizeof(meaning));
        g_array_free(want, TRUE);
        g_array_free(got, TRUE);
        log_free(&files[0]);
        log_free(&files[1]);
        log_free(&again);
        log_free(&log);
    }
}

/* Version 1: a second buffer without a CPU record continues from the first, even if that is incomplete. */
static bool not_the_first_exit(const record_context *c, unsigned number)
{
    return c->kind != XRAY_END_OF_BUFFER && c->kind != KIND_PADDING && number != 5;
}

static bool calls_but_the_first_exit(const record_context *c, unsigned number)
{
    return xray_is_function(c->kind) && number != 5;
}

static void carried_counter(void **state)
{
    (void)state;
    builder b = log_begin(1, XRAY_TYPE_FDR, false, 96);
    put_new_buffer(&b, 5);
    put_wall(&b, 100, 0);
    put_cpu(&b, 3, 5000);
    put_function(&b, 0, 10, 1);
    put_function(&b, 1, 10, 100);
    put_end_of_buffer(&b);
    put_garbage(&b, 16);
    put_new_buffer(&b, 5);
    put_wall(&b, 100, 1);
    put_function(&b, 0, 11, 50);
    put_function(&b, 1, 11, 60);
    put_end_of_buffer(&b);
    put_garbage(&b, 32);
    check_part(&b, everything, true);
    GError *error = NULL;
    builder copy = {save(&b, not_the_first_exit, &error), false};
    assert_null(error);
    GArray *want = read_log(&b, calls_but_the_first_exit), *got = read_log(&copy, calls);
    assert_int_equal(want->len, 3);
    assert_int_equal(got->len, want->len);
    assert_memory_equal(got->data, want->data, want->len * sizeof(meaning));
    g_array_free(want, TRUE);
    g_array_free(got, TRUE);
    log_free(&copy);
    log_free(&b);
}

/* --- refused ----------------------------------------------------------------------------------------------------------- */

static bool arguments(const record_context *c, unsigned number)
{
    (void)number;
    return c->kind == XRAY_CALL_ARGUMENT;
}

static bool padding(const record_context *c, unsigned number)
{
    (void)number;
    return c->kind == KIND_PADDING;
}

static void check_refused(builder b, wanted want, const char *words)
{
    g_autoptr(GError) error = NULL;
    assert_null(save(&b, want, &error));
    assert_non_null(strstr(error->message, words));
    log_free(&b);
}

static void what_is_alone_means_nothing(void **state)
{
    (void)state;
    check_refused(whole_log(5, false), arguments, "belongs to the entry");
    check_refused(basic_log(3, false), arguments, "belongs to the entry");
    check_refused(whole_log(1, false), padding, "Padding belongs to");
}

/* Passes two records to a writer, after changing the second. */
static void check_second(void (*change)(write_record *r, record_context *c), const char *words)
{
    builder b = whole_log(5, false);
    opened o = log_open(&b, b.bytes->len);
    memory_sink out = memory_sink_new(UINT32_MAX);
    void *state = xray_fdr_write.begin();
    for (int i = 0; i < 2; i++) {
        const uint8_t *data;
        g_autoptr(GError) error = NULL;
        walk *w = trace_next(o.trace);
        record_context c = w->record.context;
        size_t length = walk_bytes(w, &data);
        write_record r = {&c, data, length, w->record.seconds, w->record.nanoseconds};
        if (i == 1)
            change(&r, &c);
        assert_int_equal(xray_fdr_write.record(state, &out.base, &r, &error), i == 0);
        assert_true(i == 0 || strstr(error->message, words));
    }
    xray_fdr_write.end(state);
    g_byte_array_free(out.bytes, TRUE);
    log_close(&o);
    log_free(&b);
}

static void later(write_record *r, record_context *c)
{
    (void)c;
    r->nanoseconds++;
}

static void of_version_4(write_record *r, record_context *c)
{
    (void)r;
    xray_context_of(c)->version = 4;
}

static void of_other_order(write_record *r, record_context *c)
{
    (void)r;
    c->flags ^= CONTEXT_BIG_ENDIAN;
}

static void of_other_clock(write_record *r, record_context *c)
{
    (void)r;
    xray_context_of(c)->base_tsc++;
}

static void of_basic_mode(write_record *r, record_context *c)
{
    (void)r;
    xray_context_of(c)->type = XRAY_TYPE_BASIC;
}

static void of_impossible_clock(write_record *r, record_context *c)
{
    (void)r;
    xray_context_of(c)->base_seconds = INT64_MAX;
}

static void logs_that_do_not_mix(void **state)
{
    (void)state;
    check_second(later, "has been changed");
    check_second(of_version_4, "versions 5 and 4");
    check_second(of_other_order, "byte orders");
    check_second(of_other_clock, "different headers or clocks");
    check_second(of_basic_mode, "-F xray-basic");
    check_second(of_impossible_clock, "clock of the log is invalid");
}

/* Arguments belong to the entry before them. */
static bool arguments_alone(const record_context *c, unsigned number)
{
    (void)number;
    return c->kind == XRAY_CALL_ARGUMENT;
}

static void basic_refusals(void **state)
{
    (void)state;
    g_autoptr(GError) error = NULL;
    builder b = basic_log(3, false);
    assert_null(save(&b, arguments_alone, &error));
    assert_non_null(strstr(error->message, "belongs to the entry before it"));
    for (guint length = b.bytes->len - 1; length > b.bytes->len - XRAY_BASIC_LENGTH;
         length--) { /* a cut record stays at the end */
        builder cut = {g_byte_array_new(), false};
        g_byte_array_append(cut.bytes, b.bytes->data, length);
        check_part(&cut, everything, true);
        log_free(&cut);
    }
    log_free(&b);
}

/* A cut record can only be the last; logs of two modes cannot be joined. */
static void basic_parts(void **state)
{
    (void)state;
    g_autoptr(GError) error = NULL;
    builder b = basic_log(3, false), cut = basic_log(3, false), other = whole_log(5, false);
    g_byte_array_set_size(cut.bytes, cut.bytes->len - 5);
    memory_sink out = memory_sink_new(UINT32_MAX);
    void *w = xray_basic_write.begin();
    assert_true(hand_over(w, &out.base, &b, 1, NULL));
    assert_true(hand_over(w, &out.base, &cut, 2, NULL));
    assert_false(hand_over(w, &out.base, &cut, 3, &error));
    assert_non_null(strstr(error->message, "can be cut"));
    g_clear_error(&error);
    opened o = log_open(&other, other.bytes->len);
    walk *first = trace_next(o.trace);
    const uint8_t *data;
    size_t length = walk_bytes(first, &data);
    write_record r = {&first->record.context, data, length, first->record.seconds, first->record.nanoseconds};
    assert_false(xray_basic_write.record(w, &out.base, &r, &error));
    assert_non_null(error);
    log_close(&o);
    assert_true(xray_basic_write.finish(w, &out.base));
    assert_int_equal((out.bytes->len - XRAY_HEADER_LENGTH) % XRAY_BASIC_LENGTH, XRAY_BASIC_LENGTH - 5);
    assert_memory_equal(out.bytes->data + out.bytes->len - (XRAY_BASIC_LENGTH - 5),
                        cut.bytes->data + cut.bytes->len - (XRAY_BASIC_LENGTH - 5), XRAY_BASIC_LENGTH - 5);
    xray_basic_write.end(w);
    g_byte_array_free(out.bytes, TRUE);
    log_free(&b);
    log_free(&cut);
    log_free(&other);
}

/* Logs of several files: records stand as they came. A sink that is full ends it at every place. */
static void basic_files(void **state)
{
    (void)state;
    builder b = basic_log(3, false);
    memory_sink out = memory_sink_new(UINT32_MAX);
    void *w = xray_basic_write.begin();
    assert_true(xray_basic_write.finish(w, &out.base)); /* nothing */
    assert_int_equal(out.bytes->len, 0);
    assert_true(hand_over(w, &out.base, &b, 1, NULL));
    assert_true(hand_over(w, &out.base, &b, 2, NULL));
    assert_true(xray_basic_write.finish(w, &out.base));
    xray_basic_write.end(w);
    assert_int_equal(out.bytes->len, 2 * b.bytes->len - XRAY_HEADER_LENGTH);
    builder both = {out.bytes, false};
    GArray *one = read_log(&b, calls), *two = read_log(&both, calls);
    assert_int_equal(two->len, 2 * one->len);
    g_array_free(one, TRUE);
    g_array_free(two, TRUE);
    log_free(&both);
    for (guint room = 0; room < b.bytes->len; room += 16) {
        memory_sink little = memory_sink_new(room);
        w = xray_basic_write.begin();
        assert_true(hand_over(w, &little.base, &b, 1, NULL));
        assert_false(xray_basic_write.finish(w, &little.base));
        xray_basic_write.end(w);
        g_byte_array_free(little.bytes, TRUE);
    }
    log_free(&b);
}

/* Wall-clock markers: how many, and how far the worst of them is from CLOCK_MONOTONIC, microseconds. */
static unsigned markers(const builder *b, uint64_t boot, uint64_t ticks_per_us, int64_t *error)
{
    opened o = log_open(b, b->bytes->len);
    unsigned count = 0;
    uint64_t marker = 0;
    *error = 0;
    for (walk *w; (w = trace_next(o.trace));) {
        const uint8_t *data;
        const record_context *c = &w->record.context;
        const size_t length = walk_bytes(w, &data);
        const cursor bytes = {data, length, b->big};
        if (c->kind == XRAY_WALL_CLOCK)
            marker = xray_value(&bytes, XRAY_LAYOUT_WALL_CLOCK, XRAY_FIELD_WALL_SECONDS) * 1000000 +
                     xray_value(&bytes, XRAY_LAYOUT_WALL_CLOCK, XRAY_FIELD_WALL_MICROSECONDS);
        if (c->kind != XRAY_NEW_CPU || !marker)
            continue;
        const int64_t e = (int64_t)(marker - (xray_context_of(c)->tsc - boot) / ticks_per_us);
        *error = MAX(*error, e < 0 ? -e : e);
        marker = 0;
        count++;
    }
    log_close(&o);
    return count;
}

/* Markers that are made for a part are of CLOCK_MONOTONIC, as those of the log, even if its counter has a date: without a
 * time-stamp counter it is CLOCK_REALTIME, on s390x the time of day. */
static void markers_of_dated_counters(void **state)
{
    (void)state;
    static const struct {
        uint64_t tsc, ticks_per_us;
        bool big;
    } clocks[] = {{UINT64_C(1767225600000000000), 1000, false},
                  {UINT64_C(16286570182400000000), 4096, true},
                  {UINT64_C(7000000000000), 1000, false}};
    static const wanted some[] = {calls, no_preambles, one_thread, no_header, everything};
    for (size_t i = 0; i < G_N_ELEMENTS(clocks); i++)
        for (uint16_t version = 1; version <= 5; version++) {
            const uint64_t boot = clocks[i].tsc - 6000000 * clocks[i].ticks_per_us; /* 6 s before */
            builder b = log_begin(version, XRAY_TYPE_FDR, clocks[i].big, 96);
            for (unsigned k = 0; k < 2; k++) {
                const uint64_t tsc = clocks[i].tsc + k * 2000000 * clocks[i].ticks_per_us;
                if (version >= 2)
                    put_extents(&b, (version >= 3 ? 64 : 48) + 16);
                put_new_buffer(&b, 5 + k);
                put_wall(&b, 6 + 2 * k, 0);
                if (version >= 3)
                    put_process(&b, 77);
                put_cpu(&b, 1, tsc);
                put_function(&b, 0, 10, 5000);
                put_function(&b, 1, 10, 7000);
                if (version == 1) {
                    put_end_of_buffer(&b);
                    put_garbage(&b, 16);
                }
            }
            for (size_t k = 0; k < G_N_ELEMENTS(some); k++) {
                int64_t error;
                check_part(&b, some[k], some[k] == everything);
                builder copy = {save(&b, some[k], NULL), clocks[i].big}, again;
                assert_true(markers(&copy, boot, clocks[i].ticks_per_us, &error) >= (some[k] == one_thread ? 1 : 2));
                assert_true(error <= 1);
                again = (builder){save(&copy, calls, NULL), clocks[i].big}; /* a part of the part */
                assert_true(markers(&again, boot, clocks[i].ticks_per_us, &error) >= (some[k] == one_thread ? 1 : 2));
                assert_true(error <= 2);
                log_free(&again);
                log_free(&copy);
            }
            log_free(&b);
        }
}

/* The header of a part is made anew, with what the one of the log said about its counter. */
static void kind_of_counter(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++)
        for (uint8_t flags = 0; flags < 4; flags++) {
            builder b = log_begin(5, XRAY_TYPE_FDR, big, 256);
            b.bytes->data[4] = (uint8_t)(big ? (flags & 1) << 7 | (flags & 2) << 5 : flags);
            put_extents(&b, PREAMBLE + 16);
            put_preamble(&b, 5, 77, 1, 20000);
            put_function(&b, 0, 10, 5);
            put_function(&b, 1, 10, 7);
            GByteArray *part = save(&b, calls, NULL);
            assert_non_null(part);
            assert_int_equal(part->data[4], b.bytes->data[4]);
            g_byte_array_free(part, TRUE);
            log_free(&b);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kind_of_counter),      cmocka_unit_test(basic_refusals),
        cmocka_unit_test(basic_files),          cmocka_unit_test(basic_parts),
        cmocka_unit_test(every_version),        cmocka_unit_test(basic_versions),
        cmocka_unit_test(cut_anywhere),         cmocka_unit_test(beginning_of_a_log),
        cmocka_unit_test(carried_counter),      cmocka_unit_test(what_is_alone_means_nothing),
        cmocka_unit_test(logs_that_do_not_mix), cmocka_unit_test(cut_part_of_a_log),
        cmocka_unit_test(apart_and_together),   cmocka_unit_test(markers_of_dated_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
