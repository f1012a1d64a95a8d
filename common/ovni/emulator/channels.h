/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The channels of ovniemu 1.14.0: what it shows of each thread and CPU, with Paraver's types, values and labels. Tables, and
 * how events map to them. See docs/formats/ovni.md. */
#ifndef WIRETRACE_OVNI_EMULATOR_CHANNELS_H
#define WIRETRACE_OVNI_EMULATOR_CHANNELS_H

#include "ovni/events/events.h"
#include "ovni/threads.h"

/* The label is the state of an event, found by its code; or, if it is longer, the text itself. */
typedef struct ovni_value_label {
    int32_t value;
    const char *of; /* NULL ends a list */
} ovni_value_label;
/* The label of a row. */
const char *ovni_value_words(const ovni_value_label *l);

/* In the order in which ovniemu writes them: models by their letter. */
typedef enum ovni_channel_id {
    OVNI_CH_NANOS6_TASK,
    OVNI_CH_NANOS6_TYPE,
    OVNI_CH_NANOS6_SUBSYSTEM,
    OVNI_CH_NANOS6_RANK,
    OVNI_CH_NANOS6_THREAD,
    OVNI_CH_NANOS6_IDLE,
    OVNI_CH_NODES_SUBSYSTEM,
    OVNI_CH_KERNEL_SWITCH,
    OVNI_CH_MPI_FUNCTION,
    OVNI_CH_FLUSH, /* marks come after it */
    OVNI_CH_OPENMP_SUBSYSTEM,
    OVNI_CH_OPENMP_LABEL,
    OVNI_CH_OPENMP_TASK,
    OVNI_CH_TAMPI_SUBSYSTEM,
    OVNI_CH_NOSV_BODY,
    OVNI_CH_NOSV_TASK,
    OVNI_CH_NOSV_TYPE,
    OVNI_CH_NOSV_APP,
    OVNI_CH_NOSV_SUBSYSTEM,
    OVNI_CH_NOSV_RANK,
    OVNI_CH_NOSV_IDLE, /* hardware counters come after it */
    OVNI_CH_COUNT
} ovni_channel_id;

enum { /* ovni_channel.flags; without the last two a value is written again if it is the same, but not if there is none */
       OVNI_CH_STACK = 1,     /* values nest */
       OVNI_CH_REPEATS = 2,   /* the same value may be set or entered again */
       OVNI_CH_SKIP = 4,      /* not written again if it is the same */
       OVNI_CH_WRITE_ALL = 8, /* written again, whatever it is */
};

typedef struct ovni_channel {
    char model;
    uint8_t flags;
    uint8_t track; /* ovni_track, for threads; CPUs show their running thread */
    int32_t type;  /* Paraver's */
    const char *title;
    const ovni_value_label *labels; /* or NULL */
} ovni_channel;

extern const ovni_channel ovni_channels[OVNI_CH_COUNT];

enum { /* Paraver's types of what has no model, and first ones of what metadata declare */
       OVNI_PRV_PID = 1,
       OVNI_PRV_TID = 2,
       OVNI_PRV_RUNNING = 3,
       OVNI_PRV_STATE = 4,
       OVNI_PRV_CPU = 6,
       OVNI_PRV_MARK = 100,
       OVNI_PRV_COUNTER = 200,
};
#define OVNI_MARK_TYPES 100u
#define OVNI_COUNTER_TYPES 100u

/* Labels of the values of ovni_thread_state. */
extern const ovni_value_label ovni_thread_labels[];

enum { /* values with a meaning of their own */
       OVNI_PROGRESSING = 100,
       OVNI_RESTING = 101,
       OVNI_NOSV_IN_BODY = 11,
       OVNI_NANOS6_IN_BODY = 1,
       OVNI_SUBSYSTEM_UNKNOWN = 2,
};

/* What an event does to a channel: enter (OVNI_PUSH), leave (OVNI_POP) or set `value`. False if none, or if that takes more
 * than a table. */
typedef struct ovni_channel_change {
    uint8_t channel, role;
    int32_t value;
} ovni_channel_change;
bool ovni_channel_of(const ovni_event *event, ovni_channel_change *change);

/* The versions of models that ovniemu 1.14.0 knows, by ovni_model_number(). */
extern const int ovni_model_versions[OVNI_MODEL_COUNT][3];

/* The number of a task type in Paraver, computed from its label. */
uint32_t ovni_label_number(const char *label);

#endif
