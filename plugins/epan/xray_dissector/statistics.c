/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics of XRay logs: xray,tree (counts), xray,stacks (folded stacks), xray,srt (response times), the trees of calls,
 * and those in files of their own. They use the tap "xray" and take a display filter as last argument, like Wireshark's own.
 */
#include "xray_dissector/statistics.h"

#include "showing/call_tree.h"
#include "showing/count_tree.h"
#include "showing/responses.h"
#include "showing/stacks.h"
#include "xray_dissector/names.h"
#include "xray_dissector/record.h"
#include "xray_dissector/spans.h"

#include <epan/tap.h>

#include "xray/statistics/counts.h"

/* --- tree: counts by kind, thread and function ------------------------------------------------------------------------- */

static bool count_record(count_cells *c, const void *tapped)
{
    const xray_tapped *r = tapped;
    xray_counts_add(c, r->context, r->function, xray_names_label);
    return true;
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
    static const count_tree tree = {XRAY_RECORDS_TAP,  "xray",      COMPAT_TREES("XRay") "Records", xray_counts_first,
                                    XRAY_COUNTS_FIRST, count_record};
    count_tree_register(&tree);
}
