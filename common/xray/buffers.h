/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the buffers of a log say together (docs/formats/xray.md, "Order"): which are in it twice, which are of a thread that
 * has the id of one that had ended, and whether older ones were overwritten. index.c finds the buffers. */
#ifndef WIRETRACE_XRAY_BUFFERS_H
#define WIRETRACE_XRAY_BUFFERS_H

#include "xray/xray.h"

/* A part of the file that is read in one go. */
typedef struct xray_segment {
    stream_range range;
    uint32_t stream;
    bool counted; /* the tsc of the seed is its own counter */
    union {
        uint64_t first; /* basic mode: counter of the first record; 0 if it has none */
        uint64_t wall;  /* for a buffer without a counter: its wall-clock marker in microseconds; 0 if it has none */
    };
} xray_segment;

/* Reads a range with a temporary stream; `visit`, unless it is NULL, sees each record. Returns the state at the end. */
xray_state xray_buffers_read(trace *t, source *file, const stream_range *range, void (*visit)(walk *w, void *data),
                             void *data);

/* They fill in log->repeats, log->reused, and log->buffers, overwritten and late. `segments`: of xray_segment, sorted by
 * stream, then time. */
void xray_buffers_find_repeats(xray_log *log, source *file, const GArray *segments);
void xray_buffers_find_reused(xray_log *log, source *file, const GArray *segments);
void xray_buffers_find_overwritten(trace *t, xray_log *log, source *file, GArray *segments);

#endif
