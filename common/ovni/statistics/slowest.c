/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/statistics/slowest.h"

#include "containers/frame_set.h"
#include "containers/hash_map.h"
#include "ovni/context.h"

const rows_column ovni_slowest_columns[OVNI_SLOWEST_COLUMNS] = {
    [OVNI_SLOWEST_DURATION] = {"Duration", ROWS_TIME, ROWS_EACH}, [OVNI_SLOWEST_ACTIVE] = {"Active", ROWS_TIME, ROWS_EACH},
    [OVNI_SLOWEST_OWN] = {"Own active", ROWS_TIME, ROWS_EACH},    [OVNI_SLOWEST_RANK] = {"Rank", ROWS_ORDINAL, ROWS_EACH},
    [OVNI_SLOWEST_THREAD] = {"Thread", ROWS_ORDINAL, ROWS_EACH},  [OVNI_SLOWEST_BEGIN] = {"Begin", ROWS_ORDINAL, ROWS_EACH},
    [OVNI_SLOWEST_END] = {"End", ROWS_ORDINAL, ROWS_EACH},        [OVNI_SLOWEST_KIND] = {"Kind", ROWS_TEXT, ROWS_EACH},
    [OVNI_SLOWEST_NAME] = {"Name", ROWS_TEXT, ROWS_EACH},         [OVNI_SLOWEST_MODEL] = {"Model", ROWS_TEXT, ROWS_EACH},
};

typedef enum slow_kind { SLOW_STATE, SLOW_VALUE, SLOW_TASK } slow_kind;

typedef struct owner {
    uint32_t stream;
    int32_t rank, thread;
    bool has_rank;
} owner;

typedef struct slow {
    slow_kind kind;
    char model;                /* of a task */
    const ovni_states *states; /* of a state or value, whose number is `function`; 0: a task */
    uint32_t function;
    ovni_task task;
    owner owner;
    uint32_t begin, end; /* records; end 0: it is open */
    uint64_t ns, active, own;
} slow;

struct ovni_slowest {
    top_n *items; /* of slow */
    bool every;
    hash_map streams;  /* stream -> number of its owner + 1 */
    GArray *owners;    /* of owner */
    GByteArray *begun; /* frame_set.h: records that count and may have begun something still open at the end */
};

ovni_slowest *ovni_slowest_new(const top_n_by *by, bool every)
{
    ovni_slowest *s = g_new0(ovni_slowest, 1);
    s->items = top_n_new(by, sizeof(slow));
    s->every = every;
    hash_map_init(&s->streams);
    s->owners = g_array_new(FALSE, FALSE, sizeof(owner));
    s->begun = g_byte_array_new();
    return s;
}

void ovni_slowest_free(ovni_slowest *s)
{
    if (!s)
        return;
    top_n_free(s->items);
    hash_map_clear(&s->streams);
    g_array_free(s->owners, TRUE);
    g_byte_array_free(s->begun, TRUE);
    g_free(s);
}

/* --- what is left out -------------------------------------------------------------------------------------------------- */

/* Returns whether a state says no more than that a thread lives, runs, rests or has ended; or repeats what the row of a task
 * has. */
static bool is_background(const ovni_event *event)
{
    const char what = event->mcv[2];
    if (event->channels & OVNI_THREAD_STATE)
        return what == 'x' || what == 'r' || what == 'e';
    return event->channels & (OVNI_IDLE | OVNI_THREAD_TYPE | OVNI_TASK) || strncmp(event->mcv, "VH", 2) == 0 ||
           strncmp(event->mcv, "PH", 2) == 0;
}

static bool ovni_slowest_is_wanted(const ovni_slowest *s, const ovni_states *states, uint32_t function)
{
    const ovni_event *event = ovni_states_event(states, function);
    return event && (s->every || !is_background(event));
}

/* --- counting ---------------------------------------------------------------------------------------------------------- */

/* The value in the column that decides; false: it has none. */
static bool ovni_slowest_value_of(const slow *one, unsigned column, uint64_t *value)
{
    const owner *of = &one->owner;
    const uint64_t values[OVNI_SLOWEST_KIND] = {
        [OVNI_SLOWEST_DURATION] = one->ns,
        [OVNI_SLOWEST_ACTIVE] = one->active,
        [OVNI_SLOWEST_OWN] = one->own,
        [OVNI_SLOWEST_RANK] = (uint64_t)of->rank,
        [OVNI_SLOWEST_THREAD] = (uint64_t)of->thread,
        [OVNI_SLOWEST_BEGIN] = one->begin,
        [OVNI_SLOWEST_END] = one->end,
    };
    *value = values[column < OVNI_SLOWEST_KIND ? column : OVNI_SLOWEST_DURATION];
    if (column == OVNI_SLOWEST_RANK)
        return of->has_rank && of->rank >= 0;
    return column == OVNI_SLOWEST_THREAD ? of->thread >= 0 : column != OVNI_SLOWEST_END || one->end;
}

/* Values do not nest, so all of their time is their own. `end`: the record; 0: it is open. */
static void ovni_slowest_own_add(const ovni_slowest *s, top_n *items, const ovni_states *states, const span *one, char model,
                                 const owner *of, uint32_t end)
{
    const bool task = one->kind == OVNI_SPAN_TASK;
    const call *k = &one->call;
    uint64_t value;
    if (!task && !ovni_slowest_is_wanted(s, states, one->function))
        return;
    slow added = {.kind = task         ? SLOW_TASK
                          : one->nests ? SLOW_STATE
                                       : SLOW_VALUE,
                  .model = model,
                  .states = states,
                  .function = task ? 0 : one->function,
                  .owner = *of,
                  .begin = k->begin,
                  .end = end,
                  .ns = k->duration,
                  .active = k->duration - k->away,
                  .own = task || one->nests ? span_active_self(one) : k->duration - k->away};
    if (task)
        added.task = *(const ovni_task *)one->detail;
    const bool has_value = ovni_slowest_value_of(&added, top_n_order(items)->column, &value);
    top_n_add(items, has_value ? &value : NULL, (uint64_t)added.begin << 32 | added.function, &added);
}

static owner owner_of(const record_context *c)
{
    const ovni_context *x = ovni_context_of(c);
    return (owner){c->stream, x->rank, x->thread, (x->known & OVNI_KNOWN_RANK) != 0};
}

static void note_owner(ovni_slowest *s, const owner *of)
{
    if (hash_map_add(&s->streams, of->stream) > s->owners->len)
        g_array_append_val(s->owners, *of);
}

bool ovni_slowest_add(ovni_slowest *s, const ovni_states *states, const record_context *c, uint32_t frame,
                      const ovni_known *known, char model)
{
    const bool begins = ovni_known_begins(known, frame, OVNI_SPAN_STATE) || ovni_known_begins(known, frame, OVNI_SPAN_TASK);
    span ended;
    bool ends = ovni_known_span(known, frame, 0, &ended);
    if (!ends && !begins)
        return false;
    const owner of = owner_of(c);
    if (begins) {
        note_owner(s, &of);
        frame_set_add(s->begun, frame);
    }
    for (uint32_t i = 1; ends; i++) {
        ovni_slowest_own_add(s, s->items, states, &ended, model, &of, frame);
        ends = ovni_known_span(known, frame, i, &ended);
    }
    return true;
}

/* --- the end ----------------------------------------------------------------------------------------------------------- */

typedef struct ending {
    const ovni_slowest *s;
    const ovni_states *states;
    top_n *items;
} ending;

/* NULL: what this record of a stream began does not count. */
static const owner *open_owner(const ending *e, uint32_t stream, uint32_t begin)
{
    const uint32_t at = hash_map_find(&e->s->streams, stream);
    return at && frame_set_has(e->s->begun, begin) ? &g_array_index(e->s->owners, owner, at - 1) : NULL;
}

static void ovni_slowest_end_one(void *data, uint32_t stream, char model, const span *open)
{
    const ending *e = data;
    const owner *of = open_owner(e, stream, open->call.begin);
    if (of)
        ovni_slowest_own_add(e->s, e->items, e->states, open, model, of, 0);
}

/* --- rows -------------------------------------------------------------------------------------------------------------- */

typedef struct filling {
    bool labels_missing;
    uint32_t (*frame_of)(uint32_t place);
    rows *to;
} filling;

static rows_cell ovni_slowest_cell_of_record(const filling *f, uint32_t place)
{
    const uint32_t frame = f->frame_of(place);
    return frame ? rows_number(frame) : (rows_cell){0};
}

static rows_cell cell_of_id(int32_t id)
{
    return id < 0 ? rows_change((uint64_t) - (int64_t)id, 0) : rows_number((uint64_t)id);
}

static void fill_name(const slow *one, const filling *f, rows_cell *cells)
{
    char text[TEXT_PAIR], model = one->model;
    const char *name = one->kind == SLOW_TASK ? ovni_task_type_words(&one->task, f->labels_missing, text, sizeof text)
                                              : ovni_states_name(one->states, one->function, text, sizeof text, &model);
    cells[OVNI_SLOWEST_NAME] = rows_text(f->to, name ? name : "");
    cells[OVNI_SLOWEST_MODEL] = rows_lasting_text(ovni_model_words(model));
}

static void ovni_slowest_fill_row(void *data, const void *item)
{
    static const char *const kinds[] = {[SLOW_STATE] = "state", [SLOW_VALUE] = "value", [SLOW_TASK] = "task"};
    const filling *f = data;
    const slow *one = item;
    rows_cell *cells = rows_add(f->to);
    cells[OVNI_SLOWEST_DURATION] = rows_number(one->ns);
    cells[OVNI_SLOWEST_ACTIVE] = rows_number(one->active);
    cells[OVNI_SLOWEST_OWN] = rows_number(one->own);
    if (one->owner.has_rank)
        cells[OVNI_SLOWEST_RANK] = cell_of_id(one->owner.rank);
    cells[OVNI_SLOWEST_THREAD] = cell_of_id(one->owner.thread);
    cells[OVNI_SLOWEST_BEGIN] = ovni_slowest_cell_of_record(f, one->begin);
    cells[OVNI_SLOWEST_END] = ovni_slowest_cell_of_record(f, one->end);
    cells[OVNI_SLOWEST_KIND] = rows_lasting_text(kinds[one->kind]);
    fill_name(one, f, cells);
}

void ovni_slowest_fill(const ovni_slowest *s, const ovni_states *states, bool labels_missing,
                       uint32_t (*frame_of)(uint32_t place), rows *to)
{
    top_n *items = top_n_copy(s->items);
    if (states) {
        ending e = {s, states, items};
        ovni_states_each_open(states, ovni_slowest_end_one, &e);
    }
    top_n_each(items, ovni_slowest_fill_row, &(filling){labels_missing, frame_of, to});
    top_n_free(items);
}
