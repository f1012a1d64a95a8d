/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "quantile.h"

#include <stdbool.h>

static uint64_t *at(const GArray *heap, guint i)
{
    return &g_array_index(heap, uint64_t, i);
}

/* Whether a belongs nearer to the top than b. */
static bool higher(uint64_t a, uint64_t b, bool max)
{
    return max ? a > b : a < b;
}

static void push(GArray *heap, uint64_t number, bool max)
{
    g_array_append_val(heap, number);
    guint i = heap->len - 1;
    for (guint parent; i > 0 && higher(number, *at(heap, parent = (i - 1) / 2), max); i = parent)
        *at(heap, i) = *at(heap, parent);
    *at(heap, i) = number;
}

static uint64_t pop(GArray *heap, bool max)
{
    uint64_t top = *at(heap, 0), moved = *at(heap, heap->len - 1);
    g_array_set_size(heap, heap->len - 1);
    guint i = 0;
    for (guint child; (child = 2 * i + 1) < heap->len; i = child) {
        if (child + 1 < heap->len && higher(*at(heap, child + 1), *at(heap, child), max))
            child++;
        if (!higher(*at(heap, child), moved, max))
            break;
        *at(heap, i) = *at(heap, child);
    }
    if (heap->len)
        *at(heap, i) = moved;
    return top;
}

void quantile_init(quantile *q, unsigned percent)
{
    q->percent = percent;
    q->below = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    q->above = g_array_new(FALSE, FALSE, sizeof(uint64_t));
}

void quantile_clear(quantile *q)
{
    g_array_free(q->below, TRUE);
    g_array_free(q->above, TRUE);
}

void quantile_add(quantile *q, uint64_t number)
{
    if (q->below->len && number < *at(q->below, 0))
        push(q->below, number, true);
    else
        push(q->above, number, false);
    guint64 n = (guint64)q->below->len + q->above->len;
    guint wanted = (guint)(n * q->percent / 100);
    while (q->below->len < wanted)
        push(q->below, pop(q->above, false), true);
    while (q->below->len > wanted)
        push(q->above, pop(q->below, true), false);
}

uint64_t quantile_value(const quantile *q)
{
    return q->above->len ? *at(q->above, 0) : 0;
}
