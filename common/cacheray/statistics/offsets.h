/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts of lines are exact, however many there are. Lines that come last lose their rows below, if there is no room for
 * all; what is counted again later is, with what was lost, in a row TEXT_OTHERS of the line.
 *
 * Cache lines, and below each line a row for each offset in it, with the data that is there, and thread. The line with the
 * most contended accesses comes first; likewise below it. Each row says against whom: the data and thread with which most of
 * its conflicts are (rivals.h, docs/cacheray-statistics.md). What two of these have counted cannot be merged: whether an
 * access is contended, and against whom, depends on those before it to the same line. */
#ifndef WIRETRACE_CACHERAY_STATISTICS_OFFSETS_H
#define WIRETRACE_CACHERAY_STATISTICS_OFFSETS_H

#include "cacheray/statistics/line_rows.h"

enum {
    CACHERAY_OFFSETS_OFFSET = LINE_ROWS_COLUMNS,
    CACHERAY_OFFSETS_DATA,
    CACHERAY_OFFSETS_AGAINST,
    CACHERAY_OFFSETS_TIMES,
    CACHERAY_OFFSETS_COLUMNS
};
/* The order of rows changes from one time to the next. */
extern const counted cacheray_offsets_counted;

#endif
