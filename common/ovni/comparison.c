/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/comparison.h"

#include "containers/frame_set.h"
#include "core/trace_reader.h"
#include "ovni/context.h"
#include "ovni/layout.h"

const rows_column ovni_comparison_columns[OVNI_COMPARISON_COLUMNS] = {
    COMPARISON_NAME_COLUMNS("State", "Model"),       COMPARISON_MEASURE_COLUMNS("Count", ROWS_NUMBER),
    COMPARISON_MEASURE_COLUMNS("Sum", ROWS_TIME),    COMPARISON_MEASURE_COLUMNS("Average", ROWS_TIME),
    COMPARISON_MEASURE_COLUMNS("Median", ROWS_TIME), COMPARISON_MEASURE_COLUMNS("99 %", ROWS_TIME),
    COMPARISON_MEASURE_COLUMNS("Active", ROWS_TIME),
};

enum { NUMBER_SUM, NUMBER_ACTIVE }; /* ns */

struct ovni_comparison {
    comparison *pairs;
    GByteArray *begun[COMPARISON_SIDES]; /* records that count and may have begun something still open at the end */
};

ovni_comparison *ovni_comparison_new(void)
{
    ovni_comparison *c = g_new0(ovni_comparison, 1);
    c->pairs = comparison_new();
    for (int side = 0; side < COMPARISON_SIDES; side++)
        c->begun[side] = g_byte_array_new();
    return c;
}

void ovni_comparison_free(ovni_comparison *c)
{
    if (!c)
        return;
    comparison_free(c->pairs);
    for (int side = 0; side < COMPARISON_SIDES; side++)
        g_byte_array_free(c->begun[side], TRUE);
    g_free(c);
}

/* --- counting ---------------------------------------------------------------------------------------------------------- */

static comparison_sums *sums_of(ovni_comparison *c, comparison_side side, const ovni_states *s, uint32_t function)
{
    char text[TEXT_PAIR], model = 'O';
    const char *name = ovni_states_name(s, function, text, sizeof text, &model);
    return comparison_sums_of(c->pairs, side, comparison_row(c->pairs, name ? name : "", ovni_model_words(model)));
}

bool ovni_comparison_add(ovni_comparison *c, comparison_side side, const ovni_states *s, uint32_t frame,
                         const ovni_known *known)
{
    uint32_t function;
    const call *k = ovni_known_state_ended(known, frame, &function);
    if (known->has_left || (known->has_region && known->region.begin == frame))
        frame_set_add(c->begun[side], frame);
    if (!k)
        return known->has_left;
    comparison_sums *sums = sums_of(c, side, s, function);
    comparison_add(sums, k->duration);
    sums->all.numbers[NUMBER_ACTIVE] += ovni_states_active(s, function, k);
    return true;
}

typedef struct ending {
    ovni_comparison *comparison;
    comparison_side side;
    const ovni_states *states;
} ending;

static void add_open(void *data, uint32_t thread, uint32_t function, const call *open)
{
    (void)thread;
    const ending *e = data;
    if (!frame_set_has(e->comparison->begun[e->side], open->begin))
        return;
    comparison_counts *counts = &sums_of(e->comparison, e->side, e->states, function)->open;
    counts->count++;
    counts->numbers[NUMBER_SUM] += open->duration;
    counts->numbers[NUMBER_ACTIVE] += ovni_states_active(e->states, function, open);
}

void ovni_comparison_end(ovni_comparison *c, comparison_side side, const ovni_states *s)
{
    ending e = {c, side, s};
    comparison_forget_open(c->pairs, side);
    ovni_states_each_open(s, add_open, &e);
}

void ovni_comparison_merge(ovni_comparison *c, const ovni_comparison *other)
{
    comparison_merge(c->pairs, other->pairs);
}

void ovni_comparison_forget(ovni_comparison *c)
{
    comparison_forget(c->pairs);
    g_byte_array_set_size(c->begun[COMPARISON_AFTER], 0);
}

/* --- the baseline ------------------------------------------------------------------------------------------------------ */

typedef struct reading {
    ovni_comparison *comparison;
    ovni_states *states;
} reading;

static void visit(void *data, uint32_t frame, const record_context *c, const cursor *bytes, const stream *from, bool outside)
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
        ovni_comparison_add(r->comparison, COMPARISON_BEFORE, r->states, frame, &known);
}

char *ovni_comparison_read(ovni_comparison *c, const char *path)
{
    reading r = {c, ovni_states_new(false)};
    char *problem = trace_reader_read(path, "ovni", visit, &r);
    ovni_comparison_end(c, COMPARISON_BEFORE, r.states);
    ovni_states_free(r.states);
    return problem;
}

/* --- rows -------------------------------------------------------------------------------------------------------------- */

static rows_cell value(const void *data, comparison_side side, comparison_sums *s, unsigned measure)
{
    (void)side;
    const bool *end_missing = data;
    const uint64_t count = s->all.count + s->open.count, sum = s->all.numbers[NUMBER_SUM] + s->open.numbers[NUMBER_SUM];
    const bool of_ended = measure == OVNI_COMPARISON_MEDIAN || measure == OVNI_COMPARISON_99;
    if (measure == OVNI_COMPARISON_COUNT)
        return rows_number(count);
    if ((measure == OVNI_COMPARISON_AVERAGE && !count) || (of_ended && !s->all.count))
        return (rows_cell){0};
    if (s->open.count && *end_missing)
        return rows_unknown();
    if (of_ended)
        return rows_number(quantiles_value(&s->spread, measure == OVNI_COMPARISON_99 ? 99 : 50));
    return rows_number(measure == OVNI_COMPARISON_SUM ? sum
                       : measure == OVNI_COMPARISON_AVERAGE
                           ? sum / count
                           : s->all.numbers[NUMBER_ACTIVE] + s->open.numbers[NUMBER_ACTIVE]);
}

void ovni_comparison_fill(ovni_comparison *c, bool end_missing, rows *to)
{
    comparison_fill(c->pairs, value, &end_missing, to);
}
