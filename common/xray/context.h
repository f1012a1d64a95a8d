/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must be known in addition to the bytes of an XRay record. */
#ifndef WIRETRACE_XRAY_CONTEXT_H
#define WIRETRACE_XRAY_CONTEXT_H

#include "xray/faults.h"
#include "core/record.h"

enum { /* xray_context.known */
       XRAY_KNOWN_THREAD = 1,
       XRAY_KNOWN_PROCESS = 2,
       XRAY_KNOWN_CPU = 4,
       XRAY_KNOWN_TSC = 8,
       XRAY_BUFFER_SHORT = 16, /* the file ends before the buffer that contains the record */
       XRAY_REUSED = 64,       /* the buffer is the first one of a new thread with the id of one that has ended */
       XRAY_REPEATED = 32,     /* the log has the buffer twice, and this is the second copy */
};

/* xray_context.flags, beyond those of the file header: earlier buffers of this thread were overwritten, so that calls that
 * were open then are unknown. In records of no thread: those of any thread were. */
#define XRAY_OVERWRITTEN 4
#define XRAY_HEADER_FLAGS 3

typedef struct xray_context {
    uint64_t tsc;         /* counter after this record, ticks */
    uint64_t time_tsc;    /* counter from which the record's time is computed, ticks */
    uint64_t frequency;   /* ticks per second, as used for times (normally that of the file header); 0: unknown */
    uint64_t buffer_size; /* in the file header, bytes */
    uint64_t base_tsc;    /* as in xray_log */
    int64_t base_seconds;
    uint64_t buffer;       /* file offset of the buffer that contains the record; 0: none */
    uint64_t about_buffer; /* for XRAY_REPEATED: file offset of the first copy; for the extents of an XRAY_BUFFER_SHORT
                            * buffer: bytes missing */
    uint32_t thread, process;
    int32_t base_nanoseconds;
    uint32_t argument_index; /* of a call argument: 0 for the first of a call */
    uint16_t version, type;  /* in the file header */
    uint16_t cpu;
    uint8_t known;
    uint8_t previous; /* kind of the previous record in the buffer that is not an argument; in basic mode of the thread */
    uint8_t flags;    /* in the file header: 1 constant TSC, 2 nonstop TSC; XRAY_OVERWRITTEN */
} RECORD_OWN xray_context;

RECORD_OWN_PART(xray_context, record_context)

#endif
