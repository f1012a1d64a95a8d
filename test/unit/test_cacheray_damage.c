/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cacheray traces with random damage: records always tile the file, any record can be read again in any order and from
 * any kind of source, and the work is linear in the size of the file. */
#include "test_cacheray.h"

#include <errno.h>
#include <string.h>

/* A source that counts what is read, reads in small blocks, may hide its size and may fail. */
typedef struct counting {
    source base;
    const GByteArray *bytes;
    uint64_t read;
    uint64_t bad_from; /* reading fails from here on */
} counting;

static int64_t counting_read(source *s, uint64_t offset, void *buffer, size_t length, int *err)
{
    counting *c = (counting *)s;
    if (offset + length > c->bad_from && c->bad_from < c->bytes->len) {
        *err = EIO;
        return -1;
    }
    size_t n = offset < c->bytes->len ? MIN(length, c->bytes->len - (size_t)offset) : 0;
    memcpy(buffer, c->bytes->data + (n ? offset : 0), n);
    c->read += n;
    return (int64_t)n;
}

static void counting_close(source *s)
{
    (void)s;
}

static counting counting_source(const GByteArray *b, size_t block, bool size_known)
{
    static const source_ops ops = {counting_read, counting_close};
    return (counting){
        .base = {&ops, size_known ? b->len : SOURCE_SIZE_UNKNOWN, block, 0}, .bytes = b, .bad_from = UINT64_MAX};
}

static uint32_t below(GRand *r, uint32_t n)
{
    return n ? (uint32_t)(g_rand_int(r) % n) : 0;
}

static void put_random_record(GByteArray *b, cacheray_layout l, GRand *r)
{
    static const uint8_t sizes[] = {1, 2, 4, 8, 16, 0, 3, 255};
    uint64_t address = heap(l) + 16u * below(r, 1u << 12);
    switch (below(r, 10)) {
    case 0:
        put_add(b, l, address, below(r, 4) * 8, below(r, 3), "struct.order", 12);
        break;
    case 1:
        put_remove(b, l, below(r, 4) ? address : 0);
        break;
    default:
        put_access(b, l, (uint8_t)(below(r, 2) | (below(r, 5) ? 0 : CACHERAY_ATOMIC)), address,
                   sizes[below(r, below(r, 8) ? 5 : 8)], below(r, 6));
    }
}

/* Changes a byte, removes bytes, inserts or doubles bytes, or makes a name impossibly long. */
static void damage(GByteArray *b, cacheray_layout l, GRand *r)
{
    uint32_t at = below(r, b->len), n = MIN(1 + below(r, 40), b->len - at);
    GByteArray *tail = g_byte_array_new();
    g_byte_array_append(tail, b->data + at, b->len - at);
    switch (below(r, 5)) {
    case 0:
        tail->data[0] = (uint8_t)g_rand_int(r);
        break;
    case 1:
        g_byte_array_remove_range(tail, 0, n);
        break;
    case 2:
        g_byte_array_set_size(b, at + n);
        memset(b->data + at, below(r, 2) ? 0xff : 0, n);
        at += n;
        break;
    case 3:
        at += n;
        break;
    default:
        g_byte_array_set_size(b, at);
        put_add(b, l, heap(l), 8, 1, "x", below(r, 2) ? UINT32_MAX : below(r, 4000));
        at = b->len;
    }
    g_byte_array_set_size(b, at);
    g_byte_array_append(b, tail->data, tail->len);
    g_byte_array_free(tail, TRUE);
}

static GByteArray *damaged_trace(cacheray_layout l, GRand *r, unsigned records, unsigned damages)
{
    GByteArray *b = g_byte_array_new();
    for (unsigned i = 0; i < records; i++)
        put_random_record(b, l, r);
    while (damages-- > 0)
        damage(b, l, r);
    return b;
}

static void check_same(const GArray *a, const GArray *b)
{
    assert_int_equal(a->len, b->len);
    for (unsigned i = 0; i < a->len; i++)
        assert_memory_equal(&g_array_index(a, record, i), &g_array_index(b, record, i), sizeof(record));
}

static void test_sources_make_no_difference(void **state)
{
    (void)state;
    GRand *r = g_rand_new_with_seed(1);
    for (unsigned round = 0; round < 120; round++) {
        cacheray_layout l = (cacheray_layout)(round % CACHERAY_LAYOUTS);
        GByteArray *b = damaged_trace(l, r, 200, 1 + round % 20);
        GArray *all = walk_bytes_of(b, b->len, l);
        counting small = counting_source(b, 1, true), unknown = counting_source(b, 100, false);
        GArray *again = walk_source(&small.base, l, b->len);
        check_same(all, again);
        g_array_free(again, TRUE);
        again = walk_source(&unknown.base, l, b->len);
        check_same(all, again);
        g_array_free(again, TRUE);
        g_array_free(all, TRUE);
        g_byte_array_free(b, TRUE);
    }
    g_rand_free(r);
}

static void test_any_record_again(void **state)
{
    (void)state;
    GRand *r = g_rand_new_with_seed(2);
    for (unsigned round = 0; round < 20; round++) {
        cacheray_layout l = (cacheray_layout)(round % CACHERAY_LAYOUTS);
        GByteArray *b = damaged_trace(l, r, 3000, round);
        source *s = source_memory_new(b->data, b->len);
        trace *t = open_bytes(s, l);
        GArray *all = g_array_new(FALSE, FALSE, sizeof(record));
        for (walk *w; (w = trace_next(t));)
            g_array_append_val(all, w->record);
        for (unsigned i = 0; i < 300; i++) {
            const record *want = &g_array_index(all, record, below(r, all->len));
            int err;
            walk *w = trace_read(t, trace_handle(&want->context), &err);
            assert_non_null(w);
            assert_memory_equal(&w->record, want, sizeof(record));
            const uint8_t *data;
            assert_int_equal(walk_bytes(w, &data), want->context.length);
            assert_memory_equal(data, b->data + want->context.offset, (size_t)want->context.length);
        }
        g_array_free(all, TRUE);
        trace_close(t);
        source_close(s);
        g_byte_array_free(b, TRUE);
    }
    g_rand_free(r);
}

/* Input that is hard to check, repeated: the same bytes must not be read again for each record. */
static void check_work(GByteArray *b, cacheray_layout l, bool size_known)
{
    counting s = counting_source(b, 128u << 10, size_known);
    GArray *all = walk_source(&s.base, l, b->len);
    assert_true(s.read <= 4 * (uint64_t)b->len + PROBE_LENGTH + (1u << 20));
    g_array_free(all, TRUE);
    g_byte_array_set_size(b, 0);
}

static void test_work_grows_with_the_file(void **state)
{
    (void)state;
    GByteArray *b = g_byte_array_new();
    for (unsigned known = 0; known < 2; known++) {
        for (unsigned i = 0; i < 100000; i++)
            put_access(b, CACHERAY_LE64, CACHERAY_READ, heap(CACHERAY_LE64), 3, 0);
        check_work(b, CACHERAY_LE64, known);
        for (unsigned i = 0; i < 30000; i++) { /* two that pass, an odd one, and a name that is too long */
            put_valid(b, CACHERAY_LE64, 2);
            put_access(b, CACHERAY_LE64, CACHERAY_READ, 8, 3, 0);
            put_add(b, CACHERAY_LE64, heap(CACHERAY_LE64), 8, 1, "", UINT32_MAX);
        }
        check_work(b, CACHERAY_LE64, known);
        for (unsigned i = 0; i < 50000; i++) /* nested odd annotations with long names */
            put_add(b, CACHERAY_BE64, heap(CACHERAY_BE64), 0, 1, "", 1000000);
        check_work(b, CACHERAY_BE64, known);
        for (unsigned byte = 0; byte < 4; byte++) {
            g_byte_array_set_size(b, 2u << 20);
            memset(b->data, (int)byte, b->len);
            check_work(b, CACHERAY_LE32, known);
        }
    }
    g_byte_array_free(b, TRUE);
}

/* Everything before a bad block of the disk is shown, then the error; nothing is made up. */
static void test_read_error(void **state)
{
    (void)state;
    GByteArray *b = g_byte_array_new();
    put_valid(b, CACHERAY_LE64, 5000);
    counting s = counting_source(b, 4096, true);
    s.bad_from = 40960;
    trace *t = open_bytes(&s.base, CACHERAY_LE64);
    uint64_t at = 0;
    for (walk *w; (w = trace_next(t));) {
        assert_int_equal(w->record.context.kind, CACHERAY_READ);
        at += w->record.context.length;
    }
    assert_true(at <= 40960 && at > 40960 - 4096 - CACHERAY_FIXED_MAX); /* up to the last complete block */
    assert_int_equal(t->merge.error, EIO);
    trace_close(t);
    g_byte_array_free(b, TRUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sources_make_no_difference),
        cmocka_unit_test(test_any_record_again),
        cmocka_unit_test(test_work_grows_with_the_file),
        cmocka_unit_test(test_read_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
