/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How cache lines are used and shared: a row per line. A line takes little memory but its row takes much, so only the lines
 * worth most have rows, and the last row sums up all others (docs/cacheray-statistics.md). What two of these have counted
 * cannot be merged: whether an access is contended depends on those before it to the same line. */
#ifndef WIRETRACE_CACHERAY_STATISTICS_LINE_SUMS_H
#define WIRETRACE_CACHERAY_STATISTICS_LINE_SUMS_H

#include "cacheray/statistics/line_rows.h"

/* Rows are in the order of the first access to each line. */
extern const counted cacheray_line_sums_counted;

#endif
