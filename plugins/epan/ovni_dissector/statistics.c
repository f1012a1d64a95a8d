/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics of ovni traces: ovni,tree (counts), ovni,srt (response times) and ovni,stacks (folded stacks). The tables
 * are in tables.c. They listen to the tap "ovni" and take a display filter as last argument, like those of
 * Wireshark. The event that ends a state or task is counted. */
#include "ovni_dissector/counting.h"
#include "taps/call_tree.h"
#include "taps/count_tree.h"
#include "taps/counts.h"
#include "taps/responses.h"
#include "taps/stacks.h"

#include <epan/stats_tree.h>
#include <epan/tap.h>

#include "ovni/statistics/counts.h"

/* --- tree: events by model and code, and by stream
 * -------------------------------------------------------------------------- */

static void ovni_statistics_tree_init(stats_tree *tree)
{
    counts_batch_begin(tree, ovni_counts_new(), ovni_counts_first, OVNI_COUNTS_FIRST);
}

static tap_packet_status ovni_statistics_tree_packet(stats_tree *tree, packet_info *pinfo _U_, epan_dissect_t *edt _U_,
                                                     const void *tapped, tap_flags_t flags _U_)
{
    const ovni_tapped *r = tapped;
    if (!r->is_event)
        return TAP_PACKET_DONT_REDRAW;
    count_cells *c = counts_batch_enter(tree);
    if (!ovni_counts_add(c, r->mcv, r->context->stream))
        ovni_counts_add_stream(c, r->context->stream, ovni_session_stream(r));
    return TAP_PACKET_REDRAW;
}

/* --- registration
 * ----------------------------------------------------------------------------------------------------------- */

void ovni_statistics_register(int proto)
{
    ovni_tables_register();
    ovni_spans_register_rows();
    responses_register(proto, &ovni_spans);
    statistic_register(&ovni_at_statistic);
    statistic_register(&ovni_balance_statistic);
    statistic_register(&ovni_lint_statistic);
    statistic_register(&ovni_cpus_statistic);
    statistic_register(&ovni_paraver_statistic);
    stacks_register(&ovni_spans);
    diff_register(&ovni_diff);
}

void ovni_statistics_handoff(void)
{
    call_tree_register(&ovni_spans);
    static const count_tree tree = {
        OVNI_RECORDS_TAP,          "ovni",          COMPAT_TREES("ovni") "Events", ovni_statistics_tree_packet,
        ovni_statistics_tree_init, counts_batch_end};
    count_tree_register(&tree);
}
