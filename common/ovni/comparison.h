/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long states lasted in two traces, side by side, paired by name and model. What is still open at the end counts as in durations.h. */
#ifndef WIRETRACE_OVNI_COMPARISON_H
#define WIRETRACE_OVNI_COMPARISON_H

#include "ovni/states.h"
#include "statistics/comparison.h"

enum {
    OVNI_COMPARISON_COUNT,
    OVNI_COMPARISON_SUM,
    OVNI_COMPARISON_AVERAGE,
    OVNI_COMPARISON_MEDIAN, /* this and the next: of states that have ended */
    OVNI_COMPARISON_99,
    OVNI_COMPARISON_ACTIVE,
    OVNI_COMPARISON_MEASURES
};
enum { OVNI_COMPARISON_COLUMNS = COMPARISON_COLUMNS(OVNI_COMPARISON_MEASURES) };
extern const rows_column ovni_comparison_columns[OVNI_COMPARISON_COLUMNS];

typedef struct ovni_comparison ovni_comparison;

ovni_comparison *ovni_comparison_new(void);
void ovni_comparison_free(ovni_comparison *c);
/* Counts an event and what is known of it, by the states of its trace. `frame`: its number. False if there is nothing to count. */
bool ovni_comparison_add(ovni_comparison *c, comparison_side side, const ovni_states *s, uint32_t frame,
                         const ovni_known *known);
/* Counts what is open now, if the event that began it has counted; takes back what it counted before. */
void ovni_comparison_end(ovni_comparison *c, comparison_side side, const ovni_states *s);
/* Counts the baseline, to its end. NULL, or what is wrong; g_free() it. */
char *ovni_comparison_read(ovni_comparison *c, const char *path);
/* Adds what another one has counted of other streams of the same traces. Both have been ended, and count no more events. */
void ovni_comparison_merge(ovni_comparison *c, const ovni_comparison *other);
/* Forgets the trace after the baseline. */
void ovni_comparison_forget(ovni_comparison *c);
/* Adds rows. `end_missing`: the end of a trace is not known, so times of what is open are not either. */
void ovni_comparison_fill(ovni_comparison *c, bool end_missing, rows *to);

#endif
