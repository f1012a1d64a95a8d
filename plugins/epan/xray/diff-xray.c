/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -z xray,diff,BASELINE: functions, or with the word `graph` who calls whom, in two logs side by side (common/xray/comparison.h). */
#include "host/notices.h"
#include "statistics/diff.h"
#include "xray/calls-xray.h"

#include "statistics/rows_names.h"
#include "xray/comparison.h"

static xray_baseline before;
static xray_account *after;
static bool wants_graph;
static char *baseline_binary; /* NULL: it is looked for beside the log */

static void report_matching(bool named)
{
    if (named != xray_calls_named())
        notices_print(named ? "Functions are matched by their ids: the program of this log is not known (xray.binary)."
                            : "Functions are matched by their ids: the program of the baseline is not known (binary:FILE).");
}

static char *read_baseline(const char *path)
{
    GString *problems = g_string_new(NULL);
    xray_baseline_clear(&before);
    char *problem = xray_baseline_read(&before, path, wants_graph, baseline_binary, xray_calls_demangled(), problems);
    if (problems->len)
        notices_print(g_strchomp(problems->str));
    g_string_free(problems, TRUE);
    report_matching(before.functions != NULL);
    return problem;
}

static bool count(const packet_info *pinfo _U_, const void *tapped)
{
    return xray_account_record(after, wants_graph, tapped);
}

static void fill(rows *to)
{
    const xray_shown shown = xray_calls_shown(&xray_diff.statistic);
    diff_prepare(&xray_diff);
    xray_comparison_fill(&before, after, &shown, to);
    for (unsigned names = 0; !shown.full && names < COMPARISON_SEEN; names++)
        rows_shorten_names(to, names);
}

static void forget(void)
{
    xray_account_free(after);
    after = xray_account_new(wants_graph, XRAY_COUNT_ALL);
}

static bool word(const char *word)
{
    if (!word) {
        wants_graph = false;
        g_clear_pointer(&baseline_binary, g_free);
        return false;
    }
    bool graph = strcmp(word, "graph") == 0, binary = g_str_has_prefix(word, "binary:");
    wants_graph |= graph;
    if (binary) {
        g_free(baseline_binary);
        baseline_binary = g_strdup(word + strlen("binary:"));
    }
    return graph || binary;
}

diff xray_diff = {
    .statistic = {.title = "XRay Comparison with an Earlier Log",
                  .table = "XRay functions before and after",
                  .tap = "xray",
                  .command = "xray,diff",
                  .columns = xray_comparison_columns,
                  .column_count = XRAY_COMPARISON_COLUMNS,
                  .usual = "self_difference,self_before,self_after,self_ratio,calls_ratio,sum_difference,function,caller",
                  .sorted_by = {COMPARISON_CHANGE_OF(XRAY_COMPARISON_SELF)},
                  .count = count,
                  .fill = fill,
                  .forget = forget,
                  .words = "graph, binary:FILE, BASELINE"},
    .word = word,
    .asks = (const dialog_field[]){{"Its program, if it is another one:", NULL, "binary:%s"},
                                   {"Each caller on its own (yes or no):", "no", "graph"},
                                   {0}},
    .protocol = "xray",
    .read = read_baseline,
};
