/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/statistics/comparison.h"

#include "core/trace_reader.h"

const rows_column ovni_comparison_columns[OVNI_COMPARISON_COLUMNS] = {
    COMPARISON_NAME_COLUMNS("State", "Model"),        COMPARISON_MEASURE_COLUMNS("Count", ROWS_NUMBER),
    COMPARISON_MEASURE_COLUMNS("Sum", ROWS_TIME),     COMPARISON_MEASURE_COLUMNS("Average", ROWS_TIME),
    COMPARISON_MEASURE_COLUMNS("Typical", ROWS_TIME), COMPARISON_MEASURE_COLUMNS("Median", ROWS_TIME),
    COMPARISON_MEASURE_COLUMNS("99 %", ROWS_TIME),    COMPARISON_MEASURE_COLUMNS("Active", ROWS_TIME),
};

static const comparison_measure measures[OVNI_COMPARISON_MEASURES] = {
    [OVNI_COMPARISON_COUNT] = {.column = OVNI_DURATIONS_COUNT, .counts = true},
    [OVNI_COMPARISON_SUM] = {.column = OVNI_DURATIONS_SUM, .counts = true},
    [OVNI_COMPARISON_AVERAGE] = {.column = OVNI_DURATIONS_AVERAGE},
    [OVNI_COMPARISON_TYPICAL] = {.column = OVNI_DURATIONS_TYPICAL, .counts = true},
    [OVNI_COMPARISON_MEDIAN] = {.column = OVNI_DURATIONS_MEDIAN},
    [OVNI_COMPARISON_99] = {.column = OVNI_DURATIONS_99},
    [OVNI_COMPARISON_ACTIVE] = {.column = OVNI_DURATIONS_ACTIVE, .counts = true},
};

/* --- the baseline ------------------------------------------------------------------------------------------------------ */

typedef struct reading {
    ovni_session session;
    ovni_durations *durations;
} reading;

static const char *loom_of(const ovni_tapped *r)
{
    return ((const stream *)r->reader)->description;
}

static void ovni_comparison_visit(void *data, uint32_t frame, const record_context *c, const cursor *bytes,
                                  const stream *from, bool outside)
{
    reading *x = data;
    ovni_tapped r = {.reader = from};
    ovni_session_read(&x->session, &r, c, frame, bytes);
    ovni_session_visit(&r, false);
    if (r.has_state && !outside)
        ovni_durations_add(x->durations, x->session.states, c, frame, &r.known, 0);
}

bool ovni_baseline_read(ovni_durations *d, const char *path, GError **error)
{
    reading x = {{.loom_of = loom_of}, d};
    const bool read = trace_reader_read(path, "ovni", ovni_comparison_visit, &x, error);
    if (x.session.states)
        ovni_durations_end(d, x.session.states, NULL);
    ovni_session_end(&x.session);
    return read;
}

/* --- rows -------------------------------------------------------------------------------------------------------------- */

static rows *ovni_comparison_rows_of(ovni_durations *d, bool end_missing)
{
    rows *r = rows_new(ovni_durations_spread, OVNI_DURATIONS_OF_SPREAD);
    ovni_durations_fill(d, end_missing, r);
    return r;
}

void ovni_comparison_fill(ovni_durations *before, ovni_durations *after, bool end_missing, rows *to)
{
    static const uint8_t names[COMPARISON_SEEN] = {OVNI_DURATIONS_NAME, OVNI_DURATIONS_MODEL};
    comparison_fill(ovni_comparison_rows_of(before, end_missing), ovni_comparison_rows_of(after, end_missing), names,
                    measures, to);
}

/* --- as a statistic ------------------------------------------------------------------------------------------------------
 */

static void *comparison_begin(const statistic_words *words, const void *how)
{
    (void)words;
    (void)how;
    ovni_comparison *c = g_new(ovni_comparison, 1);
    *c = (ovni_comparison){ovni_durations_new_spread(), ovni_durations_new_spread()};
    return c;
}

static bool comparison_count(void *data, const counted_record *of)
{
    const ovni_comparison *c = data;
    const ovni_tapped *r = of->tapped;
    return r->has_state && ovni_durations_add(c->after, r->session->states, r->context, r->number, &r->known, 0);
}

static void fill_counted(void *data, const void *how, rows *to)
{
    const ovni_comparison *c = data;
    const ovni_display *shown = how;
    if (shown->session->states)
        ovni_durations_end(c->after, shown->session->states, NULL);
    ovni_comparison_fill(c->before, c->after, shown->end_missing(), to);
}

static void comparison_free(void *data)
{
    const ovni_comparison *c = data;
    ovni_durations_free(c->before);
    ovni_durations_free(c->after);
    g_free(data);
}

const counted ovni_comparison_counted = {.columns = ovni_comparison_columns,
                                         .column_count = OVNI_COMPARISON_COLUMNS,
                                         .words = COMPARISON_BASELINE,
                                         .begin = comparison_begin,
                                         .count = comparison_count,
                                         .fill = fill_counted,
                                         .free = comparison_free};
