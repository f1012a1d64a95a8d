/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walking through a stream: the order of ranges, checkpoints, random access. */
#include <errno.h>

#include "fake_format.h"

/* Records of three bytes: length, key, phase. */
static uint8_t *three_byte_records(unsigned count)
{
    uint8_t *bytes = g_malloc0(3 * (size_t)count);
    for (unsigned i = 0; i < count; i++) {
        bytes[3 * i] = 3;
        bytes[3 * i + 1] = (uint8_t)(i % 251);
    }
    return bytes;
}

static void test_records_follow_each_other(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {2, 10, 1, 3, 20, 0, 0, 4, 30, 0, 0, 9, 40};
    static const uint64_t offsets[] = {0, 2, 3, 6, 7, 11}, lengths[] = {2, 1, 3, 1, 4, 2};
    static const uint8_t kinds[] = {1, 1, 1, KIND_UNKNOWN, 1, KIND_CUT};
    fake_stream one = {.source = fake_source_of(bytes, sizeof bytes, 4)};
    trace *t = fake_trace(&one, 1, true);
    walk w;
    walk_init(&w, t, trace_stream(t, 0), false);
    for (unsigned i = 0; i < G_N_ELEMENTS(offsets); i++) {
        const uint8_t *data;
        assert_int_equal(w.state.number, i);
        assert_int_equal(walk_next(&w), STEP_RECORD);
        assert_int_equal(w.record.context.offset, offsets[i]);
        assert_int_equal(w.record.context.length, lengths[i]);
        assert_int_equal(w.record.context.kind, kinds[i]);
        assert_int_equal(walk_bytes(&w, &data), lengths[i]);
        assert_memory_equal(data, bytes + offsets[i], (size_t)lengths[i]);
    }
    assert_int_equal(walk_next(&w), STEP_END);
    assert_int_equal(walk_next(&w), STEP_END);
    walk_clear(&w);
    trace_close(t);
}

/* Of a record longer than a frame, only the beginning is delivered. */
static void test_huge_record(void **state)
{
    (void)state;
    size_t length = FAKE_HUGE + 2;
    uint8_t *bytes = g_malloc0(length);
    const uint8_t *data;
    bytes[0] = 255;
    bytes[RECORD_FRAME_MAX - 1] = 77;
    bytes[FAKE_HUGE] = 2;
    fake_stream one = {.source = fake_source_of(bytes, length, 1000)};
    trace *t = fake_trace(&one, 1, true);
    walk w;
    walk_init(&w, t, trace_stream(t, 0), false);
    assert_int_equal(walk_next(&w), STEP_RECORD);
    assert_int_equal(w.record.context.length, FAKE_HUGE);
    assert_int_equal(walk_bytes(&w, &data), RECORD_FRAME_MAX);
    assert_int_equal(data[RECORD_FRAME_MAX - 1], 77);
    assert_int_equal(walk_next(&w), STEP_RECORD);
    assert_int_equal(w.record.context.offset, FAKE_HUGE);
    walk_clear(&w);
    trace_close(t);
    g_free(bytes);
}

/* --- ranges ------------------------------------------------------------------------------------------------------------ */

/* In another order than in the file; the second is empty, the last is beyond the end, bytes 12 to 14 are in none. */
static const stream_range ranges[] = {
    {.begin = 15, .end = 24}, {.begin = 0, .end = 0},       {.begin = 0, .end = 12},
    {.begin = 24, .end = 30}, {.begin = 1000, .end = 2000},
};
static const uint64_t range_order[] = {15, 18, 21, 0, 3, 6, 9, 24, 27};

static void test_ranges_in_their_order(void **state)
{
    (void)state;
    uint8_t *bytes = three_byte_records(10);
    fake_stream one = {.source = fake_source_of(bytes, 30, 5), .ranges = ranges, .range_count = G_N_ELEMENTS(ranges)};
    trace *t = fake_trace(&one, 1, true);
    walk w;
    walk_init(&w, t, trace_stream(t, 0), false);
    int64_t sum = 0;
    for (unsigned i = 0; i < G_N_ELEMENTS(range_order); i++) {
        assert_int_equal(walk_next(&w), STEP_RECORD);
        assert_int_equal(w.record.context.offset, range_order[i]);
        sum = i == 0 || i == 3 || i == 7 ? 0 : sum; /* a new range resets the state */
        sum += (int64_t)w.record.order;
        assert_int_equal((int64_t)w.record.context.own[0], sum);
        assert_int_equal(w.state.number, i + 1);
    }
    assert_int_equal(walk_next(&w), STEP_END);
    walk_clear(&w);
    trace_close(t);
    g_free(bytes);
}

static void test_no_range(void **state)
{
    (void)state;
    fake_stream one = {.source = fake_source_of(NULL, 0, 5), .ranges = ranges, .range_count = 0};
    trace *t = fake_trace(&one, 1, true);
    walk w;
    walk_init(&w, t, trace_stream(t, 0), false);
    assert_int_equal(walk_next(&w), STEP_END);
    assert_int_equal(walk_seek(&w, 0), STEP_END);
    assert_false(walk_last(&w));
    walk_clear(&w);
    trace_close(t);
}

static void skip_two_records(walk *w)
{
    w->state.offset += 6;
}

/* The last record is found in the last range that has one, from where the format knows, and no checkpoint is made. */
static void test_last(void **state)
{
    (void)state;
    uint8_t *bytes = three_byte_records(5000);
    format near_end = fake_format;
    near_end.near_end = skip_two_records;
    for (unsigned skips = 0; skips < 2; skips++) {
        fake_stream one = {.source = fake_source_of(bytes, 30, 3), .ranges = ranges, .range_count = G_N_ELEMENTS(ranges)};
        fake_stream long_one = {.source = fake_source_of(bytes, 15000, 300)};
        trace *t = fake_trace(&one, 1, true);
        stream *s = trace_stream(t, 0);
        s->format = skips ? &near_end : s->format;
        s->ranges->at[3] = skips ? (stream_range){.begin = 15, .end = 30} : s->ranges->at[3];
        walk w;
        walk_init(&w, t, s, false);
        assert_true(walk_last(&w));
        assert_int_equal(w.record.context.offset, 27);
        assert_int_equal(w.record.order, 9);
        assert_int_equal(one.source.bytes_read, skips ? 9 : 6);
        walk_clear(&w);
        trace_close(t);
        t = fake_trace(&long_one, 1, true);
        s = trace_stream(t, 0);
        walk_init(&w, t, s, false);
        assert_true(walk_last(&w));
        assert_int_equal(w.record.context.offset, 14997);
        assert_null(s->checkpoints);
        walk_clear(&w);
        trace_close(t);
    }
    g_free(bytes);
}

static void test_seek_in_ranges(void **state)
{
    (void)state;
    uint8_t *bytes = three_byte_records(10);
    fake_stream one = {.source = fake_source_of(bytes, 30, 5), .ranges = ranges, .range_count = G_N_ELEMENTS(ranges)};
    trace *t = fake_trace(&one, 1, true);
    walk w;
    walk_init(&w, t, trace_stream(t, 0), true);
    static const uint64_t wanted[] = {27, 0, 9, 15, 21, 18, 3, 24, 6};
    static const uint64_t nowhere[] = {1, 10, 12, 13, 14, 16, 30, 1000, 2000, UINT64_MAX};
    for (unsigned i = 0; i < G_N_ELEMENTS(wanted); i++) {
        uint64_t begin = wanted[i] >= 24 ? 24 : wanted[i] >= 15 ? 15 : 0;
        int64_t sum = 0;
        for (uint64_t at = begin; at <= wanted[i]; at += 3)
            sum += bytes[at + 1];
        assert_int_equal(walk_seek(&w, wanted[i]), STEP_RECORD);
        assert_int_equal(w.record.context.offset, wanted[i]);
        assert_int_equal((int64_t)w.record.context.own[0], sum);
        assert_int_equal(walk_seek(&w, nowhere[i]), STEP_END);
    }
    assert_int_equal(walk_seek(&w, UINT64_MAX), STEP_END);
    walk_clear(&w);
    trace_close(t);
    g_free(bytes);
}

/* --- checkpoints ------------------------------------------------------------------------------------------------------- */

#define MANY 10000u

static void check_record(const walk *w, const uint8_t *bytes, unsigned n)
{
    int64_t sum = 0;
    for (unsigned i = 0; i <= n; i++)
        sum += bytes[3 * i + 1];
    assert_int_equal(w->record.context.offset, 3 * n);
    assert_int_equal((int64_t)w->record.context.own[0], sum);
    assert_int_equal(w->state.number, n + 1);
    assert_int_equal(w->state.offset, 3 * n + 3);
}

static void seek_at_random(walk *w, const uint8_t *bytes, unsigned below)
{
    GRand *r = g_rand_new_with_seed(5);
    for (unsigned i = 0; i < 300; i++) {
        unsigned n = (unsigned)g_rand_int_range(r, 0, (gint32)below);
        assert_int_equal(walk_seek(w, 3 * n), STEP_RECORD);
        check_record(w, bytes, n);
    }
    g_rand_free(r);
}

static void test_checkpoints(void **state)
{
    (void)state;
    uint8_t *bytes = three_byte_records(MANY);
    fake_stream one = {.source = fake_source_of(bytes, 3 * MANY, 512)};
    trace *t = fake_trace(&one, 1, true);
    stream *s = trace_stream(t, 0);
    walk w, random;
    walk_init(&w, t, s, false);
    walk_init(&random, t, s, true);
    seek_at_random(&random, bytes, MANY); /* without any checkpoints */
    assert_null(s->checkpoints);

    for (unsigned n = 0; n < MANY / 2; n++)
        assert_int_equal(walk_next(&w), STEP_RECORD);
    seek_at_random(&random, bytes, MANY); /* with some */
    while (walk_next(&w) == STEP_RECORD)
        ;
    seek_at_random(&random, bytes, MANY);
    assert_int_equal(s->checkpoints->len, MANY / CHECKPOINT_EVERY);
    for (guint i = 0; i < s->checkpoints->len; i++)
        assert_int_equal(g_array_index(s->checkpoints, stream_checkpoint, i).state.number + 1, (i + 1) * CHECKPOINT_EVERY);

    /* random access costs no more than the way from the checkpoint */
    uint64_t before = one.source.bytes_read;
    assert_int_equal(walk_seek(&random, 3 * (MANY - 1)), STEP_RECORD);
    assert_int_equal(walk_seek(&random, 3 * (MANY - 2)), STEP_RECORD);
    assert_true(one.source.bytes_read - before <= 2 * (3 * CHECKPOINT_EVERY + 1024));
    walk_clear(&random);
    walk_clear(&w);
    trace_close(t);
    g_free(bytes);
}

/* Checkpoints of a range that is first in the file but read last. */
static void test_checkpoints_in_ranges(void **state)
{
    (void)state;
    static const stream_range halves[] = {{.begin = 3 * MANY / 2, .end = 3 * MANY}, {.begin = 0, .end = 3 * MANY / 2}};
    uint8_t *bytes = three_byte_records(MANY);
    fake_stream one = {.source = fake_source_of(bytes, 3 * MANY, 512), .ranges = halves, .range_count = 2};
    trace *t = fake_trace(&one, 1, true);
    walk w, random;
    walk_init(&w, t, trace_stream(t, 0), false);
    walk_init(&random, t, trace_stream(t, 0), true);
    GArray *sums = g_array_new(FALSE, FALSE, sizeof(int64_t)); /* in reading order */
    while (walk_next(&w) == STEP_RECORD)
        g_array_append_val(sums, w.record.context.own[0]);
    assert_int_equal(sums->len, MANY);
    GRand *r = g_rand_new_with_seed(7);
    for (unsigned i = 0; i < 300; i++) {
        unsigned n = (unsigned)g_rand_int_range(r, 0, MANY), read_as = (n + MANY / 2) % MANY;
        uint64_t before = one.source.bytes_read;
        assert_int_equal(walk_seek(&random, 3 * n), STEP_RECORD);
        assert_int_equal((int64_t)random.record.context.own[0], g_array_index(sums, int64_t, read_as));
        assert_true(one.source.bytes_read - before <= 3 * CHECKPOINT_EVERY + 1024);
    }
    g_rand_free(r);
    g_array_free(sums, TRUE);
    walk_clear(&random);
    walk_clear(&w);
    trace_close(t);
    g_free(bytes);
}

/* Going forward from the current record reads each byte once, with or without checkpoints. */
static void test_reading_on_is_free(void **state)
{
    (void)state;
    uint8_t *bytes = three_byte_records(MANY);
    fake_stream one = {.source = fake_source_of(bytes, 3 * MANY, 512)};
    trace *t = fake_trace(&one, 1, true);
    walk w;
    walk_init(&w, t, trace_stream(t, 0), true);
    for (unsigned n = 0; n < MANY; n += 5)
        assert_int_equal(walk_seek(&w, 3 * n), STEP_RECORD);
    assert_true(one.source.bytes_read <= 3 * MANY);
    walk_clear(&w);
    trace_close(t);
    g_free(bytes);
}

/* --- errors ------------------------------------------------------------------------------------------------------------ */

static void test_read_error(void **state)
{
    (void)state;
    uint8_t *bytes = three_byte_records(1000);
    fake_stream one = {.source = fake_source_of(bytes, 3000, 300)};
    trace *t = fake_trace(&one, 1, true);
    walk w;
    one.source.bad_from = 1500;
    walk_init(&w, t, trace_stream(t, 0), true);
    uint64_t at = 0;
    step_result got;
    while ((got = walk_next(&w)) == STEP_RECORD) {
        assert_int_equal(w.record.context.kind, 1);
        at += w.record.context.length;
    }
    assert_int_equal(got, STEP_BAD);
    assert_int_equal(w.window.error, EIO);
    assert_int_equal(at, 1500);
    assert_int_equal(walk_next(&w), STEP_BAD);

    assert_int_equal(walk_seek(&w, 1200), STEP_RECORD); /* what could be read can be read again */
    assert_int_equal(walk_seek(&w, 1800), STEP_BAD);
    walk last;
    walk_init(&last, t, trace_stream(t, 0), false);
    assert_true(walk_last(&last)); /* of what can be read */
    assert_int_equal(last.record.context.offset, 1497);
    assert_int_equal(last.window.error, EIO);
    walk_clear(&last);
    one.source.bad_from = UINT64_MAX; /* and so can what can be read by now */
    assert_int_equal(walk_seek(&w, 1800), STEP_RECORD);
    assert_int_equal(w.record.context.offset, 1800);
    walk_clear(&w);
    trace_close(t);
    g_free(bytes);
}

static step_result step_without_bytes(walk *w)
{
    walk_begin_record(w, 1, 0);
    return STEP_RECORD;
}

static void count_messages(const char *domain, GLogLevelFlags level, const char *message, gpointer count)
{
    (void)domain;
    (void)level;
    (void)message;
    ++*(int *)count;
}

/* A format that gives the same record again and again is a mistake, which is reported instead of reading for ever. */
static void test_no_progress(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {2, 0};
    fake_stream one = {.source = fake_source_of(bytes, sizeof bytes, 4)};
    trace *t = fake_trace(&one, 1, true);
    int messages = 0;
    walk w;
    walk_init(&w, t, trace_stream(t, 0), false);
    w.step = step_without_bytes;
    assert_int_equal(walk_next(&w), STEP_RECORD); /* the first of a stream may have none */
    GLogFunc before = g_log_set_default_handler(count_messages, &messages);
    assert_int_equal(walk_next(&w), STEP_BAD);
    g_log_set_default_handler(before, NULL);
    assert_int_equal(messages, 1);
    assert_int_equal(w.window.error, EIO);
    walk_clear(&w);
    trace_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records_follow_each_other),
        cmocka_unit_test(test_huge_record),
        cmocka_unit_test(test_ranges_in_their_order),
        cmocka_unit_test(test_no_range),
        cmocka_unit_test(test_last),
        cmocka_unit_test(test_seek_in_ranges),
        cmocka_unit_test(test_checkpoints),
        cmocka_unit_test(test_checkpoints_in_ranges),
        cmocka_unit_test(test_reading_on_is_free),
        cmocka_unit_test(test_read_error),
        cmocka_unit_test(test_no_progress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
