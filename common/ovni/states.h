/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the events of a trace mean in their context: state and CPU of the thread, the region that an event begins or
 * ends, the task it tells of, the names of marks and counters. Binds threads.h, tasks.h, names.h and the call engine
 * (calls.h) together. Records come in order of time; a record is visited once and can be looked at again when results
 * are kept.
 *
 * Regions: one stack per stream, model and channel, of user marks one per type. A region is known by a number
 * (`function` of the call engine) that stands for its name. Values that are set and not nested (state of the thread,
 * progress, marks of a single value) hold until the next one of their channel. Durations are of the clock as in the file,
 * so events with past clocks in a sort region are measured by their own clocks.
 * Times of regions and values are also known without those in which ovniemu does not show them (`away` of a call): when the thread
 * is not running, for most of them also not cooling or warming.
 * A thread is progressing from its begin where the trace's metadata ask for the model.
 * Where a clock falls outside a sort region, or bytes cannot be an event, something is damaged: what is open in that stream
 * then has no duration.
 * Memory: 17 bytes per record with a region or value (calls.h), and what threads, tasks and names take. Knows no Wireshark. */
#ifndef WIRETRACE_OVNI_STATES_H
#define WIRETRACE_OVNI_STATES_H

#include "calls.h"
#include "names.h"
#include "tasks.h"
#include "threads.h"

typedef struct ovni_states ovni_states;

/* What is known of an event. */
typedef struct ovni_known {
    bool has_thread, has_task, has_region;
    bool
        has_left; /* the event has set a value, `left` tells of the one before: begin and end are the events that set them */
    ovni_thread_now thread;
    ovni_task task;
    call region;
    call left;
    uint32_t left_function; /* 0: there was none before */
    uint32_t function;      /* of the region, or of the value that is set */
    uint64_t stack;         /* its key in the call engine */
} ovni_known;

ovni_states *ovni_states_new(bool keep);
void ovni_states_free(ovni_states *s);
bool ovni_states_kept(const ovni_states *s);

/* The thread of a stream, to be called before its events: threads speak of each other. */
void ovni_states_stream(ovni_states *s, const record_context *c, const char *loom);
bool ovni_states_stream_known(const ovni_states *s, const record_context *c);

/* The metadata of a stream or process. */
void ovni_states_metadata(ovni_states *s, const record_context *c, const char *loom, const char *text, size_t length);

/* An event (NULL: one that is not in the tables) of a known stream in record `frame`, from 1, rising from call to
 * call: visits it the first time. */
void ovni_states_visit(ovni_states *s, const record_context *c, uint32_t frame, const ovni_event *event, const cursor *bytes,
                       ovni_known *known);

/* The same for a record that has been visited before; only when results are kept. */
void ovni_states_find(ovni_states *s, const record_context *c, uint32_t frame, const ovni_event *event, const cursor *bytes,
                      ovni_known *known);

/* The state that an event enters, leaves or sets, in words: with the names of marks and types where they are known.
 * NULL where there is none. May use `text`. */
const char *ovni_states_text(const ovni_states *s, const ovni_known *known, const ovni_event *event, const cursor *bytes,
                             char *text, size_t size);

/* The name of a region, and its model. */
const char *ovni_states_name(const ovni_states *s, uint32_t function, char *text, size_t size, char *model);

/* What holds or is open when the trace ends, stream by stream, as if it ended with its thread or the trace; only what has a
 * duration. */
typedef void (*ovni_states_visitor)(void *data, uint32_t stream, uint32_t function, const call *open);
void ovni_states_each_open(const ovni_states *s, ovni_states_visitor visitor, void *data);

/* The same of runs of tasks. */
typedef void (*ovni_states_task_visitor)(void *data, uint32_t stream, char model, const ovni_task *task);
void ovni_states_each_open_task(const ovni_states *s, ovni_states_task_visitor visitor, void *data);

/* calls_stack() of the event's region. */
unsigned ovni_states_stack(const ovni_states *s, const ovni_known *known, uint32_t functions[CALLS_STACK_MAX],
                           uint32_t *left_out);

/* Title of the type of a mark event, and label of its value; NULL where unknown or no mark. */
const char *ovni_states_mark_title(const ovni_states *s, const ovni_event *event, const cursor *bytes);
const char *ovni_states_mark_label(const ovni_states *s, const ovni_event *event, const cursor *bytes);

/* Name of the counter that stands at a place in VWC. */
const char *ovni_states_counter(const ovni_states *s, const record_context *c, uint32_t index);

#endif
