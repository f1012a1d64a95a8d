/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xray/statistics/gaps.h"

#include <stdio.h>

#include "containers/hash.h"

const rows_column xray_gaps_columns[XRAY_INTERVALS_COLUMNS] = {XRAY_INTERVALS_COLUMN_LIST("Gap", "Thread", ROWS_ADDS)};

struct xray_gaps {
    xray_intervals *pieces;
    GHashTable *threads; /* stack -> xray_level */
};

xray_gaps *xray_gaps_new(void)
{
    xray_gaps *g = g_new0(xray_gaps, 1);
    g->pieces = xray_intervals_new();
    g->threads = g_hash_table_new_full(hash_number, g_int64_equal, NULL, g_free);
    return g;
}

void xray_gaps_free(xray_gaps *g)
{
    if (!g)
        return;
    xray_intervals_free(g->pieces);
    g_hash_table_destroy(g->threads);
    g_free(g);
}

static xray_level *xray_gaps_thread_of(xray_gaps *g, uint64_t stack)
{
    xray_level *t = g_hash_table_lookup(g->threads, &stack);
    if (!t) {
        t = g_new0(xray_level, 1);
        t->stack = stack;
        g_hash_table_insert(g->threads, &t->stack, t);
    }
    return t;
}

static void xray_gaps_count_gap(xray_gaps *g, const xray_level *t, const xray_call_event *v)
{
    const xray_context *x = xray_context_of(v->context);
    char thread[32];
    const shown_name what = xray_level_gap(t, v->now, v->function, xray_display_known(v->shown, v->function));
    g_autofree char *text = (char *)(uintptr_t)what.text;
    if (!text)
        return;
    if (x->known & XRAY_KNOWN_PROCESS)
        snprintf(thread, sizeof thread, "%u/%u", x->process, x->thread);
    else
        snprintf(thread, sizeof thread, "?/%u", x->thread);
    xray_piece_add_gap(xray_intervals_of(g->pieces, thread, what, 0, t), t, v->now);
}

bool xray_gaps_add(xray_gaps *g, const xray_call_event *v)
{
    if (!v->has_call || !xray_is_function(v->context->kind))
        return false;
    xray_level *t = xray_gaps_thread_of(g, v->stack);
    const span *ended = xray_level_ends(t, v);
    if (xray_level_begins(t, v)) {
        if (!t->begun)
            t->first = v->now;
        xray_gaps_count_gap(g, t, v);
    } else if (ended) {
        xray_level_note(t, v->now, v->place, ended->function, xray_display_known(v->shown, ended->function));
        t->begun = true;
    } else {
        return false;
    }
    return true;
}

void xray_gaps_fill(const xray_gaps *g, const xray_display *shown, uint32_t (*frame_of)(uint32_t place), rows *to)
{
    xray_intervals_fill(g->pieces, shown, frame_of, to);
}
