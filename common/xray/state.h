/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must be known to read the next record of an XRay trace. */
#ifndef WIRETRACE_XRAY_STATE_H
#define WIRETRACE_XRAY_STATE_H

#include "core/stream.h"

/* The initial state of a range, from the index of buffers (docs/formats/xray.md, "Order"). */
typedef struct xray_seed {
    uint64_t tsc; /* sorts the ranges: first counter of the buffer; in basic mode the last counter before the range */
    uint32_t thread, process;
    uint16_t cpu;
    uint8_t known; /* XRAY_KNOWN_*; TSC and CPU only if they are known before the range begins */
    bool counted;  /* `tsc` is the counter of the buffer itself */
} RECORD_OWN xray_seed;

typedef struct xray_state {
    uint64_t tsc; /* running counter, ticks; in a profile: bytes of blocks with wrong sizes; UINT64_MAX: the next is one */
    uint64_t time_tsc;   /* counter for the time of records that have none, ticks */
    uint64_t buffer_end; /* file offset; 0 outside any buffer */
    uint64_t buffer;     /* file offset of the buffer */
    uint32_t thread, process;
    uint32_t argument_index; /* in a profile: the number that the next block should have */
    uint16_t cpu;
    uint8_t known;
    uint8_t previous; /* kind of the previous record that is not an argument; 0: none */
    bool skipping;    /* after damage, up to the end of the buffer; in a profile, up to the next block */
    bool padding;     /* after EndOfBuffer in version 1 */
} RECORD_OWN xray_state;

RECORD_OWN_PART(xray_seed, stream_range)
RECORD_OWN_PART(xray_state, stream_state)

#endif
