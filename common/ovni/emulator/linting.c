/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/emulator/linting.h"

enum { LISTED_MAX = 10000 };

const rows_column ovni_linting_columns[OVNI_LINTING_COLUMNS] = {
    [OVNI_LINTING_RECORD] = {"Record", ROWS_COUNT, 0},
    [OVNI_LINTING_STREAM] = {"Stream", ROWS_TEXT, 0},
    [OVNI_LINTING_RULE] = {"Rule", ROWS_TEXT, 0},
    [OVNI_LINTING_TEXT] = {"Finding", ROWS_TEXT, 0},
};

typedef struct listed {
    uint32_t number;
    ovni_rule rule;
    char *stream, *text;
} listed;

struct ovni_linting {
    ovni_emulator *emulator;
    GArray *listed; /* of listed */
    uint64_t more;  /* that are not listed */
    ovni_verdict verdict;
    char *limit; /* the first that was passed, in words; or NULL */
};

static void clear_listed(gpointer data)
{
    g_free(((listed *)data)->stream);
    g_free(((listed *)data)->text);
}

ovni_linting *ovni_linting_new(void)
{
    ovni_linting *l = g_new0(ovni_linting, 1);
    l->emulator = ovni_emulator_new(OVNI_EMULATE_RULES);
    l->listed = g_array_new(FALSE, FALSE, sizeof(listed));
    g_array_set_clear_func(l->listed, clear_listed);
    return l;
}

void ovni_linting_free(ovni_linting *l)
{
    if (!l)
        return;
    ovni_emulator_free(l->emulator);
    g_array_free(l->listed, TRUE);
    g_free(l->limit);
    g_free(l);
}

void ovni_linting_play(ovni_linting *l, const ovni_played *p)
{
    ovni_emulator_play(l->emulator, p);
    const GArray *findings = ovni_emulator_findings(l->emulator);
    for (guint i = 0; i < findings->len; i++) {
        const ovni_finding *f = &g_array_index(findings, ovni_finding, i);
        l->verdict = MAX(l->verdict, ovni_rules[f->rule].verdict);
        if (f->rule == OVNI_LINT_LIMIT && !l->limit)
            l->limit = g_strdup(f->text);
    }
}

bool ovni_linting_count(ovni_linting *l, uint32_t number, const char *stream)
{
    const GArray *findings = ovni_emulator_findings(l->emulator);
    for (guint i = 0; i < findings->len; i++) {
        const ovni_finding *f = &g_array_index(findings, ovni_finding, i);
        if (l->listed->len < LISTED_MAX) {
            const listed one = {number, f->rule, g_strdup(stream), g_strdup(f->text)};
            g_array_append_val(l->listed, one);
        } else {
            l->more++;
        }
    }
    return findings->len > 0;
}

static rows_cell *add_finding(rows *to, ovni_rule rule, const char *text)
{
    rows_cell *cells = rows_add(to);
    cells[OVNI_LINTING_RULE] = rows_lasting_text(ovni_rules[rule].name);
    cells[OVNI_LINTING_TEXT] = rows_text(to, text);
    return cells;
}

uint64_t ovni_linting_fill(const ovni_linting *l, rows *to)
{
    for (guint i = 0; i < l->listed->len; i++) {
        const listed *one = &g_array_index(l->listed, listed, i);
        rows_cell *cells = add_finding(to, one->rule, one->text);
        cells[OVNI_LINTING_RECORD] = rows_number(one->number);
        cells[OVNI_LINTING_STREAM] = rows_text(to, one->stream);
    }
    return l->more;
}

void ovni_linting_fill_end(const ovni_linting *l, rows *to)
{
    GArray *end = ovni_emulator_at_end(l->emulator);
    for (guint i = 0; i < end->len; i++)
        add_finding(to, g_array_index(end, ovni_finding, i).rule, g_array_index(end, ovni_finding, i).text);
    ovni_findings_free(end);
}

ovni_verdict ovni_linting_verdict(const ovni_linting *l, const char **limit)
{
    ovni_verdict verdict = l->verdict;
    GArray *end = ovni_emulator_at_end(l->emulator);
    for (guint i = 0; i < end->len; i++)
        verdict = MAX(verdict, ovni_rules[g_array_index(end, ovni_finding, i).rule].verdict);
    ovni_findings_free(end);
    *limit = l->limit;
    return verdict;
}

bool ovni_linting_has_metadata(const ovni_linting *l)
{
    return ovni_emulator_has_metadata(l->emulator);
}
