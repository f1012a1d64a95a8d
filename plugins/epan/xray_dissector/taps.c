/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics of XRay logs: xray,tree (counts), xray,stacks (folded stacks), xray,srt (response times), the trees of calls,
 * and those in files of their own. They use the tap "xray" and take a display filter as last argument, like Wireshark's own.
 */
#include "taps/call_tree.h"
#include "taps/count_tree.h"
#include "taps/counts.h"
#include "taps/responses.h"
#include "taps/stacks.h"
#include "xray_dissector/fields.h"

#include <epan/stats_tree.h>
#include <epan/tap.h>

#include "xray/statistics/counts.h"

/* --- tree: counts by kind, thread and function ------------------------------------------------------------------------- */

static void xray_taps_tree_init(stats_tree *tree)
{
    counts_batch_begin(tree, xray_counts_new(), xray_counts_first, XRAY_COUNTS_FIRST);
}

static tap_packet_status xray_taps_tree_packet(stats_tree *tree, packet_info *pinfo, epan_dissect_t *edt _U_,
                                               const void *tapped, tap_flags_t flags _U_)
{
    const xray_tapped *r = tapped;
    xray_counts_add(counts_batch_enter(tree, pinfo), r->context, r->function, xray_calls_label);
    return TAP_PACKET_REDRAW;
}

/* --- stacks, trees of calls and response times
 * --------------------------------------------------------------------------------------- */

static bool xray_taps_stacks_ended(const void *tapped, const packet_info *pinfo _U_, uint32_t i, call *k)
{
    xray_ended ended;
    if (!xray_calls_added(tapped, i, &ended))
        return false;
    *k = ended.call;
    return true;
}

static stack_piece xray_taps_stacks_thread(const void *tapped)
{
    return (stack_piece){STACKS_THREAD, xray_context_of(((const xray_tapped *)tapped)->context)->thread};
}

static unsigned xray_taps_stacks_stack_of(const void *tapped, uint32_t i, unsigned most, stack_piece *pieces)
{
    xray_ended ended;
    return xray_calls_ended(tapped, i, &ended) ? xray_calls_stack(tapped, &ended, most, pieces) : 0;
}

static void xray_taps_stacks_name(const void *tapped _U_, const stack_piece *piece, GString *name)
{
    if (piece->kind == STACKS_THREAD)
        g_string_append_printf(name, "thread_%u", (unsigned)piece->id);
    else
        xray_calls_append_piece(name, piece, true);
}

const stacks_protocol xray_stacks = {
    .tap = "xray",
    .command = "xray,stacks",
    .title = "XRay Stacks",
    .unit = "ticks",
    .calls = "calls",
    .ended = xray_taps_stacks_ended,
    .thread = xray_taps_stacks_thread,
    .stack = xray_taps_stacks_stack_of,
    .name = xray_taps_stacks_name,
};

static uint64_t nanoseconds_of(const void *tapped _U_, uint64_t ticks)
{
    return xray_calls_sum_nanoseconds(ticks);
}

/* There are no threads in it. */
static void label_piece(const void *tapped _U_, const stack_piece *piece, GString *name)
{
    xray_calls_append_piece(name, piece, false);
}

static calltree calls_tree = {
    .stacks = &xray_stacks,
    .label = label_piece,
    .trees = {{"xray.calls", COMPAT_TREES("XRay") "Call Tree"},
              {"xray.time", COMPAT_TREES("XRay") "Time Tree"},
              {"xray.self", COMPAT_TREES("XRay") "Self Time"}},
    .root = "All",
    .nanoseconds = nanoseconds_of,
};

static const responses_table response_tables[] = {{"Functions", "Function", "xray.function.id"}};

static bool xray_taps_response_ended(const void *tapped, const packet_info *pinfo, unsigned i, response *r)
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
    .ended = xray_taps_response_ended,
};

/* --- registration ------------------------------------------------------------------------------------------------------ */

void xray_taps_register(int proto)
{
    static statistic stacks_statistic;
    statistic_register(&xray_account_statistic);
    xray_slowest_register();
    responses_register(proto, &response_times);
    stacks_register(&stacks_statistic, &xray_stacks);
    statistic_register(&xray_graph_statistic);
    diff_register(&xray_diff);
    statistic_register(&xray_call_statistic);
    statistic_register(&xray_gaps_statistic);
}

void xray_taps_handoff(void)
{
    calltree_register(&calls_tree);
    static const count_tree tree = {
        XRAY_RECORDS_TAP,    "xray",          COMPAT_TREES("XRay") "Records", xray_taps_tree_packet,
        xray_taps_tree_init, counts_batch_end};
    count_tree_register(&tree);
}
