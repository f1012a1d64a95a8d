/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Quantiles compared with sorting everything after every number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "containers/percentiles.h"

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void as_sorting(void **state)
{
    (void)state;
    static const unsigned percents[] = {0, 1, 30, 50, 90, 99};
    for (guint32 seed = 1; seed <= 8; seed++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
        g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(uint64_t));
        percentiles q = {0};
        assert_int_equal(percentiles_value(&q, 50), 0);
        for (guint n = 1; n <= 400; n++) {
            uint64_t number = seed % 2 ? g_rand_int(rand) % 20 : (uint64_t)g_rand_int(rand) << 20;
            percentiles_add(&q, number);
            g_array_append_val(all, number);
            qsort(all->data, n, sizeof(uint64_t), compare);
            for (unsigned i = 0; i < G_N_ELEMENTS(percents) && (n + i) % 3; i++) /* some only after further numbers */
                assert_int_equal(percentiles_value(&q, percents[i]), g_array_index(all, uint64_t, n * percents[i] / 100));
        }
        percentiles_clear(&q);
    }
}

/* Merged from parts. */
static void merged(void **state)
{
    (void)state;
    enum { NUMBERS = 4000, PARTS = 3 };
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    g_autofree uint64_t *all = g_new(uint64_t, NUMBERS);
    percentiles parts[PARTS] = {{0}}, none = {0};
    for (guint i = 0; i < NUMBERS; i++) {
        all[i] = g_rand_int(rand) % 500;
        percentiles_add(&parts[i % 10 ? 0 : 2], all[i]); /* one is empty */
    }
    percentiles_merge(&none, &parts[1]);
    percentiles_merge(&none, &parts[0]);
    percentiles_merge(&none, &parts[2]);
    qsort(all, NUMBERS, sizeof *all, compare);
    for (unsigned percent = 0; percent < 100; percent += 9)
        assert_int_equal(percentiles_value(&none, percent), all[NUMBERS * percent / 100]);
    percentiles_clear(&none);
    for (int i = 0; i < PARTS; i++)
        percentiles_clear(&parts[i]);
}

/* As many numbers as the square root may be as large as they like. */
static void typical(void **state)
{
    (void)state;
    percentiles q = {0};
    assert_int_equal(percentiles_typical_sum(&q), 0);
    percentiles_add(&q, 900);
    assert_int_equal(percentiles_typical_sum(&q), 0); /* one decides nothing */
    percentiles_add(&q, 7);
    assert_int_equal(percentiles_typical_sum(&q), 2 * 7);
    for (guint i = 0; i < 98; i++)
        percentiles_add(&q, i % 11 ? 7 : UINT64_MAX - i); /* nine, and the 900 */
    assert_int_equal(percentiles_typical_sum(&q), 100 * 7);
    percentiles_add(&q, 1000); /* the eleventh of 101 */
    assert_true(percentiles_typical_sum(&q) > 101 * 7 && percentiles_typical_sum(&q) < 101 * 20);
    percentiles_clear(&q);
    for (guint i = 0; i < 9; i++)
        percentiles_add(&q, UINT64_MAX / 2);
    assert_true(percentiles_typical_sum(&q) == UINT64_MAX);
    percentiles_clear(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_sorting), cmocka_unit_test(merged), cmocka_unit_test(typical)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
