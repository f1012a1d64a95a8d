/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes what an emulator shows as ovniemu 1.14.0 does, for Paraver: thread and cpu, each as .prv (what happens when), .pcf
 * (names of types and values) and .row (names of rows). */
#ifndef WIRETRACE_OVNI_EMULATOR_PARAVER_H
#define WIRETRACE_OVNI_EMULATOR_PARAVER_H

#include "ovni/emulator/emulator.h"

typedef struct ovni_paraver ovni_paraver;

/* Makes the folder, unless it is there, and the files in it. Files that are there are an error, unless they are to be
 * replaced. `breakdown`: also MODEL-breakdown, as `ovniemu -b` does. */
ovni_paraver *ovni_paraver_open(const char *folder, bool replace, bool breakdown, GError **error);
/* Looks at the last record, whether it is written or not. */
void ovni_paraver_look(ovni_paraver *p, const ovni_emulator *e);
/* What the last record has changed. */
void ovni_paraver_write(ovni_paraver *p, const ovni_emulator *e);
/* Writes what is left, and frees `p`. False if something could not be written. */
bool ovni_paraver_finish(ovni_paraver *p, const ovni_emulator *e, GError **error);
/* Frees `p` and removes its files. */
void ovni_paraver_cancel(ovni_paraver *p);

#endif
