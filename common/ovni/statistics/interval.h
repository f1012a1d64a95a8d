/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A part of a trace's time, for sums: from one moment to another, or while each process has set a mark. States and runs of
 * tasks are cut at its ends. Follows the events of all streams in states of its own, whose clock is stopped outside the
 * part: all times there are then those inside. Memory: states.h, and 24 bytes whenever a process begins or ends the mark. */
#ifndef WIRETRACE_OVNI_STATISTICS_INTERVAL_H
#define WIRETRACE_OVNI_STATISTICS_INTERVAL_H

#include "ovni/statistics/display.h"

typedef struct ovni_interval ovni_interval;

/* The word for it, with two times in seconds since the first record, or a mark: its title and the label of its value, such
 * as "Phase=solve" or "Mark 3=1"; whether they can be used, and the interval for them, NULL without the word. */
#define OVNI_WITHIN "within:FROM,TO"
bool ovni_interval_can(const statistic_words *words);
ovni_interval *ovni_interval_asked(const statistic_words *words);
/* Times are in ns since the first record; `to` is after it. */
ovni_interval *ovni_interval_new(int64_t from, int64_t to);
ovni_interval *ovni_interval_new_of_mark(const char *mark); /* such as "Phase=solve" */
void ovni_interval_free(ovni_interval *w);                  /* NULL is allowed */
/* The next record, `now` ns after the first one. */
void ovni_interval_play(ovni_interval *w, int64_t now, const ovni_tapped *r);
/* What is known of the event that was played last, with what it ends cut. */
const ovni_known *ovni_interval_known(const ovni_interval *w);
/* Returns whether the event that was played last is in the part, or ends something that was; whether the part is over; and
 * whether there was one: a mark may never have been set. */
bool ovni_interval_inside(const ovni_interval *w);
bool ovni_interval_over(const ovni_interval *w);
bool ovni_interval_found(const ovni_interval *w);
const ovni_states *ovni_interval_states(const ovni_interval *w);
/* Visits, as in states.h, what is open at the end of the part, or so far. */
void ovni_interval_each_open(const ovni_interval *w, ovni_open_visitor visitor, void *data);

#endif
