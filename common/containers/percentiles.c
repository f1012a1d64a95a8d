/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "containers/percentiles.h"

#include <math.h>

#include "util/math128.h"

void percentiles_clear(percentiles *q)
{
    if (q->numbers)
        g_array_free(q->numbers, TRUE);
    *q = (percentiles){0};
}

void percentiles_add(percentiles *q, uint64_t number)
{
    if (!q->numbers)
        q->numbers = g_array_new(FALSE, FALSE, sizeof number);
    g_array_append_val(q->numbers, number);
}

void percentiles_merge(percentiles *q, const percentiles *more)
{
    if (!more->numbers)
        return;
    if (!q->numbers)
        q->numbers = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    g_array_append_vals(q->numbers, more->numbers->data, more->numbers->len);
}

/* Moves numbers above `pivot` after those below it; afterwards the former begin at `*low`, the latter end at `*high`. */
static void quantile_part(uint64_t *all, int64_t *low, int64_t *high, uint64_t pivot)
{
    while (*low <= *high) {
        while (all[*low] < pivot)
            ++*low;
        while (all[*high] > pivot)
            --*high;
        if (*low <= *high) {
            const uint64_t moved = all[*low];
            all[(*low)++] = all[*high];
            all[(*high)--] = moved;
        }
    }
}

/* Moves the smallest numbers to the front, and returns the one with the index `wanted`. Hoare's selection, which takes
 * linear time. The pivot is random, so that no file can make it slow. */
static uint64_t select_smallest(percentiles *q, int64_t wanted)
{
    uint64_t *all = (uint64_t *)(void *)q->numbers->data;
    for (int64_t from = 0, to = q->numbers->len - 1; from < to;) {
        int64_t low = from, high = to;
        quantile_part(all, &low, &high, all[from + (int64_t)(g_random_int() % (uint64_t)(to - from + 1))]);
        if (wanted <= high)
            to = high;
        else if (wanted >= low)
            from = low;
        else
            break;
    }
    return all[wanted];
}

uint64_t percentiles_value(percentiles *q, unsigned percent)
{
    if (!q->numbers || !q->numbers->len)
        return 0;
    return select_smallest(q, (int64_t)((uint64_t)q->numbers->len * percent / 100));
}

uint64_t percentiles_typical_sum(percentiles *q)
{
    const guint n = q->numbers ? q->numbers->len : 0;
    uint64_t sum = 0;
    if (n < 2)
        return 0;
    const guint kept = n - (guint)sqrt(n);
    select_smallest(q, kept - 1);
    for (guint i = 0; i < kept; i++)
        if (__builtin_add_overflow(sum, g_array_index(q->numbers, uint64_t, i), &sum))
            return UINT64_MAX;
    return mul_div_u64(sum, n, kept);
}
