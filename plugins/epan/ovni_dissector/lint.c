/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ovni,lint: whether ovniemu would refuse a trace, and why (common/ovni/emulator/linting.h). */
#include "host/hidden_records.h"
#include "ovni_dissector/counting.h"

#include "ovni/emulator/linting.h"

static void *lint_begin(const statistic_run *run)
{
    return ovni_linting_new(statistic_has(run, OVNI_ALL_MODELS));
}

static void lint_each_record(void *data, const packet_info *pinfo, const void *tapped)
{
    const ovni_played p = ovni_played_of(pinfo, tapped);
    ovni_linting_play(data, &p);
}

static bool lint_count(const statistic_run *run, const packet_info *pinfo, const void *tapped)
{
    const bool found = ovni_linting_found(run->data);
    if (found)
        ovni_linting_list(run->data, pinfo->num, ovni_stream_words(tapped));
    return found;
}

static const char not_judged[] = "verdict: not judged";

static void lint_fill(const statistic_run *run, rows *to)
{
    ovni_linting_fill(run->data, !hidden_part_text(), to);
}

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

static void lint_free(void *data)
{
    ovni_linting_free(data);
}

statistic ovni_lint_statistic = {
    .tap = "ovni",
    .records = OVNI_RECORDS_TAP,
    .command = "ovni,lint",
    .title = "ovni Lint",
    .columns = ovni_linting_columns,
    .column_count = OVNI_LINTING_COLUMNS,
    .folds = true,
    .words = OVNI_ALL_MODELS,
    .begin = lint_begin,
    .each_record = lint_each_record,
    .verdict_if_unknown = not_judged,
    .context = ovni_tapped_context,
    .tapped = ovni_tapped_record,
    .count = lint_count,
    .fill = lint_fill,
    .after = lint_after,
    .free = lint_free,
};
