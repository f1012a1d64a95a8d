/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/states.h"

#include <glib.h>

#include "containers/hash.h"
#include "ovni/events/layout.h"
#include "ovni/metadata.h"

/* What a function number stands for if the row of the event is not enough. Used as a hash_pair key (hash.h), so it must
 * have no padding. */
typedef struct {
    uint32_t row; /* ovni_event_number() of the event that enters the region */
    uint32_t of;  /* type of a mark, or the process of a task or task type */
    uint64_t value;
} meaning;

_Static_assert(sizeof(meaning) == sizeof(hash_pair), "as large as a key");

#define FIRST_MEANING 0x10000u /* smaller numbers are rows */

struct ovni_states {
    calls *calls;
    ovni_threads *threads;
    ovni_tasks *tasks;
    GHashTable *names;   /* names.h */
    GArray *meanings;    /* of meaning */
    GHashTable *numbers; /* meaning -> its number */
    uint64_t last;       /* latest clock of all events, ns, with the offset of the stream */
    unsigned required;   /* models required by metadata, as bits 1 << ovni_model_number() */
};

bool ovni_states_is_event(const record_context *c, const cursor *bytes)
{
    return (c->kind == OVNI_EVENT || c->kind == OVNI_JUMBO) && bytes->length >= OVNI_EVENT_SIZE && !ovni_is_undeclared(c);
}

span ovni_span_of_task(const ovni_task *task)
{
    return (span){.kind = OVNI_SPAN_TASK,
                  .function = task->type,
                  .detail = task,
                  .call = {.begin = task->begun,
                           .end = task->ended,
                           .duration = task->running,
                           .away = task->running - task->active,
                           .self = task->own,
                           .state = CALL_TIMED | CALL_SELF}};
}

bool ovni_known_ended(const ovni_known *k, uint32_t frame, ovni_span_kind kind, span *s)
{
    if (kind == OVNI_SPAN_TASK) {
        if (!k->has_task || k->task.ended != frame || !k->task.timed)
            return false;
        *s = ovni_span_of_task(&k->task);
        return true;
    }
    if (k->has_left && k->left.state & CALL_TIMED)
        *s = (span){.call = k->left, .function = k->previous_function};
    else if (k->has_region && k->region.end == frame && k->region.state & CALL_TIMED)
        *s = (span){.call = k->region, .function = k->function, .nests = true};
    else
        return false;
    return true;
}

bool ovni_known_span(const ovni_known *k, uint32_t frame, uint32_t i, span *s)
{
    const bool state = i <= 1 && ovni_known_ended(k, frame, OVNI_SPAN_STATE, s);
    return (i == 0 && state) || (i == state && ovni_known_ended(k, frame, OVNI_SPAN_TASK, s));
}

bool ovni_known_begins(const ovni_known *k, uint32_t frame, ovni_span_kind kind)
{
    return kind == OVNI_SPAN_TASK ? k->has_task && k->task.begun == frame
                                  : k->has_left || (k->has_region && k->region.begin == frame);
}

ovni_states *ovni_states_new(bool keep)
{
    ovni_states *s = g_new0(ovni_states, 1);
    s->calls = calls_new(keep);
    s->threads = ovni_threads_new(keep);
    s->tasks = ovni_tasks_new(keep);
    s->names = ovni_names_new();
    s->meanings = g_array_new(FALSE, FALSE, sizeof(meaning));
    s->numbers = g_hash_table_new_full(hash_pair_of, hash_pair_equal, g_free, NULL);
    return s;
}

void ovni_states_free(ovni_states *s)
{
    if (!s)
        return;
    calls_free(s->calls);
    ovni_threads_free(s->threads);
    ovni_tasks_free(s->tasks);
    g_hash_table_destroy(s->names);
    g_array_free(s->meanings, TRUE);
    g_hash_table_destroy(s->numbers);
    g_free(s);
}

bool ovni_states_kept(const ovni_states *s)
{
    return calls_kept(s->calls);
}

/* --- threads and names ------------------------------------------------------------------------------------------------- */

void ovni_states_stream(ovni_states *s, const record_context *c, const char *loom)
{
    ovni_threads_of(s->threads, c->stream, ovni_context_of(c), loom);
}

bool ovni_states_stream_known(const ovni_states *s, const record_context *c)
{
    return ovni_threads_find(s->threads, c->stream) != NULL;
}

uint32_t ovni_states_process(const ovni_states *s, uint32_t stream)
{
    const ovni_thread *thread = ovni_threads_find(s->threads, stream);
    return thread ? thread->process : 0;
}

/* Counter names come from the metadata of a thread, which is a stream of its own: process and thread identify both. */
static uint64_t counter_owner(uint32_t process, const record_context *c)
{
    return (uint64_t)process << 32 | (uint32_t)ovni_context_of(c)->thread;
}

typedef struct {
    ovni_states *states;
    uint64_t owner;
} reader;

static void note_name(void *data, const ovni_metadata_item *item)
{
    const reader *r = data;
    GHashTable *names = r->states->names;
    if (item->kind == OVNI_ITEM_REQUIREMENT)
        r->states->required |= 1u << ovni_model_named(item->key);
    else if (item->kind == OVNI_ITEM_MARK_TITLE)
        ovni_names_add(names, OVNI_NAMED_MARK, item->number, 0, item->text);
    else if (item->kind == OVNI_ITEM_MARK_LABEL)
        ovni_names_add(names, OVNI_NAMED_VALUE, item->number, (uint64_t)item->value, item->text);
    else if (item->kind == OVNI_ITEM_COUNTER)
        ovni_names_add(names, OVNI_NAMED_COUNTER, item->number, r->owner, item->text);
}

void ovni_states_metadata(ovni_states *s, const record_context *c, const char *loom, const char *text, size_t length)
{
    reader r = {s, counter_owner(ovni_threads_process(s->threads, ovni_context_of(c), loom), c)};
    ovni_metadata_visit(text, length, note_name, &r);
}

const char *ovni_states_counter(const ovni_states *s, const record_context *c, uint32_t index)
{
    const ovni_thread *thread = ovni_threads_find(s->threads, c->stream);
    return thread ? ovni_names_find(s->names, OVNI_NAMED_COUNTER, index, counter_owner(thread->process, c)) : NULL;
}

/* --- regions ----------------------------------------------------------------------------------------------------------- */

/* Gets the value and type of a mark. False if the event is not a mark or is too short. */
static bool ovni_states_mark_of(const ovni_event *event, const cursor *bytes, int64_t *value, int32_t *type)
{
    ovni_arguments a;
    ovni_value v, t;
    if (!(event->channels & OVNI_MARK) || bytes->length < OVNI_EVENT_SIZE)
        return false;
    ovni_arguments_init(&a, event, bytes);
    if (!ovni_arguments_next(&a, &v) || !ovni_arguments_next(&a, &t))
        return false;
    *value = (int64_t)v.number;
    *type = (int32_t)t.number;
    return true;
}

static uint32_t ovni_states_number_of(ovni_states *s, const meaning *m)
{
    uint32_t number = GPOINTER_TO_UINT(g_hash_table_lookup(s->numbers, m));
    if (number)
        return number;
    number = FIRST_MEANING + s->meanings->len;
    g_array_append_val(s->meanings, *m);
    g_hash_table_insert(s->numbers, g_memdup2(m, sizeof *m), GUINT_TO_POINTER(number));
    return number;
}

/* NULL if the row of the event is enough. */
static const meaning *meaning_of(const ovni_states *s, uint32_t function)
{
    const bool is_one = function >= FIRST_MEANING && function - FIRST_MEANING < s->meanings->len;
    return is_one ? &g_array_index(s->meanings, meaning, function - FIRST_MEANING) : NULL;
}

/* The row of the event that enters the region. */
static const ovni_event *opening_of(const record_context *c, const ovni_event *event, const cursor *bytes)
{
    if (event->role == OVNI_PUSH)
        return event;
    return ovni_event_find((ovni_era)ovni_context_of(c)->era, event->pair, ovni_declared_payload(bytes));
}

/* The channel of the region's stack: if the event has a task channel and another one, the other one. */
static uint32_t channel_number(const ovni_event *event)
{
    uint16_t channels = event->channels;
    if (channels & ~OVNI_TASK)
        channels &= (uint16_t)~OVNI_TASK;
    return channels ? 1 + (uint32_t)__builtin_ctz(channels) : 0;
}

/* The lower half of a stack's key, from the top: a bit for values that are set, the model, the channel, and the type of a
 * mark. Types of marks are below 100. Types in damaged events may collide and share a stack, but never a function number. */
enum { MODEL_BITS = 4, CHANNEL_BITS = 4, TYPE_BITS = 31 - MODEL_BITS - CHANNEL_BITS };
_Static_assert(OVNI_MODEL_COUNT <= 1 << MODEL_BITS, "each model has a number of its own");
_Static_assert(OVNI_CHANNELS < 1 << CHANNEL_BITS, "each channel has a number of its own");

static uint32_t stack_number(const ovni_event *event, int32_t type)
{
    uint32_t set = event->role == OVNI_SET, model = ovni_model_number(event->mcv[0]);
    return set << 31 | model << (CHANNEL_BITS + TYPE_BITS) | channel_number(event) << TYPE_BITS |
           ((uint32_t)type & ((1u << TYPE_BITS) - 1));
}

const char *ovni_states_stack_words(uint64_t stack, char *text, size_t size)
{
    static const char *const words[1 << CHANNEL_BITS] = {
        "states", "CPU",         "thread state", "flushing",  "mark",           "subsystem",  "tasks",
        "idle",   "thread type", "counters",     "functions", "context switch", "task label", "mode"};
    const uint32_t channel = (uint32_t)stack >> TYPE_BITS & ((1u << CHANNEL_BITS) - 1);
    if (channel != 1 + __builtin_ctz(OVNI_MARK))
        return words[channel];
    g_snprintf(text, size, "mark %u%s", (unsigned)(stack & ((1u << TYPE_BITS) - 1)), stack >> 31 & 1 ? "" : ", nested");
    return text;
}

/* Returns whether the event sets a value whose duration is shown. */
static bool sets_value(const ovni_event *event)
{
    return event && event->role == OVNI_SET && event->channels & (OVNI_THREAD_STATE | OVNI_IDLE | OVNI_MARK);
}

/* Finds the stack and function number of an event's region or value. False if it has none. */
static bool ovni_states_settle(ovni_states *s, const record_context *c, uint32_t process, const ovni_event *event,
                               const cursor *bytes, ovni_known *known)
{
    bool set = event->role == OVNI_SET;
    const ovni_event *open = set ? event : opening_of(c, event, bytes);
    int64_t value;
    int32_t type = 0;
    if (!open || (!set && open->role != OVNI_PUSH) || bytes->length < OVNI_EVENT_SIZE)
        return false;
    known->function = ovni_event_number(open);
    if (event->channels & OVNI_MARK) {
        if (!ovni_states_mark_of(event, bytes, &value, &type))
            return false;
        const meaning mark = {known->function, (uint32_t)type, (uint64_t)value};
        known->function = ovni_states_number_of(s, &mark);
    } else if (event->channels & OVNI_TASK_LABEL) {
        uint32_t of = known->task.has_id ? known->task.id : known->task.type;
        if (!known->has_task)
            return false;
        const meaning label = {known->function, process, of};
        known->function = ovni_states_number_of(s, &label);
    }
    known->stack = (uint64_t)c->stream << 32 | stack_number(event, type);
    return true;
}

static bool has_region(const ovni_event *event)
{
    return event && (event->role == OVNI_PUSH || event->role == OVNI_POP);
}

/* Returns whether events may have been lost before this record, or its clock may be wrong. */
static bool is_damaged(const record_context *c, const ovni_event *event, const cursor *bytes)
{
    const char *mcv = ovni_mcv(bytes);
    if (ovni_context_of(c)->known & OVNI_BACKWARDS)
        return true;
    return !event && (!g_ascii_isgraph(mcv[0]) || !g_ascii_isgraph(mcv[1]) || !g_ascii_isgraph(mcv[2]));
}

static void lose(ovni_states *s, const record_context *c, ovni_thread *thread)
{
    thread->losses++;
    calls_lost_all(s->calls, c->stream);
}

/* A duration measured across damage would be a guess. */
static void forget_unsure(call *k)
{
    if (k->state & CALL_UNSURE)
        k->state &= (uint8_t) ~(CALL_TIMED | CALL_SELF);
}

/* When ovniemu shows a state; this time counts as active. */
static ovni_track track_of(const ovni_event *event)
{
    if (event->channels & (OVNI_THREAD_STATE | OVNI_FLUSH | OVNI_THREAD_TYPE | OVNI_CONTEXT_SWITCH) || !event->channels)
        return OVNI_TRACK_ANY;
    return event->channels & (OVNI_IDLE | OVNI_FUNCTION) || event->channels == OVNI_TASK ? OVNI_TRACK_RUNNING
                                                                                         : OVNI_TRACK_ACTIVE;
}

/* Like in ovniemu, a thread is progressing from its start on if any metadata require the model. */
static void begin_progress(ovni_states *s, const record_context *c, const ovni_thread *thread, uint32_t frame,
                           uint64_t clock)
{
    static const char *const codes[] = {"VPp", "6Pp"};
    for (unsigned i = 0; i < G_N_ELEMENTS(codes); i++) {
        const ovni_event *event = ovni_event_find((ovni_era)ovni_context_of(c)->era, codes[i], 0);
        uint64_t stack = (uint64_t)c->stream << 32 | stack_number(event, 0);
        uint32_t held;
        if (!(s->required & 1u << ovni_model_number(codes[i][0])) || calls_open(s->calls, stack, &held))
            continue;
        calls_paused(s->calls, ovni_thread_paused(thread, track_of(event), clock));
        calls_begin_implicit(s->calls, stack, frame, ovni_event_number(event), clock);
    }
}

/* 0 if the record is too short. */
static uint64_t clock_of(const cursor *bytes)
{
    return bytes->length < OVNI_EVENT_SIZE ? 0 : ovni_event_clock(bytes);
}

static void visit_calls(ovni_states *s, const record_context *c, const ovni_thread *thread, uint32_t frame,
                        const ovni_event *event, const cursor *bytes, ovni_known *known)
{
    known->has_region = has_region(event);
    known->has_left = sets_value(event);
    if ((!known->has_region && !known->has_left) || !ovni_states_settle(s, c, thread->process, event, bytes, known)) {
        known->has_region = known->has_left = false;
        return;
    }
    uint64_t clock = ovni_event_clock(bytes);
    if (event->channels & OVNI_THREAD_STATE && event->mcv[2] == 'x' && s->required)
        begin_progress(s, c, thread, frame, clock);
    calls_record(s->calls, frame);
    calls_paused(s->calls, ovni_thread_paused(thread, track_of(event), clock));
    if (known->has_left)
        calls_set(s->calls, known->stack, frame, known->function, clock, true, &known->left, &known->previous_function);
    else if (event->role == OVNI_PUSH)
        calls_begin(s->calls, known->stack, frame, known->function, clock, true, &known->region);
    else
        calls_end(s->calls, known->stack, frame, known->function, clock, true, &known->region);
    forget_unsure(&known->region);
    forget_unsure(&known->left);
}

bool ovni_states_visit(ovni_states *s, const record_context *c, uint32_t frame, const ovni_event *event, const cursor *bytes,
                       ovni_known *known)
{
    *known = (ovni_known){0};
    ovni_thread *thread = ovni_threads_find(s->threads, c->stream);
    if (!thread)
        return false;
    uint64_t clock = clock_of(bytes);
    bool damaged = is_damaged(c, event, bytes);
    s->last = MAX(s->last, clock + (uint64_t)thread->offset);
    if (damaged)
        lose(s, c, thread);
    if (event)
        ovni_threads_visit(s->threads, thread, frame, event, bytes);
    known->thread = ovni_thread_at(thread, frame, clock);
    if (event && event->channels & OVNI_CONTEXT_SWITCH)
        ovni_tasks_switch(s->tasks, event, bytes, c->stream, thread);
    if (event && ovni_is_task_event(event))
        known->has_task = ovni_tasks_visit(s->tasks, frame, event, bytes, c->stream, thread, &known->task);
    visit_calls(s, c, thread, frame, event, bytes, known);
    if (damaged) /* what this event has begun has an unreliable clock */
        lose(s, c, thread);
    return true;
}

void ovni_states_find(ovni_states *s, const record_context *c, uint32_t frame, const ovni_event *event, const cursor *bytes,
                      ovni_known *known)
{
    *known = (ovni_known){0};
    const ovni_thread *thread = ovni_threads_find(s->threads, c->stream);
    if (!thread)
        return;
    uint32_t process = thread->process;
    known->thread = ovni_thread_at(thread, frame, clock_of(bytes));
    if (event && ovni_is_task_event(event))
        known->has_task = ovni_tasks_at(s->tasks, process, frame, event, bytes, &known->task);
    if (has_region(event) && ovni_states_settle(s, c, process, event, bytes, known))
        known->has_region = calls_find(s->calls, frame, &known->region);
    else if (sets_value(event) && ovni_states_settle(s, c, process, event, bytes, known))
        known->has_left = calls_find(s->calls, frame, &known->left);
    if (known->has_left)
        known->previous_function = calls_left(s->calls, frame);
    forget_unsure(&known->region);
    forget_unsure(&known->left);
}

/* --- the end ----------------------------------------------------------------------------------------------------------- */

typedef struct {
    const ovni_states *states;
    ovni_open_visitor visitor;
    void *data;
} ending;

const GArray *ovni_states_late(const ovni_states *s)
{
    return ovni_tasks_late(s->tasks);
}

void ovni_states_pass(ovni_states *s, const record_context *c, const cursor *bytes, int64_t later)
{
    const uint64_t moment = clock_of(bytes) + (uint64_t)ovni_context_of(c)->clock_offset + (uint64_t)later;
    s->last = MAX(s->last, moment);
}

void ovni_states_end(ovni_states *s, uint32_t stream, uint64_t moment)
{
    ovni_thread *thread = ovni_threads_find(s->threads, stream);
    if (!thread)
        return;
    thread->ended = true;
    thread->end = moment;
}

static uint64_t last_clock(const ovni_states *s, const ovni_thread *thread)
{
    return (thread->ended ? thread->end : s->last) - (uint64_t)thread->offset;
}

const ovni_event *ovni_states_event(const ovni_states *s, uint32_t function)
{
    const meaning *m = meaning_of(s, function);
    return ovni_event_numbered(m ? m->row : function);
}

/* A state ends with the thread if only active time counts, otherwise with the trace. */
static bool ovni_states_end_of(void *data, uint64_t stack, uint32_t function, calls_end_at *at)
{
    const ending *e = data;
    const ovni_thread *thread = ovni_threads_find(e->states->threads, (uint32_t)(stack >> 32));
    const ovni_event *event = ovni_states_event(e->states, function);
    if (!thread || !event)
        return false;
    ovni_track track = track_of(event);
    at->ticks = ovni_thread_end(thread, track, last_clock(e->states, thread));
    at->away = ovni_thread_paused(thread, track, at->ticks);
    return true;
}

/* ovni_event_clock() has turned the sign. */
static uint64_t on_trace_clock(const ovni_thread *thread, uint64_t clock)
{
    return (clock + (uint64_t)thread->offset) ^ UINT64_C(1) << 63;
}

static uint64_t begin_of(const ending *e, uint64_t stack, uint32_t function, const call *open)
{
    calls_end_at at = {0};
    ovni_states_end_of((void *)(uintptr_t)e, stack, function, &at);
    return on_trace_clock(ovni_threads_find(e->states->threads, (uint32_t)(stack >> 32)), at.ticks - open->duration);
}

static void ovni_states_give_open(void *data, uint64_t stack, uint32_t function, const call *open)
{
    const ending *e = data;
    span s = {.call = *open, .function = function};
    forget_unsure(&s.call);
    if (!(s.call.state & CALL_TIMED))
        return;
    s.nests = ovni_states_event(e->states, function)->role != OVNI_SET;
    s.detail = &stack;
    s.call.until = begin_of(e, stack, function, &s.call);
    e->visitor(e->data, (uint32_t)(stack >> 32), 0, &s);
}

static const ovni_thread *thread_end(const void *states, uint32_t stream, uint64_t *clock)
{
    const ovni_states *s = states;
    const ovni_thread *thread = ovni_threads_find(s->threads, stream);
    if (thread)
        *clock = ovni_thread_end(thread, OVNI_TRACK_RUNNING, last_clock(s, thread));
    return thread;
}

static void give_open_task(void *data, uint32_t stream, char model, const ovni_task *task)
{
    const ending *e = data;
    uint64_t end = 0;
    span s = ovni_span_of_task(task);
    const ovni_thread *thread = thread_end(e->states, stream, &end);
    if (thread)
        s.call.until = on_trace_clock(thread, end - s.call.duration);
    e->visitor(e->data, stream, model, &s);
}

void ovni_states_each_open(const ovni_states *s, ovni_open_visitor visitor, void *data)
{
    ending e = {s, visitor, data};
    calls_each_open(s->calls, ovni_states_end_of, ovni_states_give_open, &e);
    ovni_tasks_each_open(s->tasks, thread_end, s, give_open_task, &e);
}

unsigned ovni_states_stack(const ovni_states *s, const ovni_known *known, uint32_t functions[CALLS_STACK_MAX],
                           uint32_t *left_out)
{
    return calls_stack(s->calls, known->stack, &known->region, known->function, functions, NULL, left_out);
}

/* --- text -------------------------------------------------------------------------------------------------------------- */

const char *ovni_states_mark_name(const ovni_states *s, ovni_named what, const ovni_event *event, const cursor *bytes)
{
    int64_t value;
    int32_t type;
    if (!ovni_states_mark_of(event, bytes, &value, &type))
        return NULL;
    return ovni_names_find(s->names, what, type, what == OVNI_NAMED_MARK ? 0 : (uint64_t)value);
}

/* The label of a mark's value, or else the value as a number. */
static const char *mark_text(const ovni_states *s, int32_t type, int64_t value, char *text, size_t size)
{
    const char *label = ovni_names_find(s->names, OVNI_NAMED_VALUE, type, (uint64_t)value);
    if (label)
        return label;
    g_snprintf(text, size, "%" G_GINT64_FORMAT, value);
    return text;
}

const char *ovni_states_text(const ovni_states *s, const ovni_known *known, const ovni_event *event, const cursor *bytes,
                             char *text, size_t size)
{
    int64_t value;
    int32_t type;
    if (event->role == OVNI_POINT)
        return NULL;
    if (ovni_states_mark_of(event, bytes, &value, &type))
        return mark_text(s, type, value, text, size);
    if (event->channels & OVNI_TASK_LABEL && known->has_task && known->task.label)
        return known->task.label;
    return event->state;
}

/* The name of a region on the task label channel: the label of the task type. */
static const char *label_text(const ovni_states *s, const meaning *m, const ovni_event *event, char *text, size_t size)
{
    uint32_t type = (uint32_t)m->value;
    bool task = event->arguments[0].id == OVNI_TASKID;
    bool typed = !task || ovni_tasks_type(s->tasks, m->of, event->mcv[0], (uint32_t)m->value, &type);
    const char *label = typed ? ovni_tasks_label(s->tasks, m->of, event->mcv[0], type) : NULL;
    if (label)
        return label;
    g_snprintf(text, size, "%s %u", typed ? "type" : "task", type);
    return text;
}

/* Names of marks and labels of types are only ever added; those of events are fixed. */
uint32_t ovni_states_naming(const ovni_states *s, uint32_t function)
{
    const meaning *m = meaning_of(s, function);
    const ovni_event *event = m ? ovni_event_numbered(m->row) : NULL;
    if (!event)
        return 0;
    return event->channels & OVNI_TASK_LABEL ? ovni_tasks_naming(s->tasks) : g_hash_table_size(s->names);
}

uint64_t ovni_states_active(const ovni_states *s, uint32_t function, const call *k)
{
    const ovni_event *event = meaning_of(s, function) ? NULL : ovni_event_numbered(function);
    return event && strcmp(event->mcv, "OHe") == 0 ? 0 : k->duration - k->away;
}

const char *ovni_states_name(const ovni_states *s, uint32_t function, char *text, size_t size, char *model)
{
    const meaning *m = meaning_of(s, function);
    const ovni_event *event = ovni_event_numbered(m ? m->row : function);
    if (!event)
        return NULL;
    *model = event->mcv[0];
    if (m && event->channels & OVNI_TASK_LABEL)
        return label_text(s, m, event, text, size);
    if (!m)
        return event->state ? event->state : event->mcv;
    char value[32];
    const char *title = ovni_names_find(s->names, OVNI_NAMED_MARK, (int32_t)m->of, 0);
    const char *label = mark_text(s, (int32_t)m->of, (int64_t)m->value, value, sizeof value);
    if (title)
        g_snprintf(text, size, "%s: %s", title, label);
    else
        g_snprintf(text, size, "Mark %d: %s", (int32_t)m->of, label);
    const char *end; /* g_snprintf() may have cut the text within a character */
    if (!g_utf8_validate(text, -1, &end))
        text[end - text] = 0;
    return text;
}
