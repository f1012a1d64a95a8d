/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -z ovni,diff,BASELINE: states in two traces side by side (common/ovni/comparison.h). */
#include "host/hidden_records.h"
#include "ovni/statistics-ovni.h"
#include "statistics/diff.h"

#include "ovni/comparison.h"

static ovni_durations *before, *after;

static char *read_baseline(const char *path)
{
    ovni_durations_free(before);
    before = ovni_durations_new_spread();
    return ovni_baseline_read(before, path);
}

static bool count(const packet_info *pinfo, const void *tapped)
{
    const ovni_record *r = tapped;
    return r->has_state &&
           ovni_durations_add_state(after, ovni_states_of_file(), r->context, record_number(pinfo), &r->known);
}

static void fill(rows *to)
{
    diff_prepare(&ovni_diff);
    hidden_finish();
    if (ovni_states_of_file())
        ovni_durations_end_states(after, ovni_states_of_file());
    ovni_comparison_fill(before, after, hidden_end_missing(), to);
}

static void forget(void)
{
    ovni_durations_free(after);
    after = ovni_durations_new_spread();
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
