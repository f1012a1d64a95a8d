/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An open trace: all records once in order of time, and any of them again by its handle. */
#include "fake_format.h"

#include "failed.h"

static const uint8_t first[] = {2, 1, 2, 4, 3, 9, 0}, second[] = {2, 2, 2, 3, 9, 5};

static trace *two_streams(fake_stream *streams, bool random)
{
    streams[0] = (fake_stream){.source = fake_source_of(first, sizeof first, 4), .tie = 0};
    streams[1] = (fake_stream){.source = fake_source_of(second, sizeof second, 4), .tie = 1};
    return fake_trace(streams, 2, random);
}

static void test_all_records_in_order(void **state)
{
    (void)state;
    static const uint8_t keys[] = {1, 2, 3, 4, 5, 9};
    fake_stream streams[2];
    trace *t = two_streams(streams, true);
    for (unsigned i = 0; i < sizeof keys; i++) {
        assert_int_equal(t->cut, i > 4);
        const walk *w = trace_next(t);
        assert_non_null(w);
        assert_int_equal(w->record.order, keys[i]);
        assert_int_equal(w->record.seconds, keys[i]);
        assert_true(w->record.context.flags & CONTEXT_RANDOM_ACCESS);
        assert_int_equal(trace_interface(&w->record.context), w->record.context.stream);
        assert_int_equal(merge_at_end(&t->merge), i == 5);
    }
    assert_null(trace_next(t));
    assert_false(merge_at_end(&t->merge));
    assert_true(t->cut);
    assert_int_equal(t->merge.error, 0);
    assert_int_equal(t->bytes_read, sizeof first + sizeof second);
    trace_close(t);
    assert_int_equal(fake.closed, 1);
}

static void test_records_again(void **state)
{
    (void)state;
    fake_stream streams[2];
    trace *t = two_streams(streams, true);
    record all[6];
    for (unsigned i = 0; i < 6; i++)
        all[i] = trace_next(t)->record;
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < 36; i++) { /* each after each */
            const record *want = &all[(i * 5 + i / 6) % 6];
            int err = 1;
            const walk *w = trace_read(t, trace_handle(&want->context), &err);
            assert_non_null(w);
            assert_int_equal(err, 0);
            assert_memory_equal(&w->record, want, sizeof *want);
        }
        trace_sequential_close(t); /* random access does not need it; it may be called twice */
        assert_null(trace_next(t));
    }
    trace_close(t);
}

static void test_handles(void **state)
{
    (void)state;
    record_context c = {.stream = (1u << 20) - 1, .offset = (UINT64_C(1) << TRACE_OFFSET_BITS) - 1};
    assert_true(trace_handle(&c) == INT64_MAX);
    assert_int_equal(trace_interface(&c), TRACE_INTERFACES_MAX - 1);

    fake_stream streams[2];
    trace *t = two_streams(streams, true);
    int err = 1;
    assert_null(trace_read(t, UINT64_C(2) << TRACE_OFFSET_BITS, &err)); /* no such stream */
    assert_int_equal(err, 0);
    assert_null(trace_read(t, 1, &err)); /* in the middle of a record */
    assert_int_equal(err, 0);
    assert_null(trace_read(t, 1000, &err)); /* after the end */
    assert_int_equal(err, 0);
    assert_null(trace_read(t, UINT64_MAX, &err));
    streams[1].source.bad_from = 0;
    assert_null(trace_read(t, UINT64_C(1) << TRACE_OFFSET_BITS, &err));
    assert_int_equal(err, EIO);
    assert_non_null(trace_read(t, 2, &err)); /* unaffected by the other stream */
    trace_close(t);
}

static void test_no_random_access(void **state)
{
    (void)state;
    fake_stream streams[2];
    trace *t = two_streams(streams, false);
    int err = 1;
    const walk *w = trace_next(t);
    assert_false(w->record.context.flags & CONTEXT_RANDOM_ACCESS);
    assert_null(trace_read(t, 0, &err));
    assert_int_equal(err, 0);
    trace_close(t);
}

static void test_streams_share_what_they_are_given(void **state)
{
    (void)state;
    fake_stream streams[2];
    trace *t = two_streams(streams, true);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(trace_stream(t, i)->number, i);
    trace_close(t); /* without reading it */
}

static void test_a_bad_stream_does_not_stop_the_others(void **state)
{
    (void)state;
    static const uint8_t keys[] = {1, 2, 3, 4, 9};
    fake_stream streams[2];
    trace *t = two_streams(streams, true);
    streams[1].source.bad_from = 4;
    for (unsigned i = 0; i < sizeof keys; i++)
        assert_int_equal(trace_next(t)->record.order, keys[i]);
    assert_null(trace_next(t));
    assert_int_equal(t->merge.error, EIO);
    assert_ptr_equal(t->merge.failed, trace_stream(t, 1));
    trace_close(t);
}

static void test_hopeless_file(void **state)
{
    (void)state;
    trace_input in = {0};
    GError *error = NULL;
    fake_stream one = {.source = fake_source_of(first, sizeof first, 4)};
    fake = (fake_setup){.streams = &one, .count = 1, .refuse = "header of 3 bytes"};
    assert_null(trace_open(&fake_format, &in, &error));
    assert_failed(&error, "header of 3 bytes");
    assert_int_equal(fake.closed, 1); /* what was created before is freed */
}

/* So many that their blocks are allocated together, each with a record larger than a block. */
static void test_many_streams(void **state)
{
    (void)state;
    enum { STREAMS = 200, BLOCK = 16 << 10, SMALL = 12000 };
    uint8_t *bytes = g_malloc0(2 * SMALL + FAKE_HUGE);
    for (unsigned i = 0; i < SMALL; i++) {
        bytes[2 * i] = 2;
        bytes[2 * i + 1] = (uint8_t)(i * 255 / SMALL);
    }
    bytes[2 * SMALL] = 255;
    bytes[2 * SMALL + 1] = 255;
    fake_stream *streams = g_new0(fake_stream, STREAMS);
    for (unsigned i = 0; i < STREAMS; i++)
        streams[i] = (fake_stream){.source = fake_source_of(bytes, 2 * SMALL + (i % 50 ? 0 : FAKE_HUGE), BLOCK), .tie = i};
    trace *t = fake_trace(streams, STREAMS, false);
    const uint8_t *data;
    uint64_t order = 0, records = 0;
    for (walk *w; (w = trace_next(t)); records++) {
        assert_true(w->record.order >= order);
        order = w->record.order;
        assert_int_equal(walk_bytes(w, &data), MIN(w->record.context.length, RECORD_FRAME_MAX));
        assert_memory_equal(data, bytes + w->record.context.offset, 2);
    }
    assert_int_equal(records, STREAMS * SMALL + STREAMS / 50);
    assert_non_null(t->blocks);
    trace_close(t);
    g_free(streams);
    g_free(bytes);
}

static void test_no_streams(void **state)
{
    (void)state;
    trace *t = fake_trace(NULL, 0, true);
    int err = 1;
    assert_null(trace_next(t));
    assert_null(trace_read(t, 0, &err));
    assert_int_equal(err, 0);
    trace_close(t);
}

/* The number of a trace depends on the first bytes of its file and on the names of its streams. */
static void test_identity(void **state)
{
    (void)state;
    fake_stream streams[2];
    uint64_t numbers[3];
    for (unsigned i = 0; i < 3; i++) {
        trace *t = two_streams(streams, true);
        assert_int_equal(trace_bytes(t), sizeof first + sizeof second);
        trace_identify(t, i == 1 ? second : first, 4);
        const walk *w = trace_next(t);
        assert_non_null(w);
        numbers[i] = w->record.context.trace;
        assert_int_equal(trace_stream(t, 1)->base.trace, numbers[i]);
        trace_stream(t, 1)->owns_source = false;
        assert_int_equal(trace_bytes(t), sizeof first);
        trace_close(t);
    }
    assert_true(numbers[0] == numbers[2] && numbers[0] != numbers[1]);
    trace *t = two_streams(streams, true);
    trace_identify(t, (const uint8_t *)"", 0);
    /* FNV-1a of "fake", 0, "fake", 0 */
    assert_int_equal(trace_stream(t, 0)->base.trace, UINT64_C(0x2d41fa0511a0a3bf));
    trace_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identity),
        cmocka_unit_test(test_all_records_in_order),
        cmocka_unit_test(test_records_again),
        cmocka_unit_test(test_handles),
        cmocka_unit_test(test_no_random_access),
        cmocka_unit_test(test_streams_share_what_they_are_given),
        cmocka_unit_test(test_a_bad_stream_does_not_stop_the_others),
        cmocka_unit_test(test_hopeless_file),
        cmocka_unit_test(test_many_streams),
        cmocka_unit_test(test_no_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
