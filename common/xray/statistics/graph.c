/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xray/statistics/graph.h"

#include <inttypes.h>

#include "containers/hash_map.h"
#include "containers/percentiles.h"
#include "util/math128.h"
#include "statistics/limit.h"
#include "util/text.h"

typedef struct sums {
    uint32_t caller, callee;                  /* caller 0: there is none, or these are the sums of a function */
    uint64_t count, unwound, ticks, min, max; /* unwound: calls without an exit */
    percentiles spread;                       /* only if a label needs it */
    uint32_t function; /* of a caller and callee: the index of the sums of the callee + 1; 0: not known yet */
} sums;

/* Sums by caller << 32 | callee. */
typedef struct table {
    hash_map known; /* -> index + 1 */
    GArray *sums;
} table;

const char *const xray_graph_words[XRAY_GRAPH_LABELS] = {NULL, "calls", "min", "median", "p90", "p99", "max", "sum"};

struct xray_graph {
    table edges, functions;
    counting_limit limit;
    bool has_others; /* as callers */
    xray_graph_label label;
    unsigned percent; /* that labels show; 0: they show no quantile */
};

/* Bytes of memory that a sum may need; with its spread eight times as much. */
enum { SUM = 256, SUMS = 200000, SPREAD = 8 };

static void xray_graph_clear_sums(gpointer data)
{
    percentiles_clear(&((sums *)data)->spread);
}

static void table_init(table *t)
{
    hash_map_init(&t->known);
    t->sums = g_array_new(FALSE, TRUE, sizeof(sums));
    g_array_set_clear_func(t->sums, xray_graph_clear_sums);
}

static void table_clear(table *t)
{
    hash_map_clear(&t->known);
    g_array_free(t->sums, TRUE);
}

xray_graph *xray_graph_new(xray_graph_label label)
{
    static const unsigned percents[XRAY_GRAPH_LABELS] = {
        [XRAY_GRAPH_MEDIAN] = 50, [XRAY_GRAPH_90] = 90, [XRAY_GRAPH_99] = 99};
    xray_graph *g = g_new0(xray_graph, 1);
    g->label = label;
    g->limit.room = (uint64_t)SUMS * SUM;
    g->percent = percents[label];
    table_init(&g->edges);
    table_init(&g->functions);
    return g;
}

void xray_graph_free(xray_graph *g)
{
    if (!g)
        return;
    table_clear(&g->edges);
    table_clear(&g->functions);
    g_free(g);
}

/* --- counting ---------------------------------------------------------------------------------------------------------- */

static uint64_t xray_graph_key_of(uint32_t caller, uint32_t callee)
{
    return (uint64_t)caller << 32 | callee;
}

static sums *sums_in(table *t, uint32_t caller, uint32_t callee)
{
    const uint32_t found = hash_map_add(&t->known, xray_graph_key_of(caller, callee));
    if (found > t->sums->len) {
        const sums empty = {.caller = caller, .callee = callee, .min = UINT64_MAX};
        g_array_append_val(t->sums, empty);
    }
    return &g_array_index(t->sums, sums, found - 1);
}

/* Makes room for calls; without it they are those of the others. */
static void make_room(xray_graph *g, uint32_t *caller, uint32_t *function)
{
    const uint64_t known = (uint64_t)g->edges.sums->len + g->functions.sums->len;
    if (limit_allows(&g->limit, (known * (g->percent ? SPREAD : 1) + 1) * SUM))
        return;
    if (!hash_map_find(&g->functions.known, xray_graph_key_of(0, *function)))
        *function = XRAY_OTHER_FUNCTIONS;
    if (!hash_map_find(&g->edges.known, xray_graph_key_of(*caller, *function))) {
        *caller = XRAY_OTHER_FUNCTIONS;
        g->has_others = true;
    }
}

static void count_call(const xray_graph *g, sums *s, const call *k)
{
    s->count++;
    s->unwound += k->state & CALL_CLOSED ? 1 : 0;
    s->ticks = sum_saturated(s->ticks, k->duration);
    s->min = MIN(s->min, k->duration);
    s->max = MAX(s->max, k->duration);
    if (g->percent)
        percentiles_add(&s->spread, k->duration);
}

bool xray_graph_add(xray_graph *g, uint32_t function, uint32_t caller, const call *k)
{
    if (!(k->state & CALL_TIMED))
        return false;
    make_room(g, &caller, &function);
    g->limit.counted++;
    sums *edge = sums_in(&g->edges, caller, function);
    count_call(g, edge, k);
    if (!edge->function)
        edge->function = (uint32_t)(sums_in(&g->functions, 0, function) - (sums *)(void *)g->functions.sums->data) + 1;
    count_call(g, &g_array_index(g->functions.sums, sums, edge->function - 1), k);
    return true;
}

static void xray_graph_add_sums(sums *to, const sums *from)
{
    to->count += from->count;
    to->unwound += from->unwound;
    to->ticks = sum_saturated(to->ticks, from->ticks);
    to->min = MIN(to->min, from->min);
    to->max = MAX(to->max, from->max);
    percentiles_merge(&to->spread, &from->spread);
}

void xray_graph_share(xray_graph *g, unsigned share)
{
    limit_share(&g->limit, share);
}

bool xray_graph_full(const xray_graph *g)
{
    return g->limit.full;
}

/* The sums of a function are those of its callers. */
void xray_graph_merge(xray_graph *g, const xray_graph *other)
{
    g->limit.counted += other->limit.counted;
    for (guint i = 0; i < other->edges.sums->len; i++) {
        const sums *from = &g_array_index(other->edges.sums, sums, i);
        uint32_t caller = from->caller, function = from->callee;
        make_room(g, &caller, &function);
        xray_graph_add_sums(sums_in(&g->edges, caller, function), from);
        xray_graph_add_sums(sums_in(&g->functions, 0, function), from);
    }
    g->has_others |= other->has_others;
}

/* --- the text ---------------------------------------------------------------------------------------------------------- */

typedef struct writing {
    const xray_graph *graph;
    const xray_display *shown;
    GString *text;
    void (*flush)(GString *text);
} writing;

static gint xray_graph_compare_sums(gconstpointer a, gconstpointer b)
{
    const sums *x = *(const sums *const *)a, *y = *(const sums *const *)b;
    const uint64_t first = xray_graph_key_of(x->caller, x->callee), second = xray_graph_key_of(y->caller, y->callee);
    return (first > second) - (first < second);
}

static GPtrArray *sorted(const table *t)
{
    GPtrArray *all = g_ptr_array_new();
    for (guint i = 0; i < t->sums->len; i++)
        g_ptr_array_add(all, &g_array_index(t->sums, sums, i));
    g_ptr_array_sort(all, xray_graph_compare_sums);
    return all;
}

/* A name, escaped for a quoted label. */
static void append_label(const writing *w, uint32_t function)
{
    xray_number number;
    for (const char *name = xray_display_name(w->shown, function, number); *name; name++) {
        if (*name == '"' || *name == '\\')
            g_string_append_c(w->text, '\\');
        g_string_append_c(w->text, *name);
    }
}

static uint64_t labelled_ticks(const xray_graph *g, sums *s)
{
    if (g->percent)
        return percentiles_value(&s->spread, g->percent);
    return g->label == XRAY_GRAPH_MIN ? s->min : g->label == XRAY_GRAPH_MAX ? s->max : s->ticks;
}

/* g_string_append_printf() would take longer than counting. */
static void append(const writing *w, const char *before, uint64_t number, const char *after)
{
    g_string_append(w->text, before);
    text_append_digits(w->text, number, 10);
    g_string_append(w->text, after);
}

static void end_label(const writing *w, sums *s)
{
    const xray_graph_label label = w->graph->label;
    if (label == XRAY_GRAPH_BOTH || label == XRAY_GRAPH_CALLS)
        append(w, "", s->count, s->count == 1 ? " call" : " calls");
    if (label == XRAY_GRAPH_BOTH)
        g_string_append(w->text, "\\n");
    if (label != XRAY_GRAPH_CALLS)
        append(w, "", xray_display_time(w->shown, labelled_ticks(w->graph, s)), " ns");
    if (s->unwound)
        g_string_append_printf(w->text, "\\n%" PRIu64 " without an exit", s->unwound);
    g_string_append(w->text, "\"];\n");
    w->flush(w->text);
}

static void xray_graph_write_edge(gpointer data, gpointer user)
{
    const writing *w = user;
    sums *s = data;
    append(w, "F", s->caller, "");
    append(w, " -> F", s->callee, " [label=\"");
    end_label(w, s);
}

static void xray_graph_write_function(gpointer data, gpointer user)
{
    const writing *w = user;
    sums *s = data;
    append(w, "F", s->callee, " [label=\"");
    append_label(w, s->callee);
    g_string_append(w->text, "\\n");
    end_label(w, s);
}

/* Callers none of whose own calls have ended, so that they have no sums. `edges`: sorted by caller. */
static void write_other_callers(const writing *w, const GPtrArray *edges)
{
    uint32_t last = 0;
    for (guint i = 0; i < edges->len; i++) {
        const uint32_t caller = ((const sums *)g_ptr_array_index(edges, i))->caller;
        if (caller == last || caller == XRAY_OTHER_FUNCTIONS)
            continue;
        last = caller;
        if (hash_map_find(&w->graph->functions.known, xray_graph_key_of(0, caller)))
            continue;
        append(w, "F", caller, " [label=\"");
        append_label(w, caller);
        g_string_append(w->text, "\"];\n");
        w->flush(w->text);
    }
}

void xray_graph_write(const xray_graph *g, const xray_display *shown, GString *text, void (*flush)(GString *text))
{
    writing w = {g, shown, text, flush};
    g_autoptr(GPtrArray) edges = sorted(&g->edges), functions = sorted(&g->functions);
    g_string_append(text, "digraph xray {\nnode [shape=box];\nF0 [label=\"(no caller)\", shape=plaintext];\n");
    g_ptr_array_foreach(functions, xray_graph_write_function, &w);
    write_other_callers(&w, edges);
    if (g->has_others)
        append(&w, "F", XRAY_OTHER_FUNCTIONS, " [label=\"" TEXT_OTHERS "\"];\n");
    g_ptr_array_foreach(edges, xray_graph_write_edge, &w);
    g_string_append(text, "}\n");
}
