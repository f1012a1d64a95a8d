/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics/count_cells.h"

enum { LATEST_BITS = 8 };

struct count_cells {
    GPtrArray *all;                       /* of count_cell; the first ones, and others as they are made */
    GHashTable *found;                    /* set of those with a key */
    count_cell *latest[1 << LATEST_BITS]; /* records in sequence are often alike */
    GPtrArray *counted;                   /* in the order of the first time */
    unsigned made[COUNT_CELLS_KINDS];
    double now;
};

static void free_cell(gpointer data)
{
    g_free((gpointer)(uintptr_t)((count_cell *)data)->name.text);
    g_free(data);
}

static count_cell *count_cells_add_cell(count_cells *c, const count_cell *made, shown_name name)
{
    count_cell *cell = g_memdup2(made, sizeof *made);
    cell->name = name;
    cell->name.text = g_strdup(name.text);
    g_ptr_array_add(c->all, cell);
    return cell;
}

count_cells *count_cells_new(const char *const *first, unsigned count)
{
    count_cells *c = g_new0(count_cells, 1);
    c->all = g_ptr_array_new_with_free_func(free_cell);
    c->found = g_hash_table_new(hash_pair_of, hash_pair_equal);
    c->counted = g_ptr_array_new();
    for (unsigned i = 0; i < count; i++)
        count_cells_add_cell(c, &(count_cell){.inner = true}, shown_name_of(first[i]));
    return c;
}

void count_cells_free(count_cells *c)
{
    if (!c)
        return;
    g_ptr_array_free(c->counted, TRUE);
    g_hash_table_destroy(c->found);
    g_ptr_array_free(c->all, TRUE);
    g_free(c);
}

count_cell *count_cells_first(const count_cells *c, unsigned number)
{
    return g_ptr_array_index(c->all, number);
}

count_cell *count_cells_find(count_cells *c, const hash_pair *key)
{
    const uint64_t mixed = (key->first + 5 * key->second) * UINT64_C(0x9e3779b97f4a7c15);
    count_cell **latest = &c->latest[mixed >> (64 - LATEST_BITS)];
    if (G_LIKELY(*latest && (*latest)->key.first == key->first && (*latest)->key.second == key->second))
        return *latest;
    count_cell *cell = g_hash_table_lookup(c->found, key);
    if (cell)
        *latest = cell;
    return cell;
}

count_cell *count_cells_make(count_cells *c, unsigned kind, const hash_pair *key, count_cell *above, shown_name name,
                             bool inner)
{
    const count_cell made = {.key = *key, .above = above, .inner = inner};
    if (c->made[kind] == COUNT_CELLS_MAX)
        return above->others ? above->others : (above->others = count_cells_add_cell(c, &made, shown_name_of(TEXT_OTHERS)));
    c->made[kind]++;
    count_cell *cell = count_cells_add_cell(c, &made, name);
    g_hash_table_add(c->found, cell);
    return cell;
}

void count_cells_at(count_cells *c, double now)
{
    c->now = now;
}

void count_cells_add(count_cells *c, count_cell *cell)
{
    if (cell->count++)
        return;
    cell->first = c->now;
    g_ptr_array_add(c->counted, cell);
}

void count_cells_take(count_cells *c, void (*take)(void *data, count_cell *cell), void *data)
{
    for (guint i = 0; i < c->counted->len; i++) {
        count_cell *cell = g_ptr_array_index(c->counted, i);
        take(data, cell);
        cell->count = 0;
    }
    g_ptr_array_set_size(c->counted, 0);
}
