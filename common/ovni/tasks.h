/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tasks of a trace: their type and its label, the records of their life, and how long they ran. Ids hold for a
 * process and model, so what one thread says about a task is known at the others. Records come in order of time.
 *
 * A run of a task is from its start to its end; a parallel task has one per body, and a task may run again. Its running
 * time is that without pauses. A clock that went back, and damage in the stream that runs the task, give no running time.
 * Of a task that is created twice, and a type that is named twice, the first holds.
 * Memory: of the tasks, their runs and their labels, nothing per record. Does not know about threads and states. */
#ifndef WIRETRACE_OVNI_TASKS_H
#define WIRETRACE_OVNI_TASKS_H

#include "describe.h"

typedef struct ovni_tasks ovni_tasks;

/* What is known by now at a record that tells of a task, or of a type alone. Record numbers count from 1; 0 = none. */
typedef struct ovni_task {
    bool has_id, has_type, has_body;
    bool timed; /* running is known: the run has ended */
    uint32_t id, body, type;
    uint32_t created;
    uint32_t begun, ended; /* of the run that the record belongs to, of others the first one */
    uint64_t running;      /* ns */
    const char *label;     /* of the type, UTF-8, or NULL; lives as long as the tasks */
} ovni_task;

/* `keep`: ovni_tasks_at() knows every record; otherwise the one that was given last. */
ovni_tasks *ovni_tasks_new(bool keep);
void ovni_tasks_free(ovni_tasks *t);

/* The event tells of a task or a type. */
bool ovni_is_task_event(const ovni_event *event);

/* Such an event in record `frame`, from 1 (rising from call to call) of a process, in a stream that was damaged so many
 * times before. */
void ovni_tasks_visit(ovni_tasks *t, uint32_t process, uint32_t frame, const ovni_event *event, const cursor *bytes,
                       uint32_t stream, uint32_t losses);

/* False where the record is too short to tell which task it means. */
bool ovni_tasks_at(const ovni_tasks *t, uint32_t process, uint32_t frame, const ovni_event *event, const cursor *bytes,
                   ovni_task *task);

/* The type of a task, where its creation was seen. */
bool ovni_tasks_type(const ovni_tasks *t, uint32_t process, char model, uint32_t id, uint32_t *type);

/* Label of a type, or NULL. */
const char *ovni_tasks_label(const ovni_tasks *t, uint32_t process, char model, uint32_t type);

#endif
