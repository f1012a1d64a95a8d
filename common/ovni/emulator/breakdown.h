/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `ovniemu -b` shows of all physical CPUs of a trace: for each model that tells what a CPU does (doing.h) as many rows
 * as there are CPUs, with what these do, sorted by its number. Memory: a few numbers for each CPU. */
#ifndef WIRETRACE_OVNI_EMULATOR_BREAKDOWN_H
#define WIRETRACE_OVNI_EMULATOR_BREAKDOWN_H

#include "ovni/emulator/doing.h"

typedef struct ovni_breakdowns ovni_breakdowns;

ovni_breakdowns *ovni_breakdowns_new(void);
void ovni_breakdowns_free(ovni_breakdowns *b); /* NULL is allowed */
/* Returns whether ovniemu writes that of a model (a number in ovni_doing_models). */
bool ovni_breakdowns_made(const ovni_emulator *e, unsigned model);
/* Looks at what the record that was played last has changed; to be called for each. */
void ovni_breakdowns_look(ovni_breakdowns *b, const ovni_emulator *e);
/* What it has changed in the rows of a model: of ovni_change, in ovniemu's order. */
const GArray *ovni_breakdowns_changes(const ovni_breakdowns *b, unsigned model);

#endif
