/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two traces side by side: the rows of a statistic of an earlier one, the baseline, and those of the one after it, paired by
 * two names. Knows nothing of what is counted. */
#ifndef WIRETRACE_STATISTICS_COMPARISON_H
#define WIRETRACE_STATISTICS_COMPARISON_H

#include "statistics/counted.h"

/* The word for the file of the baseline. */
#define COMPARISON_BASELINE "BASELINE"

typedef enum comparison_side { COMPARISON_BEFORE, COMPARISON_AFTER, COMPARISON_SIDES } comparison_side;

/* Columns: the names, where a row was seen, and four of each measure. */
enum { COMPARISON_SEEN = 2, COMPARISON_FIRST };
enum { COMPARISON_CHANGE = COMPARISON_SIDES, COMPARISON_RATIO, COMPARISON_PARTS };
#define COMPARISON_NAME_COLUMNS(first, second) \
    {first, ROWS_TEXT, ROWS_EACH}, {second, ROWS_TEXT, ROWS_EACH}, \
    { \
        "Seen", ROWS_TEXT, ROWS_EACH \
    }
#define COMPARISON_MEASURE_COLUMNS(title, kind) \
    {title " before", kind, ROWS_EACH}, {title " after", kind, ROWS_EACH}, {title " difference", kind, ROWS_EACH}, \
    { \
        title " ratio", ROWS_RATIO, ROWS_EACH \
    }
#define COMPARISON_COLUMNS(measures) (COMPARISON_FIRST + COMPARISON_PARTS * (measures))
/* How much a measure has changed. */
#define COMPARISON_CHANGE_OF(measure) (COMPARISON_COLUMNS(measure) + COMPARISON_CHANGE)

/* A measure of a side, from columns of numbers in its rows. Their first column is a name, so 0 stands for none. */
typedef struct comparison_measure {
    uint8_t column, plus; /* the sum of both */
    uint8_t per;          /* divided by this one, rounded; no value if that is 0 */
    bool counts;          /* in a trace that does not have the row it is 0; otherwise it has no value there */
} comparison_measure;

/* Adds a row for each two names that rows of either side have in the columns `names`, those of the baseline first. Rows of a
 * side have different names. `measures`: one for each that `to` has columns for. Frees the rows of both sides. */
void comparison_fill(rows *before, rows *after, const uint8_t names[COMPARISON_SEEN], const comparison_measure *measures,
                     rows *to);

#endif
