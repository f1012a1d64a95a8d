/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time between the outermost calls of each thread, in which it waited or ran what is not traced. */
#ifndef WIRETRACE_XRAY_STATISTICS_GAPS_H
#define WIRETRACE_XRAY_STATISTICS_GAPS_H

#include "xray/statistics/intervals.h"

extern const rows_column xray_gaps_columns[XRAY_INTERVALS_COLUMNS];

typedef struct xray_gaps xray_gaps;

xray_gaps *xray_gaps_new(void);
void xray_gaps_free(xray_gaps *g);
/* Counts a record. False if it neither begins nor ends an outermost call. */
bool xray_gaps_add(xray_gaps *g, const xray_call_event *v);
/* Adds rows: see xray_intervals_fill(). */
void xray_gaps_fill(const xray_gaps *g, const xray_display *shown, uint32_t (*frame_of)(uint32_t place), rows *to);

#endif
