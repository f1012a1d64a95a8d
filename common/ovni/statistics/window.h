/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A part of a trace's time, for sums: states and runs of tasks are cut at both ends. Follows the events of all streams in
 * states of its own, as what was open at a moment must be known then, not at the end. Memory: states.h, and what is open
 * when the part begins. */
#ifndef WIRETRACE_OVNI_STATISTICS_WINDOW_H
#define WIRETRACE_OVNI_STATISTICS_WINDOW_H

#include "ovni/statistics/display.h"

typedef struct ovni_window ovni_window;

/* The word for it, with two times in seconds since the first record; whether they can be used, and the window for them, NULL
 * without the word. */
#define OVNI_WITHIN "within:FROM,TO"
bool ovni_window_can(const statistic_words *words);
ovni_window *ovni_window_asked(const statistic_words *words);
/* Times are in ns since the first record; `to` is after it. */
ovni_window *ovni_window_new(int64_t from, int64_t to);
void ovni_window_free(ovni_window *w); /* NULL is allowed */
/* The next record, `now` ns after the first one. */
void ovni_window_play(ovni_window *w, int64_t now, const ovni_tapped *r);
/* What is known of the event that was played last, with what it ends cut; NULL: it is after the part. */
const ovni_known *ovni_window_known(const ovni_window *w);
/* Returns whether the event that was played last is in the part, and whether the part is over. */
bool ovni_window_inside(const ovni_window *w);
bool ovni_window_over(const ovni_window *w);
const ovni_states *ovni_window_states(const ovni_window *w);
/* Visits, as in states.h, what is open at the end of the part, or so far. */
void ovni_window_each_open(const ovni_window *w, ovni_open_visitor visitor, void *data);

#endif
