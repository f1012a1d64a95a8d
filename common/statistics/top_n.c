/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics/top_n.h"

#include <string.h>

/* An item in the heap, with the last in order at the top. */
typedef struct slot {
    rows_cell by; /* its text, if that decides, is a copy */
    uint64_t tie;
    unsigned item; /* its number in `items` */
} slot;

struct top_n {
    top_n_by by;
    size_t size;
    unsigned cells;    /* of a row, which then is the item; 0: items are not rows */
    GArray *heap;      /* of slot */
    GByteArray *items; /* `size` bytes each; of rows a pointer to a block with cells and texts */
};

/* How many rows the words ask for. */
static unsigned most_asked(const rows_words *w)
{
    return w->top ? w->top : w->all ? LARGEST_ALL : ROWS_ON_PAGE;
}

top_n_by largest_asked(const rows_words *w, const rows_column *columns, unsigned usual)
{
    if (w->order != ROWS_OWN_ORDER && rows_holds_numbers(&columns[w->sorted_by]))
        return largest_sorted(w, columns);
    return (top_n_by){.most = most_asked(w), .column = usual};
}

top_n_by largest_sorted(const rows_words *w, const rows_column *columns)
{
    const bool texts = !rows_holds_numbers(&columns[w->sorted_by]);
    return (top_n_by){.most = most_asked(w),
                      .column = w->sorted_by,
                      .smallest = w->order == ROWS_RISING || (w->order == ROWS_USUAL && texts),
                      .texts = texts};
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

top_n *top_n_new_rows(const top_n_by *by, unsigned cells)
{
    top_n *l = top_n_new(by, sizeof(rows_cell *));
    l->cells = cells;
    return l;
}

static slot *slot_at(const top_n *l, unsigned at)
{
    return &g_array_index(l->heap, slot, at);
}

static void *place_of(const top_n *l, const slot *s)
{
    return l->items->data + s->item * l->size;
}

/* --- what rows own ----------------------------------------------------------------------------------------------------- */

static size_t text_size(const rows_cell *c)
{
    return c->state == ROWS_IS_TEXT ? (c->plain ? c->plain : strlen(c->text)) + 1 : 0;
}

/* A row and its texts in one block. */
static rows_cell *row_copy(const rows_cell *row, unsigned count)
{
    size_t size = count * sizeof *row;
    for (unsigned i = 0; i < count; i++)
        size += text_size(&row[i]);
    rows_cell *copy = g_malloc(size);
    char *texts = (char *)memcpy(copy, row, count * sizeof *row) + count * sizeof *row;
    for (unsigned i = 0; i < count; i++)
        if (row[i].state == ROWS_IS_TEXT) {
            copy[i].text = memcpy(texts, row[i].text, text_size(&row[i]));
            texts += text_size(&row[i]);
        }
    return copy;
}

static void slot_own(const top_n *l, slot *s)
{
    rows_cell **row = place_of(l, s);
    if (l->cells)
        *row = row_copy(*row, l->cells);
    if (s->by.state == ROWS_IS_TEXT)
        s->by.text = g_strdup(s->by.text);
}

static void slot_clear(const top_n *l, const slot *s)
{
    if (l->cells)
        g_free(*(rows_cell **)place_of(l, s));
    if (s->by.state == ROWS_IS_TEXT)
        g_free((char *)(uintptr_t)s->by.text);
}

void top_n_free(top_n *l)
{
    if (!l)
        return;
    for (unsigned at = 0; at < l->heap->len; at++)
        slot_clear(l, slot_at(l, at));
    g_array_free(l->heap, TRUE);
    g_byte_array_free(l->items, TRUE);
    g_free(l);
}

top_n *top_n_copy(const top_n *l)
{
    top_n *copy = top_n_new(&l->by, l->size);
    copy->cells = l->cells;
    g_array_append_vals(copy->heap, l->heap->data, l->heap->len);
    g_byte_array_append(copy->items, l->items->data, l->items->len);
    for (unsigned at = 0; at < copy->heap->len; at++)
        slot_own(copy, slot_at(copy, at));
    return copy;
}

/* --- the heap ---------------------------------------------------------------------------------------------------------- */

/* Inlined, as most rows of a table are only compared. */
static inline __attribute__((always_inline)) int compare_slots(const top_n *l, const slot *x, const slot *y)
{
    const int order = rows_compare(!l->by.texts, !l->by.smallest, &x->by, &y->by);
    return order ? order : (x->tie > y->tie) - (x->tie < y->tie);
}

static void rise(const top_n *l, unsigned at)
{
    const slot moved = *slot_at(l, at);
    for (; at && compare_slots(l, slot_at(l, (at - 1) / 2), &moved) < 0; at = (at - 1) / 2)
        *slot_at(l, at) = *slot_at(l, (at - 1) / 2);
    *slot_at(l, at) = moved;
}

static void sink(const top_n *l, unsigned at)
{
    const slot moved = *slot_at(l, at);
    for (unsigned child; (child = 2 * at + 1) < l->heap->len; at = child) {
        child += child + 1 < l->heap->len && compare_slots(l, slot_at(l, child + 1), slot_at(l, child)) > 0;
        if (compare_slots(l, slot_at(l, child), &moved) <= 0)
            break;
        *slot_at(l, at) = *slot_at(l, child);
    }
    *slot_at(l, at) = moved;
}

static bool slot_wanted(const top_n *l, const slot *new)
{
    return l->heap->len < l->by.most || (l->by.most && compare_slots(l, new, slot_at(l, 0)) < 0);
}

static void top_n_keep(top_n *l, slot new, const void *item)
{
    if (!slot_wanted(l, &new))
        return;
    if (l->heap->len < l->by.most) {
        new.item = l->heap->len;
        g_byte_array_append(l->items, item, (guint)l->size);
        slot_own(l, &new);
        g_array_append_val(l->heap, new);
        rise(l, new.item);
        return;
    }
    new.item = slot_at(l, 0)->item;
    slot_clear(l, slot_at(l, 0));
    memcpy(place_of(l, &new), item, l->size);
    slot_own(l, &new);
    *slot_at(l, 0) = new;
    sink(l, 0);
}

/* --- items ------------------------------------------------------------------------------------------------------------- */

void top_n_add(top_n *l, const uint64_t *value, uint64_t tie, const void *item)
{
    const rows_cell none = {0};
    top_n_keep(l, (slot){.by = value ? rows_number(*value) : none, .tie = tie}, item);
}

bool top_n_wants(const top_n *l, const rows_cell *by, uint64_t tie)
{
    return slot_wanted(l, &(slot){.by = *by, .tie = tie});
}

void top_n_add_row(top_n *l, const rows_cell *by, uint64_t tie, const rows_cell *row)
{
    top_n_keep(l, (slot){.by = *by, .tie = tie}, &row);
}

static gint compare_sorted(gconstpointer a, gconstpointer b, gpointer l)
{
    return compare_slots(l, a, b);
}

void top_n_each(const top_n *l, top_n_visitor visitor, void *data)
{
    g_autoptr(GArray) sorted = g_array_copy(l->heap);
    g_array_sort_with_data(sorted, compare_sorted, (gpointer)(uintptr_t)l);
    for (unsigned i = 0; i < sorted->len; i++) {
        const void *place = place_of(l, &g_array_index(sorted, slot, i));
        visitor(data, l->cells ? *(const rows_cell *const *)place : place);
    }
}
