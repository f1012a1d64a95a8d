/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last record of an ovni stream is the same, whether only its end is read or all of it; and of a valid stream only its
 * end is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/formats.h"
#include "core/trace.h"
#include "ovni_stream.h"

typedef struct counted_source {
    source base;
    const uint8_t *data;
    uint64_t bytes_read;
} counted_source;

static int64_t counted_read(source *s, uint64_t offset, void *buffer, size_t length, int *err)
{
    counted_source *c = (counted_source *)s;
    (void)err;
    const size_t n = offset < s->size ? (size_t)MIN(length, s->size - offset) : 0;
    memcpy(buffer, c->data + MIN(offset, s->size), n);
    c->bytes_read += n;
    return (int64_t)n;
}

static void counted_close(source *s)
{
    (void)s;
}

/* The last record of a stream as walk_last() finds it, and as reading all of it does. Returns how many bytes the first has
 * read. */
static uint64_t check_last(const uint8_t *bytes, size_t length, const char *path)
{
    static const source_ops ops = {counted_read, counted_close};
    counted_source s = {.base = {.ops = &ops, .size = length, .block = 16384}, .data = bytes};
    trace_input in = {.path = path, .sequential = &s.base, .random = &s.base, .seekable = true};
    trace *t = trace_open(&ovni_format, &in, NULL);
    walk last;
    record all = {.seconds = 0};
    bool any = false;
    walk_init(&last, t, trace_stream(t, 0), false);
    const bool found = walk_last(&last);
    const uint64_t read = s.bytes_read;
    t->format->time(&last);
    for (walk *w; (w = trace_next(t)) != NULL; any = true)
        all = w->record;
    assert_int_equal(found, any);
    if (found) {
        assert_int_equal(last.record.context.offset, all.context.offset);
        assert_int_equal(last.record.context.length, all.context.length);
        assert_int_equal(last.record.context.kind, all.context.kind);
        assert_int_equal(last.record.seconds, all.seconds);
        assert_int_equal(last.record.nanoseconds, all.nanoseconds);
    }
    walk_clear(&last);
    trace_close(t);
    return read;
}

#define CLOCK UINT64_C(1000000000000000)

/* 100 kB of events of all sizes, with a jumbo one now and then; the clock may go back in a sort region. */
static GByteArray *long_stream(bool header, bool big, unsigned events)
{
    static const char *const codes[] = {"OHx", "OB.", "VTx", "VTe", "MS[", "MS]", "KO[", "OU[", "KO]", "OU]"};
    GByteArray *b = g_byte_array_new();
    uint64_t clock = CLOCK;
    if (header)
        put_header(b, 1, big);
    for (unsigned i = 0; i < events; i++) {
        const char *code = codes[i % G_N_ELEMENTS(codes)];
        clock += 1 + i * 7919 % 100000;
        const uint64_t own = code[0] == 'K' ? clock - 30000 : clock;
        if (i % 97 == 0)
            put_jumbo(b, 0x13, "VYc", own, 4 + i % 300, big);
        else
            put_event(b, (uint8_t)(i * 31 % 16), code, own, big);
    }
    return b;
}

static void of_valid_streams(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++)
        for (unsigned events = 5000; events < 5040; events++) {
            GByteArray *b = long_stream(kind & 1, kind & 2, events);
            assert_true(b->len > 3 * 16384);
            const uint64_t read = check_last(b->data, b->len, "loom.a/proc.1/thread.1/thread.1");
            assert_true(read <= 3 * 16384);
            g_byte_array_free(b, TRUE);
        }
}

static void of_cut_streams(void **state)
{
    (void)state;
    GByteArray *b = long_stream(true, false, 5000);
    for (unsigned cut = 0; cut < 400; cut++)
        check_last(b->data, b->len - cut, "stream.obs");
    for (size_t length = 0; length < 200; length++)
        check_last(b->data, length, "stream.obs");
    g_byte_array_free(b, TRUE);
}

/* Whatever byte near the end is wrong. */
static void of_damaged_streams(void **state)
{
    (void)state;
    static const uint8_t wrong[] = {0, 0xff, 0x13};
    GByteArray *b = long_stream(true, false, 5000);
    for (unsigned back = 1; back < 17000; back += back < 300 ? 1 : 61)
        for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
            uint8_t *byte = &b->data[b->len - back], was = *byte;
            *byte = wrong[i];
            check_last(b->data, b->len, "stream.obs");
            *byte = was;
        }
    g_byte_array_free(b, TRUE);
}

/* A stream whose last event is a jumbo one with this payload. */
static void check_payload(const GByteArray *payload)
{
    GByteArray *b = long_stream(true, false, 5000);
    put_event(b, OVNI_FLAG_JUMBO | 3, "VYc", CLOCK + 5000 * UINT64_C(50000), false);
    put_number(b, payload->len, 4, false);
    g_byte_array_append(b, payload->data, payload->len);
    check_last(b->data, b->len, "stream.obs");
    g_byte_array_free(b, TRUE);
}

/* What is within a large event is not its last one: some events, one that leads to the end, and many whose clocks jump. */
static void of_events_within_events(void **state)
{
    (void)state;
    GByteArray *payload = g_byte_array_new(), *within = long_stream(false, false, 3000);
    put_repeated(payload, 0x80, 98000);
    g_byte_array_append(payload, within->data, 2000);
    check_payload(payload);
    g_byte_array_set_size(payload, 0);
    put_repeated(payload, 0x80, 100000);
    const guint at = 100000 - 16384 + 100, rest = 100000 - at - OVNI_JUMBO_SIZE;
    g_byte_array_set_size(within, 0);
    put_event(within, OVNI_FLAG_JUMBO | 3, "VYc", CLOCK, false);
    put_number(within, rest, 4, false);
    memcpy(payload->data + at, within->data, within->len);
    check_payload(payload);
    g_byte_array_set_size(payload, 0);
    for (unsigned i = 0; i < 5000; i++)
        put_event(payload, 0, "OB.", CLOCK << i % 2, false);
    check_payload(payload);
    g_byte_array_free(payload, TRUE);
    g_byte_array_free(within, TRUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_valid_streams),
        cmocka_unit_test(of_cut_streams),
        cmocka_unit_test(of_damaged_streams),
        cmocka_unit_test(of_events_within_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
