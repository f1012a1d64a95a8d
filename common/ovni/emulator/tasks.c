/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tasks as ovniemu sees them: a task has a body, a parallel one several; the bodies of a thread nest. */
#include "ovni/emulator/emulator.h"
#include "ovni/emulator/model.h"

#include <inttypes.h>
#include <string.h>

#include "containers/hash.h"

typedef enum { BODY_CREATED, BODY_RUNNING, BODY_PAUSED, BODY_DEAD } body_state;
static const char *const body_words[] = {"not started", "running", "paused", "dead"};

/* Keys are process and model, id and body; body 0 is the task itself. */
typedef struct {
    hash_pair key; /* first: the table is keyed by it */
    char *label;
    uint32_t id, number; /* of the process, and Paraver's */
    char model;
} task_type;

typedef struct task_body {
    hash_pair key;
    struct task_body *only; /* of the task itself: its first body, which most have alone */
    const emulated_process *process;
    uint32_t id, body;
    const task_type *type;
    bool parallel, again, pauses, nests;
    body_state state;
    GQueue *nest; /* of the thread that runs it; NULL: none does */
    GList inside; /* in `nest` */
} task_body;

static hash_pair ovni_tasks_key_of(const emulated_process *p, char model, uint32_t id, uint32_t body)
{
    return (hash_pair){(uint64_t)(uintptr_t)p ^ (uint64_t)(uint8_t)model << 56, (uint64_t)id << 32 | body};
}

static void ovni_tasks_free_type(gpointer p)
{
    g_free(((task_type *)p)->label);
    g_free(p);
}

void emulator_tasks_init(ovni_emulator *e)
{
    e->tasks = g_hash_table_new_full(hash_pair_of, hash_pair_equal, g_free, NULL);
    e->types = g_hash_table_new_full(hash_pair_of, hash_pair_equal, ovni_tasks_free_type, NULL);
    e->type_labels = g_hash_table_new_full(hash_pair_of, hash_pair_equal, g_free, NULL);
    e->type_order = g_ptr_array_new();
}

void emulator_tasks_clear(ovni_emulator *e)
{
    g_hash_table_destroy(e->tasks);
    g_hash_table_destroy(e->type_labels);
    g_hash_table_destroy(e->types);
    g_ptr_array_free(e->type_order, TRUE);
}

static task_type *find_type(const ovni_emulator *e, const emulated_process *p, char model, uint32_t id)
{
    hash_pair key = ovni_tasks_key_of(p, model, id, 0);
    return g_hash_table_lookup(e->types, &key);
}

static task_body *find_body(const ovni_emulator *e, const emulated_process *p, char model, uint32_t id, uint32_t body)
{
    hash_pair key = ovni_tasks_key_of(p, model, id, body);
    return g_hash_table_lookup(e->tasks, &key);
}

/* --- types and creation -------------------------------------------------------------------------------------------- */

/* Paraver shows types by a number that is computed from the label. */
static void number_type(ovni_emulator *e, task_type *type)
{
    type->number = ovni_label_number(type->label);
    hash_pair key = {(uint8_t)type->model, type->number};
    const char *other = g_hash_table_lookup(e->type_labels, &key);
    if (!other)
        g_hash_table_insert(e->type_labels, g_memdup2(&key, sizeof key), type->label);
    else if (strcmp(other, type->label) != 0)
        emulator_report(e, OVNI_LINT_TYPE, "the labels %s and %s have the same number in Paraver", other, type->label);
}

static void ovni_tasks_name_type(ovni_emulator *e, emulated_thread *t, char model, const cursor *bytes)
{
    uint64_t size = ovni_declared_payload(bytes);
    if (!(cursor_u8(bytes, 0) & OVNI_FLAG_JUMBO) || size < 4 || OVNI_JUMBO_SIZE + size > bytes->length) {
        emulator_report(e, OVNI_LINT_TYPE, "the name of a type must be a jumbo event");
        return;
    }
    uint32_t id = cursor_u32(bytes, OVNI_JUMBO_SIZE);
    const char *label = (const char *)bytes->data + OVNI_JUMBO_SIZE + 4;
    size_t length = strnlen(label, (size_t)size - 4);
    if (id == 0 || find_type(e, t->process, model, id)) {
        emulator_report(e, OVNI_LINT_TYPE, id ? "task type %u is named twice" : "a task type has the number %u", id);
        return;
    }
    task_type *type = g_new0(task_type, 1);
    type->key = ovni_tasks_key_of(t->process, model, id, 0);
    type->label = length ? g_strndup(label, length) : g_strdup_printf("(unlabeled task type %u)", id);
    type->id = id;
    type->model = model;
    number_type(e, type);
    if (strlen(type->label) >= EMULATOR_LABEL_MAX)
        emulator_report(e, OVNI_LINT_TYPE, "the label of task type %u has more than %d bytes", id, EMULATOR_LABEL_MAX - 1);
    g_hash_table_add(e->types, type);
    g_ptr_array_add(e->type_order, type);
}

static task_body *add_body(ovni_emulator *e, const emulated_process *p, char model, const task_body *like, uint32_t body)
{
    task_body *b = g_memdup2(like, sizeof *like);
    b->key = ovni_tasks_key_of(p, model, like->id, body);
    b->body = body;
    b->process = p;
    b->only = NULL;
    g_hash_table_add(e->tasks, b);
    return b;
}

static void create(ovni_emulator *e, emulated_thread *t, char model, bool parallel, const cursor *bytes)
{
    uint32_t id = cursor_u32(bytes, EMULATOR_PAYLOAD), type_id = cursor_u32(bytes, EMULATOR_PAYLOAD + 4);
    const task_type *type = find_type(e, t->process, model, type_id);
    if (model == 'P' && (id == 0 || type_id == 0))
        emulator_report(e, OVNI_LINT_TASK, "a task or its type has the number 0");
    if (find_body(e, t->process, model, id, 0)) {
        emulator_report(e, OVNI_LINT_TASK, "task %u is created twice", id);
        return;
    }
    if (!type) {
        emulator_report(e, OVNI_LINT_TYPE, "task %u is of type %u, which has no name yet", id, type_id);
        return;
    }
    task_body like = {.id = id, .type = type, .parallel = parallel};
    like.again = model == 'P' || (model == 'V' && !parallel);
    like.pauses = model == '6' || (model == 'V' && !parallel);
    like.nests = model == '6' || model == 'P';
    add_body(e, t->process, model, &like, 0);
}

/* --- running ------------------------------------------------------------------------------------------------------- */

static GQueue *ovni_tasks_nest_of(emulated_thread *t, char model)
{
    return &t->bodies[model == 'V' ? 0 : model == '6' ? 1 : 2];
}

static task_body *running(GQueue *nest)
{
    task_body *top = g_queue_peek_tail(nest);
    return top && top->state == BODY_RUNNING ? top : NULL;
}

static void ovni_tasks_leave(task_body *b)
{
    if (b->nest)
        g_queue_unlink(b->nest, &b->inside);
    b->nest = NULL;
}

static void ovni_tasks_start(ovni_emulator *e, GQueue *nest, task_body *b)
{
    const task_body *around = running(nest);
    if (b->state == BODY_DEAD && !b->again)
        emulator_report(e, OVNI_LINT_TASK, "task %u may not run again", b->id);
    else if (b->state == BODY_RUNNING || b->state == BODY_PAUSED)
        emulator_report(e, OVNI_LINT_TASK, "task %u starts, but it is %s", b->id, body_words[b->state]);
    else if (around && !around->nests)
        emulator_report(e, OVNI_LINT_TASK, "task %u starts over task %u, which is running", b->id, around->id);
    ovni_tasks_leave(b);
    b->nest = nest;
    b->inside.data = b;
    b->state = BODY_RUNNING;
    g_queue_push_tail_link(nest, &b->inside);
}

static void step(ovni_emulator *e, const GQueue *nest, task_body *b, char does)
{
    body_state from = does == 'r' ? BODY_PAUSED : BODY_RUNNING;
    const char *words = does == 'r' ? "goes on" : does == 'p' ? "pauses" : "ends";
    if (does == 'p' && !b->pauses)
        emulator_report(e, OVNI_LINT_TASK, "task %u pauses, but may not", b->id);
    if (b->state != from)
        emulator_report(e, OVNI_LINT_TASK, "task %u %s, but it is %s", b->id, words, body_words[b->state]);
    else if (b->nest != nest)
        emulator_report(e, OVNI_LINT_TASK, "task %u %s in a thread that does not run it", b->id, words);
    else if (nest->tail != &b->inside)
        emulator_report(e, OVNI_LINT_TASK, "task %u %s, but another one runs inside", b->id, words);
    b->state = does == 'r' ? BODY_RUNNING : does == 'p' ? BODY_PAUSED : BODY_DEAD;
    if (does == 'e')
        ovni_tasks_leave(b);
}

/* What a thread shows of the task that runs, or of none. */
static void ovni_tasks_show_task(ovni_emulator *e, emulated_thread *t, char model, const task_body *b)
{
    const int64_t body = b ? b->body : 0, id = b ? b->id : 0, type = b ? b->type->number : 0, app = t->process->app,
                  rank = (int64_t)t->process->rank + 1;
    bool nosv = model == 'V';
    if (b && id == 0)
        emulator_report(e, OVNI_LINT_TASK, "a task has the number 0");
    if (nosv)
        emulator_set(e, t, OVNI_CH_NOSV_BODY, b ? &body : NULL);
    emulator_set(e, t, nosv ? OVNI_CH_NOSV_TASK : OVNI_CH_NANOS6_TASK, b ? &id : NULL);
    emulator_set(e, t, nosv ? OVNI_CH_NOSV_TYPE : OVNI_CH_NANOS6_TYPE, b ? &type : NULL);
    if (nosv)
        emulator_set(e, t, OVNI_CH_NOSV_APP, b ? &app : NULL);
    if (t->process->rank >= 0)
        emulator_set(e, t, nosv ? OVNI_CH_NOSV_RANK : OVNI_CH_NANOS6_RANK, b ? &rank : NULL);
}

static void show_subsystem(ovni_emulator *e, emulated_thread *t, char model, char does)
{
    uint32_t channel = model == 'V' ? OVNI_CH_NOSV_SUBSYSTEM : OVNI_CH_NANOS6_SUBSYSTEM;
    int64_t body = model == 'V' ? OVNI_NOSV_IN_BODY : OVNI_NANOS6_IN_BODY;
    if (does == 'x')
        emulator_push(e, t, channel, body);
    else if (does == 'e')
        emulator_pop(e, t, channel, body);
}

/* OpenMP shows tasks on stacks. */
static void show_openmp(ovni_emulator *e, emulated_thread *t, const task_body *b, char does)
{
    bool (*change)(ovni_emulator *, emulated_thread *, uint32_t, int64_t) = does == 'x' ? emulator_push : emulator_pop;
    change(e, t, OVNI_CH_OPENMP_TASK, b->id);
    change(e, t, OVNI_CH_OPENMP_LABEL, b->type->number);
}

/* The body that an event means; NULL if it cannot. */
static task_body *body_of(ovni_emulator *e, emulated_thread *t, char model, char does, const cursor *bytes)
{
    uint32_t id = cursor_u32(bytes, EMULATOR_PAYLOAD), body = 1;
    task_body *inside = g_queue_peek_tail(ovni_tasks_nest_of(t, model)); /* whom most events mean */
    if (inside && does != 'x' && inside->id == id && !inside->parallel && inside->process == t->process &&
        (model != 'V' || cursor_u32(bytes, EMULATOR_PAYLOAD + 4) == 0))
        return inside;
    task_body *task = find_body(e, t->process, model, id, 0);
    if (!task) {
        emulator_report(e, OVNI_LINT_TASK, "task %u was never created", id);
        return NULL;
    }
    if (model == 'V') {
        uint32_t given = cursor_u32(bytes, EMULATOR_PAYLOAD + 4);
        if ((given == 0) == task->parallel)
            emulator_report(e, OVNI_LINT_TASK, "body %u of task %u, which is %sparallel", given, id,
                            task->parallel ? "" : "not ");
        body = given ? given : 1;
    }
    task_body *b = body == 1 ? task->only : find_body(e, t->process, model, id, body);
    if (!b && does == 'x' && body == 1)
        b = task->only = add_body(e, t->process, model, task, body);
    else if (!b && does == 'x')
        b = add_body(e, t->process, model, task, body);
    else if (!b)
        emulator_report(e, OVNI_LINT_TASK, "task %u was never started", id);
    return b;
}

static void run(ovni_emulator *e, emulated_thread *t, char model, char does, const cursor *bytes)
{
    task_body *b = body_of(e, t, model, does, bytes);
    GQueue *nest = ovni_tasks_nest_of(t, model);
    const task_body *before = running(nest);
    if (!b)
        return;
    if (does == 'x')
        ovni_tasks_start(e, nest, b);
    else
        step(e, nest, b, does);
    if (model == 'P') {
        show_openmp(e, t, b, does);
        return;
    }
    const task_body *now = running(nest);
    show_subsystem(e, t, model, does);
    if (before != now)
        ovni_tasks_show_task(e, t, model, now);
}

/* Begin or end of a worksharing of OpenMP. */
static void share_work(ovni_emulator *e, emulated_thread *t, char does, const cursor *bytes)
{
    uint32_t id = cursor_u32(bytes, EMULATOR_PAYLOAD);
    const task_type *type = find_type(e, t->process, 'P', id);
    if (!type)
        emulator_report(e, OVNI_LINT_TYPE, "worksharing of type %u, which has no name yet", id);
    else if (does == 'x')
        emulator_push(e, t, OVNI_CH_OPENMP_LABEL, type->number);
    else
        emulator_pop(e, t, OVNI_CH_OPENMP_LABEL, type->number);
}

void emulator_task(ovni_emulator *e, emulated_thread *t, const ovni_event *event, const cursor *bytes)
{
    const char model = event->mcv[0], does = event->mcv[2];
    bool shared = model == 'P' && event->mcv[1] == 'Q', named = !shared && event->arguments[0].id == OVNI_TYPEID,
         created = does == 'c' || does == 'C';
    uint64_t size = emulator_payload_size(bytes), least = created || model == 'V' ? 8 : 4;
    if (named) {
        ovni_tasks_name_type(e, t, model, bytes);
        return;
    }
    if (size < least || EMULATOR_PAYLOAD + size > bytes->length || (created && model != 'V' && size != least)) {
        emulator_report(e, OVNI_LINT_EVENT, "the payload has %" PRIu64 " bytes, ovniemu expects %" PRIu64 " bytes", size,
                        least);
        return;
    }
    if (shared)
        share_work(e, t, does, bytes);
    else if (created)
        create(e, t, model, does == 'C', bytes);
    else
        run(e, t, model, does, bytes);
}

void ovni_emulator_each_type(const ovni_emulator *e, char model, ovni_label_visitor label, void *data)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(hash_pointer, NULL);
    for (guint i = 0; i < e->looms->len; i++) {
        const emulated_loom *loom = g_ptr_array_index(e->looms, i);
        for (guint k = 0; k < loom->processes->len; k++)
            for (guint n = 0; n < e->type_order->len; n++) {
                const task_type *type = g_ptr_array_index(e->type_order, n);
                hash_pair key = ovni_tasks_key_of(g_ptr_array_index(loom->processes, k), model, type->id, 0);
                if (type->model == model && hash_pair_equal(&key, &type->key) &&
                    g_hash_table_add(seen, GUINT_TO_POINTER(type->number)))
                    label(data, 0, type->number, type->label);
            }
    }
}

const char *emulator_type_label(const ovni_emulator *e, uint32_t channel, int64_t number)
{
    if (channel != OVNI_CH_NOSV_TYPE && channel != OVNI_CH_NANOS6_TYPE && channel != OVNI_CH_OPENMP_LABEL)
        return NULL;
    const hash_pair key = {(uint8_t)ovni_channels[channel].model, (uint64_t)number};
    return g_hash_table_lookup(e->type_labels, &key);
}
