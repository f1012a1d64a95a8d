/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ovni,lint: whether ovniemu would refuse a trace, and why (common/ovni/emulator/linting.h). */
#include "host/hidden_records.h"
#include "ovni/statistics-ovni.h"
#include "statistics/report.h"

#include "ovni/emulator/linting.h"

static void *lint_start(const void *unused, const char **arguments)
{
    (void)unused;
    (void)arguments;
    return ovni_linting_new();
}

static void lint_every(void *data, packet_info *pinfo, const void *tapped)
{
    const ovni_played p = ovni_played_of(pinfo, tapped);
    ovni_linting_play(data, &p);
}

static bool lint_packet(void *data, packet_info *pinfo, const void *tapped)
{
    const bool found = ovni_linting_found(data);
    if (found)
        ovni_linting_list(data, pinfo->num, ovni_stream_words(tapped));
    return found;
}

static const char not_judged[] = "verdict: not judged";

static const char *lint_fill(const void *data, rows *to)
{
    ovni_linting_fill(data, !hidden_part_text(), to);
    return NULL;
}

static void lint_after(const void *data, GString *text)
{
    uint64_t more;
    const char *limit;
    const ovni_verdict verdict = ovni_linting_verdict(data, &more, &limit);
    if (more)
        g_string_append_printf(text, "and %" PRIu64 " more\n", more);
    if (hidden_part_text())
        g_string_append_printf(text, "%s: %s\n", not_judged, hidden_part_text());
    else if (verdict == OVNI_UNJUDGED)
        g_string_append_printf(text, "verdict: not judged, as %s\n", limit);
    else if (verdict == OVNI_ACCEPTED && !ovni_linting_has_metadata(data))
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

static const report lint_report = {
    .tap = "ovni",
    .command = "ovni,lint",
    .title = "ovni Lint",
    .start = lint_start,
    .every = lint_every,
    .instead = not_judged,
    .context = ovni_tapped_context,
    .tapped = ovni_tapped_record,
    .packet = lint_packet,
    .fixed_columns = ovni_linting_columns,
    .fixed_count = OVNI_LINTING_COLUMNS,
    .fill = lint_fill,
    .after = lint_after,
    .free = lint_free,
};

void ovni_lint_register(void)
{
    report_register(&lint_report);
}
