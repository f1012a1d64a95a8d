/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long states or runs of tasks lasted (docs/ovni-statistics.md): a row per name and model, and optionally per group. The
 * event that ends one counts; at the end also what is still open, with the event that began it. Memory: rows, functions of
 * states, and a bit per record. */
#ifndef WIRETRACE_OVNI_STATISTICS_DURATIONS_H
#define WIRETRACE_OVNI_STATISTICS_DURATIONS_H

#include "ovni/statistics/groups.h"
#include "ovni/statistics/interval.h"
#include "statistics/rows.h"

enum {
    OVNI_DURATIONS_NAME,
    OVNI_DURATIONS_MODEL,
    OVNI_DURATIONS_GROUP,
    OVNI_DURATIONS_COUNT,
    OVNI_DURATIONS_MIN,
    OVNI_DURATIONS_AVERAGE,
    OVNI_DURATIONS_MAX,
    OVNI_DURATIONS_SUM,
    OVNI_DURATIONS_ACTIVE,
    OVNI_DURATIONS_OWN, /* active, without what was inside */
    OVNI_DURATIONS_OF_STATES,
    OVNI_DURATIONS_ON_CPU = OVNI_DURATIONS_OF_STATES,
    OVNI_DURATIONS_OF_TASKS,
    OVNI_DURATIONS_MEDIAN = OVNI_DURATIONS_OF_STATES, /* this and the next: of states that have ended */
    OVNI_DURATIONS_99,
    OVNI_DURATIONS_TYPICAL, /* percentiles_typical_sum(): 0 of a single one */
    OVNI_DURATIONS_OF_SPREAD
};
extern const rows_column ovni_durations_states[OVNI_DURATIONS_OF_STATES], ovni_durations_tasks[OVNI_DURATIONS_OF_TASKS],
    ovni_durations_spread[OVNI_DURATIONS_OF_SPREAD];

/* As statistics, with a word of ovni_grouping_words, and OVNI_WITHIN. */
extern const counted ovni_states_counted, ovni_tasks_counted;
extern const char *const ovni_grouping_words[OVNI_GROUPINGS]; /* NULL for OVNI_BY_NOTHING */

typedef struct ovni_durations ovni_durations;

/* `labels_missing`: whether those of types may be in streams that are left out; NULL: they are not. */
ovni_durations *ovni_durations_new(ovni_span_kind kind, ovni_grouping by, bool (*labels_missing)(void));
/* Makes those of states with their percentiles, for which each state takes 8 bytes. */
ovni_durations *ovni_durations_new_spread(void);
void ovni_durations_free(void *durations); /* NULL is allowed */
/* The part of the time that counts; NULL: all of it. */
const ovni_interval *ovni_durations_interval(const ovni_durations *d);
/* Streams are announced here; owned by `d`. */
ovni_groups *ovni_durations_groups(ovni_durations *d);

/* Counts an event of `s`, always the same, and what is known of it. `frame`: its number; `model`: its own. False if there is
 * nothing to count. */
bool ovni_durations_add(ovni_durations *d, const ovni_states *s, const record_context *c, uint32_t frame,
                        const ovni_known *known, char model);
/* An event before the part of time that counts: what it begins will count. */
void ovni_durations_note(ovni_durations *d, const record_context *c, uint32_t frame, const ovni_known *known);
/* Counts what is open now; may be called again after more events, and takes back what it counted before. With a interval, at
 * its end. */
void ovni_durations_end(ovni_durations *d, const ovni_states *s, const ovni_interval *w);
/* Adds rows for one of the lists of columns above, in the order in which they were first counted. `end_missing`: the end of
 * the trace is not known, so times of what is open are not either. */
void ovni_durations_fill(ovni_durations *d, bool end_missing, rows *to);

#endif
