/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record of a log with what the session says of it (session.h), for statistics of what happens between calls. Times are
 * ticks of the first record of the file. */
#ifndef WIRETRACE_XRAY_STATISTICS_CALL_EVENT_H
#define WIRETRACE_XRAY_STATISTICS_CALL_EVENT_H

#include "analysis/span.h"
#include "xray/statistics/display.h"
#include "xray/xray.h"

typedef struct xray_call_event {
    const xray_display *shown; /* names stay as long as the statistic */
    const record_context *context;
    uint32_t place; /* the number of the record in the trace */
    uint64_t stack, now;
    bool has_call; /* `call` is valid */
    call call;
    uint32_t function; /* of a function record */
    uint16_t event;    /* type of a typed event */
    const span *ended;
    unsigned ended_count;
    const span *
        unwound; /* of an entry whose call has no exit, if it is known where it ended: begin, last, until, duration, state */
} xray_call_event;

#endif
