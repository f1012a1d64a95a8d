/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics/top_n.h"

#include <stdlib.h>
#include <string.h>

/* An item in the heap, with the last in order at the top. */
typedef struct slot {
    uint64_t value; /* the larger, the earlier in order; 0 if it has none */
    uint64_t tie;
    bool has_value;
    unsigned item; /* its number in `items` */
} slot;

struct top_n {
    top_n_by by;
    size_t size;
    GArray *heap;      /* of slot */
    GByteArray *items; /* `size` bytes each */
};

top_n_by largest_asked(const rows_words *w, const rows_column *columns, unsigned usual)
{
    top_n_by by = {.most = w->top ? w->top : w->all ? LARGEST_ALL : LARGEST_USUAL, .column = usual};
    if (w->order == ROWS_OWN_ORDER || !rows_holds_numbers(&columns[w->sorted_by]))
        return by;
    by.column = w->sorted_by;
    by.smallest = w->order == ROWS_RISING;
    return by;
}

top_n *top_n_new(const top_n_by *by, size_t size)
{
    top_n *l = g_new0(top_n, 1);
    l->by = *by;
    l->size = size;
    l->heap = g_array_new(FALSE, FALSE, sizeof(slot));
    l->items = g_byte_array_new();
    return l;
}

void top_n_free(top_n *l)
{
    if (!l)
        return;
    g_array_free(l->heap, TRUE);
    g_byte_array_free(l->items, TRUE);
    g_free(l);
}

/* --- the heap ---------------------------------------------------------------------------------------------------------- */

static slot *slot_at(const top_n *l, unsigned at)
{
    return &g_array_index(l->heap, slot, at);
}

static const void *item_of(const top_n *l, const slot *s)
{
    return l->items->data + s->item * l->size;
}

/* Orders `a` and `b` for qsort(). */
static int compare_slots(const void *a, const void *b)
{
    const slot *x = a, *y = b;
    if (x->has_value != y->has_value)
        return y->has_value - x->has_value;
    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    return (x->tie > y->tie) - (x->tie < y->tie);
}

static void rise(const top_n *l, unsigned at)
{
    const slot moved = *slot_at(l, at);
    for (; at && compare_slots(slot_at(l, (at - 1) / 2), &moved) < 0; at = (at - 1) / 2)
        *slot_at(l, at) = *slot_at(l, (at - 1) / 2);
    *slot_at(l, at) = moved;
}

static void sink(const top_n *l, unsigned at)
{
    const slot moved = *slot_at(l, at);
    for (unsigned child; (child = 2 * at + 1) < l->heap->len; at = child) {
        child += child + 1 < l->heap->len && compare_slots(slot_at(l, child + 1), slot_at(l, child)) > 0;
        if (compare_slots(slot_at(l, child), &moved) <= 0)
            break;
        *slot_at(l, at) = *slot_at(l, child);
    }
    *slot_at(l, at) = moved;
}

static void top_n_keep(top_n *l, slot new, const void *item)
{
    if (l->heap->len < l->by.most) {
        new.item = l->heap->len;
        g_byte_array_append(l->items, item, (guint)l->size);
        g_array_append_val(l->heap, new);
        rise(l, new.item);
        return;
    }
    slot *last = slot_at(l, 0);
    if (l->by.most == 0 || compare_slots(&new, last) >= 0)
        return;
    new.item = last->item;
    memcpy(l->items->data + new.item * l->size, item, l->size);
    *last = new;
    sink(l, 0);
}

/* --- items ------------------------------------------------------------------------------------------------------------- */

void top_n_add(top_n *l, const uint64_t *value, uint64_t tie, const void *item)
{
    const uint64_t number = !value ? 0 : l->by.smallest ? UINT64_MAX - *value : *value;
    top_n_keep(l, (slot){.value = number, .tie = tie, .has_value = value != NULL}, item);
}

void top_n_add_row(top_n *l, const rows_cell *row, uint64_t tie, const void *item)
{
    const rows_cell *c = &row[l->by.column];
    top_n_add(l, c->state == ROWS_IS_NUMBER && !c->negative ? &c->number : NULL, tie, item);
}

top_n *top_n_copy(const top_n *l)
{
    top_n *copy = top_n_new(&l->by, l->size);
    g_array_append_vals(copy->heap, l->heap->data, l->heap->len);
    g_byte_array_append(copy->items, l->items->data, l->items->len);
    return copy;
}

void top_n_each(const top_n *l, top_n_visitor visitor, void *data)
{
    const unsigned count = l->heap->len;
    g_autofree slot *sorted = g_memdup2(l->heap->data, count * sizeof(slot));
    if (count)
        qsort(sorted, count, sizeof *sorted, compare_slots);
    for (unsigned i = 0; i < count; i++)
        visitor(data, item_of(l, &sorted[i]));
}
