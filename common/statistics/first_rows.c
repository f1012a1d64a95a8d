/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics/first_rows.h"

struct first_rows {
    top_n *kept; /* NULL: they stay in their own order */
    unsigned count, deciding;
    uint64_t found;
    bool tied; /* `tie` is that of the next row */
    uint64_t tie;
    rows_cell cells[ROWS_COLUMNS_MAX + 1];
};

first_rows *first_rows_new(const top_n_by *by, unsigned count, unsigned deciding)
{
    first_rows *f = g_new0(first_rows, 1);
    f->kept = by ? top_n_new_rows(by, count) : NULL;
    f->count = count;
    f->deciding = deciding;
    return f;
}

void first_rows_free(first_rows *f)
{
    if (f)
        top_n_free(f->kept);
    g_free(f);
}

first_rows *first_rows_copy(const first_rows *f)
{
    first_rows *copy = g_memdup2(f, sizeof *f);
    copy->kept = top_n_copy(f->kept);
    return copy;
}

rows_cell *first_rows_begin(first_rows *f)
{
    f->tied = false;
    return f->cells;
}

void first_rows_tie(first_rows *f, uint64_t tie)
{
    f->tied = true;
    f->tie = tie;
}

rows_cell *first_rows_deciding(first_rows *f)
{
    return f->kept ? &f->cells[f->deciding] : NULL;
}

static uint64_t tie_of(const first_rows *f)
{
    return f->tied ? f->tie : f->found;
}

bool first_rows_wants(first_rows *f)
{
    const bool wanted = !f->kept || top_n_wants(f->kept, &f->cells[f->deciding], tie_of(f));
    f->found += !wanted;
    return wanted;
}

bool first_rows_keep(first_rows *f)
{
    if (f->kept)
        top_n_add_row(f->kept, &f->cells[f->deciding], tie_of(f), f->cells);
    f->found++;
    return f->kept != NULL;
}

uint64_t first_rows_found(const first_rows *f)
{
    return f->found;
}

void first_rows_each(const first_rows *f, top_n_visitor visitor, void *data)
{
    if (f->kept)
        top_n_each(f->kept, visitor, data);
}
