/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xray,graph: who calls whom, as a graph (common/xray/statistics/graph.h). */
#include "taps/statistic.h"
#include "xray_dissector/fields.h"

#include "xray/statistics/graph.h"

static void *graph_begin(const statistic_run *run)
{
    static const char *const earlier[XRAY_GRAPH_LABELS] = {
        [XRAY_GRAPH_90] = "label:90_percent", [XRAY_GRAPH_99] = "label:99_percent"};
    xray_graph_label label = XRAY_GRAPH_LABELS - 1;
    for (; label > XRAY_GRAPH_BOTH; label--) {
        g_autofree char *word = g_strconcat("label:", xray_graph_words[label], NULL);
        if (statistic_has(run, word) || (earlier[label] && statistic_has(run, earlier[label])))
            break;
    }
    return xray_graph_new(label);
}

static bool graph_count(const statistic_run *run, const packet_info *pinfo _U_, const void *tapped)
{
    bool any = false;
    span ended;
    for (uint32_t i = 0; xray_calls_added(tapped, i, &ended); i++) {
        uint32_t caller = 0;
        xray_calls_caller(tapped, &ended, &caller);
        any |= xray_graph_add(run->data, ended.function, caller, &ended.call);
    }
    return any;
}

static void graph_write(const statistic_run *run, GString *text)
{
    const xray_display shown = xray_calls_shown(run);
    xray_graph_write(run->data, &shown, text, statistic_flush);
}

static void graph_free(void *data)
{
    xray_graph_free(data);
}

static void graph_merge(void *data, const void *other)
{
    xray_graph_merge(data, other);
}

static void graph_share(void *data, unsigned share)
{
    xray_graph_share(data, share);
}

static bool graph_full(const void *data)
{
    return xray_graph_full(data);
}

statistic xray_graph_statistic = {
    .tap = "xray",
    .command = "xray,graph",
    .title = "XRay Call Graph",
    .asks = (const dialog_field[]){{"Label (calls, min, median, p90, p99, max or sum):", NULL, "label:%s"}, {0}},
    .words = "label:calls|label:min|label:median|label:p90|label:p99|label:max|label:sum|label:90_percent|label:99_percent",
    .begin = graph_begin,
    .count = graph_count,
    .merge = graph_merge,
    .share = graph_share,
    .full = graph_full,
    .write = graph_write,
    .free = graph_free,
};
