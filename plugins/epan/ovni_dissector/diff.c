/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -z ovni,diff,BASELINE: states in two traces side by side (common/ovni/statistics/comparison.h). */
#include "ovni_dissector/counting.h"
#include "ovni_dissector/statistics.h"

#include "ovni/statistics/comparison.h"

static bool ovni_diff_read_baseline(const statistic_run *run, const char *path, GError **error)
{
    return ovni_baseline_read(((const ovni_comparison *)run->data)->before, path, error);
}

diff ovni_diff = {
    .statistic = {.tap = "ovni",
                  .counts = &ovni_comparison_counted,
                  .from = &ovni_statistics,
                  .command = "ovni,diff",
                  .title = "ovni Comparison with an Earlier Trace",
                  .table = "ovni states before and after",
                  .protocol = "ovni",
                  .to_the_end = true,
                  .usual = "sum_before,sum_after,count_ratio,typical_difference,typical_ratio,sum_difference,state,model",
                  .first = COMPARISON_CHANGE_OF(OVNI_COMPARISON_TYPICAL),
                  .sorted_by = {COMPARISON_CHANGE_OF(OVNI_COMPARISON_SUM)}},
    .read = ovni_diff_read_baseline,
};
