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
    static const unsigned percents[][QUANTILES_MAX] = {{0}, {50}, {50, 90, 99}, {0, 1, 2}, {97, 98, 99}, {30, 30}};
    static const unsigned counts[] = {1, 1, 3, 3, 3, 2};
    for (guint32 seed = 1; seed <= 8; seed++)
        for (unsigned p = 0; p < G_N_ELEMENTS(counts); p++) {
            GRand *rand = g_rand_new_with_seed(seed);
            GArray *all = g_array_new(FALSE, FALSE, sizeof(uint64_t));
            quantiles q;
            quantiles_init(&q, percents[p], counts[p]);
            assert_int_equal(quantiles_value(&q, 0), 0);
            for (guint n = 1; n <= 400; n++) {
                uint64_t number = seed % 2 ? g_rand_int(rand) % 20 : (uint64_t)g_rand_int(rand) << 20;
                quantiles_add(&q, number);
                g_array_append_val(all, number);
                qsort(all->data, n, sizeof(uint64_t), compare);
                for (unsigned i = 0; i < counts[p]; i++)
                    assert_int_equal(quantiles_value(&q, i), g_array_index(all, uint64_t, n * percents[p][i] / 100));
            }
            quantiles_clear(&q);
            g_array_free(all, TRUE);
            g_rand_free(rand);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_sorting)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
