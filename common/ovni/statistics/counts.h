/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many events a trace has of each model and code, and in each stream. */
#ifndef WIRETRACE_OVNI_STATISTICS_COUNTS_H
#define WIRETRACE_OVNI_STATISTICS_COUNTS_H

#include "statistics/count_cells.h"

/* The cells below which others are made, in the order of their numbers. */
enum { OVNI_COUNTS_FIRST = 2 };
extern const char *const ovni_counts_first[OVNI_COUNTS_FIRST];

/* Counts an event by the code at its beginning; false: its stream is to be counted by ovni_counts_add_stream(), which makes
 * a cell for it. */
bool ovni_counts_add(count_cells *c, const char mcv[3], uint32_t stream);
void ovni_counts_add_stream(count_cells *c, uint32_t stream, const char *name);

#endif
