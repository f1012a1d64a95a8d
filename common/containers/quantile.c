/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "containers/quantile.h"

void quantiles_clear(quantiles *q)
{
    if (q->numbers)
        g_array_free(q->numbers, TRUE);
    *q = (quantiles){0};
}

void quantiles_add(quantiles *q, uint64_t number)
{
    if (!q->numbers)
        q->numbers = g_array_new(FALSE, FALSE, sizeof number);
    g_array_append_val(q->numbers, number);
    q->sorted = false;
}

void quantiles_merge(quantiles *q, const quantiles *more)
{
    if (!q->numbers)
        q->numbers = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    if (more->numbers)
        g_array_append_vals(q->numbers, more->numbers->data, more->numbers->len);
    q->sorted = false;
}

static gint compare(gconstpointer a, gconstpointer b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

uint64_t quantiles_value(quantiles *q, unsigned percent)
{
    if (!q->numbers || !q->numbers->len)
        return 0;
    if (!q->sorted)
        g_array_sort(q->numbers, compare);
    q->sorted = true;
    return g_array_index(q->numbers, uint64_t, (uint64_t)q->numbers->len * percent / 100);
}
