/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ovni,lint: whether ovniemu (common/ovni/emulator/emulator.h) would refuse a trace, and why. The emulator sees every record, whatever the
 * filter. */
#include "host/hidden_records.h"
#include "ovni/statistics-ovni.h"
#include "statistics/report.h"

enum { LINES_MAX = 10000 };

typedef struct lint {
    ovni_emulator *emulator;
    GString *lines;
    uint64_t listed, more;
    uint64_t found[OVNI_LINT_RULES];
    char *limit; /* the first that was passed, in words; or NULL */
} lint;

static void *lint_start(const void *unused, const char **arguments)
{
    (void)unused;
    (void)arguments;
    lint *l = g_new0(lint, 1);
    l->emulator = ovni_emulator_new(OVNI_EMULATE_RULES);
    l->lines = g_string_new(NULL);
    return l;
}

static void lint_reset(void *data)
{
    lint *l = data;
    ovni_emulator_free(l->emulator);
    g_string_truncate(l->lines, 0);
    g_free(l->limit);
    *l = (lint){.emulator = ovni_emulator_new(OVNI_EMULATE_RULES), .lines = l->lines};
}

static void lint_every(void *data, packet_info *pinfo, const void *tapped)
{
    lint *l = data;
    ovni_emulate(l->emulator, pinfo, tapped);
    const GArray *findings = ovni_emulator_findings(l->emulator);
    for (guint i = 0; i < findings->len; i++) {
        const ovni_finding *f = &g_array_index(findings, ovni_finding, i);
        l->found[f->rule]++;
        if (f->rule == OVNI_LINT_LIMIT && !l->limit)
            l->limit = g_strdup(f->text);
    }
}

static bool lint_packet(void *data, packet_info *pinfo, const void *tapped)
{
    lint *l = data;
    const GArray *findings = ovni_emulator_findings(l->emulator);
    for (guint i = 0; i < findings->len; i++) {
        const ovni_finding *f = &g_array_index(findings, ovni_finding, i);
        if (l->listed++ < LINES_MAX)
            g_string_append_printf(l->lines, "%u %s %s: %s\n", pinfo->num, ovni_stream_words(tapped),
                                   ovni_rules[f->rule].name, f->text);
        else
            l->more++;
    }
    return findings->len > 0;
}

static const char not_judged[] = "verdict: not judged";

static void write_verdict(GString *text, const lint *l, const uint64_t found[OVNI_LINT_RULES])
{
    ovni_verdict verdict = OVNI_ACCEPTED;
    for (int rule = 0; rule < OVNI_LINT_RULES; rule++)
        if (found[rule])
            verdict = MAX(verdict, ovni_rules[rule].verdict);
    if (hidden_part_text())
        g_string_append_printf(text, "%s: %s\n", not_judged, hidden_part_text());
    else if (verdict == OVNI_UNJUDGED)
        g_string_append_printf(text, "verdict: not judged, as %s\n", l->limit);
    else if (verdict == OVNI_ACCEPTED && !ovni_emulator_has_metadata(l->emulator))
        g_string_append_printf(text, "%s, as there are no metadata of ovni 1.11 or later: open a stream.json\n", not_judged);
    else if (verdict == OVNI_ACCEPTED)
        g_string_append(text, "verdict: accepted by ovniemu\n");
    else
        g_string_append(text, verdict == OVNI_STRICT ? "verdict: refused by ovniemu -l\n" : "verdict: refused by ovniemu\n");
}

static void lint_write(const void *data, GString *text)
{
    const lint *l = data;
    uint64_t found[OVNI_LINT_RULES];
    memcpy(found, l->found, sizeof found);
    g_string_append_len(text, l->lines->str, (gssize)l->lines->len);
    if (l->more)
        g_string_append_printf(text, "and %" PRIu64 " more\n", l->more);
    GArray *end = ovni_emulator_at_end(l->emulator);
    for (guint i = 0; i < end->len && !hidden_part_text(); i++) {
        const ovni_finding *f = &g_array_index(end, ovni_finding, i);
        found[f->rule]++;
        g_string_append_printf(text, "end %s: %s\n", ovni_rules[f->rule].name, f->text);
        report_flush(text);
    }
    ovni_findings_free(end);
    write_verdict(text, l, found);
}

static void lint_free(void *data)
{
    lint *l = data;
    ovni_emulator_free(l->emulator);
    g_string_free(l->lines, TRUE);
    g_free(l->limit);
    g_free(l);
}

static const report lint_report = {
    .tap = "ovni",
    .command = "ovni,lint",
    .title = "ovni Lint",
    .start = lint_start,
    .reset = lint_reset,
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
