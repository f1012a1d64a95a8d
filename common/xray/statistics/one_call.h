/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What happened inside one call: the calls that it made, the self time between them, moves to other CPUs, events. It cannot
 * be merged: all of it is of one thread. Its rows are not made of those of xray,calls,each (span_rows.h), which has one row
 * only where here are three or more: self time, moves and events are pieces as calls are, and all are added up by their
 * words, as parts of the call. */
#ifndef WIRETRACE_XRAY_STATISTICS_ONE_CALL_H
#define WIRETRACE_XRAY_STATISTICS_ONE_CALL_H

#include "xray/statistics/intervals.h"

enum { XRAY_INSIDE_COLUMNS = XRAY_INTERVALS_UNWOUND + 1 };
extern const rows_column xray_inside_columns[XRAY_INSIDE_COLUMNS];

/* Why the rows are not the whole call. */
typedef enum xray_inside_state {
    XRAY_INSIDE_WHOLE,
    XRAY_INSIDE_NOT_ENTERED,
    XRAY_INSIDE_NO_CALL,  /* the record that was given as entry belongs to no call; */
    XRAY_INSIDE_NO_ENTRY, /* or its call begins elsewhere */
    XRAY_INSIDE_UNTIMED,  /* the call has no duration */
    XRAY_INSIDE_UNENDED,  /* it has not ended */
    XRAY_INSIDE_LATE,     /* it was not known in time where calls without an exit ended */
} xray_inside_state;

typedef struct xray_inside xray_inside;

/* `each`: there is a row for each piece. */
xray_inside *xray_inside_new(bool each);
void xray_inside_free(xray_inside *c);
/* The entry of the call, which is then to be added as well. */
void xray_inside_enter(xray_inside *c, const xray_call_event *v);
/* Returns whether records of a stack may be of the call, from its entry to its end. */
bool xray_inside_wants(const xray_inside *c, uint64_t stack);
/* Counts a record, if it is of the call. False: it is not. */
bool xray_inside_add(xray_inside *c, const xray_call_event *v);
/* What is missing; *begin: with XRAY_INSIDE_NO_ENTRY, the record that begins the call. */
xray_inside_state xray_inside_state_of(const xray_inside *c, uint32_t *begin);
/* Adds rows: see xray_intervals_fill(). */
void xray_inside_fill(const xray_inside *c, const xray_display *shown, uint32_t (*frame_of)(uint32_t place), rows *to);

#endif
