/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xray,graph: who calls whom, as a graph (common/xray/graph.h). */
#include "statistics/report.h"
#include "xray/calls-xray.h"

#include "xray/graph.h"

/* A report. */
typedef struct graph_run {
    xray_graph *graph;
    xray_graph_label label; /* the word label:STATISTIC */
} graph_run;

static xray_graph_label take_label(const char **arguments)
{
    for (xray_graph_label label = XRAY_GRAPH_CALLS; label < XRAY_GRAPH_LABELS; label++) {
        g_autofree char *word = g_strconcat("label:", xray_graph_words[label], NULL);
        if (report_take_word(arguments, word))
            return label;
    }
    return XRAY_GRAPH_BOTH;
}

static void *graph_start(const void *unused _U_, const char **arguments)
{
    graph_run *run = g_new0(graph_run, 1);
    run->label = take_label(arguments);
    run->graph = xray_graph_new(run->label);
    return run;
}

static bool graph_packet(void *data, packet_info *pinfo _U_, const void *tapped)
{
    bool any = false;
    xray_ended ended;
    for (uint32_t i = 0; xray_calls_added(tapped, i, &ended); i++) {
        uint32_t caller = 0;
        xray_calls_caller(tapped, &ended, &caller);
        any |= xray_graph_add(((const graph_run *)data)->graph, ended.function, caller, &ended.call);
    }
    return any;
}

static void graph_write(const void *data, GString *text)
{
    const xray_shown shown = xray_calls_shown(NULL);
    xray_graph_write(((const graph_run *)data)->graph, &shown, text, report_flush);
}

static void graph_free(void *data)
{
    xray_graph_free(((graph_run *)data)->graph);
    g_free(data);
}

const report xray_graph_report = {
    .tap = "xray",
    .command = "xray,graph",
    .title = "XRay Call Graph",
    .asks = (const dialog_field[]){{"Label (calls, min, median, 90_percent, 99_percent, max or sum):", NULL, "label:%s"},
                                   {0}},
    .start = graph_start,
    .packet = graph_packet,
    .write = graph_write,
    .free = graph_free,
};
