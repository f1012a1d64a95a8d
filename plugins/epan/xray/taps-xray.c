/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics of XRay logs: xray,account (a table), xray,tree (counts), xray,stacks (folded stacks) and xray,graph (DOT).
 * They use the tap "xray" and take a display filter as last argument, like Wireshark's own. */
#include "statistics/call_tree.h"
#include "statistics/counts.h"
#include "statistics/report.h"
#include "statistics/responses.h"
#include "statistics/stacks.h"
#include "statistics/table.h"
#include "xray/calls-xray.h"

#include <epan/stats_tree.h>
#include <epan/tap.h>

#include "containers/hash.h"
#include "containers/quantile.h"

/* --- account: one row per function ------------------------------------------------------------------------------------- */

enum {
    COLUMN_NAME,
    COLUMN_ID,
    COLUMN_COUNT,
    COLUMN_MIN,
    COLUMN_MEDIAN,
    COLUMN_90,
    COLUMN_99,
    COLUMN_MAX,
    COLUMN_SUM,
    COLUMN_SELF,
    COLUMN_UNWOUND,
    COLUMN_UNSURE,
    COLUMN_FILE,
    COLUMN_LINE,
    COLUMN_CALLER,
    COLUMNS
};

static stat_tap_table_item account_columns[COLUMNS] = {
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Function", "%-40s"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Id", "%6u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Calls", "%10u"},
    TABLE_NUMBER("Min (ns)"),
    TABLE_NUMBER("Median (ns)"),
    TABLE_NUMBER("90 % (ns)"),
    TABLE_NUMBER("99 % (ns)"),
    TABLE_NUMBER("Max (ns)"),
    TABLE_NUMBER("Sum (ns)"),
    TABLE_NUMBER("Self (ns)"),
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Unwound", "%10u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Unsure", "%10u"},
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "File", "%-20s"},
    {TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "Line", "%6s"},
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Caller", "%-40s"},
};

/* The sums for a function in ticks; the table shows nanoseconds, or ticks if they are wanted. */
typedef struct account_row {
    guint row;
    uint32_t function;
    unsigned count, unwound, unsure; /* number of calls, of those without an exit, and of those whose self time is unsure */
    uint64_t min, max, sum, self;
    quantiles shown;
} account_row;

static table_statistic account_statistic;
static GHashTable *account_rows; /* caller << 32 | function id, as uint64_t -> account_row */
static uint64_t account_calls;
static bool account_full; /* see table_has_room() */

/* Words: a row per caller and function; only calls of functions that have called themselves, as `llvm-xray account
 * --recursive-calls-only`; only the outermost of such calls, which contains the others. */
static bool account_by_caller;
static enum { COUNT_ALL, COUNT_RECURSIVE, COUNT_OUTERMOST } account_counts;

/* How many calls of a function are open on a stack, and whether there were several since the first of them began. */
typedef struct recursion {
    hash_pair key; /* stack and function */
    uint32_t depth;
    bool recursive;
} recursion;

static GHashTable *account_recursions; /* recursion.key -> recursion */

#define OTHER_FUNCTIONS UINT32_MAX /* no function has this id: most logs have 28-bit ids, though basic mode has 32 */

static void free_row(gpointer p)
{
    account_row *a = p;
    quantiles_clear(&a->shown);
    g_free(a);
}

static void account_forget(void)
{
    if (account_rows)
        g_hash_table_destroy(account_rows);
    if (account_recursions)
        g_hash_table_destroy(account_recursions);
    account_rows = g_hash_table_new_full(hash_number, g_int64_equal, g_free, free_row);
    account_recursions = g_hash_table_new_full(hash_pair_of, hash_pair_equal, NULL, g_free);
    account_calls = 0;
    account_full = false;
}

/* `caller`: in words; NULL: rows are not separated by it. */
static account_row *account_add_row(stat_tap_table *table, uint64_t key, uint32_t function, const char *name,
                                    const char *caller)
{
    stat_tap_table_item_type cells[COLUMNS] = {0};
    char number[16];
    account_row *a = g_new0(account_row, 1);
    a->row = g_hash_table_size(account_rows);
    a->function = function;
    a->min = UINT64_MAX;
    snprintf(number, sizeof number, "#%u", function);
    cells[COLUMN_NAME] = table_text(name ? name : number);
    cells[COLUMN_ID].type = cells[COLUMN_COUNT].type = TABLE_ITEM_UINT;
    cells[COLUMN_UNWOUND].type = cells[COLUMN_UNSURE].type = TABLE_ITEM_UINT;
    cells[COLUMN_ID].value.uint_value = function;
    for (int i = COLUMN_MIN; i <= COLUMN_SELF; i++)
        cells[i] = table_number();
    cells[COLUMN_FILE] = table_text("");
    cells[COLUMN_LINE] = table_text("");
    cells[COLUMN_CALLER] = table_text(caller ? caller : "");
    stat_tap_init_table_row(table, a->row, COLUMNS, cells);
    g_hash_table_insert(account_rows, g_memdup2(&key, sizeof key), a);
    return a;
}

static account_row *account_row_of(stat_tap_table *table, const xray_record *r, const xray_ended *ended)
{
    uint32_t caller = 0;
    char number[16];
    bool called = account_by_caller && xray_calls_caller(r, ended, &caller);
    uint64_t key = (uint64_t)caller << 32 | ended->function, others = OTHER_FUNCTIONS;
    account_row *a = g_hash_table_lookup(account_rows, &key);
    if (a)
        return a;
    if (!table_has_room(&account_full, g_hash_table_size(account_rows), account_calls)) {
        a = g_hash_table_lookup(account_rows, &others);
        return a ? a : account_add_row(table, others, OTHER_FUNCTIONS, TABLE_OTHERS, NULL);
    }
    const char *name = called ? xray_calls_name(caller) : NULL;
    snprintf(number, sizeof number, "#%u", caller);
    return account_add_row(table, key, ended->function, ended->name,
                           !account_by_caller ? NULL
                           : !called          ? "(no caller)"
                           : name             ? name
                                              : number);
}

static recursion *recursion_of(const xray_record *r, uint32_t function)
{
    const hash_pair key = {r->stack, function};
    recursion *one = g_hash_table_lookup(account_recursions, &key);
    if (!one) {
        one = g_new0(recursion, 1);
        one->key = key;
        g_hash_table_insert(account_recursions, &one->key, one);
    }
    return one;
}

static void note_entry(const xray_record *r)
{
    recursion *one = recursion_of(r, r->function);
    one->recursive = one->depth++ > 0;
}

/* Whether a call that has ended is one of those that are asked for. */
static bool is_wanted(const xray_record *r, const xray_ended *ended)
{
    if (account_counts == COUNT_ALL)
        return true;
    recursion *one = recursion_of(r, ended->function);
    bool recursive = one->recursive;
    one->depth -= one->depth > 0;
    return account_counts == COUNT_RECURSIVE ? recursive : one->depth == 0;
}

/* Adds `file:line` as two cells. */
static void account_show_source(stat_tap_table *table, const account_row *a)
{
    const char *place = a->function == OTHER_FUNCTIONS ? NULL : xray_calls_source(a->function);
    const char *colon = place ? strrchr(place, ':') : NULL;
    if (!colon)
        return;
    table_set_text(table, a->row, COLUMN_FILE, g_strndup(place, (gsize)(colon - place)));
    table_set_text(table, a->row, COLUMN_LINE, g_strdup(colon + 1));
}

static void account_show(stat_tap_table *table, account_row *a)
{
    const uint64_t ticks[COLUMNS] = {
        [COLUMN_MIN] = a->min,
        [COLUMN_MEDIAN] = quantiles_value(&a->shown, 50),
        [COLUMN_90] = quantiles_value(&a->shown, 90),
        [COLUMN_99] = quantiles_value(&a->shown, 99),
        [COLUMN_MAX] = a->max,
        [COLUMN_SUM] = a->sum,
        [COLUMN_SELF] = a->self,
    };
    bool as_they_are = table_in_ticks(&account_statistic);
    stat_tap_get_field_data(table, a->row, COLUMN_COUNT)->value.uint_value = a->count;
    stat_tap_get_field_data(table, a->row, COLUMN_UNWOUND)->value.uint_value = a->unwound;
    stat_tap_get_field_data(table, a->row, COLUMN_UNSURE)->value.uint_value = a->unsure;
    for (unsigned i = COLUMN_MIN; i <= COLUMN_SELF; i++)
        table_set(table, a->row, i, as_they_are ? ticks[i] : xray_calls_sum_nanoseconds(ticks[i]));
    account_show_source(table, a);
}

static void account_finish(stat_tap_table *table)
{
    GHashTableIter all;
    gpointer row;
    g_hash_table_iter_init(&all, account_rows);
    while (g_hash_table_iter_next(&all, NULL, &row))
        account_show(table, row);
}

static void account_add(stat_tap_table *table, const xray_record *r, const xray_ended *ended)
{
    account_calls++;
    account_row *a = account_row_of(table, r, ended);
    uint64_t ticks = ended->call.duration;
    a->count++;
    a->unwound += ended->call.state & CALL_CLOSED ? 1 : 0;
    a->unsure += ended->call.state & CALL_UNATTRIBUTED ? 1 : 0;
    a->sum += ticks;
    a->self += ended->call.state & CALL_SELF ? ended->call.self : 0;
    a->min = MIN(a->min, ticks);
    a->max = MAX(a->max, ticks);
    quantiles_add(&a->shown, ticks);
}

static bool account_record(stat_tap_table *table, const packet_info *pinfo, const void *tapped)
{
    (void)pinfo;
    const xray_record *r = tapped;
    bool any = false;
    xray_ended ended;
    if (account_counts != COUNT_ALL && r->has_call &&
        (r->context->kind == XRAY_ENTRY || r->context->kind == XRAY_ENTRY_ARGUMENTS))
        note_entry(r);
    for (uint32_t i = 0; xray_calls_added(r, i, &ended); i++)
        if (ended.call.begin && is_wanted(r, &ended) && ended.call.state & CALL_TIMED) {
            account_add(table, r, &ended);
            any = true;
        }
    return any;
}

static bool account_word(const char *word)
{
    bool forget = !word;
    if (forget) {
        account_by_caller = false;
        account_counts = COUNT_ALL;
        return false;
    }
    bool graph = strcmp(word, "graph") == 0, recursive = strcmp(word, "recursive") == 0,
         outermost = strcmp(word, "outermost") == 0;
    account_by_caller = account_by_caller || graph;
    if (recursive || outermost)
        account_counts = recursive ? COUNT_RECURSIVE : COUNT_OUTERMOST;
    return graph || recursive || outermost;
}

static table_statistic account_statistic = {
    .ui = {.title = "XRay Functions",
           .tap_name = "xray",
           .cli_string = "xray,account",
           .nfields = COLUMNS,
           .fields = account_columns},
    .title = "XRay functions",
    .sorted_by = {COLUMN_SELF},
    .count = account_record,
    .forget = account_forget,
    .word = account_word,
    .words = "graph, recursive, outermost",
    .finish = account_finish,
};

/* --- tree: counts by kind, thread and function ------------------------------------------------------------------------- */

static int node_kinds = -1, node_threads = -1, node_functions = -1;
static const char *const name_kinds = "Kinds", *const name_threads = "Threads", *const name_functions = "Functions entered";
static counts tree_threads, tree_functions;

static void tree_init(stats_tree *tree)
{
    node_kinds = stats_tree_create_node(tree, name_kinds, 0, STAT_DT_INT, TRUE);
    node_threads = stats_tree_create_node(tree, name_threads, 0, STAT_DT_INT, TRUE);
    node_functions = stats_tree_create_node(tree, name_functions, 0, STAT_DT_INT, TRUE);
    counts_begin(&tree_threads);
    counts_begin(&tree_functions);
}

static tap_packet_status tree_packet(stats_tree *tree, packet_info *pinfo, epan_dissect_t *edt, const void *tapped,
                                     tap_flags_t flags)
{
    (void)edt;
    (void)flags;
    char text[32];
    const xray_record *r = tapped;
    const xray_context *x = xray_context_of(r->context);
    bool bursts = counts_enter(pinfo);
    tick_stat_node(tree, name_kinds, 0, TRUE);
    tick_stat_node(tree, xray_kind_name(r->context->kind), node_kinds, FALSE);
    if (x->known & XRAY_KNOWN_THREAD) {
        if (x->known & XRAY_KNOWN_PROCESS)
            snprintf(text, sizeof text, "%u/%u", x->process, x->thread);
        else
            snprintf(text, sizeof text, "?/%u", x->thread);
        tick_stat_node(tree, name_threads, 0, TRUE);
        counts_tick(&tree_threads, tree, node_threads, text, false);
    }
    if (r->context->kind == XRAY_ENTRY || r->context->kind == XRAY_ENTRY_ARGUMENTS) {
        snprintf(text, sizeof text, "#%u", r->function);
        tick_stat_node(tree, name_functions, 0, TRUE);
        counts_tick(&tree_functions, tree, node_functions, r->name ? r->name : text, false);
    }
    counts_leave(bursts);
    return TAP_PACKET_REDRAW;
}

/* --- stacks and call graph: text --------------------------------------------------------------------------------------- */

static bool stacks_ended(const void *tapped, const packet_info *pinfo, uint32_t i, call *k)
{
    (void)pinfo;
    xray_ended ended;
    if (!xray_calls_added(tapped, i, &ended))
        return false;
    *k = ended.call;
    return true;
}

static void stacks_append_thread(wmem_strbuf_t *text, const void *tapped)
{
    const xray_record *r = tapped;
    wmem_strbuf_append_printf(text, "thread_%u", xray_context_of(r->context)->thread);
}

static void stacks_append_stack(wmem_strbuf_t *text, const void *tapped, uint32_t i, unsigned most)
{
    xray_ended ended;
    if (xray_calls_ended(tapped, i, &ended))
        xray_calls_append_stack(text, tapped, &ended, most);
}

const stacks_protocol xray_stacks = {
    .tap = "xray",
    .command = "xray,stacks",
    .title = "XRay Stacks",
    .unit = "ticks",
    .calls = "calls",
    .ended = stacks_ended,
    .append_thread = stacks_append_thread,
    .append_stack = stacks_append_stack,
};

static uint64_t nanoseconds_of(const void *tapped, uint64_t ticks)
{
    (void)tapped;
    return xray_calls_sum_nanoseconds(ticks);
}

static calltree calls_tree = {
    .stacks = &xray_stacks,
    .trees = {{"xray.calls", COMPAT_TREES("XRay") "Call Tree"},
              {"xray.time", COMPAT_TREES("XRay") "Time Tree"},
              {"xray.self", COMPAT_TREES("XRay") "Self Time"}},
    .root = "All",
    .nanoseconds = nanoseconds_of,
};

static const responses_table response_tables[] = {{"Functions", "Function", "xray.function.id"}};

static bool response_ended(const void *tapped, const packet_info *pinfo, unsigned i, response *r)
{
    xray_ended ended;
    if (!xray_calls_added(tapped, i, &ended))
        return false;
    r->table = 0;
    r->number = ended.function;
    r->ns = xray_calls_sum_nanoseconds(ended.call.duration);
    r->name = ended.call.state & CALL_TIMED ? xray_calls_title(pinfo, ended.function, ended.call.begin) : NULL;
    return true;
}

static const responses response_times = {
    .tap = "xray",
    .title = "XRay Functions to Filter",
    .command = "xray,srt",
    .tables = response_tables,
    .count = array_length(response_tables),
    .ended = response_ended,
};

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

/* The function, or OTHER_FUNCTIONS if there is no room for another one. */
static uint32_t graph_function(const graph *g, uint32_t function)
{
    uint64_t key = function;
    return !g->full || g_hash_table_contains(g->functions, &key) ? function : OTHER_FUNCTIONS;
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
        caller = OTHER_FUNCTIONS;
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
    const char *name = function == OTHER_FUNCTIONS ? TABLE_OTHERS : xray_calls_name(function);
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
        if (caller == last || caller == OTHER_FUNCTIONS)
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
        g_string_append_printf(text, "F%u [label=\"" TABLE_OTHERS "\"];\n", OTHER_FUNCTIONS);
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

/* --- registration ------------------------------------------------------------------------------------------------------ */

void xray_taps_register(int proto)
{
    static report stacks_report;
    table_register(&account_statistic);
    responses_register(proto, &response_times);
    stacks_register(&stacks_report, &xray_stacks);
    report_register(&graph_report);
    xray_diff_register();
    xray_call_register();
}

void xray_taps_handoff(void)
{
    calltree_register(&calls_tree);
    stats_tree_register_plugin("xray", "xray", COMPAT_TREES("XRay") "Records", COUNTS_LARGEST_FIRST, tree_packet, tree_init,
                               NULL);
}
