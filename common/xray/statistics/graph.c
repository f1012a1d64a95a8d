/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xray/statistics/graph.h"

#include <inttypes.h>

#include "util/text.h"

typedef struct writing {
    xray_graph_label label;
    const xray_display *shown;
    GString *text;
    void (*write)(GString *text);
} writing;

/* A name, escaped for a quoted label. */
static void append_label(const writing *w, uint32_t function)
{
    xray_number number;
    for (const char *name = xray_display_name(w->shown, function, number).text; *name; name++) {
        if (*name == '"' || *name == '\\')
            g_string_append_c(w->text, '\\');
        g_string_append_c(w->text, *name);
    }
}

static uint64_t labelled_ticks(xray_graph_label label, xray_account_sums *s)
{
    if (xray_graph_percent(label))
        return percentiles_value(&s->spread, xray_graph_percent(label));
    return label == XRAY_GRAPH_MIN ? s->min : label == XRAY_GRAPH_MAX ? s->max : s->sum;
}

/* g_string_append_printf() would take longer than counting. */
static void append(const writing *w, const char *before, uint64_t number, const char *after)
{
    g_string_append(w->text, before);
    text_append_digits(w->text, number, 10);
    g_string_append(w->text, after);
}

/* A sum that does not fit is not known. */
static void append_time(const writing *w, uint64_t ns)
{
    if (ns == UINT64_MAX)
        g_string_append(w->text, "unknown");
    else
        append(w, "", ns, w->shown->ticks ? " ticks" : " ns");
}

static void end_line(const writing *w)
{
    g_string_append(w->text, "\"];\n");
    text_write_piece(w->text, w->write);
}

static void end_label(const writing *w, xray_account_sums *s)
{
    const xray_graph_label label = w->label;
    if (label == XRAY_GRAPH_BOTH || label == XRAY_GRAPH_CALLS)
        append(w, "", s->count, s->count == 1 ? " call" : " calls");
    if (label == XRAY_GRAPH_BOTH)
        g_string_append(w->text, "\\n");
    if (label != XRAY_GRAPH_CALLS)
        append_time(w, xray_display_time(w->shown, labelled_ticks(label, s)));
    if (s->unwound)
        g_string_append_printf(w->text, "\\n%" PRIu32 " without an exit", s->unwound);
    end_line(w);
}

static void begin_node(const writing *w, uint32_t function)
{
    append(w, "F", function, " [label=\"");
    append_label(w, function);
}

static gint compare_functions(gconstpointer key, gconstpointer row)
{
    const uint32_t a = *(const uint32_t *)key, b = (*(const xray_account_sums *const *)row)->function;
    return (a > b) - (a < b);
}

/* Callers none of whose own calls have ended, so that they have no sums. `edges`: by caller; `nodes`: by function.
 */
static void write_other_callers(const writing *w, const GPtrArray *edges, const GPtrArray *nodes)
{
    uint32_t last = 0;
    for (guint i = 0; i < edges->len; i++) {
        const uint32_t caller = ((const xray_account_sums *)g_ptr_array_index(edges, i))->caller;
        if (caller == last)
            continue;
        last = caller;
        if (caller != XRAY_OTHER_FUNCTIONS &&
            bsearch(&caller, nodes->pdata, nodes->len, sizeof(gpointer), compare_functions))
            continue;
        begin_node(w, caller);
        end_line(w);
    }
}

static gint compare_edges(gconstpointer a, gconstpointer b)
{
    const xray_account_sums *x = *(const xray_account_sums *const *)a, *y = *(const xray_account_sums *const *)b;
    return x->caller != y->caller ? (x->caller > y->caller ? 1 : -1)
                                  : (x->function > y->function) - (x->function < y->function);
}

void xray_graph_write(const xray_account *a, xray_graph_label label, const xray_display *shown, GString *text,
                      void (*write)(GString *text))
{
    const writing w = {label, shown, text, write};
    xray_account *of_functions = xray_account_by_function(a);
    g_autoptr(GPtrArray) nodes = xray_account_rows(of_functions, xray_account_compare);
    g_autoptr(GPtrArray) edges = xray_account_rows(a, compare_edges);
    g_string_append(text, "digraph xray {\nnode [shape=box];\nF0 [label=\"(no caller)\", shape=plaintext];\n");
    for (guint i = 0; i < nodes->len; i++) {
        xray_account_sums *s = g_ptr_array_index(nodes, i);
        begin_node(&w, s->function);
        g_string_append(text, "\\n");
        end_label(&w, s);
    }
    write_other_callers(&w, edges, nodes);
    for (guint i = 0; i < edges->len; i++) {
        xray_account_sums *s = g_ptr_array_index(edges, i);
        append(&w, "F", s->caller, "");
        append(&w, " -> F", s->function, " [label=\"");
        end_label(&w, s);
    }
    g_string_append(text, "}\n");
    xray_account_free(of_functions);
}
