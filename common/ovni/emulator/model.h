/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the emulator knows, for its files: model.c (channels and rows), system.c (what metadata declare), scheduling.c
 * (threads and CPUs), tasks.c; emulator.c plays events on it. */
#ifndef WIRETRACE_OVNI_EMULATOR_MODEL_H
#define WIRETRACE_OVNI_EMULATOR_MODEL_H

#include <glib.h>

#include "ovni/emulator/emulated.h"
#include "ovni/events/layout.h"

/* A value of a channel, or none. */
typedef struct emulated_value {
    int64_t number;
    bool set;
} emulated_value;

typedef struct channel_state {
    GArray *stack; /* of int64_t; NULL: it does not nest, or nothing was entered yet */
    emulated_value now;
} channel_state;

/* What was written last to a row. */
typedef struct shown_value {
    emulated_value value;
    bool written;
    uint32_t record; /* that set it last, be it to the same */
} shown_value;

typedef struct emulated_cpu {
    ovni_emulated_cpu seen; /* first */
    uint32_t row;
    int64_t idle_since;                  /* ns since the first event */
    GPtrArray *threads;                  /* of emulated_thread, as they came */
    const struct emulated_thread *alone; /* that runs alone, or NULL */
    bool counted;                        /* how many threads run has been written */
    shown_value *shown;                  /* by channel */
} emulated_cpu;

typedef struct emulated_process {
    int32_t pid, app, rank, ranks;
    GPtrArray *threads; /* of emulated_thread */
} emulated_process;

typedef struct emulated_loom {
    char *name;
    GPtrArray *processes, *cpus; /* of emulated_process, emulated_cpu; the last CPU is the virtual one */
    GPtrArray *by_index;         /* of emulated_cpu, NULL: none */
    int32_t least_rank;          /* -1: no ranks */
} emulated_loom;

typedef struct emulated_thread {
    ovni_emulated_thread seen; /* first */
    uint32_t row;
    emulated_process *process;
    emulated_loom *loom;
    emulated_cpu *cpu;
    bool header, out_of_cpu, clocked;
    int64_t last;    /* clock */
    uint32_t record; /* the last one */
    channel_state *channels;
    shown_value *shown;
    GQueue bodies[3]; /* of task_body, innermost last; of nOS-V, Nanos6, OpenMP */
    GArray *declared; /* of declared_mark, until rows are known; then NULL */
} emulated_thread;

typedef struct emulated_mark {
    int32_t type;
    bool stack, has_kind;
    int32_t order;  /* among all that threads declare, from 1 */
    char *title;    /* bytes of the file, as all names and labels here */
    GArray *labels; /* of mark_label */
} emulated_mark;

typedef struct mark_label {
    int64_t value;
    char *text;
    int32_t order;
} mark_label;

/* A title or label that a thread declares. */
typedef struct declared_mark {
    emulated_mark *mark;
    uint32_t label; /* its index, or DECLARED_TITLE */
} declared_mark;
#define DECLARED_TITLE UINT32_MAX

typedef struct emulated_stream {
    uint32_t stream;
    emulated_thread *thread;
} emulated_stream;

struct ovni_emulator {
    bool shows, report_changes, built;
    bool has_metadata, limited;   /* of this era; some of them are beyond a limit */
    uint32_t others, other_heads; /* streams that belong to no thread, and how many of them have a header */
    uint32_t unclear, distinct;   /* threads without nosv.can_breakdown, and those for which it is true */
    GArray *findings, *changes, *cpu_changes;
    GArray *nosv_findings;             /* that count if a thread requires nOS-V */
    GArray *touched;                   /* uint32_t: rows of CPUs */
    GPtrArray *looms, *threads, *cpus; /* all, in the order of rows once built */
    GHashTable *by_stream;             /* stream -> emulated_thread */
    GHashTable *named;                 /* looms, processes, threads and CPUs by name */
    GPtrArray *marks;                  /* of emulated_mark, as declared */
    GPtrArray *counters;               /* char*, by index; NULL: without a name */
    int64_t counter_count;             /* as the metadata of each thread with counters have it */
    uint32_t channel_count;            /* with marks and counters */
    ovni_channel *channels;            /* likewise */
    uint8_t *order;                    /* channels as ovniemu writes them, of enabled models */
    uint32_t order_length;
    emulated_stream last_streams[64]; /* asked for last, by the lower bits of their numbers */
    unsigned enabled;                 /* models: bits 1 << ovni_model_number() */
    GHashTable *tasks, *types;
    GHashTable *type_labels;       /* hash_pair: model and Paraver's number -> the first label that has it */
    GPtrArray *type_order;         /* of task_type */
    emulated_thread *stale_thread; /* its channels are to be shown again */
    emulated_cpu *stale_cpus[4];   /* likewise, in this order */
    unsigned stale_cpu_count;
    bool first, clocks_reported;
    int64_t first_clock, last_clock;
    uint32_t record;          /* that is played */
    uint32_t first_stream;    /* the lowest number of one with a header */
    GHashTable *first_clocks; /* stream -> int64_t* */
};

/* Time of the event that was played last in ns since the first one, 0 if none. */
static inline int64_t emulator_now(const ovni_emulator *e)
{
    return (int64_t)((uint64_t)e->last_clock - (uint64_t)e->first_clock);
}

/* --- model.c ------------------------------------------------------------------------------------------------------- */

GArray *emulator_findings_new(void);
void emulator_report(ovni_emulator *e, ovni_rule rule, const char *format, ...) G_GNUC_PRINTF(3, 4);
/* Forgets what the record before has found and changed. */
void emulator_begin_record(ovni_emulator *e);
/* A line of ovniemu's files. */
void emulator_write(ovni_emulator *e, bool of_cpu, uint32_t row, int32_t type, int64_t value);
/* The record changes what this CPU shows. */
void emulator_touch(ovni_emulator *e, const emulated_cpu *cpu);
/* Shows a channel on a row, unless that would say nothing new. */
void emulator_show(ovni_emulator *e, bool of_cpu, uint32_t row, const ovni_channel *c, shown_value *shown,
                   emulated_value value);
bool emulator_push(ovni_emulator *e, emulated_thread *t, uint32_t channel, int64_t value);
bool emulator_pop(ovni_emulator *e, emulated_thread *t, uint32_t channel, int64_t value);
/* `value` NULL: none. */
void emulator_set(ovni_emulator *e, emulated_thread *t, uint32_t channel, const int64_t *value);
/* Fills e->channels, once marks and counters are known. */
void emulator_describe_channels(ovni_emulator *e);
const char *emulator_value_words(const ovni_channel *c, int64_t value, char *text, size_t size);
const char *emulator_counter_name(const ovni_emulator *e, uint32_t counter);
/* Bytes, with the 0 at the end: of labels, paths and versions; without it, of names of counters, which ovniemu gives to
 * files. */
enum { EMULATOR_LABEL_MAX = 512, EMULATOR_PATH_MAX = 4096, EMULATOR_VERSION_MAX = 64, EMULATOR_COUNTER_MAX = 247 };
#define EMULATOR_FIRST_MARK ((uint32_t)OVNI_CH_COUNT)
uint32_t emulator_first_counter(const ovni_emulator *e);

/* ovniemu takes the payload to begin after the clock: that of a jumbo event begins with the size of its data. */
enum { EMULATOR_PAYLOAD = OVNI_EVENT_SIZE };
/* Its size in bytes. */
static inline uint64_t emulator_payload_size(const cursor *bytes)
{
    return ovni_event_size(bytes, 0) - EMULATOR_PAYLOAD;
}

/* --- system.c ---------------------------------------------------------------------------------------------------- */

/* When all metadata have been seen: orders everything and gives it its rows. */
void emulator_build(ovni_emulator *e);
void emulator_forget_system(ovni_emulator *e);
/* The thread that another one of this process and loom means: of the process, else of the loom; NULL if none. */
emulated_thread *emulator_named_thread(const ovni_emulator *e, const emulated_loom *loom, int32_t pid, int32_t tid);
/* The thread that wrote a stream, from now on; NULL if no metadata declare it. */
emulated_thread *emulator_know_stream(ovni_emulator *e, const record_context *c, const char *loom);

/* --- scheduling.c ------------------------------------------------------------------------------------------------ */

/* Events: a thread starts; gets into another state; moves to another CPU, or moves another thread. */
void emulator_start_thread(ovni_emulator *e, emulated_thread *t, const cursor *bytes);
void emulator_step_thread(ovni_emulator *e, emulated_thread *t, uint8_t state);
void emulator_move_itself(ovni_emulator *e, emulated_thread *t, const cursor *bytes);
void emulator_move_other(ovni_emulator *e, const emulated_thread *by, const cursor *bytes);
/* After one of these: what depends on the states of threads and CPUs. */
void emulator_show_stale(ovni_emulator *e);

/* --- tasks.c ----------------------------------------------------------------------------------------------------- */

void emulator_tasks_init(ovni_emulator *e);
void emulator_tasks_clear(ovni_emulator *e);
/* The label of a type of tasks by Paraver's number, where the channel shows such; else NULL. */
const char *emulator_type_label(const ovni_emulator *e, uint32_t channel, int64_t number);
/* An event about a task, a type, or a worksharing. */
void emulator_task(ovni_emulator *e, emulated_thread *t, const ovni_event *event, const cursor *bytes);

#endif
