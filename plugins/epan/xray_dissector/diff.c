/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -z xray,diff,BASELINE: functions, or with the word `graph` who calls whom, in two logs side by side
 * (common/xray/statistics/comparison.h). */
#include "host/notices.h"
#include "xray_dissector/counting.h"
#include "xray_dissector/file.h"
#include "xray_dissector/names.h"
#include "xray_dissector/problems.h"
#include "xray_dissector/statistics.h"

#include "core/opened_trace.h"
#include "statistics/rows_names.h"
#include "xray/statistics/comparison.h"

static void report_matching(xray_comparison *c, const char *path)
{
    const bool named = c->before.functions != NULL;
    const opened *log = opened_trace_last();
    const char *nameless = xray_baseline_unmatched(&c->before, path, log ? log->name : NULL, xray_file.names);
    c->unmatched = nameless != NULL;
    if (nameless)
        notices_say(
            NOTICE_FAILURE,
            "The two logs are of different builds, and functions of %s have no names, so they cannot be matched: keep "
            "the program of each log (a copy beside it, or binary:FILE), or record it again",
            nameless);
    else if (named != xray_names_known())
        notices_say(NOTICE_WARNING, "%s",
                    named ? "Functions are matched by their ids: the program of this log is not known (xray.binary)."
                          : "Functions are matched by their ids: the program of the baseline is not known (binary:FILE).");
}

static bool xray_diff_read_baseline(const statistic_run *run, const char *path, GError **error)
{
    xray_comparison *c = run->data;
    GString *problems = g_string_new(NULL);
    const char *asked = statistic_text(run, "binary:FILE");
    const bool read = xray_baseline_read(&c->before, path, statistic_has(run, "graph"), asked, xray_names_demangled(),
                                         problems, error);
    if (problems->len) /* what was asked for is not used: as with xray.binary */
        notices_say(asked && !xray_functions_complete(c->before.functions) ? NOTICE_FAILURE : NOTICE_WARNING, "%s",
                    g_strchomp(problems->str));
    g_string_free(problems, TRUE);
    if (c->before.loses_ends)
        notices_say(NOTICE_WARNING, "The baseline, %s: " XRAY_UNCOUNTED, path);
    report_matching(c, path);
    return read;
}

static void xray_diff_prepare(const statistic_run *run)
{
    const xray_comparison *c = run->data;
    diff_prepare(run);
    if (!c->before.frequency != !xray_file.session.frequency) {
        statistic_show_ticks(run);
        notices_say(NOTICE_WARNING, "How long the ticks of one trace are is not known: both are compared in ticks.");
    }
}

static void xray_diff_filled(const statistic_run *run, rows *to)
{
    if (!xray_names_full() && !statistic_in_full(run))
        rows_shorten_names(to, 0, COMPARISON_SEEN, 0, xray_names_short_of);
}

diff xray_diff = {
    .statistic =
        {.tap = "xray",
         .counts = &xray_comparison_counted,
         .from = &xray_statistics,
         .command = "xray,diff",
         .title = "XRay Comparison with an Earlier Log",
         .table = "XRay functions before and after",
         .protocol = "xray",
         .usual =
             "self_before,self_after,calls_ratio,typical_self_difference,typical_self_ratio,self_difference,function,caller",
         .first = COMPARISON_CHANGE_OF(XRAY_COMPARISON_TYPICAL),
         .sorted_by = {COMPARISON_CHANGE_OF(XRAY_COMPARISON_SELF)},
         .prepare = xray_diff_prepare,
         .filled = xray_diff_filled},
    .asks = (const dialog_field[]){{"Its program, if it is another one:", NULL, "binary:\"%s\""},
                                   {"Each caller on its own (yes or no):", "no", "graph"},
                                   {0}},
    .read = xray_diff_read_baseline,
};
