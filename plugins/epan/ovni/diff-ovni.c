/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -z ovni,diff,BASELINE: states in two traces side by side, paired by name and model. What is still open at the end counts as in
 * ovni,states. */
#include "host/hidden_records.h"
#include "statistics/diff.h"
#include "host/frame_set.h"
#include "ovni/statistics-ovni.h"

#include "ovni/context.h"
#include "ovni/layout.h"

static diff ovni_diff;

/* Frames that count and may have begun something still open at the end. */
static GByteArray *begun[DIFF_SIDES];

enum { NUMBER_SUM, NUMBER_ACTIVE };

static diff_sums *sums_of(diff_side side, const char *name, char model)
{
    return diff_of(&ovni_diff, side, (const char *[DIFF_NAMES]){name ? name : "", ovni_model_words(model)});
}

static void add_ended(diff_side side, const char *name, char model, const call *k)
{
    diff_sums *s = sums_of(side, name, model);
    diff_add(s, k->duration);
    s->all.numbers[NUMBER_ACTIVE] += k->duration - k->away;
}

static void add_open(diff_side side, const char *name, char model, const call *k)
{
    diff_counts *open = &sums_of(side, name, model)->open;
    open->count++;
    open->numbers[NUMBER_SUM] += k->duration;
    open->numbers[NUMBER_ACTIVE] += k->duration - k->away;
}

static void note_begin(diff_side side, const ovni_known *known, uint32_t frame)
{
    if (known->has_left || (known->has_region && known->region.begin == frame))
        frame_set_add(begun[side], frame);
}

/* --- the open trace ----------------------------------------------------------------------------------------------------- */

static bool count(stat_tap_table *table, const packet_info *pinfo, const void *tapped)
{
    (void)table;
    const ovni_record *r = tapped;
    char text[TEXT_PAIR], model = 'O';
    uint32_t function;
    call k;
    if (!r->has_state)
        return false;
    diff_prepare(&ovni_diff);
    note_begin(DIFF_AFTER, &r->known, record_number(pinfo));
    if (!ovni_ends_state(r, pinfo, &function, &k))
        return r->known.has_left;
    const char *name = ovni_region_name(function, text, sizeof text, &model);
    add_ended(DIFF_AFTER, name, model, &k);
    return true;
}

static void open_at_end(void *unused, uint32_t thread, uint32_t function, const call *open)
{
    (void)unused;
    (void)thread;
    char text[TEXT_PAIR], model = 'O';
    const char *name = ovni_region_name(function, text, sizeof text, &model);
    if (frame_set_has(begun[DIFF_AFTER], open->begin))
        add_open(DIFF_AFTER, name, model, open);
}

/* --- the baseline ------------------------------------------------------------------------------------------------------- */

static void add_end(const ovni_states *s, uint32_t frame, const ovni_known *known)
{
    char text[TEXT_PAIR], model = 'O';
    bool value = known->has_left && known->left.state & CALL_TIMED;
    bool region = known->has_region && known->region.end == frame && known->region.state & CALL_TIMED;
    if (!value && !region)
        return;
    const char *name = ovni_states_name(s, value ? known->previous_function : known->function, text, sizeof text, &model);
    add_ended(DIFF_BEFORE, name, model, value ? &known->left : &known->region);
}

static void visit(void *data, uint32_t frame, const record_context *c, const cursor *bytes, const stream *from, bool outside)
{
    ovni_states *s = data;
    ovni_known known = {0};
    if (c->kind == OVNI_METADATA) {
        if (!c->fault)
            ovni_states_metadata(s, c, from->description, (const char *)bytes->data, bytes->length);
        return;
    }
    if (!ovni_states_stream_known(s, c))
        ovni_states_stream(s, c, from->description);
    if (!ovni_states_is_event(c, bytes))
        return;
    ovni_states_visit(s, c, frame, ovni_event_of((ovni_era)ovni_context_of(c)->era, bytes), bytes, &known);
    if (outside)
        return;
    note_begin(DIFF_BEFORE, &known, frame);
    add_end(s, frame, &known);
}

static void open_at_end_before(void *data, uint32_t thread, uint32_t function, const call *open)
{
    (void)thread;
    char text[TEXT_PAIR], model = 'O';
    const char *name = ovni_states_name(data, function, text, sizeof text, &model);
    if (frame_set_has(begun[DIFF_BEFORE], open->begin))
        add_open(DIFF_BEFORE, name, model, open);
}

static char *read_baseline(const char *path)
{
    ovni_states *s = ovni_states_new(false);
    g_byte_array_set_size(begun[DIFF_BEFORE], 0);
    char *problem = trace_reader_read(path, "ovni", visit, s);
    ovni_states_each_open(s, open_at_end_before, s);
    ovni_states_free(s);
    return problem;
}

/* --- the statistic ------------------------------------------------------------------------------------------------------ */

/* The middle and 99 % are those of states that have ended. */
enum { MEASURE_COUNT, MEASURE_SUM, MEASURE_AVERAGE, MEASURE_MEDIAN, MEASURE_99, MEASURE_ACTIVE };

static bool value(diff_side side, diff_sums *s, unsigned i, uint64_t *value)
{
    (void)side;
    uint64_t times = s->all.count + s->open.count, sum = s->all.numbers[NUMBER_SUM] + s->open.numbers[NUMBER_SUM];
    *value = i == MEASURE_COUNT     ? times
             : i == MEASURE_SUM     ? sum
             : i == MEASURE_AVERAGE ? sum / MAX(times, 1)
             : i == MEASURE_MEDIAN  ? quantiles_value(&s->spread, 50)
             : i == MEASURE_99      ? quantiles_value(&s->spread, 99)
                                    : s->all.numbers[NUMBER_ACTIVE] + s->open.numbers[NUMBER_ACTIVE];
    return i == MEASURE_AVERAGE ? times : i == MEASURE_MEDIAN || i == MEASURE_99 ? s->all.count : true;
}

static bool take_word(const char *word)
{
    return diff_word(&ovni_diff, word);
}

static char *begin(void)
{
    return diff_begin(&ovni_diff);
}

static void forget(void)
{
    diff_forget(&ovni_diff);
    for (diff_side side = DIFF_BEFORE; side < DIFF_SIDES && !begun[side]; side++)
        begun[side] = g_byte_array_new();
    g_byte_array_set_size(begun[DIFF_AFTER], 0);
}

static void finish(stat_tap_table *table)
{
    diff_prepare(&ovni_diff);
    diff_forget_open(&ovni_diff);
    ovni_each_open(open_at_end, NULL, NULL);
    diff_finish(&ovni_diff, table);
}

static diff ovni_diff = {
    .statistic = {.ui = {.title = "ovni Comparison with an Earlier Trace", .tap_name = "ovni", .cli_string = "ovni,diff"},
                  .title = "ovni states before and after",
                  .count = count,
                  .forget = forget,
                  .word = take_word,
                  .words = "BASELINE",
                  .begin = begin,
                  .finish = finish},
    .names = {"State", "Model"},
    .measures = {"Count", "Sum (ns)", "Average (ns)", "Median (ns)", "99 % (ns)", "Active (ns)"},
    .main = MEASURE_SUM,
    .ends = true,
    .protocol = "ovni",
    .read = read_baseline,
    .value = value,
};

void ovni_diff_register(void)
{
    diff_register(&ovni_diff);
}
