/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long states lasted in two traces, side by side, paired by name and model (durations.h). */
#ifndef WIRETRACE_OVNI_STATISTICS_COMPARISON_H
#define WIRETRACE_OVNI_STATISTICS_COMPARISON_H

#include "ovni/statistics/durations.h"
#include "statistics/comparison.h"

enum {
    OVNI_COMPARISON_COUNT,
    OVNI_COMPARISON_SUM,
    OVNI_COMPARISON_AVERAGE,
    OVNI_COMPARISON_TYPICAL, /* what a few states do not decide of the sum */
    OVNI_COMPARISON_MEDIAN,  /* this and the next: of states that have ended */
    OVNI_COMPARISON_99,
    OVNI_COMPARISON_ACTIVE,
    OVNI_COMPARISON_MEASURES
};
enum { OVNI_COMPARISON_COLUMNS = COMPARISON_COLUMNS(OVNI_COMPARISON_MEASURES) };
extern const rows_column ovni_comparison_columns[OVNI_COMPARISON_COLUMNS];

/* As a statistic; its word BASELINE is for whoever reads the baseline into its data. */
extern const counted ovni_comparison_counted;
typedef struct ovni_comparison {
    ovni_durations *before, *after;
} ovni_comparison;

/* Counts the baseline to its end, in ovni_durations_new_spread(). */
bool ovni_baseline_read(ovni_durations *d, const char *path, GError **error);
/* Adds rows for two of these, which have been ended. `end_missing`: the end of a trace is not known. */
void ovni_comparison_fill(ovni_durations *before, ovni_durations *after, bool end_missing, rows *to);

#endif
