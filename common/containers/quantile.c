/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "containers/quantile.h"

#include <stdbool.h>

/* --- interval heap: smallest and largest number in O(1) ---------------------------------------------------------------- */

/* Node k consists of elements 2k and 2k + 1, its smaller and its larger number. The numbers of its children, nodes 2k+1 and
 * 2k+2, lie between them. If the last node has a single number, it is both. */

static uint64_t *data_of(const GArray *heap)
{
    return (uint64_t *)(void *)heap->data;
}

static uint64_t smallest(const GArray *heap)
{
    return data_of(heap)[0];
}

static void exchange(uint64_t *a, uint64_t *b)
{
    uint64_t kept = *a;
    *a = *b;
    *b = kept;
}

static guint parent_of(guint i)
{
    return (i / 2 - 1) / 2;
}

static void push(GArray *heap, uint64_t number)
{
    g_array_append_val(heap, number);
    uint64_t *a = data_of(heap);
    guint i = heap->len - 1;
    if (i & 1 && a[i] < a[i - 1]) {
        exchange(&a[i], &a[i - 1]);
        i--;
    }
    while (i > 1 && a[i] < a[2 * parent_of(i)]) {
        exchange(&a[i], &a[2 * parent_of(i)]);
        i = 2 * parent_of(i);
    }
    while (i > 1 && a[i] > a[2 * parent_of(i) + 1]) {
        exchange(&a[i], &a[2 * parent_of(i) + 1]);
        i = 2 * parent_of(i) + 1;
    }
}

/* Removes the last element and returns it. */
static uint64_t take_last(GArray *heap)
{
    uint64_t last = data_of(heap)[heap->len - 1];
    g_array_set_size(heap, heap->len - 1);
    return last;
}

static uint64_t pop_smallest(GArray *heap)
{
    uint64_t top = smallest(heap), moved = take_last(heap);
    uint64_t *a = data_of(heap);
    guint i = 0, length = heap->len;
    if (length == 0)
        return top;
    for (guint child; (child = 2 * i + 2) < length; i = child) {
        if (child + 2 < length && a[child + 2] < a[child])
            child += 2;
        if (a[child] >= moved)
            break;
        a[i] = a[child];
        if (child + 1 < length && moved > a[child + 1])
            exchange(&moved, &a[child + 1]);
    }
    a[i] = moved;
    return top;
}

/* The index of the larger number of the node that begins at `i`. */
static guint larger_of(guint i, guint length)
{
    return i + 1 < length ? i + 1 : i;
}

static uint64_t pop_largest(GArray *heap)
{
    guint i = larger_of(0, heap->len);
    uint64_t top = data_of(heap)[i], moved = take_last(heap);
    uint64_t *a = data_of(heap);
    guint length = heap->len;
    if (i >= length)
        return top;
    for (guint first; (first = 2 * (i - 1) + 2) < length;) {
        guint child = larger_of(first, length);
        if (first + 2 < length && a[larger_of(first + 2, length)] > a[child])
            child = larger_of(first + 2, length);
        if (a[child] <= moved)
            break;
        a[i] = a[child];
        i = child;
        if (!(i & 1)) /* it is the only one in the last node */
            break;
        if (moved < a[i - 1])
            exchange(&moved, &a[i - 1]);
    }
    a[i] = moved;
    return top;
}

/* --- quantiles --------------------------------------------------------------------------------------------------------- */

void quantiles_init(quantiles *q, const unsigned *percents, unsigned count)
{
    q->percents = percents;
    q->count = count;
    for (unsigned i = 0; i <= count; i++)
        q->parts[i] = g_array_new(FALSE, FALSE, sizeof(uint64_t));
}

void quantiles_clear(quantiles *q)
{
    for (unsigned i = 0; i <= q->count; i++)
        g_array_free(q->parts[i], TRUE);
}

/* Moves numbers to the next part if there are too many before a quantile, then back if there are too few. */
static void balance(quantiles *q)
{
    guint64 all = 0, before = 0;
    for (unsigned i = 0; i <= q->count; i++)
        all += q->parts[i]->len;
    for (unsigned i = 0; i < q->count; i++) {
        guint64 wanted = all * q->percents[i] / 100;
        for (; before + q->parts[i]->len > wanted;)
            push(q->parts[i + 1], pop_largest(q->parts[i]));
        before += q->parts[i]->len;
    }
    guint64 behind = 0;
    for (unsigned i = q->count; i > 0; i--) {
        guint64 wanted = all - all * q->percents[i - 1] / 100;
        for (; behind + q->parts[i]->len > wanted;)
            push(q->parts[i - 1], pop_smallest(q->parts[i]));
        behind += q->parts[i]->len;
    }
}

void quantiles_add(quantiles *q, uint64_t number)
{
    unsigned i = q->count;
    while (i > 0 && !(q->parts[i]->len && number >= smallest(q->parts[i])))
        i--;
    push(q->parts[i], number);
    balance(q);
}

uint64_t quantiles_value(const quantiles *q, unsigned i)
{
    for (unsigned part = i + 1; part <= q->count; part++)
        if (q->parts[part]->len)
            return smallest(q->parts[part]);
    return 0;
}
