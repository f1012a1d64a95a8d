/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tasks of a trace: the type of each and its label, the records of its life, and how long it ran. Ids are unique in a
 * process and model, so what one thread says about a task is known for all of them. Records must come in order of time.
 *
 * A run of a task lasts from its start to its end. A parallel task has one run per body, and a task may run again. Its
 * running time excludes pauses. It is unknown if the clock went back or the stream that runs the task was damaged.
 * The active time is the part of it in which the thread ran; parts of that are the time on a CPU (without the kernel's
 * context switches) and the task's own (without tasks that ran inside). They are known if one thread starts, pauses and
 * ends the run. Context switches may come after the run that they interrupt, as nOS-V records them, in a sort region: the
 * time on a CPU becomes less then.
 * If a task is created twice or a type is named twice, the first one counts.
 * Memory: for the tasks, their runs and labels (about 180 bytes for a task that has run once and ended), the last few
 * hundred periods of each thread, and 16 bytes per run whose context switches came late; nothing per record. Knows nothing
 * of states. */
#ifndef WIRETRACE_OVNI_TASKS_H
#define WIRETRACE_OVNI_TASKS_H

#include "ovni/events/describe.h"
#include "ovni/threads.h"

typedef struct ovni_tasks ovni_tasks;

/* What is known so far at a record about a task, or about a task type alone. Frames count from 1; 0: none. */
typedef struct ovni_task {
    bool has_id, has_type, has_body;
    bool timed; /* `running` is known: the run has ended */
    uint32_t id, body, type;
    uint32_t created;
    uint32_t begun, ended; /* of the run that the record belongs to; before the first run, of the first one */
    uint64_t running;      /* ns */
    bool has_active;       /* `active` and `own` are known */
    bool has_on_cpu;
    uint64_t active, own, on_cpu; /* ns of `running` */
    const char *label;            /* of the type, UTF-8, or NULL; lives as long as the tasks */
} ovni_task;

/* `keep`: ovni_tasks_at() can be asked about every frame visited, otherwise only about the latest. */
ovni_tasks *ovni_tasks_new(bool keep);
void ovni_tasks_free(ovni_tasks *t);

/* Returns whether the event is about a task or a task type. */
bool ovni_is_task_event(const ovni_event *event);

/* Visits such an event of a thread, of which `bytes` has the header, and returns what ovni_tasks_at() does. `frame` counts
 * from 1 and must increase from call to call. */
bool ovni_tasks_visit(ovni_tasks *t, uint32_t frame, const ovni_event *event, const cursor *bytes, uint32_t stream,
                      const ovni_thread *thread, ovni_task *task);

/* Visits a context switch of a thread. */
void ovni_tasks_switch(ovni_tasks *t, const ovni_event *event, const cursor *bytes, uint32_t stream,
                       const ovni_thread *thread);

/* In the order in which they were found: runs that have been less on a CPU, by `off` ns, than was known when they ended. */
typedef struct ovni_task_late {
    uint64_t off;
    uint32_t ended; /* the frame that ended the run; 0: some runs, but no longer known which */
} ovni_task_late;
const GArray *ovni_tasks_late(const ovni_tasks *t);

/* What is known, as of a frame, of the task or type that such an event is about. False if its payload is too short to tell
 * which. */
bool ovni_tasks_at(const ovni_tasks *t, uint32_t process, uint32_t frame, const ovni_event *event, const cursor *bytes,
                   ovni_task *task);

/* Visits the runs that have not ended, with an end now. The callback returns the thread of a stream and the clock of
 * its end, or NULL. */
typedef void (*ovni_tasks_visitor)(void *data, uint32_t stream, char model, const ovni_task *task);
typedef const ovni_thread *(*ovni_tasks_thread)(const void *of, uint32_t stream, uint64_t *clock);
void ovni_tasks_each_open(const ovni_tasks *t, ovni_tasks_thread thread, const void *of, ovni_tasks_visitor visitor,
                          void *data);

/* The type of a task. False if its creation was not seen. */
bool ovni_tasks_type(const ovni_tasks *t, uint32_t process, char model, uint32_t id, uint32_t *type);

/* Changes whenever the type of a task or the label of a type has become known. */
uint32_t ovni_tasks_naming(const ovni_tasks *t);

/* The label of a type, or NULL. Valid as long as `t`. */
const char *ovni_tasks_label(const ovni_tasks *t, uint32_t process, char model, uint32_t type);

/* The type of a task in words. `labels_missing`: labels may be in streams that are left out. */
const char *ovni_task_type_words(const ovni_task *task, bool labels_missing, char *text, size_t size);

#endif
