/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics/rows_names.h"

#include "util/short_names.h"

void rows_shorten_names(rows *r, unsigned column)
{
    const unsigned length = rows_length(r);
    g_autofree const char **names = g_new0(const char *, length + 1);
    for (unsigned row = 0; row < length; row++) {
        const rows_cell *c = &rows_at(r, row)[column];
        names[row] = c->state == ROWS_IS_TEXT ? c->text : NULL;
    }
    g_auto(GStrv) shortened = short_names(names, NULL, length, &r->numbered);
    for (unsigned row = 0; row < length; row++)
        if (names[row])
            rows_at(r, row)[column] = rows_text(r, shortened[row]);
}
