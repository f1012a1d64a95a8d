/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trees in Wireshark's windows: the nodes with most time, the sum of the others, and names that are cut and still differ. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "showing/call_tree.h"

#include <epan/funnel.h>
#include <epan/prefs.h>
#include <epan/stats_tree_priv.h>
#include <epan/tap.h>
#include <epan/wmem_scopes.h>

#include <string.h>

#include "showing/count_tree.h"

enum { NODES = 1000, NODES_MOST = 1999, WIDTH = 48, NONE = 0 };

/* Only windows are tested. */
void statistic_register(statistic *s)
{
    (void)s;
}

/* --- a format whose records are calls ---------------------------------------------------------------------------------- */

typedef struct ended_call {
    unsigned caller, function; /* caller NONE: it is the outermost */
    uint64_t microseconds;
    unsigned callers; /* how many times the caller has called itself */
} ended_call;

static bool ended(const void *tapped, uint32_t i, span *s)
{
    const uint64_t time = ((const ended_call *)tapped)->microseconds * 1000;
    *s = (span){.call = {.duration = time, .self = time, .state = CALL_TIMED | CALL_SELF}, .nests = true};
    return i == 0;
}

static stack_piece thread(const void *tapped)
{
    (void)tapped;
    return (stack_piece){0, 1};
}

static unsigned stack(const void *tapped, const span *s, unsigned most, stack_piece *pieces)
{
    (void)s;
    const ended_call *c = tapped;
    unsigned n = 0;
    while (c->caller != NONE && n <= c->callers && n < most - 1)
        pieces[n++] = (stack_piece){0, c->caller};
    pieces[n++] = (stack_piece){0, c->function};
    return n;
}

/* What differs between two of them is cut out of the names of multiples of 10,000. */
static char *long_name(unsigned function)
{
    return function % 10000 ? g_strdup_printf("outermost::between::of_the_same_class::in_all_names::function%05u", function)
                            : g_strdup_printf("outermost::class_%u::whose_names_end::alike::with::some_function", function);
}

static unsigned name(const void *data, const stack_piece *piece, GString *text)
{
    (void)data;
    g_autofree char *shown = long_name((unsigned)piece->id);
    g_string_append(text, shown);
    return 0;
}

static const span_source tested = {.tap = "calls",
                                   .menu = "",
                                   .tree = "Calls",
                                   .many = "calls",
                                   .span = ended,
                                   .thread = thread,
                                   .stack = stack,
                                   .name = name};

/* --- a window ---------------------------------------------------------------------------------------------------------- */

static packet_info pinfo;

static stats_tree *open_window(const char *which)
{
    stats_tree *tree = stats_tree_new(stats_tree_get_cfg_by_abbr(which), NULL, NULL);
    tree->cfg->init(tree);
    return tree;
}

static void count(stats_tree *tree, unsigned caller, unsigned function, uint64_t microseconds)
{
    const ended_call c = {caller, function, microseconds, 0};
    stats_tree_packet(tree, &pinfo, NULL, &c, 0);
}

/* The next of all nodes. */
static const stat_node *after(const stat_node *n)
{
    if (n->children)
        return n->children;
    while (n && !n->next)
        n = n->parent;
    return n ? n->next : NULL;
}

#define EACH_NODE(n, tree) \
    const stat_node *n = (tree)->root.children; \
    n; \
    n = after(n)

/* By the name of its parent, if one is given, and its own; NULL: it is not shown. */
static const stat_node *node_of(const stats_tree *tree, const char *parent, const char *shown)
{
    for (EACH_NODE(n, tree))
        if (strcmp(n->name, shown) == 0 && (!parent || strcmp(n->parent->name, parent) == 0))
            return n;
    return NULL;
}

/* How many nodes have a function. */
static unsigned functions(const stats_tree *tree)
{
    unsigned found = 0;
    for (EACH_NODE(n, tree))
        found += strchr(n->name, ':') != NULL;
    return found;
}

/* All calls, shown or not. */
static int calls_in(const stats_tree *tree)
{
    int sum = 0;
    for (EACH_NODE(n, tree))
        sum += strcmp(n->name, "All") != 0 ? n->counter : 0;
    return sum;
}

static bool shows(const stats_tree *tree, unsigned function)
{
    g_autofree char *shown = g_strdup_printf("…::in_all_names::function%05u", function);
    return node_of(tree, NULL, shown) != NULL;
}

/* Function i takes i microseconds. One that has not ended has called one that took longest. */
static void most_time_is_shown(void **state)
{
    (void)state;
    stats_tree *tree = open_window("calls.calls");
    for (unsigned i = 1; i <= 1500; i++)
        count(tree, NONE, i, i);
    count(tree, 1600, 1700, 5000);
    draw_tap_listeners(TRUE);
    assert_int_equal(functions(tree), NODES);
    assert_true(shows(tree, 1600) && shows(tree, 1700) && shows(tree, 1500) && shows(tree, 503));
    assert_false(shows(tree, 502) || shows(tree, 1));
    assert_int_equal(node_of(tree, "All", "…::in_all_names::function00503")->counter, 1);
    assert_int_equal(node_of(tree, NULL, TEXT_OTHERS)->counter, 502);
    assert_int_equal(calls_in(tree), 1501);
    for (EACH_NODE(n, tree))
        assert_true(g_utf8_strlen(n->name, -1) <= WIDTH);
    stats_tree_free(tree);
}

/* Sorted by the number of calls, as windows of 4.6 open. */
static void others_come_after_all(void **state)
{
    (void)state;
    enum { COLUMN_COUNT = 1 };
    stats_tree *tree = open_window("calls.calls");
    count(tree, NONE, 1, 9000);
    for (unsigned i = 2; i <= 1500; i++)
        count(tree, 1, i, i);
    draw_tap_listeners(TRUE);
    const stat_node *all = node_of(tree, NULL, "All"), *others = node_of(tree, NULL, TEXT_OTHERS);
    assert_true(others->counter > all->counter);
    assert_true(stats_tree_sort_compare(all, others, COLUMN_COUNT, TRUE) < 0);
    stats_tree_free(tree);
}

/* While a file is read, nodes stay and others appear, up to a limit; nothing is lost. */
static void later_calls_are_added(void **state)
{
    (void)state;
    stats_tree *tree = open_window("calls.calls");
    for (unsigned i = 1; i <= 1500; i++)
        count(tree, NONE, i, i);
    draw_tap_listeners(TRUE);
    count(tree, NONE, 501, 1); /* is shown, though others have more time later */
    for (unsigned i = 2001; i <= 2600; i++)
        count(tree, NONE, i, i);
    draw_tap_listeners(TRUE);
    assert_int_equal(functions(tree), NODES + 600);
    assert_int_equal(node_of(tree, "All", "…::in_all_names::function00501")->counter, 2);
    assert_int_equal(node_of(tree, NULL, TEXT_OTHERS)->counter, 500);
    for (unsigned i = 3001; i <= 3600; i++)
        count(tree, NONE, i, i);
    draw_tap_listeners(TRUE);
    assert_int_equal(functions(tree), NODES_MOST);
    assert_int_equal(node_of(tree, NULL, TEXT_OTHERS)->counter, 1500 + 1 + 600 + 600 - NODES_MOST - 1);
    assert_int_equal(calls_in(tree), 1500 + 1 + 600 + 600);
    stats_tree_free(tree);
}

/* Two names that would be cut to the same are two nodes; one that is in two places is cut in both. */
static void cut_names_differ(void **state)
{
    (void)state;
    static const char *const cut = "…::whose_names_end::alike::with::some_function", *const other =
                                                                                         "…::alike::with::some_function";
    stats_tree *tree = open_window("calls.time");
    count(tree, NONE, 10000, 7);
    count(tree, 10000, 20000, 3);
    count(tree, 20000, 10000, 2);
    count(tree, NONE, 20000, 5);
    draw_tap_listeners(TRUE);
    assert_int_equal(node_of(tree, "All", cut)->counter, 7);
    assert_int_equal(node_of(tree, cut, other)->counter, 3);
    assert_int_equal(node_of(tree, "outermost::class_20000::whose_names_end::alike::with::some_function", cut)->counter, 2);
    stats_tree_free(tree);
}

/* Numbers stay in the window: the deeper a name, the less room it has. */
static void deep_names_are_short(void **state)
{
    (void)state;
    enum { LEVELS = 20, INDENT = 3, LEAST = 16 };
    stats_tree *tree = open_window("calls.time");
    const ended_call c = {7, 8, 1000, LEVELS};
    stats_tree_packet(tree, &pinfo, NULL, &c, 0);
    draw_tap_listeners(TRUE);
    unsigned depth = 0;
    for (const stat_node *n = tree->root.children->children; n; n = n->children, depth++) {
        assert_true(g_str_has_suffix(n->name, n->children ? "00007" : "00008"));
        assert_true(g_utf8_strlen(n->name, -1) <= MAX(WIDTH - (int)depth * INDENT, LEAST));
    }
    assert_int_equal(depth, LEVELS + 2);
    stats_tree_free(tree);
}

/* The same of trees that count records, which find nodes by their names. */
static const char *const records[] = {"Records"};

static bool add_record(count_cells *c, const void *tapped)
{
    const ended_call *of = tapped;
    const hash_pair thread_key = {of->caller, 0}, key = {of->caller, of->function};
    count_cell *cell = count_cells_find(c, &key), *above = count_cells_find(c, &thread_key);
    g_autofree char *thread_name = g_strdup_printf("thread %u", of->caller), *name = long_name(of->function);
    if (!above)
        above = count_cells_make(c, 0, &thread_key, count_cells_first(c, 0), shown_name_of(thread_name), true);
    count_cells_add(c, !of->function ? above
                       : cell        ? cell
                                     : count_cells_make(c, 1, &key, above, shown_name_of(name), false));
    return true;
}

static void records_of_cut_names_differ(void **state)
{
    (void)state;
    static const char *const cut = "…::whose_names_end::alike::with::some_function",
                             *const whole = "outermost::class_20000::whose_names_end::alike::with::some_function";
    static const unsigned times[][3] = {{1, 0, 2}, {1, 10000, 2}, {2, 0, 8}, {2, 10000, 3}, {2, 20000, 5}};
    stats_tree *tree = open_window("records");
    for (unsigned i = 0; i < G_N_ELEMENTS(times); i++)
        for (unsigned k = 0; k < times[i][2]; k++)
            count(tree, times[i][0], times[i][1], 0);
    draw_tap_listeners(TRUE);
    assert_int_equal(node_of(tree, NULL, "Records")->counter, 20);
    assert_int_equal(node_of(tree, "Records", "thread 2")->counter, 16);
    assert_int_equal(node_of(tree, "thread 1", cut)->counter, 2);
    assert_int_equal(node_of(tree, "thread 2", cut)->counter, 3);
    assert_int_equal(node_of(tree, "thread 2", whole)->counter, 5);
    stats_tree_free(tree);
}

/* Other programs have no widths, and all nodes. */
static void programs_have_all(void **state)
{
    (void)state;
    funnel_set_funnel_ops(NULL);
    stats_tree *tree = open_window("calls.calls");
    for (unsigned i = 1; i <= 1500; i++)
        count(tree, NONE, i, i);
    draw_tap_listeners(TRUE);
    g_autofree char *whole = long_name(1);
    assert_int_equal(functions(tree), 1500);
    assert_int_equal(node_of(tree, "All", whole)->counter, 1);
    stats_tree_free(tree);
}

static void no_dialog(funnel_ops_id_t *id, const char *title, const char **names, const char **values, funnel_dlg_cb_t done,
                      void *data, funnel_dlg_cb_data_free_t free_data)
{
    (void)id, (void)title, (void)names, (void)values, (void)done, (void)data, (void)free_data;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(most_time_is_shown),    cmocka_unit_test(others_come_after_all),
        cmocka_unit_test(later_calls_are_added), cmocka_unit_test(cut_names_differ),
        cmocka_unit_test(deep_names_are_short),  cmocka_unit_test(records_of_cut_names_differ),
        cmocka_unit_test(programs_have_all),
    };
    static const funnel_ops_t windows = {.new_dialog = no_dialog};
    wmem_init_scopes();
    register_tap("calls");
    funnel_set_funnel_ops(&windows);
    call_tree_register(&tested);
    count_tree_register(&(count_tree){"calls", "records", "Records", records, 1, add_record});
    prefs.st_burst_resolution = 5;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
