/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How cache lines are used and shared: a row per line. A line takes little memory but its row takes much, so only the lines
 * worth most have rows, and the last row sums up all others (docs/cacheray-statistics.md). What two of these have counted
 * cannot be merged: whether an access is contended depends on those before it to the same line. */
#ifndef WIRETRACE_CACHERAY_STATISTICS_LINE_SUMS_H
#define WIRETRACE_CACHERAY_STATISTICS_LINE_SUMS_H

#include "cacheray/statistics/line_rows.h"

extern const rows_column cacheray_line_sums_columns[LINE_ROWS_COLUMNS];

typedef struct cacheray_line_sums cacheray_line_sums;

/* `line_size`: bytes, as for lines_new(). */
cacheray_line_sums *cacheray_line_sums_new(unsigned line_size);
void cacheray_line_sums_free(cacheray_line_sums *s);
/* False: the record is not an access. */
bool cacheray_line_sums_add(cacheray_line_sums *s, const cacheray_tapped *v);
/* Adds rows, in the order of the first access to each line. */
void cacheray_line_sums_fill(const cacheray_line_sums *s, rows *to);

#endif
