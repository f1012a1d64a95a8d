/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Quantiles compared with sorting everything after every number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "containers/quantile.h"

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
        quantiles q = {0};
        assert_int_equal(quantiles_value(&q, 50), 0);
        for (guint n = 1; n <= 400; n++) {
            uint64_t number = seed % 2 ? g_rand_int(rand) % 20 : (uint64_t)g_rand_int(rand) << 20;
            quantiles_add(&q, number);
            g_array_append_val(all, number);
            qsort(all->data, n, sizeof(uint64_t), compare);
            for (unsigned i = 0; i < G_N_ELEMENTS(percents) && (n + i) % 3; i++) /* some only after further numbers */
                assert_int_equal(quantiles_value(&q, percents[i]), g_array_index(all, uint64_t, n * percents[i] / 100));
        }
        quantiles_clear(&q);
    }
}

/* Many numbers of which few are different, or all, whole or merged from parts; before and after they are counted. */
static void counted(void **state)
{
    (void)state;
    enum { NUMBERS = 40000, PARTS = 3 };
    for (guint32 seed = 0; seed < 4; seed++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
        g_autofree uint64_t *all = g_new(uint64_t, NUMBERS);
        quantiles whole = {0}, parts[PARTS] = {{0}};
        for (guint i = 0; i < NUMBERS; i++) {
            all[i] = seed % 2 ? g_rand_int(rand) : (uint64_t)(g_rand_int(rand) % (i % 7 ? 10 : 500)) << 40;
            quantiles_add(&whole, all[i]);
            quantiles_add(&parts[seed < 2 ? i % PARTS : i % 100 == 0],
                          all[i]); /* equal parts, or one is small and one empty */
        }
        assert_true((whole.counts == NULL) == (seed % 2 == 1));
        quantiles_merge(&parts[2], &parts[1]);
        quantiles_merge(&parts[2], &parts[0]);
        qsort(all, NUMBERS, sizeof *all, compare);
        for (unsigned percent = 0; percent < 100; percent += 9) {
            assert_int_equal(quantiles_value(&whole, percent), all[NUMBERS * percent / 100]);
            assert_int_equal(quantiles_value(&parts[2], percent), all[NUMBERS * percent / 100]);
        }
        quantiles_clear(&whole);
        for (int i = 0; i < PARTS; i++)
            quantiles_clear(&parts[i]);
    }
}

/* Where one number ends and the next one begins. */
static void halves(void **state)
{
    (void)state;
    enum { NUMBERS = 8192 };
    quantiles q = {0};
    for (guint i = 0; i < NUMBERS; i++)
        quantiles_add(&q, 1 + i % 2);
    assert_non_null(q.counts);
    assert_int_equal(quantiles_value(&q, 49), 1);
    assert_int_equal(quantiles_value(&q, 50), 2);
    assert_int_equal(quantiles_value(&q, 99), 2);
    quantiles_clear(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_sorting), cmocka_unit_test(counted), cmocka_unit_test(halves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
