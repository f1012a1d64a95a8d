/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics/count_cells.h"

#include "containers/hash_map.h"

typedef struct cell {
    char *name;
    uint32_t parent, others; /* cells; `others`: below this one, 0: none yet */
    uint32_t count, sum;     /* of what has not been taken: its own, and while that is taken with those below */
    double first, since;     /* time of the first of these */
    bool inner;
} cell;

typedef struct recent_cell {
    uint64_t key;
    uint32_t parent, cell; /* 0: none */
} recent_cell;

enum { RECENT_BITS = 8 };

struct count_cells {
    GArray *cells;                        /* of cell */
    GArray *counted;                      /* uint32_t: cells with a count of their own, in the order of their first */
    hash_map keys;                        /* key -> number */
    hash_map places;                      /* parent << 32 | number of the key -> index in `found` + 1 */
    GArray *found;                        /* uint32_t: cells */
    recent_cell recent[1 << RECENT_BITS]; /* asked for last: records in sequence are often alike */
    unsigned made[COUNT_CELLS_KINDS];
    double now;
};

static cell *count_cells_cell_at(const count_cells *c, uint32_t number)
{
    return &g_array_index(c->cells, cell, number);
}

static void clear_cell(gpointer data)
{
    g_free(((cell *)data)->name);
}

count_cells *count_cells_new(void)
{
    count_cells *c = g_new0(count_cells, 1);
    c->cells = g_array_new(FALSE, TRUE, sizeof(cell));
    g_array_set_clear_func(c->cells, clear_cell);
    g_array_set_size(c->cells, 1); /* COUNT_CELLS_TOP */
    c->counted = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    c->found = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    hash_map_init(&c->keys);
    hash_map_init(&c->places);
    return c;
}

void count_cells_free(count_cells *c)
{
    if (!c)
        return;
    g_array_free(c->cells, TRUE);
    g_array_free(c->counted, TRUE);
    g_array_free(c->found, TRUE);
    hash_map_clear(&c->keys);
    hash_map_clear(&c->places);
    g_free(c);
}

static uint32_t count_cells_look_up(const count_cells *c, uint32_t parent, uint64_t key)
{
    const uint64_t number = hash_map_find(&c->keys, key);
    const uint32_t place = number ? hash_map_find(&c->places, (uint64_t)parent << 32 | number) : 0;
    return place ? g_array_index(c->found, uint32_t, place - 1) : 0;
}

uint32_t count_cells_known(count_cells *c, uint32_t parent, uint64_t key)
{
    const uint64_t mixed = (key + parent) * UINT64_C(0x9e3779b97f4a7c15);
    recent_cell *recent = &c->recent[mixed >> (64 - RECENT_BITS)];
    if (!recent->cell || recent->key != key || recent->parent != parent)
        *recent = (recent_cell){key, parent, count_cells_look_up(c, parent, key)};
    return recent->cell;
}

static uint32_t count_cells_add_cell(count_cells *c, const cell *made, const char *name)
{
    g_array_append_val(c->cells, *made);
    const uint32_t number = c->cells->len - 1;
    count_cells_cell_at(c, number)->name = g_strdup(name);
    return number;
}

uint32_t count_cells_make(count_cells *c, unsigned kind, uint32_t parent, uint64_t key, const char *name, bool inner)
{
    const cell made = {.parent = parent, .inner = inner};
    if (c->made[kind] == COUNT_CELLS_MAX) {
        const uint32_t known = count_cells_cell_at(c, parent)->others,
                       others = known ? known : count_cells_add_cell(c, &made, TEXT_OTHERS);
        return count_cells_cell_at(c, parent)->others = others;
    }
    c->made[kind]++;
    const uint32_t number = count_cells_add_cell(c, &made, name);
    hash_map_add(&c->places, (uint64_t)parent << 32 | hash_map_add(&c->keys, key));
    g_array_append_val(c->found, number);
    return number;
}

void count_cells_at(count_cells *c, double now)
{
    c->now = now;
}

void count_cells_add(count_cells *c, uint32_t number)
{
    cell *counted = count_cells_cell_at(c, number);
    if (counted->count++)
        return;
    g_array_append_val(c->counted, number);
    counted->first = c->now;
}

/* Adds a count to a cell and those above it. `order`: uint32_t: cells as they come to be counted. */
static void sum_up(const count_cells *c, uint32_t number, uint32_t count, double first, GArray *order)
{
    cell *to = count_cells_cell_at(c, number);
    if (to->parent)
        sum_up(c, to->parent, count, first, order);
    if (!to->sum)
        g_array_append_val(order, number);
    to->since = to->sum ? MIN(to->since, first) : first;
    to->sum += count;
}

static void take_cell(const count_cells *c, uint32_t number, void (*take)(void *data, const count_cells_counted *counted),
                      void *data)
{
    cell *from = count_cells_cell_at(c, number);
    const cell *above = count_cells_cell_at(c, from->parent);
    const uint32_t parent = from->parent && !above->name ? above->parent : from->parent;
    const count_cells_counted counted = {number, parent, from->name, from->inner, from->sum, from->since};
    if (from->name)
        take(data, &counted);
    from->sum = 0;
}

void count_cells_take(count_cells *c, void (*take)(void *data, const count_cells_counted *counted), void *data)
{
    g_autoptr(GArray) order = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    for (guint i = 0; i < c->counted->len; i++) {
        const uint32_t number = g_array_index(c->counted, uint32_t, i);
        cell *from = count_cells_cell_at(c, number);
        sum_up(c, number, from->count, from->first, order);
        from->count = 0;
    }
    for (guint i = 0; i < order->len; i++)
        take_cell(c, g_array_index(order, uint32_t, i), take, data);
    g_array_set_size(c->counted, 0);
}
