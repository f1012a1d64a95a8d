/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics of XRay logs: xray,tree (counts), xray,stacks (folded stacks), xray,srt (response times), the trees of calls,
 * and those in files of their own. They use the tap "xray" and take a display filter as last argument, like Wireshark's own.
 */
#include "xray_dissector/statistics.h"

#include "taps/call_tree.h"
#include "taps/count_tree.h"
#include "taps/counts.h"
#include "taps/responses.h"
#include "taps/span_rows.h"
#include "taps/stacks.h"
#include "xray_dissector/calls.h"
#include "xray_dissector/names.h"
#include "xray_dissector/spans.h"
#include "xray_dissector/tables.h"

#include <epan/stats_tree.h>
#include <epan/tap.h>

#include "xray/statistics/counts.h"

/* --- tree: counts by kind, thread and function ------------------------------------------------------------------------- */

static void xray_statistics_tree_init(stats_tree *tree)
{
    counts_batch_begin(tree, xray_counts_new(), xray_counts_first, XRAY_COUNTS_FIRST);
}

static tap_packet_status xray_statistics_tree_packet(stats_tree *tree, packet_info *pinfo _U_, epan_dissect_t *edt _U_,
                                                     const void *tapped, tap_flags_t flags _U_)
{
    const xray_tapped *r = tapped;
    xray_counts_add(counts_batch_enter(tree), r->context, r->function, xray_names_label);
    return TAP_PACKET_REDRAW;
}

/* --- a row for each call ----------------------------------------------------------------------------------------------- */

enum { EACH_THREAD = SPAN_COLUMNS, EACH_PROCESS, EACH_CALLER_ID, EACH_COLUMNS };
static const rows_column each_columns[EACH_COLUMNS] = {
    SPAN_ROWS_COLUMNS("Function", "Function id"), [EACH_THREAD] = {"Thread", ROWS_ORDINAL, ROWS_EACH},
    [EACH_PROCESS] = {"Process", ROWS_ORDINAL, ROWS_EACH}, [EACH_CALLER_ID] = {"Caller id", ROWS_ORDINAL, ROWS_EACH}};

/* Of an open call, its detail is the function around it. */
static bool each_around(const void *tapped, const span *s, uint32_t *caller)
{
    if (!s->detail)
        return xray_session_caller(tapped, s, caller);
    *caller = *(const uint32_t *)s->detail;
    return s->call.depth > 0;
}

static void each_fill(const packet_info *pinfo _U_, const void *tapped, const span *s, bool full _U_, rows_cell *own)
{
    const xray_context *x = xray_context_of(((const xray_tapped *)tapped)->context);
    uint32_t caller;
    if (x->known & XRAY_KNOWN_THREAD)
        own[EACH_THREAD - SPAN_COLUMNS] = rows_number(x->thread);
    if (x->known & XRAY_KNOWN_PROCESS)
        own[EACH_PROCESS - SPAN_COLUMNS] = rows_number(x->process);
    if (each_around(tapped, s, &caller))
        own[EACH_CALLER_ID - SPAN_COLUMNS] = rows_number(caller);
}

static const char *name_of_function(uint32_t function, bool full, xray_number number)
{
    return xray_name_words(full ? xray_names_of(function) : xray_names_label(function), function, number);
}

/* Threads write rows. */
static const char *each_name(const packet_info *pinfo _U_, const span *s, bool full)
{
    static _Thread_local xray_number number;
    return name_of_function(s->function, full, number);
}

static const char *each_caller(const packet_info *pinfo _U_, const void *tapped, const span *s, bool full)
{
    static _Thread_local xray_number number;
    uint32_t caller;
    return each_around(tapped, s, &caller) ? name_of_function(caller, full, number) : NULL;
}

static bool each_depth_unknown(const void *tapped)
{
    return xray_session_depth_unknown(tapped);
}

static const span_table each_call = {
    .from = &xray_spans,
    .command = "xray,calls,each",
    .title = "XRay Calls",
    .usual = "time,duration,self,thread,depth,begin,end,function",
    .columns = each_columns,
    .count = EACH_COLUMNS,
    .fill = each_fill,
    .name = each_name,
    .caller = each_caller,
    .now = xray_session_now,
    .between = xray_session_between,
    .depth_unknown = each_depth_unknown,
    .each_open = xray_calls_each_open,
    .threads = true,
};

/* --- registration ------------------------------------------------------------------------------------------------------ */

void xray_statistics_register(int proto)
{
    statistic_register(&xray_account_statistic);
    xray_slowest_register();
    span_rows_register(&each_call);
    responses_register(proto, &xray_spans);
    stacks_register(&xray_spans);
    statistic_register(&xray_graph_statistic);
    diff_register(&xray_diff);
    statistic_register(&xray_call_statistic);
    statistic_register(&xray_gaps_statistic);
}

void xray_statistics_handoff(void)
{
    call_tree_register(&xray_spans);
    static const count_tree tree = {
        XRAY_RECORDS_TAP,          "xray",          COMPAT_TREES("XRay") "Records", xray_statistics_tree_packet,
        xray_statistics_tree_init, counts_batch_end};
    count_tree_register(&tree);
}
