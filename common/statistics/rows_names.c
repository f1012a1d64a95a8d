/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics/rows_names.h"

#include <string.h>

#include "util/short_name.h"
#include "util/short_names.h"

void rows_shorten_names(rows *r, unsigned column, unsigned columns, unsigned kept, const char *(*known)(const char *name))
{
    const unsigned cells = rows_length(r) * columns;
    g_auto(GStrv) names = g_new0(char *, cells + 1);
    g_autofree const char **given = g_new0(const char *, cells + 1), **others = g_new0(const char *, cells + 1);
    g_autoptr(GHashTable) taken = g_hash_table_new(g_str_hash, g_str_equal);
    for (unsigned i = 0; i < cells; i++) {
        const rows_cell *c = &rows_at(r, i / columns)[column + i % columns];
        const char *name = c->state == ROWS_IS_TEXT ? c->text : "";
        names[i] = g_strndup(name, (gsize)(short_name_remark(name) - name));
        given[i] = known ? known(names[i]) : NULL;
        others[i] = given[i] ? "" : names[i];
        if (given[i])
            g_hash_table_add(taken, (gpointer)(uintptr_t)given[i]);
    }
    g_auto(GStrv) shortened = short_names(others, NULL, cells, kept, &r->numbered);
    for (unsigned i = 0; i < cells; i++) {
        rows_cell *c = &rows_at(r, i / columns)[column + i % columns];
        if (c->state != ROWS_IS_TEXT)
            continue;
        const char *name = given[i] ? given[i] : g_hash_table_contains(taken, shortened[i]) ? names[i] : shortened[i];
        g_autofree char *remarked = g_strconcat(name, c->text + strlen(names[i]), NULL);
        *c = rows_text(r, remarked);
    }
}
