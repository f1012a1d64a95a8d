/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the events of a trace mean in context: the state and CPU of the thread, the region that an event enters or
 * leaves, its task, and the names of marks and counters. Combines threads.h, tasks.h, names.h and calls.h. Each record is
 * visited once, in order of time; if results are kept, it can be looked up again afterwards.
 *
 * Regions: there is one stack per stream, model and channel; user marks have one per mark type. A region is identified by a
 * number (the `function` of calls.h) that stands for its name. Values that are set and do not nest (thread state, progress,
 * marks with a single value) last until the next one on the same channel. Durations are differences of the clocks in the
 * file, so events from the past in a sort region are measured by their own clocks.
 * The times of regions and values are also known without those in which ovniemu does not show them (`away` of a call):
 * the thread is not running, and for most of them not cooling or warming either.
 * A thread is progressing from its start if the metadata of the trace require the model.
 * If a clock goes back outside a sort region, or a record cannot be an event, the stream is damaged: regions open at that
 * point get no duration.
 * Memory: up to 28 bytes per record with a region or value (calls_state.h), and what threads, tasks and names need. */
#ifndef WIRETRACE_OVNI_STATES_H
#define WIRETRACE_OVNI_STATES_H

#include "analysis/span.h"
#include "ovni/names.h"
#include "ovni/tasks.h"
#include "util/text.h"
#include "ovni/threads.h"

typedef struct ovni_states ovni_states;

/* What is known about an event. */
typedef struct ovni_known {
    bool has_task, has_region;
    bool has_left; /* the event sets a value; `left` is the previous one, from the event that set it to this one */
    ovni_thread_now thread;
    ovni_task task;
    call region;
    call left;
    uint32_t previous_function; /* 0: there was no value before */
    uint32_t function;          /* of the region, or of the value being set */
    uint64_t stack;             /* its key in calls.h */
} ovni_known;

/* Returns whether a record is a complete event. */
bool ovni_states_is_event(const record_context *c, const cursor *bytes);

/* Span `i` that the event in a record ends, if its duration is known; false if there are no more. A nested state ends with
 * an event of its own, a value, which does not nest, when the next one is set. `detail` of a run of a task is its ovni_task.
 */
typedef enum ovni_span_kind { OVNI_SPAN_STATE, OVNI_SPAN_TASK } ovni_span_kind;
bool ovni_known_span(const ovni_known *k, uint32_t frame, uint32_t i, span *s);
/* The only one of a kind; false if there is none. */
bool ovni_known_ended(const ovni_known *k, uint32_t frame, ovni_span_kind kind, span *s);
/* Returns whether it begins one. */
bool ovni_known_begins(const ovni_known *k, uint32_t frame, ovni_span_kind kind);
/* The span of a run of a task. */
span ovni_span_of_task(const ovni_task *task);

ovni_states *ovni_states_new(bool keep);
void ovni_states_free(ovni_states *s);
bool ovni_states_kept(const ovni_states *s);

/* Announces a stream before its first event, since events of one thread may refer to another. */
void ovni_states_stream(ovni_states *s, const record_context *c, const char *loom);
bool ovni_states_stream_known(const ovni_states *s, const record_context *c);
/* The number of its process, from 1, which all its streams have; 0: it has not been announced. */
uint32_t ovni_states_process(const ovni_states *s, uint32_t stream);

/* The metadata of a stream or process. */
void ovni_states_metadata(ovni_states *s, const record_context *c, const char *loom, const char *text, size_t length);

/* Visits an event (NULL: its code is unknown), as ovni_states_is_event() knows it. `frame` counts from 1 and must increase
 * from call to call. False: its stream has not been announced, so nothing was done. */
bool ovni_states_visit(ovni_states *s, const record_context *c, uint32_t frame, const ovni_event *event, const cursor *bytes,
                       ovni_known *known);

/* Looks up a frame visited before. Only if results are kept. */
void ovni_states_find(ovni_states *s, const record_context *c, uint32_t frame, const ovni_event *event, const cursor *bytes,
                      ovni_known *known);

/* The state that an event enters, leaves or sets, in words, with the names of marks and task types if known. NULL if
 * there is none. The result may point into `text`. */
const char *ovni_states_text(const ovni_states *s, const ovni_known *known, const ovni_event *event, const cursor *bytes,
                             char *text, size_t size);

/* How long a state was active: while its thread was not away. A thread that has ended (Dead) is not active. */
uint64_t ovni_states_active(const ovni_states *s, uint32_t function, const call *k);
/* The name of a region and its model; the result may point into `text`, which TEXT_PAIR bytes are
 * enough for. NULL if the number is unknown. */
const char *ovni_states_name(const ovni_states *s, uint32_t function, char *text, size_t size, char *model);
/* The event that enters or sets it; NULL if the number is unknown. */
const ovni_event *ovni_states_event(const ovni_states *s, uint32_t function);
/* What a stack (ovni_known.stack) shows of its model: the channel, with the number of its mark. All stacks of a model in a
 * stream have different words. The result may point into `text`. */
const char *ovni_states_stack_words(uint64_t stack, char *text, size_t size);
/* As long as this number is the same for a function, its name is the same. */
uint32_t ovni_states_naming(const ovni_states *s, uint32_t function);

/* ovni_tasks_late() */
const GArray *ovni_states_late(const ovni_states *s);

/* The trace lasts at least until `later` ns after this event, which has not been visited; negative: before. */
void ovni_states_pass(ovni_states *s, const record_context *c, const cursor *bytes, int64_t later);

/* What is open in a stream ends at this moment, whatever comes in others: an ovni_event_clock() with the offset of the
 * stream.
 */
void ovni_states_end(ovni_states *s, uint32_t stream, uint64_t moment);

/* Visits what is open at the end: regions and values, stream by stream, ending with their thread or the trace; then runs of
 * tasks. Only those whose duration is known. `model`: of a task. Of a state, `detail` is its stack (uint64_t).
 * call.until is when it began, in ns of the trace's clock; of a task without its pauses, so later. */
typedef void (*ovni_open_visitor)(void *data, uint32_t stream, char model, const span *open);
void ovni_states_each_open(const ovni_states *s, ovni_open_visitor visitor, void *data);

/* calls_stack() of the event's region. */
unsigned ovni_states_stack(const ovni_states *s, const ovni_known *known, uint32_t functions[CALLS_STACK_MAX],
                           uint32_t *left_out);

/* The title of a mark's type, or the label of its value; NULL if unknown, or if the event is not a mark. */
const char *ovni_states_mark_name(const ovni_states *s, ovni_named what, const ovni_event *event, const cursor *bytes);

/* The name of the counter at this index of a VWC event; NULL if unknown. */
const char *ovni_states_counter(const ovni_states *s, const record_context *c, uint32_t index);

#endif
