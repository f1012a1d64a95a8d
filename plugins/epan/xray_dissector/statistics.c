/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics of XRay logs: xray,tree (counts), xray,stacks (folded stacks), xray,srt (response times), the trees of calls,
 * and those in files of their own. They use the tap "xray" and take a display filter as last argument, like Wireshark's own.
 */
#include "xray_dissector/statistics.h"

#include "taps/call_tree.h"
#include "taps/count_tree.h"
#include "taps/counts.h"
#include "taps/responses.h"
#include "taps/stacks.h"
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

/* --- registration ------------------------------------------------------------------------------------------------------ */

void xray_statistics_register(int proto)
{
    statistic_register(&xray_account_statistic);
    xray_spans_register_rows();
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
