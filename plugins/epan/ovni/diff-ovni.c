/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -z ovni,diff,BASELINE: states in two traces side by side (common/ovni/comparison.h). */
#include "host/hidden_records.h"
#include "ovni/statistics-ovni.h"
#include "statistics/diff.h"

#include "ovni/comparison.h"

static ovni_comparison *compared; /* NULL: the baseline has not been read */

static char *read_baseline(const char *path)
{
    ovni_comparison_free(compared);
    compared = ovni_comparison_new();
    return ovni_comparison_read(compared, path);
}

static bool count(const packet_info *pinfo, const void *tapped)
{
    const ovni_record *r = tapped;
    if (!r->has_state)
        return false;
    diff_prepare(&ovni_diff);
    return ovni_comparison_add(compared, COMPARISON_AFTER, ovni_states_of_file(), record_number(pinfo), &r->known);
}

static void fill(rows *to)
{
    diff_prepare(&ovni_diff);
    hidden_finish();
    if (ovni_states_of_file())
        ovni_comparison_end(compared, COMPARISON_AFTER, ovni_states_of_file());
    ovni_comparison_fill(compared, hidden_end_missing(), to);
}

static void forget(void)
{
    if (compared)
        ovni_comparison_forget(compared);
}

diff ovni_diff = {
    .statistic = {.title = "ovni Comparison with an Earlier Trace",
                  .table = "ovni states before and after",
                  .tap = "ovni",
                  .command = "ovni,diff",
                  .columns = ovni_comparison_columns,
                  .column_count = OVNI_COMPARISON_COLUMNS,
                  .usual = "sum_difference,sum_before,sum_after,sum_ratio,count_ratio,median_ratio,state,model",
                  .sorted_by = {COMPARISON_CHANGE_OF(OVNI_COMPARISON_SUM)},
                  .count = count,
                  .fill = fill,
                  .forget = forget,
                  .words = "BASELINE"},
    .protocol = "ovni",
    .read = read_baseline,
};
