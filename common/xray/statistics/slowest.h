/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which single calls of a log took longest, or are first by another column (docs/xray-statistics.md, "The slowest calls"): a
 * row per call. */
#ifndef WIRETRACE_XRAY_STATISTICS_SLOWEST_H
#define WIRETRACE_XRAY_STATISTICS_SLOWEST_H

#include "analysis/span.h"
#include "statistics/top_n.h"
#include "xray/names/display.h"

enum {
    XRAY_SLOWEST_DURATION,
    XRAY_SLOWEST_SELF,
    XRAY_SLOWEST_THREAD,
    XRAY_SLOWEST_ENTRY, /* records */
    XRAY_SLOWEST_END,
    XRAY_SLOWEST_FUNCTION,
    XRAY_SLOWEST_CALLER,
    XRAY_SLOWEST_DEPTH,
    XRAY_SLOWEST_AT,
    XRAY_SLOWEST_NOTE,
    XRAY_SLOWEST_COLUMNS
};
extern const rows_column xray_slowest_columns[XRAY_SLOWEST_COLUMNS];

/* A call that has ended, with its times in ticks of the log. */
typedef struct xray_slow_call {
    span span;
    uint32_t caller, thread;
    bool has_caller, depth_unknown;
    uint64_t at; /* ns from the first record of the file to its entry */
} xray_slow_call;

/* False: the call has no duration, and does not count. `slowest`: of xray_slow_call. */
bool xray_slowest_add(top_n *slowest, const xray_slow_call *c);
/* Adds rows, in order. `frame_of`: as record_frame() of the plugins. */
void xray_slowest_fill(const top_n *slowest, const xray_display *shown, uint32_t (*frame_of)(uint32_t place), rows *to);

#endif
