/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `ovniemu -b` shows of a CPU for each model that tells: a type of tasks, a subsystem, or that its thread does not
 * progress. It depends on what was set before, so a CPU must be looked at after each record that has touched it. */
#ifndef WIRETRACE_OVNI_EMULATOR_DOING_H
#define WIRETRACE_OVNI_EMULATOR_DOING_H

#include "ovni/emulator/emulator.h"

typedef enum ovni_does { OVNI_DOES_TASK, OVNI_DOES_RUNTIME, OVNI_DOES_REST, OVNI_DOES_COUNT } ovni_does;

/* A model that tells what a CPU does. */
typedef struct ovni_doing_model {
    char model;
    ovni_channel_id idle, subsystem, type; /* OVNI_CH_COUNT: there is none */
    int64_t body;                          /* of a task: then its type is shown */
    int32_t prv;                           /* Paraver's type of all of them together */
    const char *title;
} ovni_doing_model;
enum { OVNI_DOING_MODELS = 3 };
extern const ovni_doing_model ovni_doing_models[OVNI_DOING_MODELS];

/* What a model says of a CPU; all zero before the first look. */
typedef struct ovni_doing {
    uint8_t shows; /* private: while its thread makes progress */
    bool known;
    ovni_does does;
    int64_t value;
} ovni_doing;
void ovni_doing_look(const ovni_emulator *e, uint32_t row, const ovni_doing_model *m, ovni_doing *d);

#endif
