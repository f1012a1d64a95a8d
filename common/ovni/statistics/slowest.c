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

typedef struct owner {
    uint32_t stream;
    int32_t rank, thread;
    bool has_rank;
} owner;

typedef struct slow {
    span span;
    bool typed;                /* of a task: its type is known */
    char model;                /* the same */
    const ovni_states *states; /* of a state */
    owner owner;
    uint32_t end; /* a record; 0: it is open */
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

/* The numbers of a row, with records. Values do not nest, so all of their time is their own. */
static void ovni_slowest_fill_numbers(const slow *one, rows_cell *cells)
{
    const span *s = &one->span;
    const uint64_t active = s->call.duration - s->call.away;
    cells[OVNI_SLOWEST_DURATION] = rows_number(s->call.duration);
    cells[OVNI_SLOWEST_ACTIVE] = rows_number(active);
    cells[OVNI_SLOWEST_OWN] = rows_number(s->kind == OVNI_SPAN_STATE && !s->nests ? active : span_active_self(s));
    if (one->owner.has_rank)
        cells[OVNI_SLOWEST_RANK] = rows_signed(one->owner.rank);
    cells[OVNI_SLOWEST_THREAD] = rows_signed(one->owner.thread);
    cells[OVNI_SLOWEST_BEGIN] = rows_number(s->call.begin);
    if (one->end)
        cells[OVNI_SLOWEST_END] = rows_number(one->end);
}

static void ovni_slowest_own_add(const ovni_slowest *s, top_n *items, const ovni_states *states, const span *one, char model,
                                 const owner *of, uint32_t end)
{
    const bool task = one->kind == OVNI_SPAN_TASK;
    rows_cell cells[OVNI_SLOWEST_COLUMNS] = {0};
    if (!task && !ovni_slowest_is_wanted(s, states, one->function))
        return;
    slow added = {.span = *one, .model = model, .states = states, .owner = *of, .end = end};
    if (task)
        added.typed = ((const ovni_task *)one->detail)->has_type;
    ovni_slowest_fill_numbers(&added, cells);
    top_n_add_found(items, cells, (uint64_t)one->call.begin << 32 | (task ? 0 : one->function), &added);
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

static void fill_name(const slow *one, const filling *f, rows_cell *cells)
{
    char text[TEXT_PAIR], model = one->model;
    const span *s = &one->span;
    const ovni_task task = {.has_type = one->typed, .type = s->function, .label = s->name};
    const char *name = s->kind == OVNI_SPAN_TASK ? ovni_task_type_words(&task, f->labels_missing, text, sizeof text)
                                                 : ovni_states_name(one->states, s->function, text, sizeof text, &model);
    cells[OVNI_SLOWEST_NAME] = rows_text(f->to, name ? name : "");
    cells[OVNI_SLOWEST_MODEL] = rows_lasting_text(ovni_model_words(model));
}

static void ovni_slowest_fill_row(void *data, const void *item)
{
    const filling *f = data;
    const slow *one = item;
    const span *s = &one->span;
    rows_cell *cells = rows_add(f->to);
    ovni_slowest_fill_numbers(one, cells);
    rows_show_frame(&cells[OVNI_SLOWEST_BEGIN], f->frame_of);
    rows_show_frame(&cells[OVNI_SLOWEST_END], f->frame_of);
    cells[OVNI_SLOWEST_KIND] = rows_lasting_text(s->kind == OVNI_SPAN_TASK ? "task" : s->nests ? "state" : "value");
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
