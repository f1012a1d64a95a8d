/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The graph of a log: its text with every label, without room, and merged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "xray/statistics/graph.h"

static const xray_display plain;

typedef struct graph {
    xray_account *sums;
    xray_graph_label label;
} graph;

static graph graph_new(xray_graph_label label)
{
    return (graph){xray_account_new_graph(xray_graph_percent(label) != 0), label};
}

static void never(GString *text)
{
    (void)text;
}

static char *written(graph g, const xray_display *shown)
{
    GString *text = g_string_new(NULL);
    xray_graph_write(g.sums, g.label, shown, text, never);
    return g_string_free(text, FALSE);
}

/* `caller`: 0: there is none. */
static void add(graph g, uint32_t function, uint32_t caller, uint64_t took, unsigned how)
{
    const call k = {.begin = 1, .duration = took, .state = (uint8_t)(CALL_TIMED | how)};
    assert_true(xray_account_add(g.sums, 0, caller ? &caller : NULL, &(span){.call = k, .function = function}));
}

/* 3 is called by nobody and by 8, whose own call does not end; 5 by 3. */
static graph example(xray_graph_label label)
{
    graph g = graph_new(label);
    add(g, 5, 3, 10, 0);
    add(g, 3, 0, 100, 0);
    add(g, 5, 3, 40, CALL_CLOSED);
    add(g, 5, 3, 20, 0);
    add(g, 3, 8, 7, 0);
    assert_false(xray_account_add(g.sums, 0, NULL, &(span){.call = {.begin = 1, .state = CALL_UNMATCHED}, .function = 8}));
    return g;
}

static void whole_text(void **state)
{
    (void)state;
    graph g = example(XRAY_GRAPH_BOTH);
    const xray_display two_gigahertz = {.frequency = UINT64_C(2000000000)};
    g_autofree char *text = written(g, &plain), *half = written(g, &two_gigahertz);
    assert_string_equal(text, "digraph xray {\nnode [shape=box];\n"
                              "F0 [label=\"(no caller)\", shape=plaintext];\n"
                              "F3 [label=\"#3\\n2 calls\\n107 ns\"];\n"
                              "F5 [label=\"#5\\n3 calls\\n70 ns\\n1 without an exit\"];\n"
                              "F8 [label=\"#8\"];\n"
                              "F0 -> F3 [label=\"1 call\\n100 ns\"];\n"
                              "F3 -> F5 [label=\"3 calls\\n70 ns\\n1 without an exit\"];\n"
                              "F8 -> F3 [label=\"1 call\\n7 ns\"];\n}\n");
    assert_non_null(strstr(half, "F3 -> F5 [label=\"3 calls\\n35 ns\\n1 without an exit\"];\n"));
    xray_account_free(g.sums);
}

static void labels(void **state)
{
    (void)state;
    static const char *const of_edge[XRAY_GRAPH_LABELS] = {
        [XRAY_GRAPH_CALLS] = "3 calls", [XRAY_GRAPH_MIN] = "10 ns", [XRAY_GRAPH_MEDIAN] = "20 ns", [XRAY_GRAPH_90] = "40 ns",
        [XRAY_GRAPH_99] = "40 ns",      [XRAY_GRAPH_MAX] = "40 ns", [XRAY_GRAPH_SUM] = "70 ns"};
    for (xray_graph_label label = XRAY_GRAPH_CALLS; label < XRAY_GRAPH_LABELS; label++) {
        graph g = example(label);
        g_autofree char *text = written(g, &plain),
                        *line = g_strdup_printf("F3 -> F5 [label=\"%s\\n1 without an exit\"];\n", of_edge[label]);
        assert_non_null(xray_graph_words[label]);
        assert_non_null(strstr(text, line));
        xray_account_free(g.sums);
    }
}

/* Without strstr(), which measures all of the text each time in a sanitized program. */
static uint64_t calls_of_edges(const char *text)
{
    static const char label[] = "[label=\"";
    uint64_t sum = 0;
    for (const char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
        if (g_strstr_len(line, end - line, " -> "))
            sum += g_ascii_strtoull(g_strstr_len(line, end - line, label) + strlen(label), NULL, 10);
    return sum;
}

/* A new function and caller with every call: the last ones are others, and none is lost. */
static void no_room(void **state)
{
    (void)state;
    enum { CALLS = 200000 };
    graph g = graph_new(XRAY_GRAPH_CALLS);
    for (uint32_t i = 1; i <= CALLS; i++)
        add(g, i, i + 1, 1, 0);
    add(g, 1, 2, 1, 0);
    add(g, 1, 5, 1, 0); /* a known function, a caller for which there is no room */
    g_autofree char *text = written(g, &plain);
    assert_int_equal(calls_of_edges(text), CALLS + 2);
    assert_non_null(strstr(text, "F2 -> F1 [label=\"2 calls\"];\n"));
    assert_non_null(strstr(text, "F4294967295 -> F1 [label=\"1 call\"];\n"));
    assert_non_null(strstr(text, "F4294967295 -> F4294967295 [label=\""));
    assert_non_null(strstr(text, "F4294967295 [label=\"(others)"));
    assert_null(strstr(text, "F150000 -> "));
    graph copy = graph_new(XRAY_GRAPH_CALLS);
    xray_account_merge(copy.sums, g.sums);
    g_autofree char *same = written(copy, &plain);
    assert_string_equal(text, same);
    xray_account_free(copy.sums);
    copy = graph_new(XRAY_GRAPH_CALLS); /* has room for more, but others were counted elsewhere */
    for (unsigned i = 0; i < 2 * CALLS; i++)
        add(copy, 1, 2, 1, 0);
    xray_account_merge(copy.sums, g.sums);
    g_autofree char *both = written(copy, &plain);
    assert_non_null(strstr(both, "\nF4294967295 [label=\"(others)\"];\n"));
    xray_account_free(copy.sums);
    xray_account_free(g.sums);
}

/* A thread has a share of the room, so that all of them together have no more than one. */
static void shared_room(void **state)
{
    (void)state;
    graph whole = graph_new(XRAY_GRAPH_CALLS), part = graph_new(XRAY_GRAPH_CALLS);
    xray_account_share(part.sums, 4);
    for (unsigned i = 1; i <= 30000; i++) {
        assert_false(xray_account_full(whole.sums));
        add(whole, i, 0, 1, 0);
        add(part, i, 0, 1, 0);
        if (i == 10000)
            assert_false(xray_account_full(part.sums));
    }
    assert_true(xray_account_full(part.sums));
    xray_account_free(whole.sums);
    xray_account_free(part.sums);
}

/* Any split equals the whole. */
static void merged(void **state)
{
    (void)state;
    for (xray_graph_label label = XRAY_GRAPH_BOTH; label < XRAY_GRAPH_LABELS; label++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(label);
        graph whole = graph_new(label), parts[] = {graph_new(label), graph_new(label), graph_new(label)};
        for (unsigned i = 0; i < 1000; i++) {
            const uint32_t function = 1 + g_rand_int(rand) % 9, caller = g_rand_int(rand) % 9;
            const uint64_t took = g_rand_int(rand);
            add(whole, function, caller, took, took % 2 ? CALL_CLOSED : 0);
            add(parts[g_rand_int(rand) % 3], function, caller, took, took % 2 ? CALL_CLOSED : 0);
        }
        xray_account_merge(parts[0].sums, parts[1].sums);
        xray_account_merge(parts[0].sums, parts[2].sums);
        g_autofree char *x = written(whole, &plain), *y = written(parts[0], &plain);
        assert_string_equal(x, y);
        xray_account_free(whole.sums);
        for (int i = 0; i < 3; i++)
            xray_account_free(parts[i].sums);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(whole_text), cmocka_unit_test(labels), cmocka_unit_test(no_room),
                                       cmocka_unit_test(merged), cmocka_unit_test(shared_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
