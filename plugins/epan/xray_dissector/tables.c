/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xray,account: a row per function, or per function and caller (common/xray/statistics/account.h); with the words graph,dot,
 * which xray,graph is given, who calls whom as a graph (common/xray/statistics/graph.h). xray,gaps: the time between the
 * outermost calls of each thread (common/xray/statistics/gaps.h). */
#include "host/record_numbers.h"
#include "xray_dissector/counting.h"
#include "xray_dissector/spans.h"
#include "xray_dissector/statistics.h"

#include "util/fail.h"
#include "xray/statistics/account.h"
#include "xray/statistics/gaps.h"
#include "xray/statistics/graph.h"

/* Words for rows say nothing of a graph, nor those of a graph of rows. */
static bool account_check(const statistic_run *run, GError **error)
{
    const rows_words *w = &run->words.asked;
    const bool of_rows = w->form != ROWS_AS_TEXT || w->order != ROWS_OWN_ORDER || w->top || w->column_count,
               of_calls = statistic_has(run, "recursive") || statistic_has(run, "outermost");
    if (!statistic_has(run, XRAY_GRAPH_DOT))
        return xray_graph_asked(&run->words) == XRAY_GRAPH_BOTH || fail_with(error, "label: is for xray,account,graph,dot");
    return (statistic_has(run, "graph") && !of_rows && !of_calls) ||
           fail_with(error, "dot needs graph, and takes label: and units only");
}

/* Of a path only sums are known, and not which of its calls are inside another one of their function. */
static bool account_known(const statistic_run *run, GError **error)
{
    const xray_graph_label label = xray_graph_asked(&run->words);
    const bool of_sums = label == XRAY_GRAPH_BOTH || label == XRAY_GRAPH_CALLS || label == XRAY_GRAPH_SUM;
    return (of_sums && !statistic_has(run, "recursive") && !statistic_has(run, "outermost")) ||
           xray_counting_single(run, error);
}

static void graph_write(const statistic_run *run, GString *text)
{
    xray_graph_write(run->data, xray_graph_asked(&run->words), xray_counting_how(run), text, statistic_flush);
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
    .check = account_check,
    .known = account_known,
    .filled = xray_counting_note_none,
    .write = graph_write,
    .written = XRAY_GRAPH_DOT,
};

/* The graph alone. */
statistic xray_graph_statistic = {
    .tap = "xray",
    .counts = &xray_account_counted,
    .from = &xray_statistics,
    .command = "xray,graph",
    .given = "graph," XRAY_GRAPH_DOT,
    .kind = STATISTIC_TEXT,
    .title = "XRay Call Graph",
    .asks = (const dialog_field[]){{"Label (calls, min, median, p90, p99, max or sum):", NULL, "label:%s"}, {0}},
    .check = account_check,
    .known = account_known,
    .write = graph_write,
};

/* --- gaps: between the outermost calls of a thread ----------------------------------------------------------------- */

typedef struct gaps_run {
    xray_gaps *gaps;
    xray_display shown;
} gaps_run;

static void *gaps_begin(const statistic_words *words _U_, const void *how)
{
    gaps_run *g = g_new(gaps_run, 1);
    *g = (gaps_run){xray_gaps_new(), *(const xray_display *)how};
    return g;
}

static bool gaps_count(void *data, const counted_record *of)
{
    const gaps_run *g = data;
    const xray_call_event v = xray_spans_event(&g->shown, of);
    return xray_gaps_add(g->gaps, &v);
}

static void gaps_fill(void *data, const void *how, rows *to)
{
    xray_gaps_fill(((const gaps_run *)data)->gaps, how, record_frame, to);
}

static void gaps_free(void *data)
{
    xray_gaps_free(((const gaps_run *)data)->gaps);
    g_free(data);
}

static const counted gaps_counted = {.columns = xray_gaps_columns,
                                     .column_count = XRAY_INTERVALS_COLUMNS,
                                     .begin = gaps_begin,
                                     .count = gaps_count,
                                     .fill = gaps_fill,
                                     .free = gaps_free};

statistic xray_gaps_statistic = {
    .tap = "xray",
    .counts = &gaps_counted,
    .from = &xray_statistics,
    .command = "xray,gaps",
    .title = "XRay Gaps between Calls",
    .table = "XRay time of threads outside any call",
    .usual = "sum,count,part_percent,longest,at,record,gap,thread",
    .sorted_by = {XRAY_INTERVALS_SUM},
    .known = xray_counting_single,
};
