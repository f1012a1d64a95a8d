/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The threads of a trace: the process that each belongs to, its state and CPU as the events of the model ovni say (OHx OHp
 * OHr OHc OHw OHe, OAs, OAr), and whether it is in a sort region. There is one thread per stream; records must come in
 * order of time.
 *
 * An event in a sort region happened earlier: its state and CPU are those at its clock.
 *
 * Memory: 24 bytes per event that changes any of these if changes are kept, otherwise the last few hundred of each thread;
 * nothing for other records. Knows nothing of regions, tasks, or how a state is shown. */
#ifndef WIRETRACE_OVNI_THREADS_H
#define WIRETRACE_OVNI_THREADS_H

#include <glib.h>

#include "ovni/events/describe.h"
#include "ovni/context.h"

typedef enum ovni_thread_state {                      /* as Paraver numbers them */
                                 OVNI_THREAD_UNKNOWN, /* before OHx */
                                 OVNI_THREAD_RUNNING,
                                 OVNI_THREAD_PAUSED,
                                 OVNI_THREAD_DEAD,
                                 OVNI_THREAD_COOLING, /* about to pause */
                                 OVNI_THREAD_WARMING, /* about to run */
                                 OVNI_THREAD_STATES
} ovni_thread_state;

typedef struct ovni_threads ovni_threads;

/* The states in which the time of a thread counts. ovniemu shows most states of a stream only then. */
typedef enum ovni_track {
    OVNI_TRACK_ANY,     /* always */
    OVNI_TRACK_RUNNING, /* while it is running */
    OVNI_TRACK_ACTIVE,  /* while it is running, cooling or warming */
    OVNI_TRACKS
} ovni_track;

typedef struct ovni_thread {
    GArray *changes;     /* what changed and when, in order of frames; only the last few hundred if changes are not kept */
    GArray *turns;       /* when the state changed, the last few hundred; NULL: once, or never */
    uint64_t turns_from; /* clock from which that is complete */
    uint32_t process;    /* number of the process, from 1; the same for all threads known to share it */
    uint32_t losses;     /* how often the stream was damaged; counted by the caller */
    char *loom;
    bool process_known;
    int32_t pid;
    int64_t offset;             /* ns, added to the clocks of the stream */
    uint8_t state;              /* ovni_thread_state, as of the last event that set it */
    uint64_t since;             /* clock up to which `time` is counted */
    uint64_t time[OVNI_TRACKS]; /* ns spent on each track up to `since` */
    bool ended;                 /* what is open ends at this clock of the trace (ovni_states_end()): */
    uint64_t end;
} ovni_thread;

/* The state of a thread at a record, including the effect of that record. */
typedef struct ovni_thread_now {
    uint8_t state; /* ovni_thread_state */
    bool cpu_known;
    bool unsorted; /* between OU[ and OU]: clocks may be earlier than those of previous records */
    int32_t cpu;   /* logical index in the loom; -1: not bound; a dead thread keeps its last one */
} ovni_thread_now;

/* `keep`: ovni_thread_at() can be asked about every frame visited, otherwise only about the latest. */
ovni_threads *ovni_threads_new(bool keep);
void ovni_threads_free(ovni_threads *t);

/* The thread of a stream, created on first use; valid as long as `t`. `loom` may be NULL. */
ovni_thread *ovni_threads_of(ovni_threads *t, uint32_t stream, const ovni_context *c, const char *loom);
ovni_thread *ovni_threads_find(const ovni_threads *t, uint32_t stream);

/* The process number, as in ovni_thread. */
uint32_t ovni_threads_process(ovni_threads *t, const ovni_context *c, const char *loom);

/* Visits an event. `frame` counts from 1 and must increase from call to call. */
void ovni_threads_visit(ovni_threads *t, ovni_thread *thread, uint32_t frame, const ovni_event *event, const cursor *bytes);
/* The state at the event in record `frame`, whose clock (ovni_event_clock()) is `clock`. */
ovni_thread_now ovni_thread_at(const ovni_thread *thread, uint32_t frame, uint64_t clock);

/* How many ns up to `clock` did not count. Only differences have a meaning: how much of the time between two clocks did
 * not count. */
uint64_t ovni_thread_paused(const ovni_thread *thread, ovni_track track, uint64_t clock);
/* How many ns up to `clock`, which may be earlier than the last change of state, it was running. Exact from turns_from on.
 */
uint64_t ovni_thread_ran(const ovni_thread *thread, uint64_t clock);
/* The clock at which counting ends: for a dead thread that of its end, otherwise `clock`. */
uint64_t ovni_thread_end(const ovni_thread *thread, ovni_track track, uint64_t clock);

/* "running", ... ; NULL for OVNI_THREAD_UNKNOWN. */
const char *ovni_thread_state_name(uint8_t state);
/* The state that an event OHx, OHp, ... sets; OVNI_THREAD_UNKNOWN if it sets none. */
uint8_t ovni_thread_state_after(const ovni_event *event);
/* Returns whether time in a state counts on a track. */
static inline bool ovni_thread_state_counts(uint8_t state, ovni_track track)
{
    enum { RUNNING = 1 << OVNI_THREAD_RUNNING, COOLING_OR_WARMING = 1 << OVNI_THREAD_COOLING | 1 << OVNI_THREAD_WARMING };
    static const uint8_t states[OVNI_TRACKS] = {
        [OVNI_TRACK_ANY] = 0xff,
        [OVNI_TRACK_RUNNING] = RUNNING,
        [OVNI_TRACK_ACTIVE] = RUNNING | COOLING_OR_WARMING,
    };
    _Static_assert(OVNI_THREAD_STATES <= 8, "a bit for each state");
    return states[track] >> state & 1;
}

/* The clock of an event in ns, mapped from signed to unsigned so that the order is kept. Needs the first 12 bytes. */
uint64_t ovni_event_clock(const cursor *bytes);

#endif
