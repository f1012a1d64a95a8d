/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics of Cacheray traces: cacheray,tree (counts), and registration. All of them use the tap "cacheray" and take a
 * display filter as last argument. Only the accesses that pass it decide how a line is shared. */
#include "cacheray_dissector/record.h"
#include "taps/count_tree.h"
#include "taps/counts.h"

#include <epan/stats_tree.h>
#include <epan/tap.h>

#include "cacheray/statistics/counts.h"

/* --- tree: counts by kind, thread, type and member --------------------------------------------------------------------- */

static void cacheray_statistics_tree_init(stats_tree *tree)
{
    counts_batch_begin(tree, cacheray_counts_new(), cacheray_counts_first, CACHERAY_COUNTS_FIRST);
}

static const char *kind_name(uint8_t kind)
{
    return val_to_str_const(kind, cacheray_events, "Unknown");
}

static tap_packet_status cacheray_statistics_tree_packet(stats_tree *tree, packet_info *pinfo _U_, epan_dissect_t *edt _U_,
                                                         const void *tapped, tap_flags_t flags _U_)
{
    cacheray_counts_add(counts_batch_enter(tree), tapped, kind_name);
    return TAP_PACKET_REDRAW;
}

/* --- registration ------------------------------------------------------------------------------------------------------ */

void cacheray_statistics_register(void)
{
    cacheray_tables_register();
    statistic_register(&cacheray_whatif_statistic);
    diff_register(&cacheray_diff);
}

void cacheray_statistics_handoff(void)
{
    static const count_tree tree = {"cacheray",
                                    "cacheray",
                                    COMPAT_TREES("Cacheray") "Records",
                                    cacheray_statistics_tree_packet,
                                    cacheray_statistics_tree_init,
                                    counts_batch_end};
    count_tree_register(&tree);
}
