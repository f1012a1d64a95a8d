/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics/comparison.h"

#include <string.h>

#include "containers/hash.h"

typedef struct pair {
    char *key, *names[COMPARISON_SEEN];
    comparison_sums sides[COMPARISON_SIDES];
} pair;

struct comparison {
    GArray *pairs;     /* of pair */
    GHashTable *known; /* pair.key -> index + 1 */
    uint64_t counted;
    bool full; /* rows_has_room() */
};

/* With its many columns, and its sums, a row needs as much memory as this many of other statistics. */
#define ROWS_PER_ROW 3u

static void clear_pair(gpointer data)
{
    pair *p = data;
    for (int side = 0; side < COMPARISON_SIDES; side++)
        quantiles_clear(&p->sides[side].spread);
    g_free(p->names[0]);
    g_free(p->names[1]);
    g_free(p->key);
}

comparison *comparison_new(void)
{
    comparison *c = g_new0(comparison, 1);
    c->pairs = g_array_new(FALSE, TRUE, sizeof(pair));
    g_array_set_clear_func(c->pairs, clear_pair);
    c->known = g_hash_table_new(hash_text, g_str_equal);
    return c;
}

void comparison_free(comparison *c)
{
    if (!c)
        return;
    g_hash_table_destroy(c->known);
    g_array_free(c->pairs, TRUE);
    g_free(c);
}

static pair *pair_at(const comparison *c, unsigned row)
{
    return &g_array_index(c->pairs, pair, row);
}

/* --- counting ---------------------------------------------------------------------------------------------------------- */

unsigned comparison_row(comparison *c, const char *first, const char *second)
{
    g_autofree char *key = g_strjoin("\x1f", first, second, NULL);
    const unsigned known = GPOINTER_TO_UINT(g_hash_table_lookup(c->known, key));
    if (known)
        return known - 1;
    if (strcmp(first, ROWS_OTHERS) != 0 && !rows_has_room(&c->full, ROWS_PER_ROW * c->pairs->len, c->counted + 1))
        return comparison_row(c, ROWS_OTHERS, "");
    const pair added = {.key = g_steal_pointer(&key), .names = {g_strdup(first), g_strdup(second)}};
    g_array_append_val(c->pairs, added);
    g_hash_table_insert(c->known, added.key, GUINT_TO_POINTER(c->pairs->len));
    return c->pairs->len - 1;
}

bool comparison_full(const comparison *c)
{
    return c->full;
}

comparison_sums *comparison_sums_of(comparison *c, comparison_side side, unsigned row)
{
    c->counted++;
    return &pair_at(c, row)->sides[side];
}

void comparison_add(comparison_sums *s, uint64_t size)
{
    s->all.count++;
    s->all.numbers[0] += size;
    quantiles_add(&s->spread, size);
}

static void add_counts(comparison_counts *to, const comparison_counts *from)
{
    to->count += from->count;
    for (unsigned i = 0; i < G_N_ELEMENTS(to->numbers); i++)
        to->numbers[i] += from->numbers[i];
}

void comparison_merge(comparison *c, const comparison *other)
{
    c->counted += other->counted;
    for (guint i = 0; i < other->pairs->len; i++) {
        const pair *from = pair_at(other, i);
        pair *to = pair_at(c, comparison_row(c, from->names[0], from->names[1]));
        for (int side = 0; side < COMPARISON_SIDES; side++) {
            add_counts(&to->sides[side].all, &from->sides[side].all);
            add_counts(&to->sides[side].open, &from->sides[side].open);
            quantiles_merge(&to->sides[side].spread, &from->sides[side].spread);
        }
    }
}

static bool is_in(const pair *p, comparison_side side)
{
    return p->sides[side].all.count || p->sides[side].open.count;
}

/* Rows that the baseline does not have come after those that it has. */
void comparison_forget(comparison *c)
{
    guint kept = c->pairs->len;
    while (kept > 0 && !is_in(pair_at(c, kept - 1), COMPARISON_BEFORE))
        g_hash_table_remove(c->known, pair_at(c, --kept)->key);
    g_array_set_size(c->pairs, kept);
    for (guint i = 0; i < kept; i++) {
        comparison_sums *after = &pair_at(c, i)->sides[COMPARISON_AFTER];
        quantiles_clear(&after->spread);
        *after = (comparison_sums){0};
    }
}

void comparison_forget_open(comparison *c, comparison_side side)
{
    for (guint i = 0; i < c->pairs->len; i++)
        pair_at(c, i)->sides[side].open = (comparison_counts){0};
}

/* --- rows -------------------------------------------------------------------------------------------------------------- */

static void fill_measure(rows_cell *cells)
{
    const rows_cell *before = &cells[COMPARISON_BEFORE], *after = &cells[COMPARISON_AFTER];
    if (before->state != ROWS_IS_NUMBER || after->state != ROWS_IS_NUMBER)
        return;
    cells[COMPARISON_CHANGE] = rows_change(before->number, after->number);
    cells[COMPARISON_RATIO] = rows_ratio(before->number, after->number);
}

static void fill_row(pair *p, comparison_value value, const void *data, rows *to)
{
    rows_cell *cells = rows_add(to);
    const bool before = is_in(p, COMPARISON_BEFORE), after = is_in(p, COMPARISON_AFTER);
    cells[0] = rows_text(to, p->names[0]);
    cells[1] = rows_text(to, p->names[1]);
    cells[COMPARISON_SEEN] = rows_lasting_text(!before ? "new" : !after ? "gone" : "both");
    for (unsigned m = 0; COMPARISON_COLUMNS(m) < to->count; m++) {
        rows_cell *measure = &cells[COMPARISON_COLUMNS(m)];
        for (comparison_side side = COMPARISON_BEFORE; side < COMPARISON_SIDES; side++)
            measure[side] = value(data, side, &p->sides[side], m);
        fill_measure(measure);
    }
}

void comparison_fill(comparison *c, comparison_value value, const void *data, rows *to)
{
    for (guint i = 0; i < c->pairs->len; i++)
        if (is_in(pair_at(c, i), COMPARISON_BEFORE) || is_in(pair_at(c, i), COMPARISON_AFTER))
            fill_row(pair_at(c, i), value, data, to);
}
