/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must be known to read on from one record of an XRay trace to the next. */
#ifndef WIRETRACE_XRAY_STATE_H
#define WIRETRACE_XRAY_STATE_H

#include "stream.h"

/* What an XRay range starts with: known from the index of buffers (docs/formats/xray.md, "Order"). */
typedef struct xray_seed {
    uint64_t tsc; /* the sort key: first counter of the buffer; last counter before the chunk in basic mode */
    uint32_t thread, process;
    uint16_t cpu;
    uint8_t known; /* XRAY_KNOWN_*: TSC and CPU only where they are in force before the range */
} RECORD_OWN xray_seed;

typedef struct xray_state {
    uint64_t tsc;        /* running counter */
    uint64_t time_tsc;   /* counter that gives the time of records without one */
    uint64_t buffer_end; /* file offset; 0 outside of any buffer */
    uint64_t buffer;     /* file offset of the buffer's first record */
    uint32_t thread, process;
    uint32_t argument_index;
    uint32_t argument_function; /* basic mode: whose arguments are counted */
    uint16_t cpu;
    uint8_t known;
    uint8_t previous; /* kind of the record before that is no argument, 0 = none */
    bool skipping;    /* what follows damage up to the end of the buffer */
    bool padding;     /* what follows EndOfBuffer in version 1 */
} RECORD_OWN xray_state;

RECORD_OWN_PART(xray_seed, stream_range)
RECORD_OWN_PART(xray_state, stream_state)

#endif
