/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xray,graph: who calls whom, as a graph (DOT). */
#include "statistics/report.h"
#include "statistics/table.h"
#include "xray/calls-xray.h"

#include "containers/hash.h"
#include "containers/quantile.h"

typedef struct graph_sum {
    uint32_t caller, callee;                  /* caller 0: there is none, or the sum of a function */
    uint64_t count, unwound, ticks, min, max; /* unwound: calls without an exit */
    quantiles spread;                         /* only if a label needs it */
} graph_sum;

/* What labels say: calls and their sum, or one statistic, with the word label:STATISTIC. */
typedef enum graph_label {
    LABEL_BOTH,
    LABEL_CALLS,
    LABEL_MIN,
    LABEL_MEDIAN,
    LABEL_90,
    LABEL_99,
    LABEL_MAX,
    LABEL_SUM,
    LABELS
} graph_label;

static const char *const label_words[LABELS] = {NULL, "calls", "min", "median", "90_percent", "99_percent", "max", "sum"};

typedef struct graph {
    GHashTable *edges;     /* uint64_t caller << 32 | callee -> graph_sum */
    GHashTable *functions; /* uint64_t callee -> graph_sum */
    uint64_t calls;
    bool full;       /* there was no room for a sum: later ones would not be whole */
    bool has_others; /* as callers */
    graph_label label;
} graph;

/* A sum needs a hundred bytes of memory, with its spread eight times as much. */
enum { GRAPH_SUMS = 200000, GRAPH_CALLS_PER_SUM = 8, GRAPH_SPREAD = 8 };

static void graph_reset(void *data)
{
    graph *g = data;
    g_hash_table_remove_all(g->edges);
    g_hash_table_remove_all(g->functions);
    g->calls = 0;
    g->full = g->has_others = false;
}

/* The function, or XRAY_OTHER_FUNCTIONS if there is no room for another one. */
static uint32_t graph_function(const graph *g, uint32_t function)
{
    uint64_t key = function;
    return !g->full || g_hash_table_contains(g->functions, &key) ? function : XRAY_OTHER_FUNCTIONS;
}

static void free_graph_sum(gpointer data)
{
    graph_sum *s = data;
    quantiles_clear(&s->spread);
    g_free(s);
}

/* 0: the label is not a quantile. */
static unsigned label_percent(const graph *g)
{
    return g->label == LABEL_MEDIAN ? 50 : g->label == LABEL_90 ? 90 : g->label == LABEL_99 ? 99 : 0;
}

static void graph_add(const graph *g, GHashTable *sums, uint32_t caller, uint32_t callee, const call *k)
{
    const uint64_t ticks = k->duration;
    uint64_t key = (uint64_t)caller << 32 | callee;
    graph_sum *s = g_hash_table_lookup(sums, &key);
    if (!s) {
        s = g_new0(graph_sum, 1);
        s->caller = caller;
        s->callee = callee;
        s->min = UINT64_MAX;
        g_hash_table_insert(sums, g_memdup2(&key, sizeof key), s);
    }
    s->count++;
    s->unwound += k->state & CALL_CLOSED ? 1 : 0;
    s->ticks += ticks;
    s->min = MIN(s->min, ticks);
    s->max = MAX(s->max, ticks);
    if (label_percent(g))
        quantiles_add(&s->spread, ticks);
}

static graph_label take_label(const char **arguments)
{
    for (graph_label label = LABEL_CALLS; label < LABELS; label++) {
        g_autofree char *word = g_strconcat("label:", label_words[label], NULL);
        if (report_take_word(arguments, word))
            return label;
    }
    return LABEL_BOTH;
}

static void *graph_start(const void *protocol, const char **arguments)
{
    (void)protocol;
    graph *g = g_new0(graph, 1);
    g->label = take_label(arguments);
    g->edges = g_hash_table_new_full(hash_number, g_int64_equal, g_free, free_graph_sum);
    g->functions = g_hash_table_new_full(hash_number, g_int64_equal, g_free, free_graph_sum);
    return g;
}

static void graph_add_call(graph *g, const xray_record *r, const xray_ended *ended)
{
    uint32_t caller = 0;
    xray_calls_caller(r, ended, &caller);
    uint64_t sums = (uint64_t)g_hash_table_size(g->edges) + g_hash_table_size(g->functions);
    g->full = g->full || sums * (label_percent(g) ? GRAPH_SPREAD : 1) >= GRAPH_SUMS + g->calls / GRAPH_CALLS_PER_SUM;
    g->calls++;
    uint32_t function = graph_function(g, ended->function);
    uint64_t edge = (uint64_t)caller << 32 | function;
    if (g->full && !g_hash_table_contains(g->edges, &edge)) {
        caller = XRAY_OTHER_FUNCTIONS;
        g->has_others = true;
    }
    graph_add(g, g->edges, caller, function, &ended->call);
    graph_add(g, g->functions, 0, function, &ended->call);
}

static bool graph_packet(void *data, packet_info *pinfo, const void *tapped)
{
    (void)pinfo;
    graph *g = data;
    const xray_record *r = tapped;
    uint64_t before = g->calls;
    xray_ended ended;
    for (uint32_t i = 0; xray_calls_added(r, i, &ended); i++)
        if (ended.call.state & CALL_TIMED)
            graph_add_call(g, r, &ended);
    return g->calls != before;
}

static int compare_sums(gconstpointer a, gconstpointer b)
{
    const graph_sum *x = a, *y = b;
    if (x->caller != y->caller)
        return x->caller < y->caller ? -1 : 1;
    return (x->callee > y->callee) - (x->callee < y->callee);
}

/* Appends a name, escaped for a quoted label. */
static void append_label(GString *text, uint32_t function)
{
    const char *name = function == XRAY_OTHER_FUNCTIONS ? TABLE_OTHERS : xray_calls_name(function);
    if (!name)
        g_string_append_printf(text, "#%u", function);
    for (; name && *name; name++) {
        if (*name == '"' || *name == '\\')
            g_string_append_c(text, '\\');
        g_string_append_c(text, *name);
    }
}

static uint64_t labelled_ticks(const graph *g, graph_sum *s)
{
    switch (g->label) {
    case LABEL_MIN:
        return s->min;
    case LABEL_MAX:
        return s->max;
    case LABEL_MEDIAN:
    case LABEL_90:
    case LABEL_99:
        return quantiles_value(&s->spread, label_percent(g));
    default:
        return s->ticks;
    }
}

static void append_sum(GString *text, const graph *g, graph_sum *s)
{
    if (g->label == LABEL_BOTH || g->label == LABEL_CALLS)
        g_string_append_printf(text, "%" PRIu64 " call%s%s", s->count, s->count == 1 ? "" : "s",
                               g->label == LABEL_BOTH ? "\\n" : "");
    if (g->label != LABEL_CALLS)
        g_string_append_printf(text, "%" PRIu64 " ns", xray_calls_sum_nanoseconds(labelled_ticks(g, s)));
    if (s->unwound)
        g_string_append_printf(text, "\\n%" PRIu64 " without an exit", s->unwound);
    g_string_append(text, "\"];\n");
}

/* Callers none of whose own calls have ended, so that they have no sums. `edges`: sorted by caller. */
static void append_other_callers(const graph *g, const GList *edges, GString *text)
{
    uint32_t last = 0;
    for (const GList *e = edges; e; e = e->next) {
        uint32_t caller = ((const graph_sum *)e->data)->caller;
        uint64_t key = caller;
        if (caller == last || caller == XRAY_OTHER_FUNCTIONS)
            continue;
        last = caller;
        if (g_hash_table_contains(g->functions, &key))
            continue;
        g_string_append_printf(text, "F%u [label=\"", caller);
        append_label(text, caller);
        g_string_append(text, "\"];\n");
        report_flush(text);
    }
}

static void graph_write(const void *data, GString *text)
{
    const graph *g = data;
    GList *edges = g_list_sort(g_hash_table_get_values(g->edges), compare_sums);
    GList *functions = g_list_sort(g_hash_table_get_values(g->functions), compare_sums);
    g_string_append(text, "digraph xray {\nnode [shape=box];\n");
    for (const GList *e = edges; e; e = e->next) {
        graph_sum *s = e->data;
        g_string_append_printf(text, "F%u -> F%u [label=\"", s->caller, s->callee);
        append_sum(text, g, s);
        report_flush(text);
    }
    for (const GList *f = functions; f; f = f->next) {
        graph_sum *s = f->data;
        g_string_append_printf(text, "F%u [label=\"", s->callee);
        append_label(text, s->callee);
        g_string_append(text, "\\n");
        append_sum(text, g, s);
        report_flush(text);
    }
    append_other_callers(g, edges, text);
    if (g->has_others)
        g_string_append_printf(text, "F%u [label=\"" TABLE_OTHERS "\"];\n", XRAY_OTHER_FUNCTIONS);
    g_string_append(text, "F0 [label=\"(no caller)\", shape=plaintext];\n}\n");
    g_list_free(edges);
    g_list_free(functions);
}

static void graph_free(void *data)
{
    graph *g = data;
    g_hash_table_destroy(g->edges);
    g_hash_table_destroy(g->functions);
    g_free(g);
}

static const report graph_report = {
    .tap = "xray",
    .command = "xray,graph",
    .title = "XRay Call Graph",
    .words = "label:calls, min, median, 90_percent, 99_percent, max or sum:",
    .typed = "",
    .start = graph_start,
    .reset = graph_reset,
    .packet = graph_packet,
    .write = graph_write,
    .free = graph_free,
};

void xray_graph_register(void)
{
    report_register(&graph_report);
}
