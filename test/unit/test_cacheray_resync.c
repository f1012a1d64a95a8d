/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Resynchronising in damaged Cacheray traces that can be read in several ways: shifted 32-bit records, and records inside
 * the name of an annotation. */
#include "test_cacheray.h"

#define EACH_LAYOUT(l) for (cacheray_layout l = CACHERAY_LE64; l < CACHERAY_LAYOUTS; l++)

/* Reads by threads 1 to 4: in layout le32, if the last byte of an address is 8, the bytes from the last one of a thread
 * on also look like reads. */
static void put_reads_like_shifted(GByteArray *b, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        put_access(b, CACHERAY_LE32, i % 8 == 7 ? CACHERAY_WRITE : CACHERAY_READ, 0x08d30000u + 8u * (i * 37 % 997), 8,
                   1 + i % 4);
}

/* A run of odd records among reads that can also be read one byte earlier: nothing is lost to the wrong reading. */
static void test_shifted_reading(void **state)
{
    (void)state;
    for (unsigned odd = 1; odd <= 12; odd++) {
        GByteArray *b = g_byte_array_new();
        put_reads_like_shifted(b, 20);
        for (unsigned i = 0; i < odd; i++)
            put_access(b, CACHERAY_LE32, CACHERAY_READ, 0x08d31000u + 8u * (i * 53 % 97), 3, 1);
        put_reads_like_shifted(b, 60);
        GArray *all = walk_bytes_of(b, b->len, CACHERAY_LE32);
        assert_int_equal(all->len, 80 + odd);
        for (unsigned i = 0; i < all->len; i++)
            assert_int_equal(context(all, i)->fault, i >= 20 && i < 20 + odd ? FAULT_CACHERAY_SIZE : FAULT_NONE);
        g_array_free(all, TRUE);
        g_byte_array_free(b, TRUE);
    }
}

/* Missing bytes: the records after the gap are found where they are. */
static void test_hole_between_shifted(void **state)
{
    (void)state;
    for (unsigned hole = 1; hole < 28; hole++) {
        GByteArray *b = g_byte_array_new();
        put_reads_like_shifted(b, 80);
        g_byte_array_remove_range(b, 20 * 14 + 3, hole);
        GArray *all = walk_bytes_of(b, b->len, CACHERAY_LE32);
        unsigned begin = 20 * 14 + 3 + (28 - 3 - hole % 14) % 14, found = 0;
        for (unsigned i = 0; i < all->len; i++)
            found += context(all, i)->offset >= begin + 14 && (context(all, i)->offset - begin) % 14 == 0 &&
                     context(all, i)->fault == FAULT_NONE;
        assert_true(found >= (b->len - begin) / 14 - 2);
        g_array_free(all, TRUE);
        g_byte_array_free(b, TRUE);
    }
}

/* An annotation with a wrong length that does not extend beyond the file. */
static void test_name_that_swallows(void **state)
{
    (void)state;
    /* this many records of either size, plus 5 bytes that lead into the middle of one */
    static const uint32_t times[] = {1, 2, 30, 521, 1561};
    EACH_LAYOUT(l)
    for (unsigned i = 0; i < G_N_ELEMENTS(times); i++)
        for (unsigned odd = 0; odd < 2; odd++) {
            GByteArray *b = g_byte_array_new();
            put_valid(b, l, 3);
            uint64_t at = b->len;
            put_add(b, l, heap(l), odd ? 0 : 8, 1, "struct.order", 12 + 5 + times[i] * 18 * 7);
            uint64_t next = b->len;
            put_valid(b, l, 20000);
            GArray *all = walk_bytes_of(b, b->len, l);
            assert_int_equal(all->len, 3 + 1 + 20000);
            assert_int_equal(context(all, 3)->kind, KIND_UNKNOWN);
            assert_int_equal(context(all, 3)->offset, at);
            assert_int_equal(context(all, 4)->offset, next);
            g_array_free(all, TRUE);
            g_byte_array_free(b, TRUE);
        }
}

/* An annotation whose name ends with an access, after unknown bytes of the maximum length, so that its fast path is not
 * taken. Up to twice the length of the fixed part its name is not searched, though what follows the next record is damaged.
 */
static void test_short_name_is_trusted(void **state)
{
    (void)state;
    const cacheray_layout l = CACHERAY_LE64;
    for (unsigned longer = 0; longer < 2; longer++) {
        GByteArray *b = g_byte_array_new();
        put_valid(b, l, 3);
        const uint64_t damage = b->len, annotation = damage + RECORD_UNKNOWN_MAX;
        g_byte_array_set_size(b, (guint)annotation);
        memset(b->data + damage, 0xff, RECORD_UNKNOWN_MAX);
        put_add(b, l, heap(l), 8, 1, longer ? "struct.order" : "struct.orde", CACHERAY_FIXED_MAX + longer);
        put_access(b, l, CACHERAY_READ, heap(l), 8, 0);
        const uint64_t next = b->len;
        put_valid(b, l, 1);
        put_value(b, l, UINT64_MAX, 8);
        put_value(b, l, UINT64_MAX, 8);
        put_valid(b, l, 40);
        GArray *all = walk_bytes_of(b, b->len, l);
        assert_int_equal(context(all, 3)->length, RECORD_UNKNOWN_MAX);
        assert_int_equal(context(all, 4)->offset, annotation);
        assert_int_equal(context(all, 4)->kind, longer ? KIND_UNKNOWN : CACHERAY_RTTA_ADD);
        assert_int_equal(context(all, 5)->offset, longer ? next - 18 : next);
        g_array_free(all, TRUE);
        g_byte_array_free(b, TRUE);
    }
}

/* An access through a null pointer is what a program may end with. It is a record, without a fault; an annotation there is
 * not, nor is an access with other faults. */
static void test_low(void **state)
{
    (void)state;
    EACH_LAYOUT(l)
    for (unsigned more = 0; more < 20; more += 10) {
        GByteArray *b = g_byte_array_new();
        put_valid(b, l, 10);
        put_access(b, l, CACHERAY_WRITE, 8, 8, 1);
        put_valid(b, l, 2 + more);
        put_access(b, l, CACHERAY_WRITE, 9, 8, 1); /* unaligned, but not marked as such */
        put_valid(b, l, 2);
        put_add(b, l, 16, 8, 1, "x", 1);
        put_valid(b, l, 2);
        put_access(b, l, CACHERAY_READ, 0, 4, 1);
        GArray *all = walk_bytes_of(b, b->len, l);
        assert_int_equal(all->len, 10 + 1 + 2 + more + 1 + 2 + 1 + 2 + 1);
        for (unsigned i = 0; i < all->len; i++)
            assert_int_equal(context(all, i)->fault,
                             i == 13 + more || i == 16 + more ? (uint8_t)FAULT_CACHERAY_ADDRESS : FAULT_NONE);
        assert_int_equal(context(all, all->len - 1)->kind, CACHERAY_READ);
        g_array_free(all, TRUE);
        g_byte_array_free(b, TRUE);
    }
}

/* A name may be long and have any bytes, as long as records follow. */
static void test_name_of_any_bytes(void **state)
{
    (void)state;
    EACH_LAYOUT(l)
    {
        GByteArray *b = g_byte_array_new(), *name = g_byte_array_new();
        put_valid(name, l, 30);
        put_valid(b, l, 3);
        put_add(b, l, heap(l), 8, 1, "", name->len);
        g_byte_array_append(b, name->data, name->len);
        put_valid(b, l, 3);
        GArray *all = walk_bytes_of(b, b->len, l);
        assert_int_equal(all->len, 7);
        assert_int_equal(context(all, 3)->kind, CACHERAY_RTTA_ADD);
        g_array_free(all, TRUE);
        g_byte_array_free(name, TRUE);
        g_byte_array_free(b, TRUE);
    }
}

/* Odd records, the last with a name full of records that lead beyond its end. Examining all of these for each odd record
 * would take minutes for a file of a few megabytes, so that many are accepted without being refuted. */
static void test_name_full_of_records(void **state)
{
    (void)state;
    enum { WITHIN = 4600 };
    const cacheray_layout l = CACHERAY_LE32;
    GByteArray *b = g_byte_array_new(), *name = g_byte_array_new();
    for (unsigned i = 0; i < WITHIN; i++) {
        put_remove(name, l, 0x77710000 + 0x20000 * (i % 50));
        if (i % 20 == 19)
            name->data[name->len - 13] |= CACHERAY_UNALIGNED; /* so that no run of them is long */
    }
    for (unsigned i = 0; i < 15; i++)
        put_access(b, l, CACHERAY_READ, 0x0bd30000 + 8 * i, 3, 1);
    put_add(b, l, 0x0bd40000, 0, 1, "", name->len - 5);
    g_byte_array_append(b, name->data, name->len - 5);
    for (unsigned i = 0; i < 40; i++)
        put_access(b, l, CACHERAY_READ, 0x0bd30000 + 8 * i, 4, 1);
    GArray *all = walk_bytes_of(b, b->len, l);
    assert_true(all->len > WITHIN);
    g_array_free(all, TRUE);
    g_byte_array_free(name, TRUE);
    g_byte_array_free(b, TRUE);
}

static const record_context *check_unfaulted(const GArray *all, unsigned i, uint8_t kind, uint64_t length)
{
    const record_context *c = context(all, i);
    assert_int_equal(c->fault, FAULT_NONE);
    assert_int_equal(c->flags & CONTEXT_TRUNCATED, 0);
    assert_int_equal(c->kind, kind);
    assert_int_equal(c->length, length);
    return c;
}

/* Zeros are not reads of size 0 at address 0, but places that were not written, from the smallest record on. */
static void test_zeros(void **state)
{
    (void)state;
    EACH_LAYOUT(l)
    for (unsigned zeros = cacheray_pointer(l) == 8 ? 17 : 13; zeros < 200; zeros++) {
        GByteArray *b = g_byte_array_new();
        put_valid(b, l, 3);
        g_byte_array_set_size(b, b->len + zeros);
        memset(b->data + b->len - zeros, 0, zeros);
        put_valid(b, l, 40);
        GArray *all = walk_bytes_of(b, b->len, l);
        assert_int_equal(all->len, 3 + 1 + 40);
        check_unfaulted(all, 3, KIND_PADDING, zeros);
        g_array_free(all, TRUE);
        g_byte_array_free(b, TRUE);
    }
}

/* Zeros up to the end of the file, in pieces, and many of them before a record. */
static void test_many_zeros(void **state)
{
    (void)state;
    static const size_t counts[] = {17, 4096, RECORD_UNKNOWN_MAX, RECORD_UNKNOWN_MAX + 1, 3 * RECORD_UNKNOWN_MAX + 5};
    EACH_LAYOUT(l)
    for (unsigned i = 0; i < G_N_ELEMENTS(counts); i++)
        for (unsigned after = 0; after < 2; after++) {
            GByteArray *b = g_byte_array_new();
            unsigned pieces = (unsigned)((counts[i] + RECORD_UNKNOWN_MAX - 1) / RECORD_UNKNOWN_MAX);
            put_valid(b, l, 3);
            put_repeated(b, 0, counts[i]);
            put_valid(b, l, after * 40);
            GArray *all = walk_bytes_of(b, b->len, l);
            assert_int_equal(all->len, 3 + pieces + 40 * after);
            for (unsigned n = 0; n < pieces; n++)
                check_unfaulted(all, 3 + n, KIND_PADDING, MIN(RECORD_UNKNOWN_MAX, counts[i] - n * RECORD_UNKNOWN_MAX));
            g_array_free(all, TRUE);
            g_byte_array_free(b, TRUE);
        }
}

/* Accesses that did not happen, with and without the fields that are written before their size, between other records and
 * other places that were not written. */
static void test_accesses_that_did_not_happen(void **state)
{
    (void)state;
    EACH_LAYOUT(l)
    {
        const unsigned length = 10 + cacheray_pointer(l);
        GByteArray *b = g_byte_array_new();
        put_access(b, l, CACHERAY_WRITE, heap(l), 0, 7);
        put_valid(b, l, 1);
        for (unsigned i = 0; i < 20; i++)
            put_access(b, l, CACHERAY_WRITE, i % 2 ? heap(l) + i : 0, 0, i);
        put_valid(b, l, 1);
        put_repeated(b, 0, 29 + 11);
        put_access(b, l, CACHERAY_READ | CACHERAY_ATOMIC, heap(l), 8, 7);
        put_access(b, l, CACHERAY_WRITE, heap(l), 0, 7);
        put_repeated(b, 0, 500);
        GArray *all = walk_bytes_of(b, b->len, l);
        assert_int_equal(all->len, 27);
        for (unsigned i = 0; i < 27; i++)
            if (i == 24)
                check_unfaulted(all, i, CACHERAY_READ, length);
            else if (i == 23 || i == 26)
                check_unfaulted(all, i, KIND_PADDING, i == 26 ? 500 : 40);
            else
                check_unfaulted(all, i, i == 1 || i == 22 ? CACHERAY_READ : CACHERAY_WRITE, length);
        g_array_free(all, TRUE);
        g_byte_array_free(b, TRUE);
    }
}

/* A read between zeros begins with a zero, and is followed by nothing that confirms it. */
static void test_read_between_zeros(void **state)
{
    (void)state;
    for (cacheray_layout l = CACHERAY_LE64; l <= CACHERAY_BE64; l++) {
        GByteArray *b = g_byte_array_new();
        put_valid(b, l, 1);
        put_repeated(b, 0, 17);
        put_valid(b, l, 1);
        put_repeated(b, 0, 18);
        put_valid(b, l, 1);
        GArray *all = walk_bytes_of(b, b->len, l);
        assert_int_equal(all->len, 5);
        check_unfaulted(all, 1, KIND_PADDING, 17);
        check_unfaulted(all, 2, CACHERAY_READ, 18);
        check_unfaulted(all, 3, KIND_PADDING, 18);
        g_array_free(all, TRUE);
        g_byte_array_free(b, TRUE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shifted_reading),
        cmocka_unit_test(test_hole_between_shifted),
        cmocka_unit_test(test_name_that_swallows),
        cmocka_unit_test(test_name_of_any_bytes),
        cmocka_unit_test(test_short_name_is_trusted),
        cmocka_unit_test(test_name_full_of_records),
        cmocka_unit_test(test_low),
        cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_many_zeros),
        cmocka_unit_test(test_read_between_zeros),
        cmocka_unit_test(test_accesses_that_did_not_happen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
