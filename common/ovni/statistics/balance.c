/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/statistics/balance.h"

#include <string.h>

const rows_column ovni_balance_columns[OVNI_BALANCE_COLUMNS] = {
    [OVNI_BALANCE_NAME] = {"Rank", ROWS_TEXT, ROWS_EACH},
    [OVNI_BALANCE_RUNNING] = {"Running", ROWS_TIME, ROWS_ADDS},
    [OVNI_BALANCE_MPI] = {"MPI", ROWS_TIME, ROWS_ADDS},
    [OVNI_BALANCE_OUTSIDE] = {"Outside", ROWS_TIME, ROWS_ADDS},
    [OVNI_BALANCE_TASKS] = {"Tasks", ROWS_TIME, ROWS_ADDS},
    [OVNI_BALANCE_RATIO] = {"Balance", ROWS_RATIO, ROWS_EACH},
    [OVNI_BALANCE_TASKS_RATIO] = {"Tasks balance", ROWS_RATIO, ROWS_EACH},
};

/* Sums are in ns. */
typedef struct load {
    const ovni_group *of; /* NULL: nothing was counted */
    int64_t running, mpi, tasks;
} load;

struct ovni_balance {
    ovni_groups *groups;
    GArray *loads; /* of load, by group */
    GArray *ended; /* the same of what is open at the end of a part of the time */
    late_rank *late;
    ovni_interval *interval; /* of a statistic; NULL: all the time counts */
};

ovni_balance *ovni_balance_new(ovni_grouping by)
{
    ovni_balance *b = g_new0(ovni_balance, 1);
    b->groups = ovni_groups_new(by);
    b->loads = g_array_new(FALSE, TRUE, sizeof(load));
    b->ended = g_array_new(FALSE, TRUE, sizeof(load));
    b->late = late_rank_new();
    return b;
}

void ovni_balance_free(void *balance)
{
    ovni_balance *b = balance;
    if (!b)
        return;
    late_rank_free(b->late);
    ovni_interval_free(b->interval);
    ovni_groups_free(b->groups);
    g_array_free(b->loads, TRUE);
    g_array_free(b->ended, TRUE);
    g_free(b);
}

const ovni_interval *ovni_balance_interval(const ovni_balance *b)
{
    return b->interval;
}

ovni_groups *ovni_balance_groups(ovni_balance *b)
{
    return b->groups;
}

static load *load_in(const ovni_balance *b, GArray *loads, uint32_t group)
{
    if (group >= loads->len)
        g_array_set_size(loads, group + 1);
    load *l = &g_array_index(loads, load, group);
    l->of = ovni_groups_get(b->groups, group);
    return l;
}

static load *load_of(ovni_balance *b, const record_context *c, const ovni_known *known)
{
    return load_in(b, b->loads, ovni_groups_of(b->groups, c, known));
}

/* A sum that does not fit stays INT64_MAX, which is shown as unknown. */
static void ovni_balance_add_ns(int64_t *sum, uint64_t more)
{
    if (__builtin_add_overflow(*sum, more, sum))
        *sum = INT64_MAX;
}

static bool is_running(const ovni_event *event)
{
    return event && event->channels & OVNI_THREAD_STATE && g_strcmp0(event->state, "Running") == 0;
}

static void ovni_balance_join(load *to, const load *from)
{
    ovni_balance_add_ns(&to->running, (uint64_t)from->running);
    ovni_balance_add_ns(&to->mpi, (uint64_t)from->mpi);
    ovni_balance_add_ns(&to->tasks, (uint64_t)from->tasks);
}

/* Fills in the load that a span is; false: it does not count. */
static bool load_of_span(const span *s, load *l)
{
    const bool task = s->kind == OVNI_SPAN_TASK;
    const ovni_event *event = task ? NULL : ovni_event_numbered(s->function);
    *l = (load){0};
    if (task)
        ovni_balance_add_ns(&l->tasks, s->call.self);
    else if (is_running(event))
        ovni_balance_add_ns(&l->running, s->call.duration);
    else
        ovni_balance_add_ns(&l->mpi, s->call.duration - s->call.away);
    return task ? ((const ovni_task *)s->detail)->has_active
                : is_running(event) || (event && event->channels & OVNI_FUNCTION && !s->call.depth);
}

bool ovni_balance_add(ovni_balance *b, const record_context *c, uint32_t frame, const ovni_known *known)
{
    bool any = false;
    span s;
    load one;
    for (uint32_t i = 0; ovni_known_span(known, frame, i, &s); i++)
        if (load_of_span(&s, &one)) {
            ovni_balance_join(load_of(b, c, known), &one);
            any = true;
        }
    return any;
}

/* --- a part of the time -------------------------------------------------------------------------------------------- */

void ovni_balance_note(ovni_balance *b, const record_context *c, const ovni_known *known)
{
    ovni_groups_remember(b->groups, c->stream, ovni_groups_of(b->groups, c, known));
}

/* If an event of the stream was counted. */
static void ovni_balance_end_one(void *data, uint32_t stream, char model, const span *open)
{
    ovni_balance *b = data;
    const uint32_t group = ovni_groups_remembered(b->groups, stream);
    load one, *l = group ? load_in(b, b->ended, group) : NULL;
    (void)model;
    if (l && load_of_span(open, &one))
        ovni_balance_join(l, &one);
}

void ovni_balance_end(ovni_balance *b, const ovni_interval *w)
{
    g_array_set_size(b->ended, 0);
    ovni_interval_each_open(w, ovni_balance_end_one, b);
}

/* --- rows
 * ------------------------------------------------------------------------------------------------------------------ */

static void add_loads(GArray *to, const GArray *from)
{
    if (from->len > to->len)
        g_array_set_size(to, from->len);
    for (guint i = 0; i < from->len; i++) {
        const load *more = &g_array_index(from, load, i);
        load *l = &g_array_index(to, load, i);
        l->of = l->of ? l->of : more->of;
        ovni_balance_join(l, more);
    }
}

static gint compare_loads(gconstpointer a, gconstpointer b)
{
    const ovni_group *x = ((const load *)a)->of, *y = ((const load *)b)->of;
    return x->ranked && y->ranked ? (x->rank > y->rank) - (x->rank < y->rank) : strcmp(x->text, y->text);
}

static rows_cell signed_number(int64_t value)
{
    if (value == INT64_MAX)
        return rows_unknown();
    return value < 0 ? rows_change(0 - (uint64_t)value, 0) : rows_number((uint64_t)value);
}

/* The mean over the longest. No value if there is no time at all. */
static rows_cell ratio_of(int64_t most, int64_t all, guint count, bool streams_missing)
{
    if (most <= 0)
        return (rows_cell){0};
    return streams_missing || most > INT64_MAX / count || all == INT64_MAX
               ? rows_unknown()
               : rows_ratio((uint64_t)most * count, (uint64_t)MAX(all, 0));
}

void ovni_balance_fill(const ovni_balance *b, bool streams_missing, rows *to)
{
    int64_t most[2] = {0}, all[2] = {0};
    g_autoptr(GArray) sums = g_array_new(FALSE, TRUE, sizeof(load)), sorted = g_array_new(FALSE, FALSE, sizeof(load));
    const unsigned before = rows_length(to);
    add_loads(sums, b->loads);
    add_loads(sums, b->ended);
    for (guint i = 0; i < sums->len; i++)
        if (g_array_index(sums, load, i).of)
            g_array_append_val(sorted, g_array_index(sums, load, i));
    g_array_sort(sorted, compare_loads);
    for (guint i = 0; i < sorted->len; i++) {
        const load *l = &g_array_index(sorted, load, i);
        const bool known = l->running != INT64_MAX && l->mpi != INT64_MAX;
        const int64_t times[] = {known ? l->running - l->mpi : INT64_MAX, l->tasks};
        rows_cell *cells = rows_add(to);
        for (unsigned k = 0; k < G_N_ELEMENTS(times); k++) {
            most[k] = MAX(most[k], times[k]);
            all[k] = __builtin_add_overflow(all[k], times[k], &all[k]) ? INT64_MAX : all[k];
        }
        cells[OVNI_BALANCE_NAME] = rows_text(to, l->of->text);
        cells[OVNI_BALANCE_RUNNING] = signed_number(l->running);
        cells[OVNI_BALANCE_MPI] = signed_number(l->mpi);
        cells[OVNI_BALANCE_OUTSIDE] = signed_number(times[0]);
        cells[OVNI_BALANCE_TASKS] = signed_number(times[1]);
    }
    for (guint i = 0; i < sorted->len; i++) {
        rows_at(to, before + i)[OVNI_BALANCE_RATIO] = ratio_of(most[0], all[0], sorted->len, streams_missing);
        rows_at(to, before + i)[OVNI_BALANCE_TASKS_RATIO] = ratio_of(most[1], all[1], sorted->len, streams_missing);
    }
}

/* --- as a statistic ------------------------------------------------------------------------------------------------------
 */

static const char by_node_word[] = "by:node";

static void *balance_begin(const statistic_words *words, const void *how)
{
    (void)how;
    ovni_balance *b = ovni_balance_new(statistic_words_has(words, by_node_word) ? OVNI_BY_NODE : OVNI_BY_LOAD);
    b->interval = ovni_interval_asked(words);
    return b;
}

static void balance_see(void *data, const counted_record *r)
{
    ovni_interval_play(((const ovni_balance *)data)->interval, r->time, r->tapped);
}

static bool balance_count(void *data, const counted_record *of)
{
    const ovni_tapped *r = of->tapped;
    ovni_balance *b = data;
    const ovni_known *known = b->interval ? ovni_interval_known(b->interval) : &r->known;
    if (!(b->interval ? r->is_event : r->has_state) || !r->event ||
        !(known->has_task || r->event->channels & (OVNI_THREAD_STATE | OVNI_FUNCTION)))
        return false;
    late_rank_visit(b->late, r->context, r->event);
    ovni_groups_announce(b->groups, r, known);
    if (ovni_groups_unannounced(b->groups, r->context->stream))
        return false;
    if (b->interval)
        ovni_balance_note(b, r->context, known);
    return (!b->interval || ovni_interval_inside(b->interval)) && ovni_balance_add(b, r->context, r->number, known);
}

static void balance_fill(void *data, const void *how, rows *to)
{
    ovni_balance *b = data;
    if (b->interval)
        ovni_balance_end(b, b->interval);
    ovni_balance_fill(b, ((const ovni_display *)how)->streams_missing(), to);
}

bool ovni_balance_late(const ovni_balance *b, int32_t *rank, uint32_t *count)
{
    return late_rank_find(b->late, rank, count);
}

const counted ovni_balance_counted = {.columns = ovni_balance_columns,
                                      .column_count = OVNI_BALANCE_COLUMNS,
                                      .words = "by:node, " OVNI_WITHIN,
                                      .begin = balance_begin,
                                      .each_record = balance_see,
                                      .every_for = OVNI_WITHIN,
                                      .count = balance_count,
                                      .fill = balance_fill,
                                      .free = ovni_balance_free};
