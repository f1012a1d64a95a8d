/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Beat logs: each record complete, cut at every byte, and with a clock that goes back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "beat/beat.h"
#include "core/formats.h"

#define HEAD BEAT_MAGIC_LENGTH
#define BEAT 12

static const uint8_t log_of_two[HEAD + 2 * BEAT] = {'B', 'E', 'A', 'T', 'L', 'O', 'G', '1', 5, 0, 0, 0, 0, 0, 0, 0,
                                                    7,   0,   0,   0,   9,   0,   0,   0,   0, 0, 0, 0, 3, 0, 0, 0};

static record_context expect(trace *t, uint8_t kind, uint64_t length)
{
    walk *w = trace_next(t);
    assert_non_null(w);
    assert_int_equal(w->record.context.kind, kind);
    assert_int_equal(w->record.context.length, length);
    return w->record.context;
}

static trace *open_log(source **from, const void *data, size_t length)
{
    const probe p = {.head = data, .length = length, .whole = true};
    assert_int_equal(beat_probe(&p), length >= HEAD);
    *from = source_memory_new(data, length);
    const trace_input in = {.sequential = *from, .random = *from, .seekable = true};
    trace *t = trace_open(&beat_format, &in, NULL);
    assert_non_null(t);
    return t;
}

static void test_whole(void **state)
{
    (void)state;
    source *from;
    trace *t = open_log(&from, log_of_two, sizeof log_of_two);
    walk *w = trace_next(t); /* the header has the time of the first beat */
    assert_non_null(w);
    const record header = w->record;
    assert_int_equal(header.context.kind, BEAT_HEADER);
    trace_close(t);
    source_close(from);
    t = open_log(&from, log_of_two, sizeof log_of_two);
    expect(t, BEAT_HEADER, HEAD);
    w = trace_next(t);
    assert_true(w && w->record.seconds == header.seconds && w->record.nanoseconds == header.nanoseconds);
    trace_close(t);
    source_close(from);
    t = open_log(&from, log_of_two, sizeof log_of_two);
    expect(t, BEAT_HEADER, HEAD);
    record_context one = expect(t, BEAT_BEAT, BEAT), two = expect(t, BEAT_BEAT, BEAT);
    assert_int_equal(one.fault | two.fault, FAULT_NONE);
    assert_int_equal(beat_context_of(&one)->interval, 0);
    assert_int_equal(beat_context_of(&two)->interval, 4);
    assert_null(trace_next(t));
    trace_close(t);
    source_close(from);
}

static void test_cut_at_every_byte(void **state)
{
    (void)state;
    for (size_t length = 1; length < sizeof log_of_two; length++) {
        source *from;
        uint8_t *exact = g_memdup2(log_of_two, length); /* so that the sanitizer sees any byte beyond the end */
        trace *t = open_log(&from, exact, length);
        size_t left = length;
        for (size_t whole = HEAD; left >= whole; left -= whole, whole = BEAT)
            expect(t, left == length ? BEAT_HEADER : BEAT_BEAT, whole);
        if (left)
            assert_int_equal(expect(t, KIND_CUT, left).fault, FAULT_CUT_BY_FILE);
        assert_null(trace_next(t));
        assert_int_equal(t->cut, left > 0);
        trace_close(t);
        source_close(from);
        g_free(exact);
    }
}

static void test_clock_goes_back(void **state)
{
    (void)state;
    source *from;
    uint8_t data[sizeof log_of_two];
    memcpy(data, log_of_two, sizeof data);
    data[HEAD + BEAT] = 2;
    trace *t = open_log(&from, data, sizeof data);
    expect(t, BEAT_HEADER, HEAD);
    expect(t, BEAT_BEAT, BEAT);
    record_context c = expect(t, BEAT_BEAT, BEAT);
    assert_int_equal(c.fault, FAULT_BEAT_CLOCK);
    assert_int_equal(c.fault_value, 3);
    assert_int_equal(beat_context_of(&c)->interval, 0);
    trace_close(t);
    source_close(from);
}

/* --- saving ------------------------------------------------------------------------------------------------------------ */

typedef struct memory {
    sink base;
    GByteArray *bytes;
} memory;

static bool put(sink *s, const void *data, size_t length)
{
    g_byte_array_append(((memory *)s)->bytes, data, (guint)length);
    return true;
}

static bool save(void *state, memory *out, uint8_t kind, const uint8_t *data, size_t length, int32_t ns)
{
    g_autoptr(GError) error = NULL;
    const record_context c = {.kind = kind, .length = length};
    const write_record r = {&c, data, length, 0, ns};
    bool saved = beat_write.record(state, &out->base, &r, &error);
    assert_int_equal(saved, error == NULL);
    return saved;
}

static void test_saved(void **state)
{
    (void)state;
    const uint8_t *one = log_of_two + HEAD;
    memory out = {{.put = put}, g_byte_array_new()};
    void *writer = beat_write.begin();
    assert_true(save(writer, &out, BEAT_BEAT, one, BEAT, 5));
    assert_true(save(writer, &out, BEAT_HEADER, log_of_two, HEAD, 0)); /* of another log */
    assert_false(save(writer, &out, BEAT_BEAT, one + BEAT, BEAT, 8));  /* its time was 9 */
    assert_true(save(writer, &out, KIND_CUT, one + BEAT, 3, 5));
    assert_false(save(writer, &out, BEAT_BEAT, one + BEAT, BEAT, 9));
    assert_true(beat_write.finish(writer, &out.base));
    beat_write.end(writer);
    assert_int_equal(out.bytes->len, HEAD + BEAT + 3);
    assert_memory_equal(out.bytes->data, log_of_two, HEAD + BEAT + 3);
    g_byte_array_free(out.bytes, TRUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_clock_goes_back),
        cmocka_unit_test(test_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
