/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and numbers chosen so that they collide with other hash functions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>
#include <string.h>

#include "containers/hash.h"

#define COUNT 4096u

/* How many hashes are different: of 4,096 random ones of 32 bits, fewer than 4,094 in only two or three of 10,000 runs. */
static guint different(GHashTable *hashes)
{
    guint n = g_hash_table_size(hashes);
    g_hash_table_destroy(hashes);
    return n;
}

/* Twelve times one of two pairs of characters, for which 33 * first + second is the same. */
static void texts(void **state)
{
    (void)state;
    GHashTable *hashes = g_hash_table_new(NULL, NULL), *own = g_hash_table_new(NULL, NULL);
    for (unsigned i = 0; i < COUNT; i++) {
        char text[25] = "";
        for (unsigned pair = 0; pair < 12; pair++) {
            text[2 * pair] = i >> pair & 1 ? 'A' : 'B';
            text[2 * pair + 1] = i >> pair & 1 ? 'z' : 'Y';
        }
        g_hash_table_add(own, GUINT_TO_POINTER(g_str_hash(text)));
        g_hash_table_add(hashes, GUINT_TO_POINTER(hash_text(text)));
    }
    assert_int_equal(different(own), 1);
    assert_true(different(hashes) >= COUNT - 8);
}

/* Numbers with equal halves, and pairs that differ in the highest bits. */
static void numbers(void **state)
{
    (void)state;
    GHashTable *hashes = g_hash_table_new(NULL, NULL), *pairs = g_hash_table_new(NULL, NULL);
    for (uint64_t i = 0; i < COUNT; i++) {
        const uint64_t number = i << 32 | i;
        uint64_t words[24] = {0};
        for (unsigned pair = 0; pair < 12; pair++) {
            words[2 * pair] = (i >> pair & 1) << 63;
            words[2 * pair + 1] = (i >> pair & 1) << 63 | (i >> pair & 1) << 31;
        }
        g_hash_table_add(hashes, GUINT_TO_POINTER(hash_number(&number)));
        g_hash_table_add(pairs, GUINT_TO_POINTER(hash_bytes(words, sizeof words)));
    }
    assert_true(different(hashes) >= COUNT - 8);
    assert_true(different(pairs) >= COUNT - 8);
}

/* Numbers that, unhashed, all have the same index in a GHashTable of size 65,536, which is the number modulo a prime. */
static void pointers(void **state)
{
    (void)state;
    const guint prime = 65521;
    GHashTable *places = g_hash_table_new(NULL, NULL), *own = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < COUNT; i++) {
        gpointer number = GUINT_TO_POINTER(i * prime);
        g_hash_table_add(own, GUINT_TO_POINTER(g_direct_hash(number) % prime));
        g_hash_table_add(places, GUINT_TO_POINTER(hash_pointer(number) % prime));
    }
    assert_int_equal(different(own), 1);
    assert_true(different(places) >= COUNT - COUNT / 16); /* of random ones 3 % collide */
}

/* Every byte matters, and equal bytes have equal hashes at any address. */
static void bytes(void **state)
{
    (void)state;
    char a[32] = "0123456789abcdefghijklmnopqrst", b[33];
    for (size_t length = 0; length < sizeof a; length++) {
        memcpy(b + 1, a, sizeof a);
        assert_int_equal(hash_bytes(a, length), hash_bytes(b + 1, length));
        for (size_t i = 0; i < length; i++) {
            b[1 + i] ^= 1;
            assert_int_not_equal(hash_bytes(a, length), hash_bytes(b + 1, length));
            b[1 + i] ^= 1;
        }
    }
    assert_int_equal(hash_text("0123456789"), hash_bytes(a, 10));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(texts), cmocka_unit_test(numbers), cmocka_unit_test(pointers),
                                       cmocka_unit_test(bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
