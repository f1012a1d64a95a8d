/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two traces side by side: an earlier one, the baseline, and the one after it. Rows are paired by two names. Knows
 * nothing of what is counted and measured. */
#ifndef WIRETRACE_COMPARISON_H
#define WIRETRACE_COMPARISON_H

#include "containers/quantile.h"
#include "statistics/rows.h"

typedef enum comparison_side { COMPARISON_BEFORE, COMPARISON_AFTER, COMPARISON_SIDES } comparison_side;

/* Columns: the names, where a row was seen, and four of each measure. */
enum { COMPARISON_SEEN = 2, COMPARISON_FIRST };
enum { COMPARISON_CHANGE = COMPARISON_SIDES, COMPARISON_RATIO, COMPARISON_PARTS };
#define COMPARISON_NAME_COLUMNS(first, second) \
    {first, ROWS_TEXT, ROWS_EACH}, {second, ROWS_TEXT, ROWS_EACH}, \
    { \
        "Seen", ROWS_TEXT, 4 \
    }
#define COMPARISON_MEASURE_COLUMNS(title, kind) \
    {title " before", kind, ROWS_EACH}, {title " after", kind, ROWS_EACH}, {title " difference", kind, ROWS_EACH}, \
    { \
        title " ratio", ROWS_RATIO, 0 \
    }
#define COMPARISON_COLUMNS(measures) (COMPARISON_FIRST + COMPARISON_PARTS * (measures))
/* How much a measure has changed. */
#define COMPARISON_CHANGE_OF(measure) (COMPARISON_COLUMNS(measure) + COMPARISON_CHANGE)

/* What has been counted for a row in one trace. A format says what the numbers are. */
typedef struct comparison_counts {
    uint64_t count, numbers[3];
} comparison_counts;

typedef struct comparison_sums {
    comparison_counts all;
    comparison_counts open; /* in addition: what has not ended yet */
    quantiles spread;       /* of what comparison_add() got */
} comparison_sums;

typedef struct comparison comparison;

comparison *comparison_new(void);
void comparison_free(comparison *c);
/* The row of two names, or of ROWS_OTHERS if there is no room for another one. */
unsigned comparison_row(comparison *c, const char *first, const char *second);
/* Whether there was none for a row: what is known of rows need not be kept any more. */
bool comparison_full(const comparison *c);
/* Its sums, for counting something; valid until the next row is asked for. */
comparison_sums *comparison_sums_of(comparison *c, comparison_side side, unsigned row);
/* Counts something whose size is of interest: for the spread, and the sum in numbers[0]. */
void comparison_add(comparison_sums *s, uint64_t size);
/* Adds what another one has counted. */
void comparison_merge(comparison *c, const comparison *other);
/* Forgets the trace after the baseline, which was counted first. */
void comparison_forget(comparison *c);
/* Forgets what is open in a trace. */
void comparison_forget_open(comparison *c, comparison_side side);

/* A measure of a side. */
typedef rows_cell (*comparison_value)(const void *data, comparison_side side, comparison_sums *s, unsigned measure);
/* Adds rows, in the order in which they were first counted. */
void comparison_fill(comparison *c, comparison_value value, const void *data, rows *to);

#endif
