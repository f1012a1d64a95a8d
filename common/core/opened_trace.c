/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/opened_trace.h"

#include <glib.h>

#include "containers/hash.h"
#include "core/live_trace.h"
#include "core/plugin_shared.h"

/* The rows of all traces. */
typedef struct opened_traces {
    GHashTable *rows; /* record_context.trace -> opened */
    opened *last;
} opened_traces;

static void free_row(gpointer data)
{
    opened *o = data;
    g_free(o->path);
    g_free(o->name);
    g_free(o);
}

static opened_traces *all(void)
{
    opened_traces *traces = plugin_shared_get("opened");
    if (!traces) {
        traces = g_new0(opened_traces, 1);
        traces->rows = g_hash_table_new_full(hash_number, g_int64_equal, g_free, free_row);
        plugin_shared_set("opened", traces, NULL);
    }
    return traces;
}

opened *opened_trace_new(uint64_t identity)
{
    opened_traces *traces = all();
    traces->last = g_new0(opened, 1);
    g_hash_table_replace(traces->rows, g_memdup2(&identity, sizeof identity), traces->last);
    return traces->last;
}

opened *opened_trace_find(uint64_t identity)
{
    return g_hash_table_lookup(all()->rows, &identity);
}

const char *opened_trace_name(const record_context *c)
{
    if (c->flags & CONTEXT_EXPORTED)
        return live_trace_name(c->trace);
    const opened *o = opened_trace_find(c->trace);
    return o ? o->name : NULL;
}

const opened *opened_trace_last(void)
{
    return all()->last;
}
