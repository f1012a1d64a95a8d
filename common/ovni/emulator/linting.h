/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds out whether ovniemu would refuse a trace, and why (emulator.h, lint.def). All records are played, and what is found
 * in those that count is listed. What others have found cannot be added: rules are about all streams in order of time. */
#ifndef WIRETRACE_OVNI_EMULATOR_LINTING_H
#define WIRETRACE_OVNI_EMULATOR_LINTING_H

#include "ovni/emulator/emulator.h"
#include "ovni/statistics/display.h"

/* What is wrong at the end of the trace has neither record nor stream. */
enum { OVNI_LINTING_RECORD, OVNI_LINTING_STREAM, OVNI_LINTING_RULE, OVNI_LINTING_TEXT, OVNI_LINTING_COLUMNS };
extern const rows_column ovni_linting_columns[OVNI_LINTING_COLUMNS];

typedef struct ovni_linting ovni_linting;

/* As a statistic; its data is an ovni_linting. */
#define OVNI_ALL_MODELS "models:all" /* its word for `ovniemu -a` */
extern const counted ovni_linting_counted;

/* `all_models`: as `ovniemu -a`. */
ovni_linting *ovni_linting_new(bool all_models);
void ovni_linting_free(void *linting); /* NULL is allowed */
void ovni_linting_play(ovni_linting *l, const ovni_played *p);
/* Returns whether something is wrong with the record that was played last. If it counts, list it, with this number and
 * stream, which are copied. */
bool ovni_linting_found(const ovni_linting *l);
void ovni_linting_list(ovni_linting *l, uint32_t number, const char *stream);
/* Adds a row for each finding that is listed, at most 10,000, and `with_end` for all that is wrong at the end. Their texts
 * last as long as `l`. */
void ovni_linting_fill(const ovni_linting *l, bool with_end, rows *to);
/* What ovniemu says of all records and of the end. For OVNI_UNJUDGED, *limit is what was passed; it lasts as long as `l`.
 * *more: how many findings are not listed. */
ovni_verdict ovni_linting_verdict(const ovni_linting *l, uint64_t *more, const char **limit);
/* Returns whether there are metadata to check. */
bool ovni_linting_has_metadata(const ovni_linting *l);

#endif
