/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every format yields for a record. The record's bytes stay as they are in the file; what must be known beside them
 * (where it stands, which thread, which clock) travels in a record_context of plain numbers, which the reader copies into
 * Wireshark's pseudo-header and the dissector reads back. */
#ifndef WIRETRACE_RECORD_H
#define WIRETRACE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "fault.h"

/* A frame holds at most this much of its record (its field `length` says how long the record is). */
#ifndef RECORD_FRAME_MAX
#define RECORD_FRAME_MAX (2u << 20)
#endif
/* Stretches that are no record are shown in pieces of at most this. */
#ifndef RECORD_STRETCH_MAX
#define RECORD_STRETCH_MAX (64u << 10)
#endif

/* Kinds that all formats share: what is not a record is one all the same. */
enum {
    KIND_PADDING = 253,
    KIND_CUT = 254,
    KIND_UNKNOWN = 255,
};

enum { /* record_context.flags */
    CONTEXT_BIG_ENDIAN = 1,
    CONTEXT_TRUNCATED = 2,     /* the file ends inside this record */
    CONTEXT_RANDOM_ACCESS = 4, /* the reader can be asked for any record again */
    CONTEXT_EXPORTED = 8,      /* came as an exported PDU: `stream` counts those of all traces in the open file */
};

enum { /* xray_context.known */
    XRAY_KNOWN_THREAD = 1,
    XRAY_KNOWN_PROCESS = 2,
    XRAY_KNOWN_CPU = 4,
    XRAY_KNOWN_TSC = 8,
    XRAY_BUFFER_SHORT = 16, /* the file ends before the buffer that the record stands in */
    XRAY_REPEATED = 32,     /* the buffer that the record stands in is in the log twice, and this is the second */
};

typedef struct xray_context {
    uint64_t tsc;            /* counter after this record, ticks */
    uint64_t time_tsc;       /* counter that gives the record its time */
    uint64_t frequency;      /* of the file header, as used for the time: ticks per second; 0 = unknown */
    uint64_t buffer_size;    /* of the file header */
    uint64_t base_tsc;       /* the clock: counter at base_seconds; 0 without a wall-clock marker */
    int64_t base_seconds;
    uint64_t buffer;         /* file offset of the buffer that the record stands in; 0 = none */
    uint64_t about_buffer;   /* XRAY_REPEATED: file offset of the first; XRAY_BUFFER_SHORT, extents: bytes missing */
    uint32_t thread, process;
    int32_t base_nanoseconds;
    uint32_t argument_index; /* call arguments: 0 for the first of a call */
    uint16_t version, type;  /* of the file header */
    uint16_t cpu;
    uint8_t known;
    uint8_t previous; /* kind of the record before in the buffer that is no argument; in basic mode of the thread */
    uint8_t flags;    /* of the file header: 1 constant TSC, 2 nonstop TSC */
} xray_context;

typedef struct cacheray_context {
    uint64_t number; /* of the record, from 1 */
    uint8_t layout;  /* cacheray_layout */
} cacheray_context;

enum { /* ovni_context.known */
    OVNI_KNOWN_PROCESS = 1,
    OVNI_KNOWN_THREAD = 2,
    OVNI_KNOWN_RANK = 4,
    OVNI_KNOWN_APP = 8,
    OVNI_KNOWN_CLOCK_OFFSET = 16,
    OVNI_BACKWARDS = 32, /* clock before the previous one of the stream, outside a sort region */
};

typedef struct ovni_context {
    int64_t clock_offset; /* ns, added to the clock */
    int32_t process, thread, rank, app;
    uint8_t era; /* ovni_era */
    uint8_t known;
} ovni_context;

/* No pointers and no implicit padding that matters: copied as bytes, zeroed before it is filled. A new member gets a row in
 * exported.c too. */
typedef struct record_context {
    uint8_t format; /* format_id */
    uint8_t kind;   /* xray.kind, cacheray.event, ovni.kind */
    uint8_t fault;  /* FAULT_NONE, or what is wrong */
    uint8_t flags;
    uint32_t stream;      /* number of the stream in its trace */
    uint64_t offset;      /* of the record in its uncompressed file, bytes */
    uint64_t trace;       /* tells traces apart when their records are put together in one file */
    uint64_t length;      /* of the record in the file, bytes; not beside the offset for the reason given in stream_state */
    uint64_t fault_value; /* number that belongs to the fault */
    uint32_t fault_at;    /* byte of the record at which the fault stands */
    union {
        xray_context xray;
        cacheray_context cacheray;
        ovni_context ovni;
    };
} record_context;

/* One record of a stream. `phase` (below 255) and `order` are the merge key: lower phase first, then lower order. */
typedef struct record {
    record_context context;
    uint64_t order;
    uint8_t phase;
    int32_t nanoseconds; /* 0 .. 999999999 */
    int64_t seconds;     /* time shown; filled in when the trace gives the record out */
} record;

/* The first fault of a record counts. */
static inline void record_set_fault(record *r, fault f, uint64_t value, uint32_t at)
{
    if (r->context.fault != FAULT_NONE)
        return;
    r->context.fault = (uint8_t)f;
    r->context.fault_value = value;
    r->context.fault_at = at;
}

#endif
