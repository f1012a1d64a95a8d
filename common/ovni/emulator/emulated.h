/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the emulator reports (emulator.h): findings, what a record changes, threads and CPUs. Rules: lint.def. */
#ifndef WIRETRACE_OVNI_EMULATOR_EMULATED_H
#define WIRETRACE_OVNI_EMULATOR_EMULATED_H

#include <stdbool.h>
#include <stdint.h>

#include "ovni/context.h"
#include "ovni/emulator/channels.h"

typedef enum ovni_rule {
#define LINT_RULE(id, name, severity, words) OVNI_LINT_##id,
#include "ovni/emulator/lint.def"
#undef LINT_RULE
    OVNI_LINT_RULES
} ovni_rule;

typedef enum ovni_verdict {
    OVNI_ACCEPTED,
    OVNI_STRICT,   /* refused by `ovniemu -l` */
    OVNI_REFUSED,  /* by ovniemu */
    OVNI_UNJUDGED, /* beyond a limit of ours: whatever else is found, it may be for that reason */
} ovni_verdict;

typedef struct ovni_rule_row {
    const char *name, *words;
    ovni_verdict verdict;
} ovni_rule_row;
extern const ovni_rule_row ovni_rules[OVNI_LINT_RULES];

/* What is wrong with a record. */
typedef struct ovni_finding {
    ovni_rule rule;
    uint32_t record; /* of what is wrong at the end: the last one of the thread; else 0 */
    char *text;
} ovni_finding;

/* What a record changes in ovniemu's output. */
typedef struct ovni_change {
    bool of_cpu;  /* in cpu.prv, else thread.prv */
    uint32_t row; /* from 0 */
    int32_t type; /* Paraver's */
    int64_t value;
} ovni_change;

/* What a record changes of a CPU. */
typedef struct ovni_cpu_change {
    uint32_t row;
    int32_t tid;               /* of the thread that runs alone; valid if `running` is 1 */
    uint16_t running, claimed; /* threads that run on it, and that are bound to it; more are not counted */
    bool was_idle;             /* the record ends its idle time */
    uint64_t idle;             /* ns */
} ovni_cpu_change;

typedef struct ovni_emulator ovni_emulator;

/* A thread, process, loom and CPU, in the order of ovniemu's rows. */
typedef struct ovni_emulated_cpu {
    uint32_t loom; /* number of the loom, from 0 */
    int32_t index, system;
    bool virtual;
    uint32_t running, claimed; /* threads that run on it, and that are bound to it */
    int32_t tid;               /* of the one that runs alone; valid if `running` is 1 */
} ovni_emulated_cpu;

typedef struct ovni_emulated_thread {
    int32_t tid, pid, app;
    uint8_t state; /* ovni_thread_state */
    int64_t cpu;   /* row; -1: none */
} ovni_emulated_thread;

/* Labels are bytes of the files: text_show() them. */
typedef void (*ovni_label_visitor)(void *data, int32_t type, int64_t value, const char *label);

#endif
