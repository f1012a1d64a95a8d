/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/opened_trace.h"

#include <glib.h>

#include "containers/hash.h"

static void free_row(gpointer data)
{
    opened *o = data;
    g_free(o->path);
    g_free(o);
}

/* The plugins share no variables, but GLib. */
static GHashTable *all(void)
{
    const char *place = g_intern_static_string("wiretrace");
    GHashTable *rows = g_dataset_get_data(place, "opened");
    if (!rows) {
        rows = g_hash_table_new_full(hash_number, g_int64_equal, g_free, free_row);
        g_dataset_set_data(place, "opened", rows);
    }
    return rows;
}

opened *opened_trace_new(uint64_t identity)
{
    opened *o = g_new0(opened, 1);
    g_hash_table_replace(all(), g_memdup2(&identity, sizeof identity), o);
    return o;
}

opened *opened_trace_find(uint64_t identity)
{
    return g_hash_table_lookup(all(), &identity);
}
