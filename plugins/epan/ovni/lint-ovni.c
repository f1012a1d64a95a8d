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
    return ovni_linting_count(data, pinfo->num, ovni_stream_words(tapped));
}

static const char not_judged[] = "verdict: not judged";

static void write_verdict(GString *text, const ovni_linting *l, ovni_verdict verdict, const char *limit)
{
    if (hidden_part_text())
        g_string_append_printf(text, "%s: %s\n", not_judged, hidden_part_text());
    else if (verdict == OVNI_UNJUDGED)
        g_string_append_printf(text, "verdict: not judged, as %s\n", limit);
    else if (verdict == OVNI_ACCEPTED && !ovni_linting_has_metadata(l))
        g_string_append_printf(text, "%s, as there are no metadata of ovni 1.11 or later: open a stream.json\n", not_judged);
    else if (verdict == OVNI_ACCEPTED)
        g_string_append(text, "verdict: accepted by ovniemu\n");
    else
        g_string_append(text, verdict == OVNI_STRICT ? "verdict: refused by ovniemu -l\n" : "verdict: refused by ovniemu\n");
}

static void write_rows(GString *text, const rows *r)
{
    for (unsigned row = 0; row < rows_length(r); row++) {
        const rows_cell *c = rows_at(r, row);
        if (c[OVNI_LINTING_RECORD].state == ROWS_IS_NUMBER)
            g_string_append_printf(text, "%" PRIu64 " %s", c[OVNI_LINTING_RECORD].number, c[OVNI_LINTING_STREAM].text);
        else
            g_string_append(text, "end");
        g_string_append_printf(text, " %s: %s\n", c[OVNI_LINTING_RULE].text, c[OVNI_LINTING_TEXT].text);
        report_flush(text);
    }
}

static void lint_write(const void *data, GString *text)
{
    uint64_t more;
    const char *limit;
    write_rows(text, ovni_linting_listed(data, &more));
    if (more)
        g_string_append_printf(text, "and %" PRIu64 " more\n", more);
    rows *end = rows_new(ovni_linting_columns, OVNI_LINTING_COLUMNS);
    const ovni_verdict verdict = ovni_linting_end(data, end, &limit);
    if (!hidden_part_text())
        write_rows(text, end);
    write_verdict(text, data, verdict, limit);
    rows_free(end);
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
    .write = lint_write,
    .free = lint_free,
};

void ovni_lint_register(void)
{
    report_register(&lint_report);
}
