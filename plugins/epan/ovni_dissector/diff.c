/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -z ovni,diff,BASELINE: states in two traces side by side (common/ovni/statistics/comparison.h). */
#include "host/hidden_records.h"
#include "ovni_dissector/counting.h"
#include "taps/diff.h"

#include "ovni/statistics/comparison.h"

typedef struct compared {
    ovni_durations *before, *after;
    bool was_read;
} compared;

static bool ovni_diff_read_baseline(const statistic_run *run, const char *path, GError **error)
{
    return ovni_baseline_read(((const compared *)run->data)->before, path, error);
}

static void *ovni_diff_begin(const statistic_run *run _U_)
{
    compared *c = g_new0(compared, 1);
    c->before = ovni_durations_new_spread();
    c->after = ovni_durations_new_spread();
    return c;
}

static bool ovni_diff_count(const statistic_run *run, const packet_info *pinfo, const void *tapped)
{
    const compared *c = run->data;
    const ovni_tapped *r = tapped;
    return r->has_state &&
           ovni_durations_add(c->after, ovni_states_of_file(), r->context, record_number(pinfo), &r->known, 0);
}

static void ovni_diff_fill(const statistic_run *run, rows *to)
{
    compared *c = run->data;
    diff_prepare(run, &c->was_read);
    hidden_finish();
    if (ovni_states_of_file())
        ovni_durations_end(c->after, ovni_states_of_file(), NULL);
    ovni_comparison_fill(c->before, c->after, hidden_end_missing(), to);
}

static void ovni_diff_clear(void *data)
{
    const compared *c = data;
    ovni_durations_free(c->before);
    ovni_durations_free(c->after);
    g_free(data);
}

diff ovni_diff = {
    .statistic = {.title = "ovni Comparison with an Earlier Trace",
                  .table = "ovni states before and after",
                  .tap = "ovni",
                  .command = "ovni,diff",
                  .columns = ovni_comparison_columns,
                  .column_count = OVNI_COMPARISON_COLUMNS,
                  .usual = "typical_difference,typical_ratio,sum_difference,sum_before,sum_after,count_ratio,state,model",
                  .first = COMPARISON_CHANGE_OF(OVNI_COMPARISON_TYPICAL),
                  .sorted_by = {COMPARISON_CHANGE_OF(OVNI_COMPARISON_SUM)},
                  .protocol = "ovni",
                  .words = "BASELINE",
                  .begin = ovni_diff_begin,
                  .count = ovni_diff_count,
                  .fill = ovni_diff_fill,
                  .free = ovni_diff_clear},
    .read = ovni_diff_read_baseline,
};
