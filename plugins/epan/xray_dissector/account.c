/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xray,account: a row per function, or per function and caller (common/xray/statistics/account.h); with the words graph,dot,
 * and as xray,graph, who calls whom as a graph (common/xray/statistics/graph.h). */
#include "host/menus.h"
#include "taps/statistic.h"
#include "xray_dissector/spans.h"
#include "xray_dissector/tables.h"

#include "util/fail.h"
#include "xray/statistics/graph.h"

static const char dot_word[] = "dot";
#define LABEL_WORDS \
    "label:calls|label:min|label:median|label:p90|label:p99|label:max|label:sum|label:90_percent|label:99_percent"

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

static void *graph_begin(const statistic_run *run)
{
    return xray_account_new_graph(xray_graph_percent(graph_label(run)) != 0);
}

static bool graph_known(const statistic_run *run, GError **error)
{
    const xray_graph_label label = graph_label(run);
    return label == XRAY_GRAPH_BOTH || label == XRAY_GRAPH_CALLS || label == XRAY_GRAPH_SUM || xray_spans_single(run, error);
}

static void graph_write(const statistic_run *run, GString *text)
{
    const xray_display shown = xray_spans_shown(run);
    xray_graph_write(run->data, graph_label(run), &shown, text, statistic_flush);
}

/* --- rows -------------------------------------------------------------------------------------------------------------- */

/* Words for rows say nothing of a graph, nor those of a graph of rows. */
static bool account_check(const statistic_run *run, GError **error)
{
    const rows_words *w = &run->asked;
    const bool of_rows = w->form != ROWS_AS_TEXT || w->order != ROWS_OWN_ORDER || w->top || w->column_count,
               of_calls = statistic_has(run, "recursive") || statistic_has(run, "outermost");
    if (!statistic_has(run, dot_word))
        return graph_label(run) == XRAY_GRAPH_BOTH || fail_with(error, "label: is for xray,account,graph,dot");
    return (statistic_has(run, "graph") && !of_rows && !of_calls) ||
           fail_with(error, "dot needs graph, and takes label: and units only");
}

static void *account_begin(const statistic_run *run)
{
    const xray_account_counts which = statistic_has(run, "recursive")   ? XRAY_COUNT_RECURSIVE
                                      : statistic_has(run, "outermost") ? XRAY_COUNT_OUTERMOST
                                                                        : XRAY_COUNT_ALL;
    return statistic_has(run, dot_word) ? graph_begin(run) : xray_account_new(statistic_has(run, "graph"), which);
}

static bool account_count(const statistic_run *run, const packet_info *pinfo _U_, const void *tapped)
{
    const xray_tapped *r = tapped;
    if (r->context->kind != XRAY_ENTRY && r->context->kind != XRAY_ENTRY_ARGUMENTS)
        return xray_spans_account(run->data, r);
    if (r->has_call)
        xray_account_enter(run->data, r->stack, r->function);
    return false;
}

static void account_fill(const statistic_run *run, rows *to)
{
    xray_display shown = xray_spans_shown(run);
    /* for which all line tables of the program are read */
    shown.sources = menus_windows() || rows_words_need(&run->asked, XRAY_ACCOUNT_FILE) ||
                    rows_words_need(&run->asked, XRAY_ACCOUNT_LINE);
    xray_account_fill(run->data, &shown, to);
    xray_spans_note_none(run, to);
}

/* Which calls of a path are inside another one of their function is not known of each. */
static bool account_known(const statistic_run *run, GError **error)
{
    if (statistic_has(run, dot_word))
        return graph_known(run, error);
    return (!statistic_has(run, "recursive") && !statistic_has(run, "outermost")) || xray_spans_single(run, error);
}

static void account_free(void *data)
{
    xray_account_free(data);
}

static void account_merge(void *data, const void *other)
{
    xray_account_merge(data, other);
}

static void account_share(void *data, unsigned share)
{
    xray_account_share(data, share);
}

static bool account_full(const void *data)
{
    return xray_account_full(data);
}

statistic xray_account_statistic = {
    .title = "XRay Functions",
    .table = "XRay functions",
    .tap = "xray",
    .command = "xray,account",
    .columns = xray_account_columns,
    .column_count = XRAY_ACCOUNT_COLUMNS,
    .usual = "self,calls,max,median,p99,sum,unwound,unsure,function,caller",
    .sorted_by = {XRAY_ACCOUNT_SELF},
    .words = "graph, recursive|outermost, dot, " LABEL_WORDS,
    .check = account_check,
    .begin = account_begin,
    .count = account_count,
    .known = account_known,
    .fill = account_fill,
    .free = account_free,
    .merge = account_merge,
    .share = account_share,
    .full = account_full,
    .write = graph_write,
    .written = dot_word,
};

/* --- the graph alone --------------------------------------------------------------------------------------------------- */

statistic xray_graph_statistic = {
    .tap = "xray",
    .command = "xray,graph",
    .title = "XRay Call Graph",
    .asks = (const dialog_field[]){{"Label (calls, min, median, p90, p99, max or sum):", NULL, "label:%s"}, {0}},
    .words = LABEL_WORDS,
    .begin = graph_begin,
    .count = account_count,
    .known = graph_known,
    .merge = account_merge,
    .share = account_share,
    .full = account_full,
    .write = graph_write,
    .free = account_free,
};
