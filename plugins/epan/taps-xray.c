/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics of XRay logs: xray,account (a table), xray,tree (counts), xray,stacks (folded stacks) and xray,graph (DOT).
 * They listen to the tap "xray" and take a display filter as last argument, as Wireshark's own do. */
#include "xray-calls.h"

#include <epan/stat_tap_ui.h>
#include <epan/stats_tree.h>
#include <epan/tap.h>

#include "quantile.h"
#include "xray/xray.h"

void xray_taps_register(void);
void xray_taps_handoff(void);

/* An exit with a duration: what all statistics of calls count. */
static bool is_finished(const xray_record *r)
{
    return r->has_call && r->call.end && r->call.state & CALL_TIMED &&
           (r->context->kind == XRAY_EXIT || r->context->kind == XRAY_TAIL_EXIT);
}

static double nanoseconds(const xray_record *r, uint64_t ticks)
{
    return (double)xray_calls_nanoseconds(ticks, r->context->xray.frequency);
}

/* --- account: one row per function -------------------------------------------------------------------------------------- */

enum { COLUMN_NAME, COLUMN_ID, COLUMN_COUNT, COLUMN_MIN, COLUMN_MEDIAN, COLUMN_90, COLUMN_99, COLUMN_MAX, COLUMN_SUM,
       COLUMN_SELF, COLUMNS };

static stat_tap_table_item account_columns[COLUMNS] = {
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Function", "%-40s"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Id", "%6u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Calls", "%10u"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Min (ns)", "%12.0f"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Median (ns)", "%12.0f"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "90 % (ns)", "%12.0f"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "99 % (ns)", "%12.0f"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Max (ns)", "%12.0f"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Sum (ns)", "%14.0f"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Self (ns)", "%14.0f"},
};

/* Ticks of one function; the table shows them in nanoseconds. */
typedef struct account_row {
    guint row;
    unsigned count;
    uint64_t min, max, sum, self;
    quantile median, high, highest;
} account_row;

static GHashTable *account_rows; /* function id -> account_row */

static void free_row(gpointer p)
{
    account_row *a = p;
    quantile_clear(&a->median);
    quantile_clear(&a->high);
    quantile_clear(&a->highest);
    g_free(a);
}

static void account_forget(void)
{
    if (account_rows)
        g_hash_table_destroy(account_rows);
    account_rows = g_hash_table_new_full(NULL, NULL, NULL, free_row);
}

static void account_init(stat_tap_table_ui *ui)
{
    account_forget();
    if (stat_tap_find_table(ui, "XRay functions"))
        return;
    stat_tap_add_table(ui, stat_tap_init_table("XRay functions", COLUMNS, 0, NULL));
}

static account_row *account_add_row(stat_tap_table *table, const xray_record *r)
{
    stat_tap_table_item_type cells[COLUMNS] = {0};
    account_row *a = g_new0(account_row, 1);
    a->row = g_hash_table_size(account_rows);
    a->min = UINT64_MAX;
    quantile_init(&a->median, 50);
    quantile_init(&a->high, 90);
    quantile_init(&a->highest, 99);
    for (int i = 0; i < COLUMNS; i++)
        cells[i].type = account_columns[i].type;
    cells[COLUMN_NAME].value.string_value = r->name ? g_strdup(r->name) : g_strdup_printf("#%u", r->function);
    cells[COLUMN_ID].value.uint_value = r->function;
    stat_tap_init_table_row(table, a->row, COLUMNS, cells);
    g_hash_table_insert(account_rows, GUINT_TO_POINTER(r->function), a);
    return a;
}

static void account_set(stat_tap_table *table, const account_row *a, unsigned column, double value)
{
    stat_tap_table_item_type *cell = stat_tap_get_field_data(table, a->row, column);
    cell->value.float_value = value;
    stat_tap_set_field_data(table, a->row, column, cell);
}

static void account_show(stat_tap_table *table, const account_row *a, const xray_record *r)
{
    stat_tap_table_item_type *count = stat_tap_get_field_data(table, a->row, COLUMN_COUNT);
    count->value.uint_value = a->count;
    stat_tap_set_field_data(table, a->row, COLUMN_COUNT, count);
    account_set(table, a, COLUMN_MIN, nanoseconds(r, a->min));
    account_set(table, a, COLUMN_MEDIAN, nanoseconds(r, quantile_value(&a->median)));
    account_set(table, a, COLUMN_90, nanoseconds(r, quantile_value(&a->high)));
    account_set(table, a, COLUMN_99, nanoseconds(r, quantile_value(&a->highest)));
    account_set(table, a, COLUMN_MAX, nanoseconds(r, a->max));
    account_set(table, a, COLUMN_SUM, nanoseconds(r, a->sum));
    account_set(table, a, COLUMN_SELF, nanoseconds(r, a->self));
}

static tap_packet_status account_packet(void *data, packet_info *pinfo, epan_dissect_t *edt, const void *tapped,
                                        tap_flags_t flags)
{
    (void)pinfo;
    (void)edt;
    (void)flags;
    const xray_record *r = tapped;
    stat_tap_table *table = g_array_index(((stat_data_t *)data)->stat_tap_data->tables, stat_tap_table *, 0);
    if (!is_finished(r))
        return TAP_PACKET_DONT_REDRAW;
    account_row *a = g_hash_table_lookup(account_rows, GUINT_TO_POINTER(r->function));
    if (!a)
        a = account_add_row(table, r);
    uint64_t ticks = r->call.duration;
    a->count++;
    a->sum += ticks;
    a->self += r->call.state & CALL_SELF ? r->call.self : 0;
    a->min = MIN(a->min, ticks);
    a->max = MAX(a->max, ticks);
    quantile_add(&a->median, ticks);
    quantile_add(&a->high, ticks);
    quantile_add(&a->highest, ticks);
    account_show(table, a, r);
    return TAP_PACKET_REDRAW;
}

static void account_free_cell(stat_tap_table *table, guint row, guint column, stat_tap_table_item_type *cell)
{
    (void)table;
    (void)row;
    if (column == COLUMN_NAME && cell->type == TABLE_ITEM_STRING)
        g_free((char *)(uintptr_t)cell->value.string_value);
    cell->type = TABLE_ITEM_NONE;
}

/* The rows stay, without contents, until functions take them again. */
static void account_reset(stat_tap_table *table)
{
    for (guint row = 0; row < table->num_elements; row++)
        for (guint column = 0; column < COLUMNS; column++)
            account_free_cell(table, row, column, stat_tap_get_field_data(table, row, column));
    account_forget();
}

static stat_tap_table_ui account_ui = {
    .group = REGISTER_PACKET_STAT_GROUP_UNSORTED,
    .title = "XRay Functions",
    .tap_name = "xray",
    .cli_string = "xray,account",
    .stat_tap_init_cb = account_init,
    .packet_func = account_packet,
    .stat_tap_reset_table_cb = account_reset,
    .stat_tap_free_table_item_cb = account_free_cell,
    .nfields = COLUMNS,
    .fields = account_columns,
};

/* --- tree: counts by kind, thread and function ------------------------------------------------------------------------- */

static int node_kinds = -1, node_threads = -1, node_functions = -1;
static const char *const name_kinds = "Kinds", *const name_threads = "Threads", *const name_functions = "Functions entered";

static void tree_init(stats_tree *tree)
{
    node_kinds = stats_tree_create_node(tree, name_kinds, 0, STAT_DT_INT, TRUE);
    node_threads = stats_tree_create_node(tree, name_threads, 0, STAT_DT_INT, TRUE);
    node_functions = stats_tree_create_node(tree, name_functions, 0, STAT_DT_INT, TRUE);
}

static tap_packet_status tree_packet(stats_tree *tree, packet_info *pinfo, epan_dissect_t *edt, const void *tapped,
                                     tap_flags_t flags)
{
    (void)pinfo;
    (void)edt;
    (void)flags;
    char text[512];
    const xray_record *r = tapped;
    const xray_context *x = &r->context->xray;
    tick_stat_node(tree, name_kinds, 0, TRUE);
    tick_stat_node(tree, xray_kind_name(r->context->kind), node_kinds, FALSE);
    if (x->known & XRAY_KNOWN_THREAD) {
        if (x->known & XRAY_KNOWN_PROCESS)
            snprintf(text, sizeof text, "%u/%u", x->process, x->thread);
        else
            snprintf(text, sizeof text, "?/%u", x->thread);
        tick_stat_node(tree, name_threads, 0, TRUE);
        tick_stat_node(tree, text, node_threads, FALSE);
    }
    if (r->context->kind == XRAY_ENTRY || r->context->kind == XRAY_ENTRY_ARGUMENTS) {
        if (r->name)
            g_strlcpy(text, r->name, sizeof text);
        else
            snprintf(text, sizeof text, "#%u", r->function);
        tick_stat_node(tree, name_functions, 0, TRUE);
        tick_stat_node(tree, text, node_functions, FALSE);
    }
    return TAP_PACKET_REDRAW;
}

/* --- stacks: folded, one per line ------------------------------------------------------------------------------------- */

typedef enum { FOLD_TIME, FOLD_SELF, FOLD_COUNT } fold_by;

typedef struct stacks_tap {
    GHashTable *sums; /* folded stack -> uint64_t* */
    fold_by by;
    bool threads; /* a stack begins with its thread */
} stacks_tap;

static void stacks_reset(void *data)
{
    g_hash_table_remove_all(((stacks_tap *)data)->sums);
}

static uint64_t fold_value(const stacks_tap *s, const xray_record *r)
{
    switch (s->by) {
    case FOLD_COUNT:
        return 1;
    case FOLD_SELF:
        return r->call.state & CALL_SELF ? r->call.self : 0;
    default:
        return r->call.duration;
    }
}

static const char *fold(const stacks_tap *s, packet_info *pinfo, const xray_record *r)
{
    uint32_t functions[CALLS_STACK_MAX], left_out;
    unsigned n = xray_calls_stack(r, functions, &left_out);
    wmem_strbuf_t *text = wmem_strbuf_new(pinfo->pool, NULL);
    if (s->threads)
        wmem_strbuf_append_printf(text, "thread_%u;", r->context->xray.thread);
    for (unsigned i = 0; i < n; i++) {
        if (i)
            wmem_strbuf_append_c(text, ';');
        if (i == CALLS_STACK_OUTER && left_out)
            wmem_strbuf_append(text, "...;");
        xray_calls_append_name(text, functions[i]);
    }
    return wmem_strbuf_get_str(text);
}

static tap_packet_status stacks_packet(void *data, packet_info *pinfo, epan_dissect_t *edt, const void *tapped,
                                       tap_flags_t flags)
{
    (void)edt;
    (void)flags;
    stacks_tap *s = data;
    if (!is_finished(tapped))
        return TAP_PACKET_DONT_REDRAW;
    const char *folded = fold(s, pinfo, tapped);
    uint64_t *sum = g_hash_table_lookup(s->sums, folded);
    if (!sum) {
        sum = g_new0(uint64_t, 1);
        g_hash_table_insert(s->sums, g_strdup(folded), sum);
    }
    *sum += fold_value(s, tapped);
    return TAP_PACKET_REDRAW;
}

static int compare_keys(gconstpointer a, gconstpointer b)
{
    return strcmp(a, b);
}

static void stacks_draw(void *data)
{
    const stacks_tap *s = data;
    GList *keys = g_list_sort(g_hash_table_get_keys(s->sums), compare_keys);
    for (const GList *k = keys; k; k = k->next)
        printf("%s %" PRIu64 "\n", (const char *)k->data, *(uint64_t *)g_hash_table_lookup(s->sums, k->data));
    g_list_free(keys);
}

static void stacks_finish(void *data)
{
    g_hash_table_destroy(((stacks_tap *)data)->sums);
    g_free(data);
}

/* Listens, or ends the program with the reason, as Wireshark's own -z do. */
static void listen_or_exit(void *data, const char *filter, tap_reset_cb reset, tap_packet_cb packet, tap_draw_cb draw,
                           tap_finish_cb finish)
{
    GString *error = register_tap_listener("xray", data, *filter ? filter : NULL, TL_REQUIRES_NOTHING, reset, packet,
                                           draw, finish);
    if (!error)
        return;
    fprintf(stderr, "Couldn't register the statistic: %s\n", error->str);
    g_string_free(error, TRUE);
    exit(1);
}

/* Takes a word off the front of the arguments. */
static bool take_word(const char **arguments, const char *word)
{
    size_t n = strlen(word);
    if (strncmp(*arguments, word, n) != 0 || ((*arguments)[n] != ',' && (*arguments)[n] != '\0'))
        return false;
    *arguments += n + ((*arguments)[n] == ',');
    return true;
}

static const char *arguments_after(const char *argument, const char *name)
{
    argument += strlen(name);
    return *argument == ',' ? argument + 1 : argument;
}

static compat_stat_start stacks_start(const char *argument, void *unused)
{
    (void)unused;
    const char *rest = arguments_after(argument, "xray,stacks");
    stacks_tap *s = g_new0(stacks_tap, 1);
    s->sums = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    for (bool taken = true; taken;) {
        taken = true;
        if (take_word(&rest, "threads"))
            s->threads = true;
        else if (take_word(&rest, "self"))
            s->by = FOLD_SELF;
        else if (take_word(&rest, "count"))
            s->by = FOLD_COUNT;
        else
            taken = take_word(&rest, "time");
    }
    listen_or_exit(s, rest, stacks_reset, stacks_packet, stacks_draw, stacks_finish);
    COMPAT_STAT_STARTED;
}

/* --- graph: who calls whom, in DOT -------------------------------------------------------------------------------------- */

typedef struct graph_sum {
    uint32_t caller, callee; /* caller 0: no caller, or a function by itself */
    uint64_t count, ticks;
} graph_sum;

typedef struct graph_tap {
    GHashTable *edges;     /* uint64_t caller << 32 | callee -> graph_sum */
    GHashTable *functions; /* uint64_t callee -> graph_sum */
    uint64_t frequency;
} graph_tap;

static void graph_reset(void *data)
{
    g_hash_table_remove_all(((graph_tap *)data)->edges);
    g_hash_table_remove_all(((graph_tap *)data)->functions);
}

static void graph_add(GHashTable *sums, uint32_t caller, uint32_t callee, uint64_t ticks)
{
    uint64_t key = (uint64_t)caller << 32 | callee;
    graph_sum *s = g_hash_table_lookup(sums, &key);
    if (!s) {
        s = g_new0(graph_sum, 1);
        s->caller = caller;
        s->callee = callee;
        g_hash_table_insert(sums, g_memdup2(&key, sizeof key), s);
    }
    s->count++;
    s->ticks += ticks;
}

static tap_packet_status graph_packet(void *data, packet_info *pinfo, epan_dissect_t *edt, const void *tapped,
                                      tap_flags_t flags)
{
    (void)pinfo;
    (void)edt;
    (void)flags;
    graph_tap *g = data;
    const xray_record *r = tapped;
    uint32_t caller = 0;
    if (!is_finished(r))
        return TAP_PACKET_DONT_REDRAW;
    g->frequency = r->context->xray.frequency;
    xray_calls_caller(r, &caller);
    graph_add(g->edges, caller, r->function, r->call.duration);
    graph_add(g->functions, 0, r->function, r->call.duration);
    return TAP_PACKET_REDRAW;
}

static int compare_sums(gconstpointer a, gconstpointer b)
{
    const graph_sum *x = a, *y = b;
    if (x->caller != y->caller)
        return x->caller < y->caller ? -1 : 1;
    return (x->callee > y->callee) - (x->callee < y->callee);
}

/* A name as it may stand in a quoted label. */
static void print_label(uint32_t function)
{
    const char *name = xray_calls_name(function);
    if (!name)
        printf("#%u", function);
    for (; name && *name; name++) {
        if (*name == '"' || *name == '\\')
            putchar('\\');
        putchar(*name);
    }
}

static void graph_draw(void *data)
{
    const graph_tap *g = data;
    GList *edges = g_list_sort(g_hash_table_get_values(g->edges), compare_sums);
    GList *functions = g_list_sort(g_hash_table_get_values(g->functions), compare_sums);
    printf("digraph xray {\nnode [shape=box];\n");
    for (const GList *e = edges; e; e = e->next) {
        const graph_sum *s = e->data;
        printf("F%u -> F%u [label=\"%" PRIu64 " calls\\n%" PRIu64 " ns\"];\n", s->caller, s->callee, s->count,
               xray_calls_nanoseconds(s->ticks, g->frequency));
    }
    for (const GList *f = functions; f; f = f->next) {
        const graph_sum *s = f->data;
        printf("F%u [label=\"", s->callee);
        print_label(s->callee);
        printf("\\n%" PRIu64 " calls\\n%" PRIu64 " ns\"];\n", s->count,
               xray_calls_nanoseconds(s->ticks, g->frequency));
    }
    printf("F0 [label=\"(no caller)\", shape=plaintext];\n}\n");
    g_list_free(edges);
    g_list_free(functions);
}

static void graph_finish(void *data)
{
    graph_tap *g = data;
    g_hash_table_destroy(g->edges);
    g_hash_table_destroy(g->functions);
    g_free(g);
}

static compat_stat_start graph_start(const char *argument, void *unused)
{
    (void)unused;
    graph_tap *g = g_new0(graph_tap, 1);
    g->edges = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    g->functions = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    listen_or_exit(g, arguments_after(argument, "xray,graph"), graph_reset, graph_packet, graph_draw, graph_finish);
    COMPAT_STAT_STARTED;
}

/* --- registration -------------------------------------------------------------------------------------------------------- */

void xray_taps_register(void)
{
    static stat_tap_ui stacks = {
        .group = REGISTER_STAT_GROUP_GENERIC,
        .cli_string = "xray,stacks",
        .tap_init_cb = stacks_start,
    };
    static stat_tap_ui graph = {
        .group = REGISTER_STAT_GROUP_GENERIC,
        .cli_string = "xray,graph",
        .tap_init_cb = graph_start,
    };
    register_stat_tap_table_ui(&account_ui);
    register_stat_tap_ui(&stacks, NULL);
    register_stat_tap_ui(&graph, NULL);
}

void xray_taps_handoff(void)
{
    stats_tree_register_plugin("xray", "xray", "XRay Records", 0, tree_packet, tree_init, NULL);
}
