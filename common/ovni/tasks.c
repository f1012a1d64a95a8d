/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/context.h"
#include "ovni/tasks.h"

#include <stdio.h>

#include <glib.h>
#include <string.h>

#include "containers/hash.h"
#include "containers/hash_map.h"
#include "ovni/events/layout.h"
#include "containers/binary_search.h"
#include "util/text.h"
#include "ovni/threads.h"

/* One run of a body, from start to end. */
typedef struct {
    uint64_t running;     /* ns so far; UNTIMED: a clock went back */
    uint64_t active, own; /* ns so far; UNTIMED: in several threads */
    uint64_t off;         /* ns of `active` without a CPU */
    uint32_t begun, ended;
    bool unswitched; /* a part of it was in a thread without context switches */
} run;

#define UNTIMED UINT64_MAX

/* When something happened. If the stream was damaged between two moments, their clocks cannot be compared. */
typedef struct {
    uint64_t clock;
    uint64_t away, off; /* of the thread: ovni_thread_paused(), and without a CPU while it was running */
    uint32_t stream, losses;
    bool switched; /* the thread has context switches */
} moment;

/* Used as a hash_pair key (hash.h), so it must have no padding. */
typedef struct {
    uint32_t process, id;
    uint32_t body; /* 0: what all bodies share, too */
    uint32_t model;
} key;

_Static_assert(sizeof(key) == sizeof(hash_pair), "as large as a key");

/* A thread. */
typedef struct {
    GQueue nests[OVNI_MODEL_COUNT]; /* of entry: the runs that it has started, the innermost last */
    GQueue running;                 /* of entry: what it runs, in order of their beginnings */
    GArray *past;                   /* of period, the last few hundred, in order of their ends */
    uint64_t past_from;             /* clock from which `past` is complete */
    uint32_t past_losses;           /* how often the stream had been damaged before it began */
    uint64_t off;                   /* ns without a CPU while it was running, as far as counted */
    uint64_t out_since;             /* up to where that has been counted, while the kernel has switched to another thread */
    uint32_t out_losses;            /* how often the stream had been damaged when it switched */
    bool out, switched;
} lane;

/* What all bodies of a task share. */
typedef struct {
    key key; /* first, so that it can be its own key */
    uint32_t created, type;
} identity;

/* A run that has not ended. */
typedef struct {
    GQueue *nest;  /* of the thread that has started it; NULL: none has */
    GList inside;  /* in `nest` */
    lane *runs_in; /* the thread that runs it; NULL: none does */
    GList running; /* in that */
    moment since;  /* begin of the current period, if it runs */
    moment own;    /* the same without tasks inside; its clock is 0 while one runs */
} open_run;

/* A body of a task. Most have ended, and there are many. */
typedef struct {
    key key; /* first, so that an entry can be its own key */
    run last;
    open_run *open;  /* NULL: it has ended, or not begun */
    GArray *earlier; /* of run, in order of time; or NULL */
} entry;

/* A part of a run, from start to pause or end. */
typedef struct {
    entry *of;
    uint64_t from, to;
    uint32_t begun, ended; /* of the run; 0: it has not ended with this part */
} period;

/* How many of these per thread are enough for context switches in sort regions. */
enum { PAST = 256 };

enum { LAST_TASKS = 64 };

struct ovni_tasks {
    bool keep;
    GHashTable *tasks;   /* a set of identity* */
    GHashTable *entries; /* a set of entry* */
    GHashTable *labels;  /* key of process, type and model -> char* */
    hash_map streams;    /* stream -> its place in `lanes` + 1 */
    GPtrArray *lanes;    /* of lane */
    GArray *late;        /* ovni_tasks_late() */
    uint32_t naming;     /* ovni_tasks_naming() */
    struct ovni_tasks_last *last;
    open_run *spare; /* of the latest run that has ended, for the next one; NULL: there is none */
};

/* Those that were found last, by the lower bits of their ids. */
struct ovni_tasks_last {
    void *task[LAST_TASKS], *body[LAST_TASKS]; /* identity, entry */
};

static void free_entry(gpointer p)
{
    entry *e = p;
    if (e->earlier)
        g_array_free(e->earlier, TRUE);
    g_free(e->open);
    g_free(e);
}

static void free_lane(gpointer p)
{
    g_array_free(((lane *)p)->past, TRUE);
    g_free(p);
}

ovni_tasks *ovni_tasks_new(bool keep)
{
    ovni_tasks *t = g_new0(ovni_tasks, 1);
    t->keep = keep;
    t->last = g_new0(struct ovni_tasks_last, 1);
    t->tasks = g_hash_table_new_full(hash_pair_of, hash_pair_equal, g_free, NULL);
    t->entries = g_hash_table_new_full(hash_pair_of, hash_pair_equal, free_entry, NULL);
    t->labels = g_hash_table_new_full(hash_pair_of, hash_pair_equal, g_free, g_free);
    hash_map_init(&t->streams);
    t->lanes = g_ptr_array_new_with_free_func(free_lane);
    t->late = g_array_new(FALSE, FALSE, sizeof(ovni_task_late));
    return t;
}

void ovni_tasks_free(ovni_tasks *t)
{
    if (!t)
        return;
    g_free(t->last);
    g_free(t->spare);
    hash_map_clear(&t->streams);
    g_ptr_array_unref(t->lanes);
    g_array_free(t->late, TRUE);
    g_hash_table_destroy(t->tasks);
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
static ovni_task ovni_tasks_parse(const ovni_event *event, const cursor *bytes, ovni_value *label)
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

static key ovni_tasks_own_key_of(uint32_t process, const ovni_event *event, uint32_t id, uint32_t body)
{
    return (key){process, id, body, (uint8_t)event->mcv[0]};
}

/* Both begin with their key. */
static void *find_in(GHashTable *all, void *last[LAST_TASKS], const key *k)
{
    void **known = &last[k->id % LAST_TASKS];
    if (*known && memcmp(*known, k, sizeof *k) == 0)
        return *known;
    void *found = g_hash_table_lookup(all, k);
    if (found)
        *known = found;
    return found;
}

static identity *ovni_tasks_find(const ovni_tasks *t, key k)
{
    return find_in(t->tasks, t->last->task, &k);
}

static entry *ovni_tasks_find_body(const ovni_tasks *t, key k)
{
    return find_in(t->entries, t->last->body, &k);
}

static identity *ovni_tasks_make(ovni_tasks *t, key k)
{
    identity *task = ovni_tasks_find(t, k);
    if (!task) {
        task = g_new0(identity, 1);
        task->key = k;
        t->naming++;
        g_hash_table_add(t->tasks, task);
    }
    return task;
}

static entry *ovni_tasks_make_body(ovni_tasks *t, key k)
{
    entry *e = ovni_tasks_find_body(t, k);
    if (!e) {
        e = g_new0(entry, 1);
        e->key = k;
        g_hash_table_add(t->entries, e);
    }
    if (!e->open) {
        e->open = t->spare ? g_steal_pointer(&t->spare) : g_new(open_run, 1);
        *e->open = (open_run){0};
    }
    return e;
}

/* --- threads, and the kernel's context switches -------------------------------------------------------------------------
 */

static lane *lane_of(ovni_tasks *t, uint32_t stream)
{
    const uint32_t known = hash_map_find(&t->streams, stream);
    if (known)
        return g_ptr_array_index(t->lanes, known - 1);
    lane *l = g_new0(lane, 1);
    l->past = g_array_new(FALSE, FALSE, sizeof(period));
    hash_map_add(&t->streams, stream);
    g_ptr_array_add(t->lanes, l);
    return l;
}

/* How long a thread was running between two clocks. */
static uint64_t ran(const ovni_thread *thread, uint64_t from, uint64_t to)
{
    const uint64_t before = ovni_thread_ran(thread, from), after = ovni_thread_ran(thread, to);
    return to > from && after > before ? after - before : 0;
}

/* The run that a frame belongs to: the last one begun by then, or else the first. */
static run *ovni_tasks_run_at(entry *e, uint32_t frame)
{
    if (!e->earlier || e->last.begun <= frame)
        return &e->last;
    size_t begun = BINARY_SEARCH(e->earlier->len, i, g_array_index(e->earlier, run, i).begun <= frame);
    return &g_array_index(e->earlier, run, begun ? begun - 1 : 0);
}

/* `frame`: where the run has ended; 0: unknown. */
static void note_late(ovni_tasks *t, uint32_t frame, uint64_t off)
{
    ovni_task_late *last = t->late->len ? &g_array_index(t->late, ovni_task_late, t->late->len - 1) : NULL;
    if (last && last->ended == frame)
        last->off += off;
    else
        g_array_append_vals(t->late, &(ovni_task_late){off, frame}, 1);
}

/* Part of a run turns out to have been without a CPU. */
static void correct(ovni_tasks *t, const period *p, uint64_t off)
{
    run *of = ovni_tasks_run_at(p->of, p->begun);
    const bool kept = of->begun == p->begun;
    if (!off)
        return;
    if (kept)
        of->off += off;
    if (!kept || of->ended)
        note_late(t, kept ? of->ended : p->ended, off);
}

/* What runs now counts from its beginning only. */
static bool ovni_tasks_count_running(lane *l, const ovni_thread *thread, uint64_t from, uint64_t to)
{
    unsigned looked = 0;
    for (GList *link = l->running.tail; link && ((entry *)link->data)->open->since.clock > from;
         link = link->prev, looked++) {
        moment *since = &((entry *)link->data)->open->since;
        if (looked == PAST)
            return false;
        since->off += ran(thread, from, MIN(since->clock, to));
    }
    return true;
}

/* Clocks before and after damage cannot be compared. */
static void begin_past(lane *l, uint32_t losses)
{
    if (l->past_losses != losses)
        g_array_set_size(l->past, 0);
    l->past_losses = losses;
}

/* Between two clocks the thread was without a CPU. Most of what it ran then may have ended: nOS-V records context switches
 * later, in a sort region. */
static void count_off(ovni_tasks *t, lane *l, const ovni_thread *thread, uint64_t from, uint64_t to)
{
    if (to <= from)
        return;
    l->off += ran(thread, from, to);
    begin_past(l, thread->losses);
    bool known = from >= MAX(l->past_from, thread->turns_from) && ovni_tasks_count_running(l, thread, from, to);
    for (guint i = l->past->len; i > 0 && g_array_index(l->past, period, i - 1).to > from; i--) {
        const period *p = &g_array_index(l->past, period, i - 1);
        correct(t, p, ran(thread, MAX(from, p->from), MIN(to, p->to)));
    }
    if (!known)
        note_late(t, 0, 0);
}

/* To be called before a run begins, pauses or ends: the thread may be without a CPU, then the rest is of what follows. */
static void count_off_until(ovni_tasks *t, lane *l, const ovni_thread *thread, uint64_t clock)
{
    if (!l->out || l->out_losses != thread->losses || clock <= l->out_since)
        return;
    count_off(t, l, thread, l->out_since, clock);
    l->out_since = clock;
}

void ovni_tasks_switch(ovni_tasks *t, const ovni_event *event, const cursor *bytes, uint32_t stream,
                       const ovni_thread *thread)
{
    lane *l = lane_of(t, stream);
    const bool out = event->role == OVNI_PUSH;
    const uint64_t clock = ovni_event_clock(bytes);
    if (out && (!l->out || l->out_losses != thread->losses)) {
        l->out_since = clock;
        l->out_losses = thread->losses;
    } else if (!out) {
        count_off_until(t, l, thread, clock);
    }
    l->out = out;
    l->switched = true;
}

const GArray *ovni_tasks_late(const ovni_tasks *t)
{
    return t->late;
}

/* --- a task's life ----------------------------------------------------------------------------------------------------- */

static moment moment_of(const lane *l, const ovni_thread *thread, uint32_t stream, uint64_t clock)
{
    const bool out = l->out && l->out_losses == thread->losses;
    return (moment){.clock = clock,
                    .away = ovni_thread_paused(thread, OVNI_TRACK_RUNNING, clock),
                    .off = l->off + (out ? ran(thread, l->out_since, clock) : 0),
                    .stream = stream,
                    .losses = thread->losses,
                    .switched = l->switched};
}

/* Adds the time between two moments without that in which the thread was away. UNTIMED if they are of different threads. */
static void ovni_tasks_add_time(uint64_t *sum, const moment *since, const moment *now)
{
    uint64_t time = now->clock - since->clock, away = now->away >= since->away ? now->away - since->away : 0;
    if (since->stream != now->stream || *sum == UNTIMED)
        *sum = UNTIMED;
    else if (now->clock >= since->clock)
        *sum += time - MIN(away, time);
}

/* Ends the self time: a task starts inside, or the run pauses or ends. */
static void stop_own(entry *e, const moment *now)
{
    if (e->open->runs_in && e->open->own.clock)
        ovni_tasks_add_time(&e->last.own, &e->open->own, now);
    e->open->own.clock = 0;
}

/* Adds the time since the run has started or gone on. */
static void add_period(entry *e, const moment *now)
{
    const moment *since = &e->open->since;
    bool damaged = now->stream == since->stream && now->losses != since->losses;
    stop_own(e, now);
    if (e->open->runs_in && (damaged || now->clock < since->clock)) {
        e->last.running = UNTIMED;
    } else if (e->open->runs_in && e->last.running != UNTIMED) {
        e->last.running += now->clock - since->clock;
        ovni_tasks_add_time(&e->last.active, since, now);
        e->last.off += now->off - MIN(now->off, since->off);
        e->last.unswitched |= !now->switched;
    }
}

/* Keeps a period for context switches that come later. */
static void keep_period(entry *e, uint32_t ended, const moment *now)
{
    lane *l = e->open->runs_in;
    const period p = {e, e->open->since.clock, now->clock, e->last.begun, ended};
    if (e->last.running == UNTIMED || e->open->since.stream != now->stream)
        return;
    begin_past(l, now->losses);
    if (l->past->len == 2 * PAST) {
        l->past_from = g_array_index(l->past, period, PAST - 1).to;
        g_array_remove_range(l->past, 0, PAST);
    }
    g_array_append_val(l->past, p);
}

static void leave_lane(entry *e)
{
    if (e->open->runs_in)
        g_queue_unlink(&e->open->runs_in->running, &e->open->running);
    e->open->runs_in = NULL;
}

/* `ended`: the frame that ends the run; 0: it pauses. */
static void stop_running(entry *e, uint32_t ended, const moment *now)
{
    add_period(e, now);
    e->last.ended = ended;
    if (e->open->runs_in)
        keep_period(e, ended, now);
    leave_lane(e);
}

static void start_running(lane *l, entry *e, const moment *now)
{
    leave_lane(e);
    e->open->runs_in = l;
    e->open->running.data = e;
    g_queue_push_tail_link(&l->running, &e->open->running);
    e->open->since = e->open->own = *now;
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

/* --- tasks inside others ----------------------------------------------------------------------------------------------- */

static GQueue *nest_of(lane *l, uint32_t model)
{
    return &l->nests[ovni_model_number((char)model)];
}

static void ovni_tasks_own_leave(entry *e)
{
    if (e->open->nest)
        g_queue_unlink(e->open->nest, &e->open->inside);
    e->open->nest = NULL;
}

/* Before a run begins: the self time of the one around it ends. */
static void ovni_tasks_enter(lane *l, entry *e, const moment *now)
{
    GQueue *nest = nest_of(l, e->key.model);
    entry *around = g_queue_peek_tail(nest);
    if (around)
        stop_own(around, now);
    ovni_tasks_own_leave(e);
    e->open->nest = nest;
    e->open->inside.data = e;
    g_queue_push_tail_link(nest, &e->open->inside);
}

/* After a run has ended: the one around it in this thread goes on, unless it is paused. */
static void resume_around(lane *l, uint32_t model, const moment *now)
{
    entry *around = g_queue_peek_tail(nest_of(l, model));
    if (around && around->open->runs_in && !around->open->own.clock)
        around->open->own = *now;
}

static void create(ovni_tasks *t, key k, uint32_t frame, uint32_t type)
{
    identity *task = ovni_tasks_make(t, k);
    if (task->created)
        return;
    task->created = frame;
    task->type = type;
    t->naming++;
}

static void live(ovni_tasks *t, lane *l, uint32_t process, uint32_t frame, const ovni_event *event, const ovni_task *what,
                 const moment *now)
{
    char does = event->mcv[2];
    if (what->has_type) {
        create(t, ovni_tasks_own_key_of(process, event, what->id, 0), frame, what->type);
        return;
    }
    key k = ovni_tasks_own_key_of(process, event, what->id, what->body);
    entry *e = does == 'x' ? ovni_tasks_make_body(t, k) : ovni_tasks_find_body(t, k);
    if (!e || (!e->last.begun && does != 'x') || (e->last.ended && does != 'x'))
        return;
    if (does == 'x') {
        ovni_tasks_enter(l, e, now);
        begin_run(t, e, frame);
        start_running(l, e, now);
    } else if (does == 'r' && !e->open->runs_in) {
        start_running(l, e, now);
    } else if (does == 'p' || does == 'e') {
        stop_running(e, does == 'e' ? frame : 0, now);
        if (does == 'e') {
            ovni_tasks_own_leave(e);
            resume_around(l, k.model, now);
            g_free(t->spare);
            t->spare = g_steal_pointer(&e->open);
        }
    }
}

/* A type without a label is named as by ovniemu. */
static void ovni_tasks_own_name_type(ovni_tasks *t, key k, const cursor *bytes, const ovni_value *label)
{
    if (g_hash_table_contains(t->labels, &k))
        return;
    const char *begin = (const char *)bytes->data + label->offset;
    char *text = label->width && *begin ? text_show(begin, (ptrdiff_t)label->width)
                                        : g_strdup_printf("(unlabeled task type %u)", k.id);
    g_hash_table_insert(t->labels, g_memdup2(&k, sizeof k), text);
    t->naming++;
}

/* --- looking up ------------------------------------------------------------------------------------------------------ */

bool ovni_tasks_type(const ovni_tasks *t, uint32_t process, char model, uint32_t id, uint32_t *type)
{
    const identity *task = ovni_tasks_find(t, (key){process, id, 0, (uint8_t)model});
    if (task)
        *type = task->type;
    return task != NULL;
}

uint32_t ovni_tasks_naming(const ovni_tasks *t)
{
    return t->naming;
}

const char *ovni_tasks_label(const ovni_tasks *t, uint32_t process, char model, uint32_t type)
{
    key k = {process, type, 0, (uint8_t)model};
    return g_hash_table_lookup(t->labels, &k);
}

/* Copies what is known about a run. Times are those of the whole run, so there are none before it has ended. */
static void copy_run(const run *r, ovni_task *task)
{
    task->begun = r->begun;
    task->ended = r->ended;
    task->timed = r->ended && r->running != UNTIMED;
    task->has_active = task->timed && r->active != UNTIMED && r->own != UNTIMED;
    task->has_on_cpu = task->has_active && (!r->unswitched || r->off);
    task->running = task->timed ? r->running : 0;
    task->active = task->has_active ? r->active : 0;
    task->own = task->has_active ? r->own : 0;
    task->on_cpu = task->has_on_cpu ? r->active - MIN(r->off, r->active) : 0;
}

/* Adds what is known, as of a frame, about what an event names. Returns whether it names anything. */
static bool complete(const ovni_tasks *t, uint32_t process, uint32_t frame, const ovni_event *event, ovni_task *task)
{
    if (task->has_id) {
        const identity *own = ovni_tasks_find(t, ovni_tasks_own_key_of(process, event, task->id, 0));
        entry *body = ovni_tasks_find_body(t, ovni_tasks_own_key_of(process, event, task->id, task->body));
        if (own && !task->has_type) {
            task->has_type = true;
            task->type = own->type;
        }
        if (own)
            task->created = own->created;
        if (body && body->last.begun) {
            const run *r = ovni_tasks_run_at(body, frame);
            copy_run(r, task);
        }
    }
    if (task->has_type)
        task->label = ovni_tasks_label(t, process, event->mcv[0], task->type);
    return task->has_id || task->has_type;
}

bool ovni_tasks_at(const ovni_tasks *t, uint32_t process, uint32_t frame, const ovni_event *event, const cursor *bytes,
                   ovni_task *task)
{
    ovni_value label;
    *task = ovni_tasks_parse(event, bytes, &label);
    return complete(t, process, frame, event, task);
}

/* --- visiting ---------------------------------------------------------------------------------------------------------- */

bool ovni_tasks_visit(ovni_tasks *t, uint32_t frame, const ovni_event *event, const cursor *bytes, uint32_t stream,
                      const ovni_thread *thread, ovni_task *task)
{
    const uint32_t process = thread->process;
    ovni_value label = {0};
    *task = ovni_tasks_parse(event, bytes, &label);
    if (task->has_type && label.type == OVNI_STR)
        ovni_tasks_own_name_type(t, ovni_tasks_own_key_of(process, event, task->type, 0), bytes, &label);
    if (task->has_id) {
        lane *l = lane_of(t, stream);
        count_off_until(t, l, thread, ovni_event_clock(bytes));
        const moment now = moment_of(l, thread, stream, ovni_event_clock(bytes));
        live(t, l, process, frame, event, task, &now);
    }
    return complete(t, process, frame, event, task);
}

/* --- the end ----------------------------------------------------------------------------------------------------------- */

static int compare_begun(gconstpointer a, gconstpointer b)
{
    const entry *x = *(const entry *const *)a, *y = *(const entry *const *)b;
    return (x->last.begun > y->last.begun) - (x->last.begun < y->last.begun);
}

static void ovni_tasks_give_open(const ovni_tasks *t, const entry *open, const ovni_thread *thread, uint64_t clock,
                                 ovni_tasks_visitor visitor, void *data)
{
    open_run until_now = *open->open;
    entry e = *open;
    e.open = &until_now;
    ovni_task task = {.has_id = true, .has_body = e.key.body != 0, .id = e.key.id, .body = e.key.body};
    const uint32_t known = hash_map_find(&t->streams, e.open->since.stream);
    const lane *l = known ? g_ptr_array_index(t->lanes, known - 1) : NULL;
    const moment now = moment_of(l, thread, e.open->since.stream, clock);
    add_period(&e, &now);
    e.last.ended = UINT32_MAX; /* any value but 0 */
    copy_run(&e.last, &task);
    task.ended = 0;
    task.has_type = ovni_tasks_type(t, e.key.process, (char)e.key.model, e.key.id, &task.type);
    if (task.has_type)
        task.label = ovni_tasks_label(t, e.key.process, (char)e.key.model, task.type);
    if (task.timed)
        visitor(data, e.open->since.stream, (char)e.key.model, &task);
}

void ovni_tasks_each_open(const ovni_tasks *t, ovni_tasks_thread thread_of, const void *of, ovni_tasks_visitor visitor,
                          void *data)
{
    GHashTableIter all;
    gpointer p;
    g_autoptr(GPtrArray) open = g_ptr_array_new();
    g_hash_table_iter_init(&all, t->entries);
    while (g_hash_table_iter_next(&all, &p, NULL))
        if (((entry *)p)->last.begun && !((entry *)p)->last.ended)
            g_ptr_array_add(open, p);
    g_ptr_array_sort(open, compare_begun);
    for (guint i = 0; i < open->len; i++) {
        const entry *e = g_ptr_array_index(open, i);
        uint64_t clock;
        const ovni_thread *thread = thread_of(of, e->open->since.stream, &clock);
        if (thread)
            ovni_tasks_give_open(t, e, thread, clock, visitor, data);
    }
}

const char *ovni_task_type_words(const ovni_task *task, bool labels_missing, char *text, size_t size)
{
    if (task->label)
        return task->label;
    if (!task->has_type)
        return "(type not known)";
    snprintf(text, size, "type %u%s", task->type, labels_missing ? " (label unknown)" : "");
    return text;
}
