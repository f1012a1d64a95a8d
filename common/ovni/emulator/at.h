/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each thread was in at a moment, as ovniemu would show it (emulator.h). All records are played until then; threads are
 * shown that have an event that counts, whenever. What others have found cannot be added: who runs on a CPU is only known
 * from all streams in order of time. */
#ifndef WIRETRACE_OVNI_EMULATOR_AT_H
#define WIRETRACE_OVNI_EMULATOR_AT_H

#include "ovni/emulator/emulator.h"
#include "ovni/statistics/display.h"

enum { OVNI_AT_THREAD, OVNI_AT_STATE, OVNI_AT_CPU, OVNI_AT_IN, OVNI_AT_COLUMNS };
extern const rows_column ovni_at_columns[OVNI_AT_COLUMNS];

typedef struct ovni_at ovni_at;

/* As a statistic; its data is an ovni_at. Its word SECONDS: the moment, in ns since the first record; false: it is not one.
 */
extern const counted ovni_at_counted;
bool ovni_at_moment(const statistic_words *words, int64_t *moment);

/* `moment`: ns since the first record. */
ovni_at *ovni_at_new(int64_t moment);
void ovni_at_free(void *at); /* NULL is allowed */
/* Plays the next record, at `now` ns since the first one. */
void ovni_at_play(ovni_at *a, int64_t now, const ovni_played *p);
/* An event of a stream counts. False: the stream has no thread. */
bool ovni_at_count(ovni_at *a, uint32_t stream);
/* Returns whether the moment is after all records so far. */
bool ovni_at_is_late(const ovni_at *a);
/* Returns whether there are metadata that declare threads. */
bool ovni_at_known(const ovni_at *a);
void ovni_at_fill(const ovni_at *a, rows *to);

#endif
