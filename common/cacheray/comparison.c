/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/comparison.h"

#include "cacheray/shown.h"

const rows_column cacheray_comparison_columns[CACHERAY_COMPARISON_COLUMNS] = {
    COMPARISON_NAME_COLUMNS("Type", "Member"),         COMPARISON_MEASURE_COLUMNS("Accesses", ROWS_NUMBER),
    COMPARISON_MEASURE_COLUMNS("Reads", ROWS_NUMBER),  COMPARISON_MEASURE_COLUMNS("Writes", ROWS_NUMBER),
    COMPARISON_MEASURE_COLUMNS("Misses", ROWS_NUMBER),
};

enum { NUMBER_READS, NUMBER_WRITES, NUMBER_MISSES };

struct cacheray_comparison {
    comparison *pairs;
    bool cached[COMPARISON_SIDES]; /* caches were simulated */
};

cacheray_comparison *cacheray_comparison_new(void)
{
    cacheray_comparison *c = g_new0(cacheray_comparison, 1);
    c->pairs = comparison_new();
    return c;
}

void cacheray_comparison_free(cacheray_comparison *c)
{
    if (c)
        comparison_free(c->pairs);
    g_free(c);
}

bool cacheray_comparison_add(cacheray_comparison *c, comparison_side side, const cacheray_view *v)
{
    if (!v->is_access)
        return false;
    g_autofree char *data = cacheray_data_name(v), *member = cacheray_member_of_all(v->member ? v->member : "");
    comparison_counts *all = &comparison_sums_of(c->pairs, side, comparison_row(c->pairs, data, member))->all;
    all->count++;
    all->numbers[v->kind == CACHERAY_WRITE ? NUMBER_WRITES : NUMBER_READS]++;
    all->numbers[NUMBER_MISSES] += v->has_cache && v->cache.level == 0;
    c->cached[side] |= v->has_cache;
    return true;
}

void cacheray_comparison_merge(cacheray_comparison *c, const cacheray_comparison *other)
{
    comparison_merge(c->pairs, other->pairs);
    for (int side = 0; side < COMPARISON_SIDES; side++)
        c->cached[side] |= other->cached[side];
}

void cacheray_comparison_forget(cacheray_comparison *c)
{
    comparison_forget(c->pairs);
    c->cached[COMPARISON_AFTER] = false;
}

static rows_cell value(const void *data, comparison_side side, comparison_sums *s, unsigned measure)
{
    const cacheray_comparison *c = data;
    if (measure == CACHERAY_COMPARISON_ACCESSES)
        return rows_number(s->all.count);
    if (measure == CACHERAY_COMPARISON_MISSES && !c->cached[side])
        return (rows_cell){0};
    return rows_number(s->all.numbers[measure - CACHERAY_COMPARISON_READS]);
}

void cacheray_comparison_fill(cacheray_comparison *c, rows *to)
{
    comparison_fill(c->pairs, value, c, to);
}
