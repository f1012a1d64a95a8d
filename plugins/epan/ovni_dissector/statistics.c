/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics of ovni traces: ovni,tree (counts), ovni,srt (response times) and ovni,stacks (folded stacks). The tables
 * are in tables.c. They listen to the tap "ovni" and take a display filter as last argument, like those of
 * Wireshark. The event that ends a state or task is counted. */
#include "ovni_dissector/statistics.h"
#include "ovni_dissector/record.h"
#include "ovni_dissector/spans.h"
#include "showing/call_tree.h"
#include "showing/count_tree.h"
#include "showing/responses.h"
#include "showing/stacks.h"

#include <epan/tap.h>

#include "ovni/statistics/counts.h"

/* --- tree: events by model and code, and by stream --------------------------------------------------------------------- */

static bool count_event(count_cells *c, const void *tapped)
{
    const ovni_tapped *r = tapped;
    if (r->is_event && !ovni_counts_add(c, r->mcv, r->context->stream))
        ovni_counts_add_stream(c, r->context->stream, ovni_session_stream(r));
    return r->is_event;
}

/* --- registration ------------------------------------------------------------------------------------------------------ */

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
    static const count_tree tree = {OVNI_RECORDS_TAP,  "ovni",     COMPAT_TREES("ovni") "Events", ovni_counts_first,
                                    OVNI_COUNTS_FIRST, count_event};
    count_tree_register(&tree);
}
