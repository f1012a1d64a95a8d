/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/statistics/comparison.h"

#include "core/trace_reader.h"
#include "ovni/context.h"
#include "ovni/events/layout.h"

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
    ovni_durations *durations;
    ovni_states *states;
} reading;

static void ovni_comparison_visit(void *data, uint32_t frame, const record_context *c, const cursor *bytes,
                                  const stream *from, bool outside)
{
    const reading *r = data;
    ovni_known known = {0};
    if (c->kind == OVNI_METADATA) {
        if (!c->fault)
            ovni_states_metadata(r->states, c, from->description, (const char *)bytes->data, bytes->length);
        return;
    }
    if (!ovni_states_stream_known(r->states, c))
        ovni_states_stream(r->states, c, from->description);
    if (!ovni_states_is_event(c, bytes))
        return;
    const ovni_event *event = ovni_event_of((ovni_era)ovni_context_of(c)->era, bytes);
    ovni_states_visit(r->states, c, frame, event, bytes, &known);
    if (!outside)
        ovni_durations_add(r->durations, r->states, c, frame, &known, 0);
}

bool ovni_baseline_read(ovni_durations *d, const char *path, GError **error)
{
    reading r = {d, ovni_states_new(false)};
    const bool read = trace_reader_read(path, "ovni", ovni_comparison_visit, &r, error);
    ovni_durations_end(d, r.states, NULL);
    ovni_states_free(r.states);
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
