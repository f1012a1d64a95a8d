/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/context.h"
#include "tasks.h"

#include <glib.h>

#include "hash.h"
#include "layout.h"
#include "sorted.h"
#include "text.h"
#include "threads.h"

/* One run of a body, from start to end. */
typedef struct {
    uint64_t running; /* ns so far; UNTIMED: not known */
    uint32_t begun, ended;
} run;

#define UNTIMED UINT64_MAX

/* When something happened. If the stream was damaged between two moments, their clocks cannot be compared. */
typedef struct {
    uint64_t clock;
    uint32_t stream, losses;
} moment;

/* Used as a hash_pair key (hash.h), so it must have no padding. */
typedef struct {
    uint32_t process, id;
    uint32_t body; /* TASK_ITSELF: what all bodies share */
    uint32_t model;
} key;

_Static_assert(sizeof(key) == sizeof(hash_pair), "as large as a key");

#define TASK_ITSELF UINT32_MAX

/* A body of a task, or the task itself. */
typedef struct {
    key key; /* first, so that an entry can be its own key */
    uint32_t created, type;
    bool runs;
    moment since; /* if it runs */
    run last;
    GArray *earlier; /* of run, in order of time; or NULL */
} entry;

struct ovni_tasks {
    bool keep;
    GHashTable *entries; /* a set of entry* */
    GHashTable *labels;  /* key of process, type and model -> char* */
};

static void free_entry(gpointer p)
{
    entry *e = p;
    if (e->earlier)
        g_array_free(e->earlier, TRUE);
    g_free(e);
}

ovni_tasks *ovni_tasks_new(bool keep)
{
    ovni_tasks *t = g_new0(ovni_tasks, 1);
    t->keep = keep;
    t->entries = g_hash_table_new_full(hash_pair_of, hash_pair_equal, free_entry, NULL);
    t->labels = g_hash_table_new_full(hash_pair_of, hash_pair_equal, g_free, g_free);
    return t;
}

void ovni_tasks_free(ovni_tasks *t)
{
    if (!t)
        return;
    g_hash_table_destroy(t->entries);
    g_hash_table_destroy(t->labels);
    g_free(t);
}

/* --- reading an event -------------------------------------------------------------------------------------------------- */

bool ovni_is_task_event(const ovni_event *event)
{
    uint8_t first = event->arguments[0].id;
    return event->arguments[0].type != OVNI_NO_ARGUMENT && (first == OVNI_TASKID || first == OVNI_TYPEID);
}

/* Reads the arguments. *label is set only if there is a label: its offset and width count. */
static ovni_task parse(const ovni_event *event, const cursor *bytes, ovni_value *label)
{
    ovni_task what = {0};
    ovni_arguments a;
    ovni_value v;
    ovni_arguments_init(&a, event, bytes);
    while (ovni_arguments_next(&a, &v)) {
        if (v.id == OVNI_TASKID) {
            what.has_id = true;
            what.id = (uint32_t)v.number;
        } else if (v.id == OVNI_TYPEID) {
            what.has_type = true;
            what.type = (uint32_t)v.number;
        } else if (v.id == OVNI_BODYID) {
            what.has_body = true;
            what.body = (uint32_t)v.number;
        } else if (v.id == OVNI_LABEL) {
            *label = v;
        }
    }
    return what;
}

static key key_of(uint32_t process, const ovni_event *event, uint32_t id, uint32_t body)
{
    return (key){process, id, body, (uint8_t)event->mcv[0]};
}

static entry *find(const ovni_tasks *t, key k)
{
    return g_hash_table_lookup(t->entries, &k);
}

static entry *make(ovni_tasks *t, key k)
{
    entry *e = find(t, k);
    if (!e) {
        e = g_new0(entry, 1);
        e->key = k;
        g_hash_table_add(t->entries, e);
    }
    return e;
}

/* --- a task's life ----------------------------------------------------------------------------------------------------- */

static void stop_running(entry *e, const moment *now)
{
    const moment *since = &e->since;
    bool damaged = now->stream == since->stream && now->losses != since->losses;
    if (e->runs && (damaged || now->clock < since->clock))
        e->last.running = UNTIMED;
    else if (e->runs && e->last.running != UNTIMED)
        e->last.running += now->clock - since->clock;
    e->runs = false;
}

static void start_running(entry *e, const moment *now)
{
    e->runs = true;
    e->since = *now;
}

static void begin_run(const ovni_tasks *t, entry *e, uint32_t frame)
{
    if (e->last.begun && t->keep) {
        if (!e->earlier)
            e->earlier = g_array_new(FALSE, FALSE, sizeof(run));
        g_array_append_val(e->earlier, e->last);
    }
    e->last = (run){.begun = frame};
}

static void live(ovni_tasks *t, uint32_t process, uint32_t frame, const ovni_event *event, const ovni_task *what,
                 const moment *now)
{
    char does = event->mcv[2];
    entry *e;
    if (what->has_type) { /* created */
        e = make(t, key_of(process, event, what->id, TASK_ITSELF));
        if (!e->created) {
            e->created = frame;
            e->type = what->type;
        }
        return;
    }
    key k = key_of(process, event, what->id, what->body);
    e = does == 'x' ? make(t, k) : find(t, k);
    if (!e || (!e->last.begun && does != 'x') || (e->last.ended && does != 'x'))
        return;
    if (does == 'x') {
        begin_run(t, e, frame);
        start_running(e, now);
    } else if (does == 'r' && !e->runs) {
        start_running(e, now);
    } else if (does == 'p' || does == 'e') {
        stop_running(e, now);
        e->last.ended = does == 'e' ? frame : 0;
    }
}

static void name_type(ovni_tasks *t, key k, const cursor *bytes, const ovni_value *label)
{
    if (g_hash_table_contains(t->labels, &k))
        return;
    const char *begin = (const char *)bytes->data + label->offset;
    g_hash_table_insert(t->labels, g_memdup2(&k, sizeof k), text_show(begin, (ptrdiff_t)label->width));
}

void ovni_tasks_visit(ovni_tasks *t, uint32_t process, uint32_t frame, const ovni_event *event, const cursor *bytes,
                      uint32_t stream, uint32_t losses)
{
    if (!ovni_is_task_event(event) || bytes->length < OVNI_EVENT_SIZE)
        return;
    ovni_value label = {0};
    const ovni_task what = parse(event, bytes, &label);
    if (what.has_type && label.type == OVNI_STR)
        name_type(t, key_of(process, event, what.type, TASK_ITSELF), bytes, &label);
    else if (what.has_id)
        live(t, process, frame, event, &what, &(moment){ovni_event_clock(bytes), stream, losses});
}

/* --- looking up ------------------------------------------------------------------------------------------------------ */

/* The run that a frame belongs to: the last one begun by then, or else the first. */
static const run *run_at(const entry *e, uint32_t frame)
{
    if (!e->earlier || e->last.begun <= frame)
        return &e->last;
    size_t begun = SORTED_COUNT(e->earlier->len, i, g_array_index(e->earlier, run, i).begun <= frame);
    return &g_array_index(e->earlier, run, begun ? begun - 1 : 0);
}

bool ovni_tasks_type(const ovni_tasks *t, uint32_t process, char model, uint32_t id, uint32_t *type)
{
    const entry *e = find(t, (key){process, id, TASK_ITSELF, (uint8_t)model});
    if (e)
        *type = e->type;
    return e != NULL;
}

const char *ovni_tasks_label(const ovni_tasks *t, uint32_t process, char model, uint32_t type)
{
    key k = {process, type, TASK_ITSELF, (uint8_t)model};
    return g_hash_table_lookup(t->labels, &k);
}

bool ovni_tasks_at(const ovni_tasks *t, uint32_t process, uint32_t frame, const ovni_event *event, const cursor *bytes,
                   ovni_task *task)
{
    *task = (ovni_task){0};
    if (!ovni_is_task_event(event) || bytes->length < OVNI_EVENT_SIZE)
        return false;
    ovni_value label;
    *task = parse(event, bytes, &label);
    if (task->has_id) {
        const entry *own = find(t, key_of(process, event, task->id, TASK_ITSELF));
        const entry *body = find(t, key_of(process, event, task->id, task->body));
        if (own && !task->has_type) {
            task->has_type = true;
            task->type = own->type;
        }
        if (own)
            task->created = own->created;
        if (body && body->last.begun) {
            const run *r = run_at(body, frame);
            task->begun = r->begun;
            task->ended = r->ended;
            task->timed = r->ended && r->running != UNTIMED;
            task->running = task->timed ? r->running : 0;
        }
    }
    if (task->has_type)
        task->label = ovni_tasks_label(t, process, event->mcv[0], task->type);
    return task->has_id || task->has_type;
}
