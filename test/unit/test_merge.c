/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Merging streams by phase and order: ties, stability, streams that end early or fail. */
#include "fake_format.h"

#define STREAMS_MAX 40

typedef struct merging {
    trace *trace;
    merge merge;
} merging;

static merging *begin(fake_stream *streams, unsigned count)
{
    merging *m = g_new0(merging, 1);
    m->trace = fake_trace(streams, count, true);
    merge_init(&m->merge, m->trace, m->trace->streams);
    return m;
}

static void end(merging *m)
{
    merge_clear(&m->merge);
    trace_close(m->trace);
    g_free(m);
}

/* Checks that records come in this order of stream and key. */
static void expect(merging *m, const uint8_t (*want)[2], unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const walk *w = merge_next(&m->merge);
        assert_non_null(w);
        assert_int_equal(w->record.context.stream, want[i][0]);
        assert_int_equal(w->record.order, want[i][1]);
    }
    assert_null(merge_next(&m->merge));
    assert_null(merge_next(&m->merge));
}

#define STREAM(bytes_) \
    { \
        .source = fake_source_of(bytes_, sizeof(bytes_), 4) \
    }

static void test_order(void **state)
{
    (void)state;
    static const uint8_t a[] = {2, 1, 2, 4, 2, 9}, b[] = {2, 2, 2, 3}, c[] = {2, 0, 2, 5, 2, 6, 2, 10};
    static const uint8_t want[][2] = {{2, 0}, {0, 1}, {1, 2}, {1, 3}, {0, 4}, {2, 5}, {2, 6}, {0, 9}, {2, 10}};
    fake_stream streams[] = {STREAM(a), STREAM(b), STREAM(c)};
    merging *m = begin(streams, 3);
    expect(m, want, G_N_ELEMENTS(want));
    end(m);
}

/* Equal keys: by tie, then by offset in the file that streams with the same tie share. */
static void test_ties(void **state)
{
    (void)state;
    static const uint8_t shared[] = {2, 5, 2, 5, 2, 5, 2, 5}, other[] = {2, 5};
    static const stream_range odd[] = {{.begin = 2, .end = 4}, {.begin = 6, .end = 8}};
    static const stream_range even[] = {{.begin = 0, .end = 2}, {.begin = 4, .end = 6}};
    static const uint8_t want[][2] = {{2, 0}, {1, 0}, {0, 2}, {1, 4}, {0, 6}}; /* stream, offset */
    fake_stream streams[] = {STREAM(shared), STREAM(shared), STREAM(other)};
    streams[0].ranges = odd;
    streams[1].ranges = even;
    streams[0].range_count = streams[1].range_count = 2;
    streams[0].tie = streams[1].tie = 7;
    streams[2].tie = 3;
    merging *m = begin(streams, 3);
    for (unsigned i = 0; i < G_N_ELEMENTS(want); i++) {
        const walk *w = merge_next(&m->merge);
        assert_int_equal(w->record.context.stream, want[i][0]);
        assert_int_equal(w->record.context.offset, want[i][1]);
    }
    assert_null(merge_next(&m->merge));
    end(m);
}

/* From a phase on, equal orders come as a binary heap has them, which was filled in the order of streams: what has just been
 * taken goes behind, and what was last is first. */
static void test_heap(void **state)
{
    (void)state;
    static const uint8_t a[] = {2, 9, 3, 5, 1, 3, 5, 1}, b[] = {2, 0, 3, 5, 1, 3, 7, 1}, c[] = {2, 4, 3, 5, 1, 3, 7, 1},
                         none[] = {2, 1};
    static const uint8_t want[][2] = {{1, 0}, {3, 1}, {2, 4}, {0, 9}, {0, 5}, {2, 5}, {0, 5}, {1, 5}, {2, 7}, {1, 7}};
    static const uint8_t by_tie[][2] = {{1, 0}, {3, 1}, {2, 4}, {0, 9}, {0, 5}, {0, 5}, {1, 5}, {2, 5}, {1, 7}, {2, 7}};
    for (int heap = 0; heap < 2; heap++) {
        fake_stream streams[] = {STREAM(a), STREAM(b), STREAM(c), STREAM(none)};
        format with_heap = fake_format;
        merging *m = g_new0(merging, 1);
        with_heap.heap_phase = (uint8_t)heap;
        for (uint32_t i = 0; i < G_N_ELEMENTS(streams); i++)
            streams[i].tie = i;
        m->trace = fake_trace(streams, G_N_ELEMENTS(streams), true);
        for (uint32_t i = 0; i < G_N_ELEMENTS(streams); i++)
            trace_stream(m->trace, i)->format = &with_heap;
        merge_init(&m->merge, m->trace, m->trace->streams);
        expect(m, heap ? want : by_tie, G_N_ELEMENTS(want));
        end(m);
    }
}

static void test_phase_comes_first(void **state)
{
    (void)state;
    static const uint8_t a[] = {3, 50, 0, 3, 60, 1, 3, 1, 2}, b[] = {3, 90, 0, 3, 2, 1, 3, 0, 2};
    static const uint8_t want[][2] = {{0, 50}, {1, 90}, {1, 2}, {0, 60}, {1, 0}, {0, 1}};
    fake_stream streams[] = {STREAM(a), STREAM(b)};
    merging *m = begin(streams, 2);
    expect(m, want, G_N_ELEMENTS(want));
    end(m);
}

/* A clock that goes back does not change the order in its stream. */
static void test_streams_keep_their_order(void **state)
{
    (void)state;
    static const uint8_t a[] = {2, 9, 2, 1, 2, 8}, b[] = {2, 5, 2, 10};
    static const uint8_t want[][2] = {{1, 5}, {0, 9}, {0, 1}, {0, 8}, {1, 10}};
    fake_stream streams[] = {STREAM(a), STREAM(b)};
    merging *m = begin(streams, 2);
    expect(m, want, G_N_ELEMENTS(want));
    end(m);
}

static void test_one_stream_and_none(void **state)
{
    (void)state;
    static const uint8_t a[] = {2, 9, 2, 1};
    static const uint8_t want[][2] = {{0, 9}, {0, 1}};
    fake_stream streams[] = {STREAM(a)};
    merging *m = begin(streams, 1);
    expect(m, want, 2);
    end(m);
    m = begin(streams, 0);
    expect(m, want, 0);
    end(m);
}

static void test_empty_streams(void **state)
{
    (void)state;
    static const uint8_t a[] = {2, 9};
    static const uint8_t want[][2] = {{1, 9}};
    fake_stream streams[3] = {[1] = STREAM(a)};
    streams[0].source = streams[2].source = fake_source_of(NULL, 0, 1);
    merging *m = begin(streams, 3);
    expect(m, want, 1);
    end(m);
}

/* A stream that fails does not end the others; the first error is kept, even if it is at the first record. */
static void test_error_in_one_stream(void **state)
{
    (void)state;
    static const uint8_t a[] = {2, 1, 2, 4, 2, 9}, b[] = {2, 2, 2, 3, 2, 7, 2, 8}, c[] = {2, 0};
    static const uint8_t want[][2] = {{0, 1}, {1, 2}, {1, 3}, {0, 4}, {0, 9}};
    fake_stream streams[] = {STREAM(a), STREAM(b), STREAM(c)};
    streams[1].source.bad_from = 4;
    streams[2].source.bad_from = 0;
    merging *m = begin(streams, 3);
    assert_non_null(merge_next(&m->merge));
    assert_int_equal(m->merge.error, EIO);
    assert_ptr_equal(m->merge.failed, trace_stream(m->trace, 2));
    expect(m, want + 1, G_N_ELEMENTS(want) - 1);
    assert_ptr_equal(m->merge.failed, trace_stream(m->trace, 2));
    end(m);

    streams[2].source.bad_from = UINT64_MAX;
    m = begin(streams, 3);
    assert_int_equal(m->merge.error, 0);
    while (merge_next(&m->merge))
        ;
    assert_int_equal(m->merge.error, EIO);
    assert_ptr_equal(m->merge.failed, trace_stream(m->trace, 1));
    end(m);
}

/* A stream is not read before its first record is due, and its walk is freed at its end. */
static void test_streams_begin_in_time(void **state)
{
    (void)state;
    static const uint8_t a[] = {2, 1, 2, 4}, b[] = {2, 6, 2, 7}, c[] = {2, 4, 2, 8};
    static const uint8_t want[][2] = {{0, 1}, {0, 4}, {2, 4}, {1, 6}, {1, 7}, {2, 8}};
    static const unsigned begun[] = {1, 1, 1, 2, 2, 1}; /* streams with a walk */
    fake_stream streams[] = {STREAM(a), STREAM(b), STREAM(c)};
    streams[1].tie = 1;
    streams[2].tie = 2;
    merging *m = g_new0(merging, 1);
    m->trace = fake_trace(streams, 3, true);
    trace_stream(m->trace, 1)->first_order = 5; /* lower than its first record, as estimates may be */
    trace_stream(m->trace, 2)->first_order = 4;
    merge_init(&m->merge, m->trace, m->trace->streams);
    for (unsigned i = 0; i < G_N_ELEMENTS(want); i++) {
        unsigned walks = 0;
        const walk *w = merge_next(&m->merge);
        assert_int_equal(w->record.context.stream, want[i][0]);
        assert_int_equal(w->record.order, want[i][1]);
        for (unsigned n = 0; n < G_N_ELEMENTS(streams); n++)
            walks += m->merge.walks[n] != NULL;
        assert_int_equal(walks, begun[i]);
    }
    assert_null(merge_next(&m->merge));
    end(m);
}

/* A stream begins before records with the same key are delivered: among parts of one file, the first comes first. */
static void test_begins_before_its_key(void **state)
{
    (void)state;
    static const uint8_t a[] = {2, 1, 2, 4}, b[] = {2, 4, 2, 5};
    static const uint8_t want[][2] = {{0, 1}, {1, 4}, {0, 4}, {1, 5}};
    fake_stream streams[] = {STREAM(a), STREAM(b)};
    merging *m = g_new0(merging, 1);
    m->trace = fake_trace(streams, 2, true);
    trace_stream(m->trace, 1)->first_order = 4;
    merge_init(&m->merge, m->trace, m->trace->streams);
    expect(m, want, G_N_ELEMENTS(want));
    end(m);
}

/* Many streams, compared with sorting by key, tie and offset. */
typedef struct expected {
    uint8_t key;
    uint32_t stream;
    uint64_t offset;
} expected;

static int compare_expected(const void *a, const void *b)
{
    const expected *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->stream != y->stream)
        return x->stream < y->stream ? -1 : 1;
    return x->offset < y->offset ? -1 : 1;
}

static void test_many_streams(void **state)
{
    (void)state;
    GRand *r = g_rand_new_with_seed(6);
    for (unsigned count = 1; count <= STREAMS_MAX; count++) {
        fake_stream streams[STREAMS_MAX] = {0};
        uint8_t *bytes[STREAMS_MAX];
        GArray *all = g_array_new(FALSE, FALSE, sizeof(expected));
        for (unsigned s = 0; s < count; s++) {
            unsigned records = (unsigned)g_rand_int_range(r, 0, 60), key = 0;
            bytes[s] = g_malloc(2 * records + 1);
            for (unsigned i = 0; i < records; i++) {
                key += (unsigned)g_rand_int_range(r, 0, 4);
                bytes[s][2 * i] = 2;
                bytes[s][2 * i + 1] = (uint8_t)key;
                expected e = {(uint8_t)key, s, 2 * i};
                g_array_append_val(all, e);
            }
            streams[s] = (fake_stream){.source = fake_source_of(bytes[s], 2 * records, 16), .tie = s};
        }
        g_array_sort(all, compare_expected);
        merging *m = begin(streams, count);
        for (unsigned i = 0; i < all->len; i++) {
            const expected *e = &g_array_index(all, expected, i);
            const walk *w = merge_next(&m->merge);
            assert_non_null(w);
            assert_int_equal(w->record.context.stream, e->stream);
            assert_int_equal(w->record.context.offset, e->offset);
        }
        assert_null(merge_next(&m->merge));
        end(m);
        for (unsigned s = 0; s < count; s++)
            g_free(bytes[s]);
        g_array_free(all, TRUE);
    }
    g_rand_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_heap),
        cmocka_unit_test(test_phase_comes_first),
        cmocka_unit_test(test_streams_keep_their_order),
        cmocka_unit_test(test_one_stream_and_none),
        cmocka_unit_test(test_empty_streams),
        cmocka_unit_test(test_error_in_one_stream),
        cmocka_unit_test(test_streams_begin_in_time),
        cmocka_unit_test(test_begins_before_its_key),
        cmocka_unit_test(test_many_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
