/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics/rows_names.h"

#include <string.h>

#include "util/short_names.h"

/* A short name, with the remark of the full one after its own number. */
static rows_cell remarked(rows *r, const shown_name *name, const char *remark)
{
    g_autofree char *text = g_strconcat(name->text, remark, NULL);
    return rows_name(r, &(shown_name){.text = text, .remark = (uint8_t)(name->remark + strlen(remark))});
}

void rows_shorten_names(rows *r, unsigned column, unsigned columns, unsigned kept, shown_name (*known)(const char *name))
{
    const unsigned cells = rows_length(r) * columns;
    g_auto(GStrv) names = g_new0(char *, cells + 1);
    g_autofree const char **others = g_new0(const char *, cells + 1);
    g_autofree shown_name *given = g_new0(shown_name, cells + 1);
    g_autofree uint8_t *numbers = g_new0(uint8_t, cells + 1);
    g_autoptr(GHashTable) taken = g_hash_table_new(g_str_hash, g_str_equal);
    for (unsigned i = 0; i < cells; i++) {
        const rows_cell *c = &rows_at(r, i / columns)[column + i % columns];
        const char *name = c->state == ROWS_IS_TEXT ? c->text : "";
        names[i] = g_strndup(name, strlen(name) - (*name ? c->remark : 0));
        if (known)
            given[i] = known(names[i]);
        others[i] = given[i].text ? "" : names[i];
        if (given[i].text)
            g_hash_table_add(taken, (gpointer)(uintptr_t)given[i].text);
    }
    g_auto(GStrv) shortened = short_names(others, NULL, cells, kept, numbers);
    for (unsigned i = 0; i < cells; i++) {
        rows_cell *c = &rows_at(r, i / columns)[column + i % columns];
        if (c->state != ROWS_IS_TEXT)
            continue;
        const bool full = !given[i].text && g_hash_table_contains(taken, shortened[i]),
                   numbered = !given[i].text && !full && numbers[i];
        const shown_name own = full ? shown_name_of(names[i]) : (shown_name){.text = shortened[i], .remark = numbers[i]};
        *c = remarked(r, given[i].text ? &given[i] : &own, c->text + strlen(names[i]));
        c->names |= numbered ? ROWS_NUMBERED : 0;
    }
}
