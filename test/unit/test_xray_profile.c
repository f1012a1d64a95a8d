/* SPDX-License-Identifier: GPL-2.0-or-later */
/* XRay profiles: records in both byte orders, complete and cut at every byte; sizes that do not fit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "xray/profile_self.h"
#include "failed.h"
#include "xray_log.h"

enum { SIZE = 16 + 24 + 28 + 32, SECOND = 32 + SIZE, WHOLE = SECOND + 16 + 24 };

/* Two blocks: three nested functions, and one of another thread. */
static builder profile_of_two(bool big, uint32_t size, uint32_t second)
{
    static const uint32_t path[] = {3, 2, 1};
    builder b = profile_begin(big, UINT64_C(1700000000000000005), 77);
    put_block(&b, size, 0, 8);
    put_path(&b, 1, path + 2, 1, 1000);
    put_path(&b, 2, path + 1, 4, 900);
    put_path(&b, 3, path, UINT64_C(1) << 40, 800);
    put_block(&b, second, 1, 9);
    put_path(&b, 1, path, 2, 5);
    assert_int_equal(b.bytes->len, WHOLE);
    return b;
}

typedef struct expected {
    uint8_t kind;
    uint8_t length;
    fault fault;
} expected;

static void expect_all(builder *b, size_t length, bool seekable, const expected *all, unsigned n)
{
    uint8_t *exact = g_memdup2(b->bytes->data, length); /* so that the sanitizer sees any byte beyond the end */
    GByteArray bytes = {exact, (guint)length};
    opened o = log_open_as(&(builder){&bytes, b->big}, length, seekable);
    assert_non_null(o.trace);
    for (unsigned i = 0; i < n; i++) {
        walk *w = trace_next(o.trace);
        assert_non_null(w);
        assert_int_equal(w->record.context.kind, all[i].kind);
        assert_int_equal(w->record.context.length, all[i].length);
        assert_int_equal(w->record.context.fault, all[i].fault);
        assert_int_equal(w->record.seconds, 1700000000);
        assert_int_equal(w->record.nanoseconds, 5);
    }
    assert_null(trace_next(o.trace));
    log_close(&o);
    g_free(exact);
}

static const expected complete[] = {
    {XRAY_HEADER, 32, 0},       {XRAY_PROFILE_BLOCK, 16, 0}, {XRAY_PROFILE_PATH, 24, 0}, {XRAY_PROFILE_PATH, 28, 0},
    {XRAY_PROFILE_PATH, 32, 0}, {XRAY_PROFILE_BLOCK, 16, 0}, {XRAY_PROFILE_PATH, 24, 0},
};

static void whole(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        builder b = profile_of_two(i & 1, SIZE, 40);
        expect_all(&b, WHOLE, i & 2, complete, G_N_ELEMENTS(complete));
        log_free(&b);
    }
}

static void values(void **state)
{
    (void)state;
    for (int big = 0; big <= 1; big++) {
        builder b = profile_of_two(big, SIZE, 40);
        opened o = log_open(&b, WHOLE);
        uint64_t value[XRAY_FIELD_COUNT] = {0};
        for (unsigned i = 0; i < 5; i++) {
            walk *w = trace_next(o.trace);
            cursor c = {.big_endian = big};
            c.length = walk_bytes(w, &c.data);
            xray_read(&w->record.context, &c, value);
            const xray_context *x = xray_context_of(&w->record.context);
            assert_int_equal(x->process, 77);
            assert_int_equal(x->thread, i ? 8 : 0);
            assert_int_equal(x->known, i ? XRAY_KNOWN_PROCESS | XRAY_KNOWN_THREAD : XRAY_KNOWN_PROCESS);
            if (i == 4)
                assert_int_equal(xray_path_functions(&w->record.context, &c) == 3 ? xray_path_function(&c, 2) : 0, 1);
        }
        assert_int_equal(value[XRAY_FIELD_PROFILE_SIZE], SIZE);
        assert_int_equal(value[XRAY_FIELD_THREAD], 8);
        assert_int_equal(value[XRAY_FIELD_PROFILE_CALLS], UINT64_C(1) << 40);
        assert_int_equal(value[XRAY_FIELD_PROFILE_TICKS], 800);
        log_close(&o);
        log_free(&b);
    }
}

static void cut_at_every_byte(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        for (size_t length = XRAY_HEADER_LENGTH; length < WHOLE; length++) {
            builder b = profile_of_two(i & 1, SIZE, 40);
            expected all[G_N_ELEMENTS(complete)];
            unsigned n = 0;
            size_t left = length;
            for (; n < G_N_ELEMENTS(all) && left > 0; n++) {
                all[n] = complete[n];
                if (left < all[n].length)
                    all[n] = (expected){KIND_CUT, (uint8_t)left, FAULT_CUT_BY_FILE};
                else if (all[n].kind == XRAY_PROFILE_BLOCK && length < (n == 1 ? SECOND : WHOLE))
                    all[n].fault = FAULT_XRAY_BLOCK_SIZE;
                left -= all[n].length;
            }
            expect_all(&b, length, i & 2, all, n);
            log_free(&b);
        }
}

/* A wrong size costs its block header: the paths are read, and the next block is found. */
static void wrong_sizes(void **state)
{
    static const uint32_t sizes[] = {0, 15, 20, 36, 40, SIZE - 2, SIZE + 4, SIZE + 40, 1u << 30, UINT32_MAX};
    (void)state;
    for (int i = 0; i < 4; i++)
        for (unsigned k = 0; k < G_N_ELEMENTS(sizes); k++) {
            builder b = profile_of_two(i & 1, sizes[k], 40);
            expected all[G_N_ELEMENTS(complete)];
            memcpy(all, complete, sizeof all);
            all[1].fault = FAULT_XRAY_BLOCK_SIZE;
            expect_all(&b, WHOLE, i & 2, all, G_N_ELEMENTS(all));
            log_free(&b);
        }
}

static void wrong_paths(void **state)
{
    static const uint32_t path[] = {3, 2, 1};
    static const expected all[] = {
        {XRAY_HEADER, 32, 0},
        {XRAY_PROFILE_BLOCK, 16, 0},
        {XRAY_PROFILE_PATH, 20, FAULT_XRAY_EMPTY_PATH},
        {KIND_CUT, 12, FAULT_XRAY_CUT_BY_BUFFER},
        {XRAY_PROFILE_BLOCK, 16, 0},
    };
    (void)state;
    for (int big = 0; big <= 1; big++) {
        builder b = profile_begin(big, UINT64_C(1700000000000000005), 77);
        put_block(&b, 16 + 20 + 12, 0, 8);
        put_path(&b, 0, path, 1, 1);
        for (unsigned i = 0; i < 3; i++)
            put(&b, path[i], 4); /* without an end */
        put_block(&b, 16, 1, 9);
        expect_all(&b, b.bytes->len, true, all, G_N_ELEMENTS(all));
        log_free(&b);
    }
}

/* Of 1; 2 1; 3 2 1; 4 1, and of 3 in another block. A sum below 0 has none, and is not subtracted. What has no calls does
 * not count. */
static void sums(void **state)
{
    static const uint32_t path[] = {3, 2, 1}, beside[] = {4, 1};
    static const struct {
        uint64_t many, duration, self;
        uint32_t function, depth;
    } want[] = {{1, 130, 60, 1, 0}, {4, 40, 32, 2, 1}, {1, 8, 8, 3, 2}, {1, 30, 30, 4, 1},
                {1, 9, 9, 8, 2},    {1, 0, 0, 5, 1},   {2, 5, 5, 3, 0}};
    (void)state;
    for (int big = 0; big <= 1; big++) {
        builder b = profile_begin(big, 0, 77);
        put_block(&b, 16 + 24 + 28 + 32 + 28 + 28 + 32, 0, 8);
        put_path(&b, 1, path + 2, 1, 130);
        put_path(&b, 2, path + 1, 4, 40);
        put_path(&b, 3, path, 1, 8);
        put_path(&b, 2, beside, 1, 30);
        put_path(&b, 3, (const uint32_t[]){8, 7, 6}, 1, 9); /* those around it are missing */
        put_path(&b, 2, (const uint32_t[]){5, 1}, 1, (uint64_t)-7);
        put_block(&b, 64, 1, 9);
        put_path(&b, 1, path, 2, 5);
        put_path(&b, 1, path + 1, 0, 5);
        opened o = log_open(&b, b.bytes->len);
        GHashTable *found = xray_profile_self_read(o.trace);
        unsigned n = 0;
        for (walk *w; (w = trace_next(o.trace));) {
            uint64_t values[XRAY_FIELD_COUNT];
            const record_context *c = &w->record.context;
            cursor bytes = {.big_endian = big};
            span s;
            bytes.length = walk_bytes(w, &bytes.data);
            xray_read(c, &bytes, values);
            if (!xray_profile_sum(found, c, &bytes, values, &s))
                continue;
            assert_int_equal(s.many, want[n].many);
            assert_int_equal(s.call.duration, want[n].duration);
            assert_int_equal(s.call.self, want[n].self);
            assert_int_equal(s.call.depth, want[n].depth);
            assert_int_equal(s.function, want[n].function);
            assert_int_equal(s.call.state, CALL_TIMED | CALL_SELF | (n == 5 ? CALL_UNATTRIBUTED : 0));
            assert_true(xray_profile_sum(NULL, c, &bytes, values, &s));
            assert_false(s.call.state & CALL_SELF);
            n++;
        }
        assert_int_equal(n, G_N_ELEMENTS(want));
        g_hash_table_destroy(found);
        log_close(&o);
        log_free(&b);
    }
}

/* Blocks of `paths` paths each, of any depth. */
static void expect_missing(bool big, unsigned blocks, unsigned paths, const char *full, bool threads)
{
    static const uint32_t path[] = {3, 2, 1};
    builder b = profile_begin(big, 0, 77);
    for (unsigned i = 0; i < blocks; i++) {
        put_block(&b, 16 + paths / 3 * (24 + 28 + 32) + paths % 3 * 24, i, 8 + i);
        for (unsigned k = 0; k < paths; k++)
            put_path(&b, k < paths / 3 * 3 ? 1 + k % 3 : 1, path, 1, 5);
    }
    opened o = log_open(&b, b.bytes->len);
    const char *text = o.trace->warnings->str;
    assert_true(full ? strstr(text, full) != NULL : !strstr(text, "Calls may be missing"));
    assert_int_equal(strstr(text, "Threads may be missing") != NULL, threads);
    assert_non_null(strstr(o.trace->comment->str, text));
    log_close(&o);
    log_free(&b);
}

/* What the defaults of the runtime leave room for may not be all. */
static void limits(void **state)
{
    (void)state;
    for (int big = 0; big <= 1; big++) {
        expect_missing(big, 1, 84, NULL, false);
        expect_missing(big, 1, 85, "the profile has 85 paths of 1 thread, as", false);
        expect_missing(big, 1, 86, NULL, false);
        expect_missing(big, 31, 85, "the profile has 85 paths of 31 threads, as", false);
        expect_missing(big, 32, 3, NULL, true);
        expect_missing(big, 33, 3, NULL, false);
    }
}

static void later_version(void **state)
{
    (void)state;
    GError *error = NULL;
    builder b = profile_of_two(false, SIZE, 40);
    b.bytes->data[8] = 0x25;
    source *from = source_memory_new(b.bytes->data, b.bytes->len);
    const trace_input in = {.sequential = from, .random = from, .seekable = true};
    assert_null(trace_open(&xray_profile_format, &in, &error));
    assert_failed(&error, "version 0x20180425 of XRay profiles is not known");
    source_close(from);
    log_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole),       cmocka_unit_test(values),      cmocka_unit_test(cut_at_every_byte),
        cmocka_unit_test(wrong_sizes), cmocka_unit_test(wrong_paths), cmocka_unit_test(later_version),
        cmocka_unit_test(sums),        cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
