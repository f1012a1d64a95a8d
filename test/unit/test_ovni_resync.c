/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Damaged ovni streams: damage affects only what it touches, and unusual events are not damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/trace.h"
#include "core/formats.h"
#include "ovni_stream.h"

#define EVENTS 60u
#define FIRST_CLOCK UINT64_C(687602032009)

typedef struct stream_made {
    GByteArray *bytes;
    guint begin[EVENTS + 1]; /* offset of each event, and of the end */
} stream_made;

/* Events of all sizes. `odd` has a bit for each event that the library would not write: with this code, or if it is NULL
 * with a clock that goes back by an hour. */
static stream_made make(bool big_endian, uint64_t odd, const char *code)
{
    stream_made m = {.bytes = g_byte_array_new()};
    put_header(m.bytes, 1, big_endian);
    for (unsigned i = 0; i < EVENTS; i++) {
        bool is_odd = odd >> i & 1;
        uint64_t clock = FIRST_CLOCK + 1000u * i - (is_odd && !code ? UINT64_C(3600000000000) : 0);
        m.begin[i] = m.bytes->len;
        if (i % 10 == 7)
            put_jumbo(m.bytes, 0x13, "VYc", clock, i, big_endian);
        else
            put_event(m.bytes, (uint8_t)(i * 7 % 16), is_odd && code ? code : "VTx", clock, big_endian);
    }
    m.begin[EVENTS] = m.bytes->len;
    return m;
}

/* All records; they must tile the bytes. */
static GArray *read_all(const GByteArray *b, bool *cut)
{
    source *s = source_memory_new(b->data, b->len);
    trace_input in = {.path = "stream.obs", .sequential = s, .random = s, .seekable = true};
    trace *t = trace_open(&ovni_format, &in, NULL);
    assert_non_null(t);
    GArray *all = g_array_new(FALSE, FALSE, sizeof(record_context));
    uint64_t at = 0;
    for (walk *w; (w = trace_next(t));) {
        assert_int_equal(w->record.context.offset, at);
        at += w->record.context.length;
        g_array_append_val(all, w->record.context);
    }
    assert_int_equal(at, b->len);
    for (guint i = 0; i < all->len; i++) {
        const record_context *c = &g_array_index(all, record_context, all->len - 1 - i);
        int err;
        walk *w = trace_read(t, trace_handle(c), &err);
        assert_non_null(w);
        assert_memory_equal(&w->record.context, c, sizeof *c);
    }
    *cut = t->cut;
    trace_close(t);
    source_close(s);
    return all;
}

static bool has_event(const GArray *all, uint64_t offset, uint64_t length)
{
    for (guint i = 0; i < all->len; i++) {
        const record_context *c = &g_array_index(all, record_context, i);
        if (c->offset == offset)
            return c->length == length && (c->kind == OVNI_EVENT || c->kind == OVNI_JUMBO);
    }
    return false;
}

/* How many of the events from `from` to `to` are not at their place, moved by `shift` bytes. */
static unsigned missing(const GArray *all, const stream_made *m, unsigned from, unsigned to, int64_t shift)
{
    unsigned n = 0;
    for (unsigned i = from; i < to; i++)
        n += !has_event(all, (uint64_t)((int64_t)m->begin[i] + shift), m->begin[i + 1] - m->begin[i]);
    return n;
}

/* Bytes removed or inserted anywhere: at most the next two events are lost with the damaged one, and no cut is reported.
 * In one case the damaged size of a jumbo event happens to lead to the beginning of an event, which is all right. */
static void test_bytes_gone_or_added(void **state)
{
    (void)state;
    unsigned far_off = 0;
    for (unsigned big_endian = 0; big_endian < 2; big_endian++)
        for (unsigned n = 1; n < 30; n += 3)
            for (unsigned at = 9; at < 400; at += 11)
                for (unsigned what = 0; what < 3; what++) {
                    stream_made m = make(big_endian, 0, NULL);
                    unsigned before = 0, after;
                    while (m.begin[before + 1] <= at)
                        before++;
                    for (after = before; m.begin[after] < at + (what == 0 ? n : 0); after++)
                        ;
                    if (what == 0) {
                        g_byte_array_remove_range(m.bytes, at, n);
                    } else {
                        GByteArray *tail = g_byte_array_new();
                        g_byte_array_append(tail, m.bytes->data + at, m.bytes->len - at);
                        g_byte_array_set_size(m.bytes, at + n);
                        memset(m.bytes->data + at, what == 1 ? 0 : 0xa5, n);
                        g_byte_array_append(m.bytes, tail->data, tail->len);
                        g_byte_array_free(tail, TRUE);
                    }
                    bool cut;
                    GArray *all = read_all(m.bytes, &cut);
                    assert_int_equal(missing(all, &m, 0, before, 0), 0);
                    far_off += missing(all, &m, after, EVENTS, what == 0 ? -(int64_t)n : (int64_t)n) > 2;
                    assert_false(cut);
                    g_array_free(all, TRUE);
                    g_byte_array_free(m.bytes, TRUE);
                }
    assert_int_equal(far_off, 1);
}

/* A wrong size of a jumbo event, within the file or beyond its end, does not swallow the rest. */
static void test_wrong_jumbo_size(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {100, 500, 5000, 0x7fffffff, 0xffffffff};
    for (unsigned i = 0; i < G_N_ELEMENTS(sizes); i++) {
        stream_made m = make(false, 0, NULL);
        uint32_t size = GUINT32_TO_LE(sizes[i]);
        memcpy(m.bytes->data + m.begin[7] + OVNI_EVENT_SIZE, &size, sizeof size);
        bool cut;
        GArray *all = read_all(m.bytes, &cut);
        assert_int_equal(missing(all, &m, 0, 7, 0) + missing(all, &m, 8, EVENTS, 0), 0);
        assert_false(cut);
        g_array_free(all, TRUE);
        g_byte_array_free(m.bytes, TRUE);
    }
}

/* Long jumbo events whose data are events, between ordinary ones and at the end: each is one event, however it is read. */
static void test_long_jumbo(void **state)
{
    (void)state;
    GByteArray *data = g_byte_array_new(), *b = g_byte_array_new();
    for (unsigned i = 0; i < 9000; i++)
        put_event(data, 0, "VTx", FIRST_CLOCK + i, false);
    put_header(b, 1, false);
    for (unsigned i = 0; i < 40; i++) {
        put_event(b, 0, "VTx", FIRST_CLOCK + 1000u * i, false);
        put_jumbo(b, OVNI_FLAG_JUMBO, "VYc", FIRST_CLOCK + 1000u * i, data->len, false);
        memcpy(b->data + b->len - data->len, data->data, data->len);
    }
    for (unsigned i = 0; i < 2; i++) {
        bool cut;
        GArray *all = read_all(b, &cut);
        assert_int_equal(all->len, 1 + 2 * 40 + i);
        assert_false(cut);
        g_array_free(all, TRUE);
        put_event(b, 0, "VTx", FIRST_CLOCK + 100000, false);
    }
    g_byte_array_free(b, TRUE);
    g_byte_array_free(data, TRUE);
}

#define AFTER_PAUSES 20u

/* After a pause of hours, or with nothing but pauses, long jumbo events are accepted up to their limit. */
static void test_long_jumbo_after_pause(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {60000, 65500, 65536, 120000, 131000, 131044, 131072, 400000, (2u << 20) - 17};
    for (unsigned round = 0; round < 2 * G_N_ELEMENTS(sizes); round++) {
        const uint64_t pause = UINT64_C(7200000000000);
        uint64_t clock = FIRST_CLOCK;
        stream_made m = {.bytes = g_byte_array_new()};
        put_header(m.bytes, 1, false);
        for (unsigned i = 0; i <= AFTER_PAUSES; i++) {
            bool jumbo = i % 10 == 7;
            m.begin[i] = m.bytes->len;
            clock += round % 2 || i % 10 == 6 ? pause : 1000;
            if (i < AFTER_PAUSES && jumbo)
                put_jumbo(m.bytes, 0x13, "VYc", clock, sizes[round / 2], false);
            else if (i < AFTER_PAUSES)
                put_event(m.bytes, 0, "VS[", clock, false);
        }
        bool cut;
        GArray *all = read_all(m.bytes, &cut);
        assert_int_equal(all->len, 1 + AFTER_PAUSES);
        assert_int_equal(missing(all, &m, 0, AFTER_PAUSES, 0), 0);
        assert_false(cut);
        g_array_free(all, TRUE);
        g_byte_array_free(m.bytes, TRUE);
    }
}

/* Unprintable codes and clocks that jump do not displace other events. */
static void test_odd_events_are_events(void **state)
{
    (void)state;
    static const char *const codes[] = {NULL, "\x01\x02\x03", "\xff\xfe ", "   "};
    GRand *r = g_rand_new_with_seed(1);
    for (unsigned round = 0; round < 400; round++) {
        uint64_t odd = (uint64_t)g_rand_int(r) << 32 | g_rand_int(r);
        stream_made m = make(round & 1, round < 8 ? UINT64_MAX : odd, codes[round / 2 % 4]);
        bool cut;
        GArray *all = read_all(m.bytes, &cut);
        assert_int_equal(all->len, 1 + EVENTS);
        assert_int_equal(missing(all, &m, 0, EVENTS, 0), 0);
        assert_false(cut);
        g_array_free(all, TRUE);
        g_byte_array_free(m.bytes, TRUE);
    }
    g_rand_free(r);
}

/* Reserved flags that look like codes, so that events seem to begin a byte earlier, do not displace others either. */
static void test_reserved_flags(void **state)
{
    (void)state;
    static const uint8_t flags[] = {0, 0x20, 0x40, 0x80};
    GRand *r = g_rand_new_with_seed(1);
    for (unsigned round = 0; round < 50; round++) {
        stream_made m = {.bytes = g_byte_array_new()};
        put_header(m.bytes, 1, false);
        for (unsigned i = 0; i <= EVENTS; i++) {
            m.begin[i] = m.bytes->len;
            if (i < EVENTS)
                put_event(m.bytes, flags[g_rand_int_range(r, 0, 4)], "VS[", FIRST_CLOCK + i * 1000u, false);
        }
        bool cut;
        GArray *all = read_all(m.bytes, &cut);
        assert_int_equal(missing(all, &m, 0, EVENTS, 0), 0);
        g_array_free(all, TRUE);
        g_byte_array_free(m.bytes, TRUE);
    }
    g_rand_free(r);
}

/* A crashed machine leaves zeros: these are unknown bytes, not events without a code. */
static void test_zeros(void **state)
{
    (void)state;
    for (unsigned zeros = 40; zeros < 300000; zeros = zeros * 3 + 1)
        for (unsigned end = 0; end < 2; end++) {
            stream_made m = make(false, 0, NULL);
            GByteArray *tail = g_byte_array_new();
            unsigned from = end ? EVENTS : 20;
            g_byte_array_append(tail, m.bytes->data + m.begin[from], m.bytes->len - m.begin[from]);
            g_byte_array_set_size(m.bytes, m.begin[from] + zeros);
            memset(m.bytes->data + m.begin[from], 0, zeros);
            g_byte_array_append(m.bytes, tail->data, tail->len);
            bool cut;
            GArray *all = read_all(m.bytes, &cut);
            guint pieces = (zeros + RECORD_UNKNOWN_MAX - 1) / RECORD_UNKNOWN_MAX;
            assert_int_equal(all->len, 1 + EVENTS + pieces);
            for (guint i = 0; i < pieces; i++) {
                assert_int_equal(g_array_index(all, record_context, 1 + from + i).kind, KIND_UNKNOWN);
                assert_int_equal(g_array_index(all, record_context, 1 + from + i).fault, FAULT_SKIPPED);
            }
            assert_int_equal(missing(all, &m, from, EVENTS, zeros), 0);
            assert_false(cut);
            g_array_free(all, TRUE);
            g_byte_array_free(tail, TRUE);
            g_byte_array_free(m.bytes, TRUE);
        }
}

/* Unknown bytes that look like two long events are shown in pieces like any others. */
static void test_long_unlikely_events(void **state)
{
    (void)state;
    stream_made m = make(false, 0, NULL);
    put_jumbo(m.bytes, OVNI_FLAG_JUMBO, "\x01\x02\x03", 5, 40000, false);
    put_jumbo(m.bytes, OVNI_FLAG_JUMBO, "\x01\x02\x03", 5, 40000, false);
    guint end = m.bytes->len;
    for (unsigned i = 0; i < EVENTS; i++)
        put_event(m.bytes, 0, "VTx", FIRST_CLOCK + 1000u * (EVENTS + i), false);
    bool cut;
    GArray *all = read_all(m.bytes, &cut);
    assert_int_equal(missing(all, &m, 0, EVENTS, 0), 0);
    for (guint i = 0; i < EVENTS; i++)
        assert_true(has_event(all, end + i * OVNI_EVENT_SIZE, OVNI_EVENT_SIZE));
    for (guint i = 0; i < all->len; i++) {
        const record_context *c = &g_array_index(all, record_context, i);
        assert_true(c->kind != KIND_UNKNOWN || c->length <= RECORD_UNKNOWN_MAX);
    }
    assert_int_equal(all->len, 1 + EVENTS + 2 + EVENTS);
    g_array_free(all, TRUE);
    g_byte_array_free(m.bytes, TRUE);
}

/* The clock of a jumbo event may look like flags and code of another one that ends where the file is cut. */
static void test_cut_by_chance(void **state)
{
    (void)state;
    GByteArray *b = g_byte_array_new();
    put_header(b, 1, false);
    put_event(b, 0x0f, "OHx", UINT64_C(0xa0487e6700), false);
    const guint begin = b->len, hidden = begin + 4;
    put_jumbo(b, 0x13, "6Yc", UINT64_C(0xa0487e6706), 14, false);
    g_byte_array_set_size(b, hidden + OVNI_EVENT_SIZE + 7);
    bool cut;
    GArray *all = read_all(b, &cut);
    assert_true(cut);
    assert_int_equal(all->len, 3);
    assert_true(has_event(all, 8, begin - 8));
    g_array_free(all, TRUE);
    g_byte_array_free(b, TRUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_gone_or_added),
        cmocka_unit_test(test_wrong_jumbo_size),
        cmocka_unit_test(test_long_jumbo),
        cmocka_unit_test(test_long_jumbo_after_pause),
        cmocka_unit_test(test_odd_events_are_events),
        cmocka_unit_test(test_reserved_flags),
        cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_long_unlikely_events),
        cmocka_unit_test(test_cut_by_chance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
