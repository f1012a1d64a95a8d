/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/statistics/durations.h"

#include <stdio.h>
#include <string.h>

#include "containers/binary_search.h"
#include "containers/frame_set.h"
#include "containers/hash.h"
#include "containers/hash_map.h"
#include "containers/percentiles.h"
#include "util/math128.h"

#define COLUMNS_OF(what) \
    {what, ROWS_TEXT, ROWS_EACH}, {"Model", ROWS_TEXT, ROWS_EACH}, {"Group", ROWS_TEXT, ROWS_EACH}, \
        {"Count", ROWS_COUNT, ROWS_ADDS}, {"Min", ROWS_TIME, ROWS_EACH}, {"Average", ROWS_TIME, ROWS_EACH}, \
        {"Max", ROWS_TIME, ROWS_EACH}, {"Sum", ROWS_TIME, ROWS_EACH}, {"Active", ROWS_TIME, ROWS_EACH}, \
    { \
        "Own active", ROWS_TIME, ROWS_EACH \
    }

const rows_column ovni_durations_states[OVNI_DURATIONS_OF_STATES] = {COLUMNS_OF("State")};
const rows_column ovni_durations_tasks[OVNI_DURATIONS_OF_TASKS] = {COLUMNS_OF("Label"), {"On a CPU", ROWS_TIME, ROWS_EACH}};
const rows_column ovni_durations_spread[OVNI_DURATIONS_OF_SPREAD] = {COLUMNS_OF("State"),
                                                                     {"Median", ROWS_TIME, ROWS_EACH},
                                                                     {"99 %", ROWS_TIME, ROWS_EACH},
                                                                     {"Typical", ROWS_TIME, ROWS_EACH}};

/* Times of a state or of a run of a task, in ns. */
typedef struct times {
    uint64_t ns, active, own, on_cpu;
} times;

typedef struct totals {
    uint32_t count;
    uint64_t min, max;
    times sum;
} totals;

/* The sums of a row. */
typedef struct sums {
    char *name;
    char model;
    uint32_t group;
    totals ended, open;
    percentiles spread; /* of what has ended, if somebody wants it */
} sums;

/* The row of a function or task type in a group, so that names are only looked up where they may have changed. */
typedef struct place {
    uint32_t row;    /* + 1; 0: not known */
    uint32_t naming; /* ovni_states_naming() of then */
} place;

/* The row + 1 of the run of a task that a frame has ended. */
typedef struct ended {
    uint32_t frame, row;
} ended;

/* How many of them are enough for context switches that come later. */
enum { PAST = 1 << 16 };

struct ovni_durations {
    ovni_span_kind kind;
    bool (*labels_missing)(void);
    bool spread, grouped;
    ovni_groups *groups;
    GArray *rows;            /* of sums */
    counting_limit limit;    /* it does not grow */
    GHashTable *known;       /* "model name \x1f group" -> row + 1 */
    hash_map places;         /* function or type << 32 | group -> number of the place + 1 */
    GArray *of;              /* of place */
    hash_map types;          /* type_key() -> number */
    GArray *ended;           /* of ended: the latest runs of tasks, in order of frames */
    uint32_t ended_from;     /* frame after which that is complete */
    guint late;              /* how many of ovni_states_late() have been seen */
    bool on_cpu_unknown;     /* some were of runs that are no longer known */
    ovni_interval *interval; /* of a statistic; NULL: all the time counts */
    GByteArray *begun;       /* frame_set.h: records that count and may have begun something still open at the end */
};

static void ovni_durations_clear_sums(gpointer data)
{
    percentiles_clear(&((sums *)data)->spread);
    g_free(((sums *)data)->name);
}

ovni_durations *ovni_durations_new(ovni_span_kind kind, ovni_grouping by, bool (*labels_missing)(void))
{
    ovni_durations *d = g_new0(ovni_durations, 1);
    d->limit = LIMIT_OF_ROWS;
    d->kind = kind;
    d->labels_missing = labels_missing;
    d->grouped = by != OVNI_BY_NOTHING;
    d->groups = ovni_groups_new(by);
    d->rows = g_array_new(FALSE, TRUE, sizeof(sums));
    g_array_set_clear_func(d->rows, ovni_durations_clear_sums);
    d->known = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
    hash_map_init(&d->places);
    d->of = g_array_new(FALSE, TRUE, sizeof(place));
    hash_map_init(&d->types);
    d->ended = g_array_new(FALSE, FALSE, sizeof(ended));
    d->begun = g_byte_array_new();
    return d;
}

ovni_durations *ovni_durations_new_spread(void)
{
    ovni_durations *d = ovni_durations_new(OVNI_SPAN_STATE, OVNI_BY_NOTHING, NULL);
    d->spread = true;
    return d;
}

void ovni_durations_free(void *durations)
{
    ovni_durations *d = durations;
    if (!d)
        return;
    ovni_interval_free(d->interval);
    ovni_groups_free(d->groups);
    g_array_free(d->rows, TRUE);
    g_hash_table_destroy(d->known);
    hash_map_clear(&d->places);
    g_array_free(d->of, TRUE);
    hash_map_clear(&d->types);
    g_array_free(d->ended, TRUE);
    g_byte_array_free(d->begun, TRUE);
    g_free(d);
}

const ovni_interval *ovni_durations_interval(const ovni_durations *d)
{
    return d->interval;
}

ovni_groups *ovni_durations_groups(ovni_durations *d)
{
    return d->groups;
}

/* --- rows by name ------------------------------------------------------------------------------------------------------ */

static sums *row_at(const ovni_durations *d, uint32_t row)
{
    return &g_array_index(d->rows, sums, row - 1);
}

/* The row + 1, which is new if need be. */
static uint32_t ovni_durations_row_of(ovni_durations *d, const char *name, char model, uint32_t group)
{
    char *key = g_strdup_printf("%c%s\x1f%s", model, name, ovni_groups_get(d->groups, group)->text);
    uint32_t row = GPOINTER_TO_UINT(g_hash_table_lookup(d->known, key));
    if (!row && strcmp(name, TEXT_OTHERS) != 0 && !limit_allows_row(&d->limit, d->rows->len))
        row = ovni_durations_row_of(d, TEXT_OTHERS, model, 0);
    if (row) {
        g_free(key);
        return row;
    }
    const sums new = {.name = g_strdup(name), .model = model, .group = group};
    g_array_append_val(d->rows, new);
    g_hash_table_insert(d->known, key, GUINT_TO_POINTER(d->rows->len));
    return d->rows->len;
}

static place *ovni_durations_place_of(ovni_durations *d, uint32_t what, uint32_t group)
{
    const uint32_t number = hash_map_add(&d->places, (uint64_t)what << 32 | group);
    if (number > d->of->len)
        g_array_set_size(d->of, number);
    return &g_array_index(d->of, place, number - 1);
}

/* A label stands for itself; its address is even. */
static uint64_t type_key(const ovni_task *task, char model)
{
    return task->label ? (uintptr_t)task->label
                       : (uint64_t)task->type << 16 | (uint32_t)(uint8_t)model << 8 | (task->has_type ? 3 : 1);
}

static uint32_t ovni_durations_row_number(ovni_durations *d, const ovni_states *s, const span *one, char model,
                                          uint32_t group)
{
    const bool task = one->kind == OVNI_SPAN_TASK;
    const uint32_t what = task ? hash_map_add(&d->types, type_key(one->detail, model)) : one->function,
                   naming = task ? 0 : ovni_states_naming(s, what);
    place *p = ovni_durations_place_of(d, what, group);
    if (!p->row || p->naming != naming) {
        char text[TEXT_PAIR];
        const bool missing = task && d->labels_missing && d->labels_missing();
        const char *name = task ? ovni_task_type_words(one->detail, missing, text, sizeof text)
                                : ovni_states_name(s, what, text, sizeof text, &model);
        *p = (place){ovni_durations_row_of(d, name ? name : "", model, group), naming};
    }
    return p->row;
}

/* --- counting ---------------------------------------------------------------------------------------------------------- */

static void ovni_durations_add_ns(uint64_t *sum, uint64_t more)
{
    *sum = sum_saturated(*sum, more);
}

static void add_totals(totals *t, const totals *more)
{
    if (more->count == 0)
        return;
    t->min = t->count ? MIN(t->min, more->min) : more->min;
    t->max = MAX(t->max, more->max);
    t->count += more->count;
    ovni_durations_add_ns(&t->sum.ns, more->sum.ns);
    ovni_durations_add_ns(&t->sum.active, more->sum.active);
    ovni_durations_add_ns(&t->sum.own, more->sum.own);
    ovni_durations_add_ns(&t->sum.on_cpu, more->sum.on_cpu);
}

static void add_times(totals *t, const times *one)
{
    add_totals(t, &(totals){1, one->ns, one->ns, *one});
}

/* Values do not nest, so all of their time is their own. */
static times times_of(const ovni_states *s, const span *one)
{
    const ovni_task *task = one->detail;
    const call *k = &one->call;
    if (one->kind == OVNI_SPAN_TASK)
        return (times){task->running, task->active, task->own, task->has_on_cpu ? task->on_cpu : task->active};
    const uint64_t active = one->nests ? k->duration - k->away : ovni_states_active(s, one->function, k);
    return (times){.ns = k->duration, .active = active, .own = one->nests ? MIN(span_active_self(one), active) : active};
}

/* Counts context switches that came after runs had been counted. A frame that is not among them does not count. */
static void ovni_durations_correct(ovni_durations *d, const ovni_states *s)
{
    const GArray *late = ovni_states_late(s);
    for (; d->late < late->len; d->late++) {
        const ovni_task_late *one = &g_array_index(late, ovni_task_late, d->late);
        const size_t at = BINARY_SEARCH(d->ended->len, i, g_array_index(d->ended, ended, i).frame < one->ended);
        const ended *e = at < d->ended->len ? &g_array_index(d->ended, ended, at) : NULL;
        d->on_cpu_unknown |= one->ended <= d->ended_from;
        if (e && e->frame == one->ended)
            row_at(d, e->row)->ended.sum.on_cpu -= MIN(row_at(d, e->row)->ended.sum.on_cpu, one->off);
    }
}

static void note_end(ovni_durations *d, uint32_t frame, uint32_t row)
{
    if (d->ended->len == 2 * PAST) {
        d->ended_from = g_array_index(d->ended, ended, PAST - 1).frame;
        g_array_remove_range(d->ended, 0, PAST);
    }
    g_array_append_vals(d->ended, &(ended){frame, row}, 1);
}

/* `open`: it has not ended. Returns the row + 1. */
static uint32_t count_span(ovni_durations *d, const ovni_states *s, const span *one, char model, uint32_t group, bool open)
{
    const times more = times_of(s, one);
    const uint32_t row = ovni_durations_row_number(d, s, one, model, group);
    sums *of = row_at(d, row);
    add_times(open ? &of->open : &of->ended, &more);
    if (d->spread && !open)
        percentiles_add(&of->spread, more.ns);
    return row;
}

/* What begins here counts at the end, in this group. */
static void note_begin(ovni_durations *d, const record_context *c, uint32_t frame, uint32_t group)
{
    frame_set_add(d->begun, frame);
    ovni_groups_remember(d->groups, c->stream, group);
}

void ovni_durations_note(ovni_durations *d, const record_context *c, uint32_t frame, const ovni_known *known)
{
    note_begin(d, c, frame, ovni_groups_of(d->groups, c, known));
}

bool ovni_durations_add(ovni_durations *d, const ovni_states *s, const record_context *c, uint32_t frame,
                        const ovni_known *known, char model)
{
    span one;
    const bool begins = ovni_known_begins(known, frame, d->kind), ends = ovni_known_ended(known, frame, d->kind, &one);
    if (!begins && !ends)
        return false;
    const uint32_t group = ovni_groups_of(d->groups, c, known);
    if (begins)
        note_begin(d, c, frame, group);
    if (d->kind == OVNI_SPAN_TASK)
        ovni_durations_correct(d, s);
    const uint32_t row = ends ? count_span(d, s, &one, model, group, false) : 0;
    if (row && d->kind == OVNI_SPAN_TASK)
        note_end(d, frame, row);
    return true;
}

/* --- the end ----------------------------------------------------------------------------------------------------------- */

typedef struct ending {
    ovni_durations *d;
    const ovni_states *states;
} ending;

static void ovni_durations_end_one(void *data, uint32_t stream, char model, const span *open)
{
    const ending *e = data;
    if (open->kind == e->d->kind && frame_set_has(e->d->begun, open->call.begin))
        count_span(e->d, e->states, open, model, ovni_groups_remembered(e->d->groups, stream), true);
}

void ovni_durations_end(ovni_durations *d, const ovni_states *s, const ovni_interval *w)
{
    ending e = {d, s};
    if (d->kind == OVNI_SPAN_TASK)
        ovni_durations_correct(d, s);
    for (guint i = 0; i < d->rows->len; i++)
        g_array_index(d->rows, sums, i).open = (totals){0};
    if (w)
        ovni_interval_each_open(w, ovni_durations_end_one, &e);
    else
        ovni_states_each_open(s, ovni_durations_end_one, &e);
}

/* --- rows -------------------------------------------------------------------------------------------------------------- */

static void ovni_durations_fill_row(const ovni_durations *d, sums *s, bool end_missing, rows *to)
{
    totals t = s->ended;
    add_totals(&t, &s->open);
    const uint64_t n = t.count, average = t.sum.ns == UINT64_MAX ? UINT64_MAX
                                          : n                    ? t.sum.ns / n + (t.sum.ns % n >= (n + 1) / 2)
                                                                 : 0;
    uint64_t shown[] = {
        t.min, average, t.max, t.sum.ns, t.sum.active, t.sum.own, d->on_cpu_unknown ? UINT64_MAX : t.sum.on_cpu, 0, 0};
    if (d->spread) {
        shown[OVNI_DURATIONS_MEDIAN - OVNI_DURATIONS_MIN] = percentiles_value(&s->spread, 50);
        shown[OVNI_DURATIONS_99 - OVNI_DURATIONS_MIN] = percentiles_value(&s->spread, 99);
        shown[OVNI_DURATIONS_TYPICAL - OVNI_DURATIONS_MIN] = percentiles_typical_sum(&s->spread);
    }
    rows_cell *cells = rows_add(to);
    cells[OVNI_DURATIONS_NAME] = rows_text(to, s->name);
    cells[OVNI_DURATIONS_MODEL] = rows_lasting_text(ovni_model_words(s->model));
    cells[OVNI_DURATIONS_GROUP] = rows_text(to, ovni_groups_get(d->groups, s->group)->text);
    cells[OVNI_DURATIONS_COUNT] = rows_number(n);
    for (unsigned i = OVNI_DURATIONS_MIN; i < to->count; i++) {
        const uint64_t ns = shown[i - OVNI_DURATIONS_MIN];
        cells[i] = s->open.count && end_missing ? rows_unknown() : rows_known(ns);
    }
    for (unsigned i = OVNI_DURATIONS_MEDIAN; d->spread && !s->ended.count && i <= OVNI_DURATIONS_99; i++)
        cells[i] = (rows_cell){0};
}

void ovni_durations_fill(ovni_durations *d, bool end_missing, rows *to)
{
    to->missing = d->limit.full ? ROWS_FIRST_COME : NULL;
    for (guint i = 0; i < d->rows->len; i++)
        ovni_durations_fill_row(d, &g_array_index(d->rows, sums, i), end_missing, to);
}

/* --- as statistics -------------------------------------------------------------------------------------------------------
 */

const char *const ovni_grouping_words[OVNI_GROUPINGS] = {NULL,     "by:rank", "by:process", "by:thread",
                                                         "by:cpu", "by:loom", "by:node"};

static ovni_durations *durations_begin(ovni_span_kind kind, const statistic_words *words, const ovni_display *shown)
{
    ovni_grouping by = OVNI_GROUPINGS - 1;
    while (by > OVNI_BY_NOTHING && !statistic_words_has(words, ovni_grouping_words[by]))
        by--;
    ovni_durations *d = ovni_durations_new(kind, by, shown->streams_missing);
    d->interval = ovni_interval_asked(words);
    return d;
}

static void *states_begin(const statistic_words *words, const void *how)
{
    return durations_begin(OVNI_SPAN_STATE, words, how);
}

static void *tasks_begin(const statistic_words *words, const void *how)
{
    return durations_begin(OVNI_SPAN_TASK, words, how);
}

static void durations_see(void *data, const counted_record *r)
{
    ovni_interval_play(((const ovni_durations *)data)->interval, r->time, r->tapped);
}

/* Returns whether an event counts that may begin or end something; if not, what it begins may count. */
static bool counts_here(ovni_durations *d, const ovni_tapped *r, const ovni_known *known)
{
    if (d->grouped)
        ovni_groups_announce(d->groups, r, known);
    if (!d->interval || ovni_interval_inside(d->interval))
        return true;
    if (!ovni_groups_unannounced(d->groups, r->context->stream))
        ovni_durations_note(d, r->context, r->number, known);
    return false;
}

/* An interval knows more than the record. */
static bool durations_count(void *data, const counted_record *of)
{
    const ovni_tapped *r = of->tapped;
    ovni_durations *d = data;
    const ovni_known *known = d->interval ? ovni_interval_known(d->interval) : &r->known;
    const bool wanted = (d->interval ? r->is_event : r->has_state) && (d->kind == OVNI_SPAN_STATE || known->has_task);
    return wanted && counts_here(d, r, known) &&
           ovni_durations_add(d, d->interval ? ovni_interval_states(d->interval) : r->session->states, r->context, r->number,
                              known, r->mcv[0]);
}

static void durations_fill(void *data, const void *how, rows *to)
{
    ovni_durations *d = data;
    const ovni_display *shown = how;
    const ovni_states *states = d->interval ? ovni_interval_states(d->interval) : shown->session->states;
    if (states)
        ovni_durations_end(d, states, d->interval);
    ovni_durations_fill(d, shown->end_missing() && !(d->interval && ovni_interval_over(d->interval)), to);
}

#define WORDS "by:rank|by:process|by:thread|by:cpu|by:loom|by:node, " OVNI_WITHIN

const counted ovni_states_counted = {.columns = ovni_durations_states,
                                     .column_count = OVNI_DURATIONS_OF_STATES,
                                     .words = WORDS,
                                     .begin = states_begin,
                                     .each_record = durations_see,
                                     .every_for = OVNI_WITHIN,
                                     .count = durations_count,
                                     .fill = durations_fill,
                                     .free = ovni_durations_free},
              ovni_tasks_counted = {.columns = ovni_durations_tasks,
                                    .column_count = OVNI_DURATIONS_OF_TASKS,
                                    .words = WORDS,
                                    .begin = tasks_begin,
                                    .each_record = durations_see,
                                    .every_for = OVNI_WITHIN,
                                    .count = durations_count,
                                    .fill = durations_fill,
                                    .free = ovni_durations_free};
