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

enum { ALIKE_CELLS = 4, ALIKE_BITS = 8 };

/* Things that are counted in the same cells. */
typedef struct alike {
    count_cells_key key;
    uint64_t round;                  /* in which the latest was counted: it has been added to the cells */
    uint32_t count;                  /* of those after it in that round, which are not added yet */
    uint32_t cells[ALIKE_CELLS + 1]; /* up to the first 0 */
} alike;

struct count_cells {
    GArray *cells;                /* of cell */
    GArray *counted;              /* uint32_t: cells with a count of their own, in the order of their first */
    hash_map keys;                /* key -> number */
    hash_map places;              /* parent << 32 | number of the key -> index in `found` + 1 */
    GArray *found;                /* uint32_t: cells */
    alike alike[1 << ALIKE_BITS]; /* records in sequence often are */
    alike *open;                  /* of what is being counted; NULL: it has no key */
    GArray *used;                 /* of alike *: those that were counted in this round */
    uint64_t round;               /* how often cells have been taken, and 1 */
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
    c->used = g_array_new(FALSE, FALSE, sizeof(alike *));
    c->round = 1;
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
    g_array_free(c->used, TRUE);
    hash_map_clear(&c->keys);
    hash_map_clear(&c->places);
    g_free(c);
}

uint32_t count_cells_known(const count_cells *c, uint32_t parent, uint64_t key)
{
    const uint64_t number = hash_map_find(&c->keys, key);
    const uint32_t place = number ? hash_map_find(&c->places, (uint64_t)parent << 32 | number) : 0;
    return place ? g_array_index(c->found, uint32_t, place - 1) : 0;
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

static void add_one(count_cells *c, uint32_t number)
{
    cell *counted = count_cells_cell_at(c, number);
    if (counted->count++)
        return;
    g_array_append_val(c->counted, number);
    counted->first = c->now;
}

void count_cells_add(count_cells *c, uint32_t number)
{
    unsigned i = 0;
    while (c->open && c->open->cells[i])
        i++;
    g_assert(i < ALIKE_CELLS);
    if (c->open)
        c->open->cells[i] = number;
    add_one(c, number);
}

static void settle(const count_cells *c, alike *a)
{
    for (unsigned i = 0; a->cells[i]; i++)
        count_cells_cell_at(c, a->cells[i])->count += a->count;
    a->count = 0;
}

/* The first of a round has the time of all. */
static bool begin_alike(count_cells *c, alike *a, const count_cells_key *key, bool known)
{
    if (a->round != c->round)
        g_array_append_val(c->used, a);
    else
        settle(c, a);
    if (!known)
        *a = (alike){.key = *key};
    a->round = c->round;
    for (unsigned i = 0; a->cells[i]; i++)
        add_one(c, a->cells[i]);
    c->open = a;
    return known;
}

bool count_cells_again(count_cells *c, const count_cells_key *key)
{
    const uint64_t *k = key->of, mixed = (k[0] + 3 * k[1] + 5 * k[2] + 7 * k[3]) * UINT64_C(0x9e3779b97f4a7c15);
    alike *a = &c->alike[mixed >> (64 - ALIKE_BITS)];
    const uint64_t *of = a->key.of;
    const bool same = ((k[0] ^ of[0]) | (k[1] ^ of[1]) | (k[2] ^ of[2]) | (k[3] ^ of[3])) == 0 && a->round;
    if (G_UNLIKELY(!same || a->round != c->round))
        return begin_alike(c, a, key, same);
    a->count++;
    return true;
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
    for (guint i = 0; i < c->used->len; i++)
        settle(c, g_array_index(c->used, alike *, i));
    g_array_set_size(c->used, 0);
    c->round++;
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
