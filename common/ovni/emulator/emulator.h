/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plays a whole trace as ovniemu 1.14.0 does: which thread runs on which CPU, what each of them shows, and what ovniemu
 * would refuse. Records must come as the trace has them: all metadata first, then headers and events in order of time.
 * Unlike ovniemu it goes on after what it would refuse.
 *
 * common/ovni has another model of threads and tasks (threads.h, tasks.h, states.h). That one is for people who read a
 * trace: what a thread does at a record, and for how long, also in old, damaged and partial traces, and it never refuses
 * anything. This one answers what ovniemu would answer: what it would show in Paraver, and whether it would refuse the
 * trace; it needs all metadata, and follows ovniemu even where that is not what happened. Where both apply,
 * test/tshark/ovniemu.py holds each against ovniemu. They share tables (events.h; which state an event sets, and when a
 * state counts: threads.h). What keeps one model from doing both:
 * - Most of this one has no counterpart there: what metadata declare, rows, CPUs, Paraver's values, and what is wrong. What
 *   both do is to find, add, enter and leave a task; a store for both was written, and took ten lines more than it saved.
 * - They go on differently after what ovniemu refuses. A task that was never created runs there, as the part of the trace
 *   that creates it may be missing; here it does not, or all that shows tasks would differ. A run that has ended cannot
 *   go on there; here it does. The findings of lint are counted by record, so that this is seen.
 * - A state is a row of the tables of events there, so that VS[ and VSN are two; here it is a value of Paraver, and both
 *   are the same: VSn may end VS[. OF[ OF] nest there and are set here. The stacks of one cannot serve the other.
 * - A task, process or thread is there what a stream refers to, from its first event on; here what metadata declare, in
 *   an order that is known when all of them have been read. That one keeps times of every run, which this one never needs.
 *
 * Memory: what the metadata declare, tasks and their types, states that are open; nothing per record. Knows nothing of
 * files. Rules: lint.def. Channels: channels.h. Source of the rules: ovni 1.14.0, src/emu. */
#ifndef WIRETRACE_OVNI_EMULATOR_EMULATOR_H
#define WIRETRACE_OVNI_EMULATOR_EMULATOR_H

#include <glib.h>

#include "ovni/emulator/emulated.h"
#include "ovni/session.h"

/* What it is asked for, the first being the quickest. */
typedef enum ovni_emulation {
    OVNI_EMULATE_RULES, /* findings, and who runs on CPUs */
    OVNI_EMULATE_SHOWN, /* also ovni_emulator_shown() */
    OVNI_EMULATE_ALL,   /* also changes */
} ovni_emulation;

ovni_emulator *ovni_emulator_new(ovni_emulation what);
void ovni_emulator_free(ovni_emulator *e);

/* Plays events of models that no thread requires as well, as `ovniemu -a`. Before the first record. */
void ovni_emulator_enable_all(ovni_emulator *e);

/* A record of a trace. */
typedef struct ovni_played {
    uint32_t number;
    const record_context *context;
    const cursor *bytes;
    const ovni_event *event; /* NULL: no event, or not in the tables */
    const char *loom;        /* of a stream header, or NULL */
} ovni_played;
/* Valid as long as the record. */
ovni_played ovni_emulator_played(const ovni_tapped *r);
/* Does what follows, whichever it is. */
void ovni_emulator_play(ovni_emulator *e, const ovni_played *p);

/* A record of metadata; of a stream header, with the loom of the stream or NULL; of any other kind but events. */
void ovni_emulator_metadata(ovni_emulator *e, const record_context *c, const char *text, size_t length);
void ovni_emulator_header(ovni_emulator *e, const record_context *c, const char *loom);
void ovni_emulator_damage(ovni_emulator *e, const record_context *c);
/* An event (NULL: not in the tables). */
void ovni_emulator_event(ovni_emulator *e, const record_context *c, const ovni_event *event, const cursor *bytes);

/* Return what the record that was played last has caused: ovni_finding, and ovni_change in the order of ovniemu's files. */
const GArray *ovni_emulator_findings(const ovni_emulator *e);
const GArray *ovni_emulator_changes(const ovni_emulator *e);
/* Returns which CPUs it has changed: at most two of ovni_cpu_change. */
const GArray *ovni_emulator_cpu_changes(const ovni_emulator *e);
/* Returns the rows (uint32_t) of CPUs that may show something else now; some may come twice. */
const GArray *ovni_emulator_touched(const ovni_emulator *e);

/* What is wrong at the end: of ovni_finding, which the caller frees with ovni_findings_free(). */
GArray *ovni_emulator_at_end(const ovni_emulator *e);
void ovni_findings_free(GArray *findings);

/* Returns whether there are metadata to check and to play by: those since ovni 1.11. */
bool ovni_emulator_has_metadata(const ovni_emulator *e);
/* Time of the event that was played last in ns since the first one, 0 if none. */
int64_t ovni_emulator_time(const ovni_emulator *e);

/* Rows; valid after the first header or event. */
uint32_t ovni_emulator_thread_count(const ovni_emulator *e);
uint32_t ovni_emulator_cpu_count(const ovni_emulator *e);
const ovni_emulated_thread *ovni_emulator_thread(const ovni_emulator *e, uint32_t row);
const ovni_emulated_cpu *ovni_emulator_cpu(const ovni_emulator *e, uint32_t row);
/* The row of the thread of a stream; -1 if it has none. */
int64_t ovni_emulator_row(const ovni_emulator *e, uint32_t stream);
/* "CPU 0.3", to be freed. */
char *ovni_emulator_cpu_name(const ovni_emulator *e, uint32_t row);
/* The host of its loom, to be freed. */
char *ovni_emulator_cpu_node(const ovni_emulator *e, uint32_t row);
/* Loom, process and thread in words; valid until the next call. */
const char *ovni_emulator_thread_name(const ovni_emulator *e, uint32_t row);
/* What the thread is in: for each channel its states from the outermost to the innermost; the caller frees it. */
char *ovni_emulator_stacks(const ovni_emulator *e, uint32_t row);
/* A value in words: of the channel's table, of a mark, of a type of tasks; the caller frees it. */
char *ovni_emulator_value(const ovni_emulator *e, uint32_t channel, int64_t value);
/* The value of a channel on a thread's or CPU's row, as last shown; false if none. */
bool ovni_emulator_shown(const ovni_emulator *e, bool of_cpu, uint32_t row, ovni_channel_id channel, int64_t *value);

/* Returns whether the record that was played last has set it on a CPU's row, be it to the same value. */
bool ovni_emulator_set_now(const ovni_emulator *e, uint32_t cpu, ovni_channel_id channel);

/* What `ovniemu -b` does about nOS-V. Without OVNI_BREAKDOWN_MADE nothing distinguishes its waiting from its runtime: both
 * are one. */
typedef enum ovni_breakdown {
    OVNI_BREAKDOWN_MADE, /* also if no thread requires nOS-V */
    OVNI_BREAKDOWN_LEFT_OUT,
    OVNI_BREAKDOWN_REFUSED,
} ovni_breakdown;
/* *can: threads whose metadata have nosv.can_breakdown, and true. */
ovni_breakdown ovni_emulator_breakdown(const ovni_emulator *e, uint32_t *can);

/* What metadata declare: models in use, marks, counters, names of task types. Labels are bytes of the files: text_show()
 * them. */
bool ovni_emulator_enabled(const ovni_emulator *e, char model);
void ovni_emulator_each_mark(const ovni_emulator *e, ovni_label_visitor title, ovni_label_visitor label, void *data);
void ovni_emulator_each_counter(const ovni_emulator *e, ovni_label_visitor name, void *data);
/* Types of tasks of a model, by process, each number once. */
void ovni_emulator_each_type(const ovni_emulator *e, char model, ovni_label_visitor label, void *data);

#endif
