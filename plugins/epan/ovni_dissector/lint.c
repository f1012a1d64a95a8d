/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ovni,lint: whether ovniemu would refuse a trace, and why (common/ovni/emulator/linting.h). */
#include "host/hidden_records.h"
#include "ovni_dissector/counting.h"
#include "ovni_dissector/record.h"
#include "ovni_dissector/statistics.h"

#include "ovni/emulator/linting.h"

static const char not_judged[] = "verdict: not judged";

static void lint_after(const statistic_run *run, GString *text)
{
    uint64_t more;
    const char *limit;
    const ovni_verdict verdict = ovni_linting_verdict(run->data, &more, &limit);
    if (more)
        g_string_append_printf(text, "and %" PRIu64 " more\n", more);
    if (hidden_part_text())
        g_string_append_printf(text, "%s: %s\n", not_judged, hidden_part_text());
    else if (verdict == OVNI_UNJUDGED)
        g_string_append_printf(text, "verdict: not judged, as %s\n", limit);
    else if (verdict == OVNI_ACCEPTED && !ovni_linting_has_metadata(run->data))
        g_string_append_printf(text, "%s, as there are no metadata of ovni 1.11 or later: open a stream.json\n", not_judged);
    else if (verdict == OVNI_ACCEPTED)
        g_string_append(text, "verdict: accepted by ovniemu\n");
    else
        g_string_append(text, verdict == OVNI_STRICT ? "verdict: refused by ovniemu -l\n" : "verdict: refused by ovniemu\n");
}

statistic ovni_lint_statistic = {
    .tap = "ovni",
    .records = OVNI_RECORDS_TAP,
    .counts = &ovni_linting_counted,
    .from = &ovni_statistics,
    .command = "ovni,lint",
    .title = "ovni Lint",
    .folds = true,
    .verdict_if_unknown = not_judged,
    .after = lint_after,
};
