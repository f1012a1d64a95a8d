/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics of Cacheray traces: cacheray,tree (counts), and registration. All of them use the tap "cacheray" and take a
 * display filter as last argument. Only the accesses that pass it decide how a line is shared. */
#include "cacheray_dissector/statistics.h"
#include "cacheray_dissector/fields.h"
#include "showing/count_tree.h"

#include <epan/tap.h>

#include "cacheray/statistics/counts.h"

/* --- tree: counts by kind, thread, type and member --------------------------------------------------------------------- */

static const char *kind_name(uint8_t kind)
{
    return val_to_str_const(kind, cacheray_events, "Unknown");
}

static bool count_record(count_cells *c, const void *tapped)
{
    cacheray_counts_add(c, tapped, kind_name);
    return true;
}

/* --- registration ------------------------------------------------------------------------------------------------------ */

void cacheray_statistics_register(void)
{
    cacheray_tables_register();
    cacheray_type_layouts_register();
    cacheray_curve_register();
    statistic_register(&cacheray_whatif_statistic);
    diff_register(&cacheray_diff);
}

void cacheray_statistics_handoff(void)
{
    static const count_tree tree = {
        "cacheray",  "cacheray", COMPAT_TREES("Cacheray") "Records", cacheray_counts_first, CACHERAY_COUNTS_FIRST,
        count_record};
    count_tree_register(&tree);
}
