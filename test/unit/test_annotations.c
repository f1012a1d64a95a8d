/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Annotations compared with a list that is searched from its end, with random and worst-case input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>

#include "cacheray/annotations.h"

/* --- the model --------------------------------------------------------------------------------------------------------- */

typedef struct model_region {
    uint64_t start, length;
    bool live;
} model_region;

static uint32_t model_find(const GArray *m, uint64_t address)
{
    for (guint i = m->len; i-- > 0;) {
        const model_region *r = &g_array_index(m, model_region, i);
        if (r->live && address >= r->start && address - r->start < r->length)
            return i + 1;
    }
    return 0;
}

static uint32_t model_remove(GArray *m, uint64_t start)
{
    for (guint i = m->len; i-- > 0;) {
        model_region *r = &g_array_index(m, model_region, i);
        if (r->live && r->start == start) {
            r->live = false;
            return i + 1;
        }
    }
    return 0;
}

static bool model_overlaps(const GArray *m, uint64_t start, uint64_t length)
{
    for (guint i = 0; i < m->len; i++) {
        const model_region *r = &g_array_index(m, model_region, i);
        if (!r->live || !r->length || !length)
            continue;
        if (start >= r->start ? start - r->start < r->length : r->start - start < length)
            return true;
    }
    return false;
}

static uint32_t add(annotations *a, uint64_t start, uint32_t size, uint32_t count, uint32_t record)
{
    annotation n = {.start = start, .elem_size = size, .elem_count = count, .added = record};
    return annotations_add(a, &n);
}

static uint32_t find(annotations *a, uint64_t address)
{
    bool cut;
    const uint32_t number = annotations_find(a, address, &cut);
    assert_false(cut);
    return number;
}

/* --- tests ------------------------------------------------------------------------------------------------------------- */

static void compare(annotations *a, const GArray *m, uint64_t address)
{
    assert_int_equal(find(a, address), model_find(m, address));
}

/* Addresses from `base`, regions of up to `longest` bytes; `percent` of the steps remove a region. */
static void random_steps(uint32_t seed, uint64_t base, uint32_t range, uint32_t longest, int percent)
{
    GRand *r = g_rand_new_with_seed(seed);
    annotations *a = annotations_new();
    GArray *m = g_array_new(FALSE, FALSE, sizeof(model_region));
    for (uint32_t step = 1; step <= 1500; step++) {
        uint64_t address = base + g_rand_int(r) % range;
        if (g_rand_int_range(r, 0, 100) < percent) {
            uint32_t number = model_remove(m, address);
            assert_int_equal(annotations_remove(a, address, step), number);
            if (number)
                assert_int_equal(annotations_get(a, number)->removed, step);
        } else {
            model_region n = {address, g_rand_int(r) % longest, true};
            assert_int_equal(annotations_overlap(a, n.start, n.length), model_overlaps(m, n.start, n.length));
            g_array_append_val(m, n);
            assert_int_equal(add(a, n.start, (uint32_t)n.length, 1, step), m->len);
            compare(a, m, address);
            compare(a, m, n.start + n.length);
            compare(a, m, n.start + n.length - 1);
        }
        compare(a, m, address);
        compare(a, m, base + g_rand_int(r) % range);
        compare(a, m, base - 1);
    }
    g_array_free(m, TRUE);
    annotations_free(a);
    g_rand_free(r);
}

static void test_random(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 6; seed++) {
        random_steps(seed, 0x1000, 64, 40, 40);
        random_steps(seed, 0x7fff00000000, 4000, 64, 30);
        random_steps(seed, 0x7fffffffffffff00, 0x200, 200, 45);
        random_steps(seed, UINT64_MAX - 300, 300, 900, 40);
        random_steps(seed, 1, 3, 3, 50);
        random_steps(seed, 1, UINT32_MAX, UINT32_MAX, 5);
    }
}

static void test_rules(void **state)
{
    (void)state;
    annotations *a = annotations_new();
    assert_int_equal(find(a, 0), 0);
    assert_int_equal(annotations_remove(a, 0, 1), 0);
    assert_int_equal(add(a, 0x1000, 0x100, 1, 1), 1);
    assert_int_equal(add(a, 0x1010, 0x10, 2, 2), 2); /* inside */
    assert_int_equal(add(a, 0x1000, 8, 1, 3), 3);    /* the same start */
    assert_int_equal(add(a, 0x1000, 0, 9, 4), 4);    /* empty */
    assert_int_equal(find(a, 0x1000), 3);
    assert_int_equal(find(a, 0x1008), 1);
    assert_int_equal(find(a, 0x102f), 2);
    assert_int_equal(find(a, 0x1030), 1);
    assert_int_equal(find(a, 0x1100), 0);
    assert_int_equal(annotations_remove(a, 0x1000, 5), 4);
    assert_int_equal(annotations_remove(a, 0x1000, 6), 3);
    assert_int_equal(find(a, 0x1000), 1);
    assert_int_equal(annotations_remove(a, 0x1000, 7), 1);
    assert_int_equal(annotations_remove(a, 0x1000, 8), 0);
    assert_int_equal(find(a, 0x1000), 0);
    assert_int_equal(find(a, 0x1010), 2);
    assert_int_equal(annotations_get(a, 3)->added, 3);
    assert_int_equal(annotations_get(a, 3)->removed, 6);
    annotations_free(a);
}

/* Regions that would extend beyond the address space end with it. */
static void test_last_address(void **state)
{
    (void)state;
    annotations *a = annotations_new();
    add(a, UINT64_MAX, UINT32_MAX, UINT32_MAX, 1);
    add(a, 0x8000000000000000, UINT32_MAX, UINT32_MAX, 2);
    assert_int_equal(find(a, UINT64_MAX), 2);
    assert_int_equal(find(a, 0), 0);
    for (uint64_t address = 0; address < 1 << 16; address += 1 << 8)
        assert_int_equal(find(a, address), 0); /* nor at the beginning again */
    assert_int_equal(find(a, 0x8000000000000000), 2);
    assert_int_equal(annotations_remove(a, 0x8000000000000000, 1), 2);
    assert_int_equal(find(a, UINT64_MAX), 1);
    assert_int_equal(find(a, UINT64_MAX - 1), 0);
    add(a, 0, UINT32_MAX, UINT32_MAX, 3);
    assert_int_equal(find(a, 0), 3);
    assert_int_equal(find(a, 0xfffffffe00000000), 3);
    assert_int_equal(find(a, 0xfffffffe00000001), 0);
    assert_false(annotations_overlap(a, UINT64_MAX - 1, 1));
    assert_true(annotations_overlap(a, UINT64_MAX - 1, UINT64_MAX));
    annotations_free(a);
}

/* 200,000 live annotations (the tests run with sanitizers), in all patterns for which a list or a plain search tree would
 * be slow. */
#define MANY 200000u

static void test_many_alike(void **state)
{
    (void)state;
    annotations *a = annotations_new();
    for (uint32_t i = 1; i <= MANY; i++)
        add(a, 0x1000, 64, 1, i);
    for (uint32_t i = MANY; i > 0; i--) {
        assert_int_equal(find(a, 0x103f), i);
        assert_int_equal(annotations_remove(a, 0x1000, 1), i);
    }
    assert_int_equal(find(a, 0x1000), 0);
    annotations_free(a);
}

/* Nested large regions, then small ones between their starts: each is found, or it is reported that too many overlap. */
static void test_many_nested(void **state)
{
    (void)state;
    annotations *a = annotations_new();
    const uint64_t base = 0x10000000, end = base + 2 * 16u * MANY;
    for (uint32_t i = 0; i < MANY; i++)
        add(a, base + 16u * i, (uint32_t)(end - base - 17u * i), 1, 1);
    for (uint32_t i = 0; i < MANY; i++)
        add(a, base + 16u * i + 8, 8, 1, 1);
    uint32_t cuts = 0;
    for (uint32_t i = 0; i < MANY; i++) {
        bool cut, cut_end;
        const uint32_t begin = annotations_find(a, base + 16u * i, &cut), last = annotations_find(a, end - i - 1, &cut_end);
        assert_int_equal(begin, cut ? 0 : i + 1);
        assert_int_equal(last, cut_end ? 0 : i + 1);
        assert_int_equal(find(a, base + 16u * i + 9), MANY + i + 1);
        cuts += cut;
    }
    assert_true(cuts > MANY / 2 && cuts < MANY - ANNOTATIONS_STEPS / 2);
    for (uint32_t i = MANY; i-- > 0;)
        assert_int_equal(annotations_remove(a, base + 16u * i, 1), i + 1);
    assert_int_equal(find(a, base), 0);
    annotations_free(a);
}

/* A region over many small ones, again and again: they become hidden once, and are found again whenever it is removed. */
static void test_many_hidden(void **state)
{
    (void)state;
    annotations *a = annotations_new();
    for (uint32_t i = 0; i < MANY; i++)
        add(a, 0x1000 + 16u * i, 16, 1, 1);
    for (uint32_t i = 0; i < MANY; i++) {
        assert_int_equal(add(a, 0x1000, 16 * MANY, 1, 1), MANY + i + 1);
        assert_int_equal(find(a, 0x1000 + 16u * i), MANY + i + 1);
        assert_int_equal(annotations_remove(a, 0x1000, 1), MANY + i + 1);
        assert_int_equal(find(a, 0x1000 + 16u * i), i + 1);
    }
    for (uint32_t i = 0; i < MANY; i++)
        assert_int_equal(annotations_remove(a, 0x1000 + 16u * i, 1), i + 1);
    assert_false(annotations_overlap(a, 0, UINT64_MAX));
    annotations_free(a);
}

/* Regions that were never removed lead past each other, as each covers the one before. */
static void test_many_stale(void **state)
{
    (void)state;
    annotations *a = annotations_new();
    add(a, 0x0, 0x10000, 1, 1);
    for (uint32_t i = 0; i < MANY; i++)
        add(a, 0x8000 - i % 8, 8 + i % 8, 1, 1);
    assert_int_equal(find(a, 0x100), 1);
    for (uint32_t i = MANY; i-- > 0;)
        assert_int_equal(annotations_remove(a, 0x8000 - i % 8, 1), i + 2);
    assert_int_equal(find(a, 0x8000), 1);
    annotations_free(a);
}

/* A removed region leads to those below it; very many of them are passed over in several look-ups. */
static void test_many_removed(void **state)
{
    (void)state;
    annotations *a = annotations_new();
    bool cut = true;
    add(a, 0, 0x10000000, 1, 1);
    for (uint32_t i = 1; i <= 10000; i++)
        add(a, 0x8000000 - i, 2 * i, 1, 1);
    for (uint32_t i = 9999; i > 0; i--)
        assert_int_equal(annotations_remove(a, 0x8000000 - i, 1), i + 1);
    for (unsigned tries = 0; cut; tries++) {
        const uint32_t found = annotations_find(a, 0x100, &cut);
        assert_int_equal(found, cut ? 0 : 1);
        assert_true(tries < 20);
    }
    annotations_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),      cmocka_unit_test(test_last_address), cmocka_unit_test(test_random),
        cmocka_unit_test(test_many_alike), cmocka_unit_test(test_many_nested),  cmocka_unit_test(test_many_hidden),
        cmocka_unit_test(test_many_stale), cmocka_unit_test(test_many_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
