/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xray,account: a row per function, or per function and caller (common/xray/statistics/account.h). xray,graph: who calls
 * whom, as a graph (common/xray/statistics/graph.h). */
#include "taps/statistic.h"
#include "xray_dissector/spans.h"
#include "xray_dissector/tables.h"

#include "xray/statistics/graph.h"

/* Which calls of a path are inside another one of their function is not known of each. */
static bool account_known(const statistic_run *run, GError **error)
{
    return (!statistic_has(run, "recursive") && !statistic_has(run, "outermost")) || xray_spans_single(run, error);
}

statistic xray_account_statistic = {
    .tap = "xray",
    .counts = &xray_account_counted,
    .from = &xray_statistics,
    .command = "xray,account",
    .title = "XRay Functions",
    .table = "XRay functions",
    .usual = "self,calls,max,median,p99,sum,unwound,unsure,function,caller",
    .sorted_by = {XRAY_ACCOUNT_SELF},
    .known = account_known,
    .filled = xray_spans_note_none,
};

/* --- graph ------------------------------------------------------------------------------------------------------------- */

static xray_graph_label graph_label(const statistic_run *run)
{
    static const char *const earlier[XRAY_GRAPH_LABELS] = {
        [XRAY_GRAPH_90] = "label:90_percent", [XRAY_GRAPH_99] = "label:99_percent"};
    xray_graph_label label = XRAY_GRAPH_LABELS - 1;
    for (; label > XRAY_GRAPH_BOTH; label--) {
        g_autofree char *word = g_strconcat("label:", xray_graph_words[label], NULL);
        if (statistic_has(run, word) || (earlier[label] && statistic_has(run, earlier[label])))
            break;
    }
    return label;
}

static void *graph_begin(const statistic_words *words _U_, const void *how)
{
    return xray_account_new_graph(xray_graph_percent(graph_label(how)) != 0);
}

static bool graph_known(const statistic_run *run, GError **error)
{
    const xray_graph_label label = graph_label(run);
    return label == XRAY_GRAPH_BOTH || label == XRAY_GRAPH_CALLS || label == XRAY_GRAPH_SUM || xray_spans_single(run, error);
}

static void graph_write(const statistic_run *run, GString *text)
{
    xray_graph_write(run->data, graph_label(run), xray_spans_shown(run), text, statistic_flush);
}

static const counted graph_counted = {
    .words = "label:calls|label:min|label:median|label:p90|label:p99|label:max|label:sum|label:90_percent|label:99_percent",
    .begin = graph_begin,
    .count = xray_account_count_record,
    .merge = xray_account_merge,
    .share = xray_account_share,
    .full = xray_account_full,
    .free = xray_account_free,
};

statistic xray_graph_statistic = {
    .tap = "xray",
    .counts = &graph_counted,
    .command = "xray,graph",
    .title = "XRay Call Graph",
    .asks = (const dialog_field[]){{"Label (calls, min, median, p90, p99, max or sum):", NULL, "label:%s"}, {0}},
    .known = graph_known,
    .write = graph_write,
};
