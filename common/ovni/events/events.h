/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of ovni: what each three-character code (model, category, value: MCV) means and which arguments it has. The
 * tables are those of ovni 1.14.0 plus codes of older releases. Knows nothing of files or clocks. */
#ifndef WIRETRACE_OVNI_EVENTS_EVENTS_H
#define WIRETRACE_OVNI_EVENTS_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which file layout a stream comes from, and so how old its codes are. */
typedef enum ovni_era {
    OVNI_ERA_UNKNOWN,    /* a stream without a path: read as the newest */
    OVNI_ERA_HEADERLESS, /* before 2022-07-26: thread.TID without a header */
    OVNI_ERA_PLAIN,      /* up to 1.0.0: thread.TID with a header */
    OVNI_ERA_V1,         /* up to 1.4.1: thread.TID.obs (for some weeks .ovnistream) and metadata.json */
    OVNI_ERA_V2,         /* up to 1.10.0: also thread.TID.json */
    OVNI_ERA_V3,         /* since 1.11.0: stream.obs and stream.json */
    OVNI_ERA_COUNT
} ovni_era;

typedef enum ovni_type {
    OVNI_NO_ARGUMENT, /* ends the list */
    OVNI_I32,
    OVNI_U32,
    OVNI_I64,
    OVNI_U64,
    OVNI_STR,   /* up to a NUL or the end of the payload; always last */
    OVNI_REPEAT /* the previous argument repeats to the end of the payload; always last */
} ovni_type;

/* Names of arguments; each is a field (`ovni.arg.NAME`). */
typedef enum ovni_argument_id {
    OVNI_CPU,
    OVNI_TID,
    OVNI_TAG,
    OVNI_VALUE,
    OVNI_TYPE,
    OVNI_TASKID,
    OVNI_TYPEID,
    OVNI_LABEL,
    OVNI_BODYID,
    OVNI_ARGUMENT_COUNT
} ovni_argument_id;

typedef enum ovni_role {
    OVNI_POINT, /* no state */
    OVNI_PUSH,  /* enters a state */
    OVNI_POP,   /* leaves a state */
    OVNI_SET,   /* sets a state that does not nest */
} ovni_role;

enum { /* ovni_event.channels: which stacks or values of a thread an event changes */
       OVNI_ON_CPU = 1,
       OVNI_THREAD_STATE = 2,
       OVNI_FLUSH = 4,
       OVNI_MARK = 8, /* one stack per mark type */
       OVNI_SUBSYSTEM = 16,
       OVNI_TASK = 32,
       OVNI_IDLE = 64,
       OVNI_THREAD_TYPE = 128,
       OVNI_COUNTERS = 256,
       OVNI_FUNCTION = 512,
       OVNI_CONTEXT_SWITCH = 1024,
       OVNI_TASK_LABEL = 2048,
       OVNI_MODE = 4096, /* in 1.0.0 and older */
};
#define OVNI_CHANNELS 13 /* number of channels */
_Static_assert(OVNI_MODE == 1 << (OVNI_CHANNELS - 1), "the last channel");

typedef struct ovni_argument {
    uint8_t type; /* ovni_type */
    uint8_t id;   /* ovni_argument_id */
} ovni_argument;

#define OVNI_ARGUMENTS_MAX 3
typedef struct ovni_event {
    char mcv[4];
    char pair[4]; /* the event that ends or begins the same state, or "" */
    bool jumbo;   /* as declared; what counts is the flag in the record */
    uint8_t role; /* ovni_role */
    uint16_t channels;
    const char *state; /* entered, left or set; or NULL. In parentheses if ovni's own tools have no name for it */
    const char *since; /* first release, or a date for codes older than all releases */
    const char *text;  /* in words; {NAME} is replaced by an argument */
    ovni_argument arguments[OVNI_ARGUMENTS_MAX];
} ovni_event;

/* A code of an older release, or one that is no longer valid. */
typedef struct ovni_old_event {
    ovni_event event;
    uint8_t eras;    /* bits 1 << ovni_era: in these eras it is preferred to a row of ovni_events */
    uint8_t payload; /* ... if the payload has this many bytes; 0: any size */
} ovni_old_event;

/* The tables, for tests and documentation. */
extern const ovni_event ovni_events[];
extern const size_t ovni_event_count;
extern const ovni_old_event ovni_old_events[];
extern const size_t ovni_old_event_count;

/* The meaning of a code in a stream of this era, or NULL. Finds codes of other eras as well if this one does not use the
 * code. `payload_size`: in bytes, for jumbo events without the size field. */
const ovni_event *ovni_event_find(ovni_era era, const char mcv[3], uint64_t payload_size);

/* A number from 1 for each row of both tables, and the row for a number (NULL if there is none). */
uint32_t ovni_event_number(const ovni_event *event);
const ovni_event *ovni_event_numbered(uint32_t number);

/* "cpu", "tid", ...; NULL beyond the last. */
const char *ovni_argument_name(ovni_argument_id id);

/* The models: identifier, first letter of their events, name. */
#define OVNI_MODELS(X) \
    X(OVNI_MODEL_NANOS6, '6', "nanos6") \
    X(OVNI_MODEL_NODES, 'D', "nodes") \
    X(OVNI_MODEL_KERNEL, 'K', "kernel") \
    X(OVNI_MODEL_MPI, 'M', "mpi") \
    X(OVNI_MODEL_OVNI, 'O', "ovni") \
    X(OVNI_MODEL_OPENMP, 'P', "openmp") \
    X(OVNI_MODEL_TAMPI, 'T', "tampi") \
    X(OVNI_MODEL_NOSV, 'V', "nosv")
enum {
    OVNI_MODEL_NONE,
#define MODEL(id, letter, name) id,
    OVNI_MODELS(MODEL)
#undef MODEL
        OVNI_MODEL_COUNT
};

/* The name of a model, or NULL. */
const char *ovni_model_name(char model);
/* The same for people: never NULL. */
const char *ovni_model_words(char model);
/* A number below OVNI_MODEL_COUNT; OVNI_MODEL_NONE for an unknown letter. */
unsigned ovni_model_number(char model);
/* The same by its name. */
unsigned ovni_model_named(const char *name);

#endif
