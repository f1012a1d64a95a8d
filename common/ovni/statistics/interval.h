/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A part of a trace's time, for sums: states and runs of tasks are cut at both ends. Follows the events of all streams in
 * states of its own, as what was open at a moment must be known then, not at the end. Memory: states.h, and what is open
 * when the part begins. */
#ifndef WIRETRACE_OVNI_STATISTICS_INTERVAL_H
#define WIRETRACE_OVNI_STATISTICS_INTERVAL_H

#include "ovni/statistics/display.h"

typedef struct ovni_interval ovni_interval;

/* The word for it, with two times in seconds since the first record; whether they can be used, and the interval for them,
 * NULL without the word. */
#define OVNI_WITHIN "within:FROM,TO"
bool ovni_interval_can(const statistic_words *words);
ovni_interval *ovni_interval_asked(const statistic_words *words);
/* Times are in ns since the first record; `to` is after it. */
ovni_interval *ovni_interval_new(int64_t from, int64_t to);
void ovni_interval_free(ovni_interval *w); /* NULL is allowed */
/* The next record, `now` ns after the first one. */
void ovni_interval_play(ovni_interval *w, int64_t now, const ovni_tapped *r);
/* What is known of the event that was played last, with what it ends cut; NULL: it is after the part. */
const ovni_known *ovni_interval_known(const ovni_interval *w);
/* Returns whether the event that was played last is in the part, and whether the part is over. */
bool ovni_interval_inside(const ovni_interval *w);
bool ovni_interval_over(const ovni_interval *w);
const ovni_states *ovni_interval_states(const ovni_interval *w);
/* Visits, as in states.h, what is open at the end of the part, or so far. */
void ovni_interval_each_open(const ovni_interval *w, ovni_open_visitor visitor, void *data);

#endif
