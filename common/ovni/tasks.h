/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tasks of a trace: their type and its label, the records of their life, and how long they ran. Ids hold for a
 * process and model, so what one thread says about a task is known at the others. Records come in order of time.
 *
 * A run of a task is from its start to its end; a parallel task has one per body, and a task may run again. Its running
 * time is that without pauses; its active time the part of that in which its thread ran, of which again parts are those on a CPU
 * (without the kernel's context switches) and its own (without that of tasks that ran inside). Who starts, pauses and ends a run
 * must be one thread for these. A clock that went back, and damage in the stream that runs the task, give no running time.
 * Of a task that is created twice, and a type that is named twice, the first holds.
 * Memory: of the tasks, their runs and their labels, nothing per record. Does not know about states. */
#ifndef WIRETRACE_OVNI_TASKS_H
#define WIRETRACE_OVNI_TASKS_H

#include "describe.h"
#include "threads.h"

typedef struct ovni_tasks ovni_tasks;

/* What is known by now at a record that tells of a task, or of a type alone. Record numbers count from 1; 0 = none. */
typedef struct ovni_task {
    bool has_id, has_type, has_body;
    bool timed; /* running is known: the run has ended */
    uint32_t id, body, type;
    uint32_t created;
    uint32_t begun, ended; /* of the run that the record belongs to, of others the first one */
    uint64_t running;      /* ns */
    bool has_active;       /* the next two are known */
    bool has_on_cpu;
    uint64_t active, own, on_cpu; /* ns of `running` */
    const char *label;            /* of the type, UTF-8, or NULL; lives as long as the tasks */
} ovni_task;

/* `keep`: ovni_tasks_at() knows every record; otherwise the one that was given last. */
ovni_tasks *ovni_tasks_new(bool keep);
void ovni_tasks_free(ovni_tasks *t);

/* The event tells of a task or a type. */
bool ovni_is_task_event(const ovni_event *event);

/* Such an event in record `frame`, from 1 (rising from call to call) of the thread of a stream. */
void ovni_tasks_visit(ovni_tasks *t, uint32_t frame, const ovni_event *event, const cursor *bytes, uint32_t stream,
                      const ovni_thread *thread);

/* False where the record is too short to tell which task it means. */
bool ovni_tasks_at(const ovni_tasks *t, uint32_t process, uint32_t frame, const ovni_event *event, const cursor *bytes,
                   ovni_task *task);

/* Runs that have not ended, of which `task` tells as if they ended now: with the trace or their thread, whose stream is given. */
typedef void (*ovni_tasks_visitor)(void *data, uint32_t stream, char model, const ovni_task *task);
typedef const ovni_thread *(*ovni_tasks_thread)(void *data, uint32_t stream, uint64_t *clock);
void ovni_tasks_each_open(const ovni_tasks *t, ovni_tasks_thread thread, ovni_tasks_visitor visitor, void *data);

/* The type of a task, where its creation was seen. */
bool ovni_tasks_type(const ovni_tasks *t, uint32_t process, char model, uint32_t id, uint32_t *type);

/* Label of a type, or NULL. */
const char *ovni_tasks_label(const ovni_tasks *t, uint32_t process, char model, uint32_t type);

#endif
