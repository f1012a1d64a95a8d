/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Streams read by several threads: each record once, in the order of its stream, with its state; and when it is given up. */
#include "fake_format.h"

#include <dlfcn.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "core/stream_pool.h"

enum { STREAMS = 9, LONG = 3, RECORDS = 10000, SHORT = 5, THREADS = 3, BYTES = 2 };

/* How many threads the system still makes. */
static int threads_left = G_MAXINT;

/* In the place of GLib's. */
GThread *g_thread_try_new(const char *name, GThreadFunc run, gpointer with, GError **error)
{
    GThread *(*made)(const char *, GThreadFunc, gpointer, GError **);
    *(void **)&made = dlsym(RTLD_NEXT, "g_thread_try_new");
    return threads_left-- > 0 ? made(name, run, with, error) : NULL;
}

/* What one thread sees. */
typedef struct seen {
    uint32_t expected; /* number of the next record */
    uint64_t records, keys, states;
    uint32_t streams;
    uint32_t refused; /* the stream whose record is refused; STREAMS: none */
    uint32_t unended; /* the same at its end */
    uint32_t stream;
    gulong slow; /* microseconds for each record */
} seen;

static char *path;
static GByteArray *bytes;
static stream_range ranges[STREAMS];
static fake_stream streams[STREAMS];
static seen threads[THREADS];
static void *data[THREADS];

static bool see(void *of, uint32_t number, const record *r, const cursor *at)
{
    seen *s = of;
    const record_context *c = &r->context;
    assert_int_equal(number, ++s->expected);
    assert_int_equal(at->length, c->length);
    assert_int_equal(at->data[0], BYTES);
    s->records++;
    s->keys += at->data[1];
    s->states += c->own[0];
    s->stream = c->stream;
    if (s->slow)
        g_usleep(s->slow);
    return c->stream != s->refused;
}

static bool see_end(void *of)
{
    seen *s = of;
    s->expected = 0;
    s->streams++;
    return s->stream != s->unended;
}

static const stream_pool_visitor visitor = {see, see_end};

/* A file with streams one after the other, of which one is long. */
static int make_file(void **state)
{
    (void)state;
    const int fd = g_file_open_tmp("pool-XXXXXX", &path, NULL);
    bytes = g_byte_array_new();
    for (unsigned i = 0; i < STREAMS; i++) {
        ranges[i].begin = bytes->len;
        for (unsigned k = 0; k < (i == LONG ? RECORDS : SHORT); k++) {
            const uint8_t one[BYTES] = {BYTES, (uint8_t)(k + i)};
            g_byte_array_append(bytes, one, BYTES);
        }
        ranges[i].end = bytes->len;
    }
    close(fd);
    return !g_file_set_contents(path, (const char *)bytes->data, bytes->len, NULL);
}

static int remove_file(void **state)
{
    (void)state;
    g_unlink(path);
    g_free(path);
    g_byte_array_free(bytes, TRUE);
    return 0;
}

static trace *open_file(void)
{
    for (unsigned i = 0; i < STREAMS; i++)
        streams[i] = (fake_stream){
            .source = fake_source_of(bytes->data, bytes->len, 64), .ranges = &ranges[i], .range_count = 1};
    trace *t = fake_trace(streams, STREAMS, false);
    for (unsigned i = 0; i < STREAMS; i++)
        trace_stream(t, i)->owns_source = false;
    for (unsigned i = 0; i < THREADS; i++) {
        threads[i] = (seen){.refused = STREAMS, .unended = STREAMS};
        data[i] = &threads[i];
    }
    return t;
}

static seen sum_of_threads(void)
{
    seen all = {0};
    for (unsigned i = 0; i < THREADS; i++) {
        all.records += threads[i].records;
        all.keys += threads[i].keys;
        all.states += threads[i].states;
        all.streams += threads[i].streams;
    }
    return all;
}

static bool read_all(trace *t)
{
    stream_pool *p = stream_pool_begin(t, path, &visitor, data, THREADS, false);
    while (!stream_pool_wait(p, 1000))
        continue;
    const uint64_t records = stream_pool_records(p), all = stream_pool_bytes(p);
    const bool whole = stream_pool_end(p);
    if (whole) {
        assert_int_equal(records, sum_of_threads().records);
        assert_int_equal(all, BYTES * records);
    }
    return whole;
}

static void test_all(void **state)
{
    (void)state;
    uint64_t keys = 0, states = 0;
    trace *t = open_file();
    for (walk *w; (w = trace_next(t));) {
        keys += w->record.order;
        states += w->record.context.own[0];
    }
    for (unsigned most = 1; most <= STREAMS; most++)
        assert_int_equal(stream_pool_threads(t, most), most);
    assert_int_equal(stream_pool_threads(t, STREAMS + 1), STREAMS);
    assert_true(read_all(t));
    const seen all = sum_of_threads();
    assert_int_equal(all.records, (STREAMS - 1) * SHORT + RECORDS);
    assert_int_equal(all.streams, STREAMS);
    assert_int_equal(all.keys, keys);
    assert_int_equal(all.states, states);
    trace_close(t);
}

static void test_part(void **state)
{
    (void)state;
    trace *t = open_file();
    trace_stream(t, LONG)->left_out = trace_stream(t, STREAMS - 1)->left_out = true;
    assert_int_equal(stream_pool_threads(t, 100), STREAMS - 2);
    assert_true(read_all(t));
    assert_int_equal(sum_of_threads().records, (STREAMS - 2) * SHORT);
    trace_stream(t, 0)->owns_source = true;
    assert_int_equal(stream_pool_threads(t, 100), 1);
    trace_stream(t, 0)->owns_source = false;
    trace_close(t);
}

static void test_given_up(void **state)
{
    (void)state;
    for (unsigned at_end = 0; at_end < 2; at_end++)
        for (unsigned i = 0; i < STREAMS; i += LONG) {
            trace *t = open_file();
            for (unsigned k = 0; k < THREADS; k++)
                *(at_end ? &threads[k].unended : &threads[k].refused) = i;
            assert_false(read_all(t));
            trace_close(t);
        }
}

static void test_cut(void **state)
{
    (void)state;
    bytes->len--;
    assert_true(g_file_set_contents(path, (const char *)bytes->data, bytes->len, NULL));
    trace *t = open_file();
    assert_false(read_all(t));
    trace_close(t);
    bytes->len++;
    assert_true(g_file_set_contents(path, (const char *)bytes->data, bytes->len, NULL));
}

static void test_other_file(void **state)
{
    (void)state;
    trace *t = open_file();
    trace_stream(t, 1)->sequential->size++; /* it has become shorter */
    assert_false(read_all(t));
    trace_close(t);
    t = open_file();
    stream_pool *p = stream_pool_begin(t, "/nonexistent/file", &visitor, data, THREADS, false);
    while (!stream_pool_wait(p, 1000))
        continue;
    assert_false(stream_pool_end(p));
    assert_int_equal(sum_of_threads().records, 0);
    trace_close(t);
}

static void test_stopped(void **state)
{
    (void)state;
    trace *t = open_file();
    for (unsigned i = 0; i < THREADS; i++)
        threads[i].slow = 100;
    stream_pool *p = stream_pool_begin(t, path, &visitor, data, THREADS, false);
    assert_false(stream_pool_wait(p, 2000));
    assert_false(stream_pool_end(p));
    assert_true(sum_of_threads().records < RECORDS);
    trace_close(t);
}

/* As many as there are read all streams. */
static void test_no_threads(void **state)
{
    (void)state;
    for (int made = 1; made < THREADS; made++) {
        trace *t = open_file();
        threads_left = made;
        assert_true(read_all(t));
        assert_int_equal(sum_of_threads().records, (STREAMS - 1) * SHORT + RECORDS);
        for (int i = made; i < THREADS; i++)
            assert_int_equal(threads[i].records, 0);
        trace_close(t);
    }
    threads_left = 0;
    trace *t = open_file();
    assert_null(stream_pool_begin(t, path, &visitor, data, THREADS, false));
    trace_close(t);
    threads_left = G_MAXINT;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all),        cmocka_unit_test(test_part),
                                       cmocka_unit_test(test_given_up),   cmocka_unit_test(test_cut),
                                       cmocka_unit_test(test_other_file), cmocka_unit_test(test_stopped),
                                       cmocka_unit_test(test_no_threads)};
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
