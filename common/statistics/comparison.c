/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics/comparison.h"

#include <string.h>

#include "containers/hash.h"
#include "util/math128.h"

static const char *name_in(const rows_cell *cell)
{
    return cell->state == ROWS_IS_TEXT ? cell->text : "";
}

static char *comparison_key_of(const rows_cell *row, const uint8_t names[COMPARISON_SEEN])
{
    return g_strjoin("\x1f", name_in(&row[names[0]]), name_in(&row[names[1]]), NULL);
}

/* A number of both, or why there is none. */
static rows_cell both(rows_cell a, const rows_cell *b, uint64_t (*of)(uint64_t, uint64_t))
{
    if (a.state == ROWS_IS_NUMBER && b->state == ROWS_IS_NUMBER)
        return rows_known(of(a.number, b->number));
    return a.state == ROWS_IS_NUMBER ? *b : a;
}

static uint64_t sum_of(uint64_t a, uint64_t b)
{
    return sum_saturated(a, b);
}

static uint64_t mean_of(uint64_t sum, uint64_t count)
{
    return sum / count + (sum % count >= (count + 1) / 2);
}

static rows_cell measured(const comparison_measure *m, const rows_cell *row)
{
    rows_cell value = row[m->column];
    if (m->plus)
        value = both(value, &row[m->plus], sum_of);
    const rows_cell *count = &row[m->per];
    if (m->per && count->state == ROWS_IS_NUMBER && !count->number)
        return (rows_cell){0};
    return m->per ? both(value, count, mean_of) : value;
}

/* Returns the cell of a trace that does not have the row of the other one. What its rows do not count, such as misses
 * without caches, has no value here either. */
static rows_cell absent(const comparison_measure *m, const rows *side, bool others, const rows_cell *other)
{
    if (others) /* it may be among them */
        return rows_unknown();
    const rows_cell *like = rows_length(side) ? rows_at(side, 0) : other;
    return m->counts && like[m->column].state != ROWS_NONE ? rows_number(0) : (rows_cell){0};
}

static void fill_change(rows_cell *cells)
{
    const rows_cell *before = &cells[COMPARISON_BEFORE], *after = &cells[COMPARISON_AFTER];
    if (before->state != ROWS_IS_NUMBER || after->state != ROWS_IS_NUMBER)
        return;
    cells[COMPARISON_CHANGE] = rows_change(before->number, after->number);
    cells[COMPARISON_RATIO] = rows_ratio(before->number, after->number);
}

typedef struct pairing {
    const rows *sides[COMPARISON_SIDES];
    bool others[COMPARISON_SIDES]; /* not all rows had room */
    const uint8_t *names;
    const comparison_measure *measures;
} pairing;

/* `pair`: the row in each trace; NULL: it does not have it. */
static void comparison_fill_row(const pairing *p, const rows_cell *const pair[COMPARISON_SIDES], rows *to)
{
    rows_cell *cells = rows_add(to);
    const rows_cell *before = pair[COMPARISON_BEFORE], *after = pair[COMPARISON_AFTER], *any = before ? before : after;
    for (unsigned i = 0; i < COMPARISON_SEEN; i++)
        cells[i] = rows_text(to, name_in(&any[p->names[i]]));
    const bool unsure = p->others[before ? COMPARISON_AFTER : COMPARISON_BEFORE];
    cells[COMPARISON_SEEN] = before && after ? rows_lasting_text("both")
                             : unsure        ? rows_unknown()
                                             : rows_lasting_text(before ? "gone" : "new");
    for (unsigned m = 0; COMPARISON_COLUMNS(m) < to->count; m++) {
        rows_cell *four = &cells[COMPARISON_COLUMNS(m)];
        for (int side = 0; side < COMPARISON_SIDES; side++)
            four[side] = pair[side] ? measured(&p->measures[m], pair[side])
                                    : absent(&p->measures[m], p->sides[side], p->others[side], any);
        fill_change(four);
    }
}

void comparison_fill(rows *before, rows *after, const uint8_t names[COMPARISON_SEEN], const comparison_measure *measures,
                     rows *to)
{
    const pairing p = {{before, after}, {before->missing, after->missing}, names, measures};
    to->missing = before->missing ? before->missing : after->missing;
    g_autoptr(GHashTable) new = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL); /* rows not in the baseline */
    for (unsigned row = 0; row < rows_length(after); row++)
        g_hash_table_insert(new, comparison_key_of(rows_at(after, row), names), rows_at(after, row));
    for (unsigned row = 0; row < rows_length(before); row++) {
        g_autofree char *key = comparison_key_of(rows_at(before, row), names);
        const rows_cell *const pair[] = {rows_at(before, row), g_hash_table_lookup(new, key)};
        comparison_fill_row(&p, pair, to);
        g_hash_table_remove(new, key);
    }
    for (unsigned row = 0; row < rows_length(after); row++) {
        g_autofree char *key = comparison_key_of(rows_at(after, row), names);
        const rows_cell *const pair[] = {NULL, rows_at(after, row)};
        if (g_hash_table_contains(new, key))
            comparison_fill_row(&p, pair, to);
    }
    rows_free(before);
    rows_free(after);
}
