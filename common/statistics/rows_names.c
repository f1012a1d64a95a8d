/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics/rows_names.h"

#include <string.h>

#include "util/short_name.h"
#include "util/short_names.h"

void rows_shorten_names(rows *r, unsigned column, unsigned columns)
{
    const unsigned cells = rows_length(r) * columns;
    g_auto(GStrv) names = g_new0(char *, cells + 1);
    for (unsigned i = 0; i < cells; i++) {
        const rows_cell *c = &rows_at(r, i / columns)[column + i % columns];
        const char *name = c->state == ROWS_IS_TEXT ? c->text : "";
        names[i] = g_strndup(name, (gsize)(short_name_remark(name) - name));
    }
    g_auto(GStrv) shortened = short_names((const char *const *)names, NULL, cells, &r->numbered);
    for (unsigned i = 0; i < cells; i++) {
        rows_cell *c = &rows_at(r, i / columns)[column + i % columns];
        if (c->state != ROWS_IS_TEXT)
            continue;
        g_autofree char *remarked = g_strconcat(shortened[i], c->text + strlen(names[i]), NULL);
        *c = rows_text(r, remarked);
    }
}
