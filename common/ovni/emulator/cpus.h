/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each CPU did, as ovniemu -b would show it (emulator.h). All records are played; time counts up to those that are
 * counted, each from the record before. What others have counted cannot be added: who runs on a CPU is only known from all
 * streams in order of time. */
#ifndef WIRETRACE_OVNI_EMULATOR_CPUS_H
#define WIRETRACE_OVNI_EMULATOR_CPUS_H

#include "ovni/emulator/emulator.h"
#include "ovni/statistics/display.h"

/* Times of a CPU, in ns. */
enum {
    OVNI_CPUS_NAME,
    OVNI_CPUS_BUSY,    /* with one thread; the last three are parts of this */
    OVNI_CPUS_IDLE,    /* with none */
    OVNI_CPUS_CROWDED, /* with several */
    OVNI_CPUS_TASKS,
    OVNI_CPUS_RUNTIME,
    OVNI_CPUS_RESTING,
    OVNI_CPUS_COLUMNS
};
/* The same by type of tasks, subsystem and kind of rest. */
enum {
    OVNI_CPUS_PART_CPU,
    OVNI_CPUS_PART_MODEL,
    OVNI_CPUS_PART_DOES,
    OVNI_CPUS_PART_WHAT,
    OVNI_CPUS_PART_TIME,
    OVNI_CPUS_PART_COLUMNS
};
extern const rows_column ovni_cpus_columns[OVNI_CPUS_COLUMNS], ovni_cpus_part_columns[OVNI_CPUS_PART_COLUMNS];
/* The same of all CPUs of a node together. */
extern const rows_column ovni_cpus_node_columns[OVNI_CPUS_COLUMNS], ovni_cpus_node_part_columns[OVNI_CPUS_PART_COLUMNS];

typedef struct ovni_cpus ovni_cpus;

/* As a statistic, whose word `breakdown` asks for parts, and `by:node` for nodes; its data is an ovni_cpus. */
extern const counted ovni_cpus_counted;

/* `parts`: those are asked for; `by_node`: rows are those of nodes. */
ovni_cpus *ovni_cpus_new(bool parts, bool by_node);
void ovni_cpus_free(void *cpus); /* NULL is allowed */
/* Plays the next record, at `now` ns since the first one. */
void ovni_cpus_play(ovni_cpus *c, int64_t now, const ovni_played *p);
/* The time up to the record that was played last counts. */
void ovni_cpus_count(ovni_cpus *c);
/* Returns whether there are metadata that declare threads and CPUs. */
bool ovni_cpus_known(const ovni_cpus *c);
/* Adds a row for each CPU or node; then, if they were asked for, for each part. More records may follow. */
void ovni_cpus_fill(ovni_cpus *c, rows *to);
void ovni_cpus_fill_parts(ovni_cpus *c, rows *to);
/* Appends a line if the times of rest are not known; that is after the last record. */
void ovni_cpus_warn(const ovni_cpus *c, GString *text);

#endif
