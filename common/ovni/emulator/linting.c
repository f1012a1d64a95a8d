/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/emulator/linting.h"

#include <string.h>

enum { LISTED_MAX = 10000 };

const rows_column ovni_linting_columns[OVNI_LINTING_COLUMNS] = {
    [OVNI_LINTING_RECORD] = {"Record", ROWS_ORDINAL, ROWS_EACH},
    [OVNI_LINTING_STREAM] = {"Stream", ROWS_TEXT, ROWS_EACH},
    [OVNI_LINTING_RULE] = {"Rule", ROWS_TEXT, ROWS_EACH},
    [OVNI_LINTING_TEXT] = {"Finding", ROWS_TEXT, ROWS_EACH},
};

struct ovni_linting {
    ovni_emulator *emulator;
    rows *listed;
    uint64_t more; /* that are not listed */
    ovni_verdict verdict;
    uint32_t (*frame_of)(uint32_t place); /* of a statistic */
    char *limit;                          /* the first that was passed, in words; or NULL */
};

ovni_linting *ovni_linting_new(bool all_models)
{
    ovni_linting *l = g_new0(ovni_linting, 1);
    l->emulator = ovni_emulator_new(OVNI_EMULATE_RULES);
    if (all_models)
        ovni_emulator_enable_all(l->emulator);
    l->listed = rows_new(ovni_linting_columns, OVNI_LINTING_COLUMNS);
    return l;
}

void ovni_linting_free(void *linting)
{
    ovni_linting *l = linting;
    if (!l)
        return;
    ovni_emulator_free(l->emulator);
    rows_free(l->listed);
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

static rows_cell *add_finding(rows *to, const GArray *findings, guint i)
{
    const ovni_finding *f = &g_array_index(findings, ovni_finding, i);
    rows_cell *cells = rows_add(to);
    cells[OVNI_LINTING_RULE] = rows_lasting_text(ovni_rules[f->rule].name);
    cells[OVNI_LINTING_TEXT] = rows_text(to, f->text);
    return cells;
}

bool ovni_linting_found(const ovni_linting *l)
{
    return ovni_emulator_findings(l->emulator)->len > 0;
}

void ovni_linting_list(ovni_linting *l, uint32_t number, const char *stream)
{
    const GArray *findings = ovni_emulator_findings(l->emulator);
    for (guint i = 0; i < findings->len; i++) {
        if (rows_length(l->listed) >= LISTED_MAX) {
            l->more++;
            continue;
        }
        rows_cell *cells = add_finding(l->listed, findings, i);
        cells[OVNI_LINTING_RECORD] = rows_number(number);
        cells[OVNI_LINTING_STREAM] = rows_text(l->listed, stream);
    }
}

void ovni_linting_fill(const ovni_linting *l, bool with_end, rows *to)
{
    for (unsigned row = 0; row < rows_length(l->listed); row++)
        memcpy(rows_add(to), rows_at(l->listed, row), OVNI_LINTING_COLUMNS * sizeof(rows_cell));
    GArray *end = ovni_emulator_at_end(l->emulator);
    for (guint i = 0; with_end && i < end->len; i++)
        add_finding(to, end, i);
    ovni_findings_free(end);
}

ovni_verdict ovni_linting_verdict(const ovni_linting *l, uint64_t *more, const char **limit)
{
    ovni_verdict verdict = l->verdict;
    GArray *end = ovni_emulator_at_end(l->emulator);
    for (guint i = 0; i < end->len; i++)
        verdict = MAX(verdict, ovni_rules[g_array_index(end, ovni_finding, i).rule].verdict);
    ovni_findings_free(end);
    *more = l->more;
    *limit = l->limit;
    return verdict;
}

bool ovni_linting_has_metadata(const ovni_linting *l)
{
    return ovni_emulator_has_metadata(l->emulator);
}

/* --- as a statistic ------------------------------------------------------------------------------------------------------
 */

static void *linting_begin(const statistic_words *words, const void *how)
{
    ovni_linting *l = ovni_linting_new(statistic_words_has(words, OVNI_ALL_MODELS));
    l->frame_of = ((const ovni_display *)how)->frame_of;
    return l;
}

static void linting_see(void *data, const counted_record *r)
{
    const ovni_played p = ovni_emulator_played(r->tapped);
    ovni_linting_play(data, &p);
}

static bool linting_count(void *data, const counted_record *of)
{
    const ovni_linting *l = data;
    const ovni_tapped *r = of->tapped;
    const bool found = ovni_linting_found(l);
    if (found)
        ovni_linting_list(data, l->frame_of(r->number), ovni_session_stream(r));
    return found;
}

static void linting_fill(void *data, const void *how, rows *to)
{
    ovni_linting_fill(data, !((const ovni_display *)how)->part(), to);
}

const counted ovni_linting_counted = {.columns = ovni_linting_columns,
                                      .column_count = OVNI_LINTING_COLUMNS,
                                      .words = OVNI_ALL_MODELS,
                                      .begin = linting_begin,
                                      .each_record = linting_see,
                                      .count = linting_count,
                                      .fill = linting_fill,
                                      .free = ovni_linting_free};
