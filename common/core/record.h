/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every format delivers for a record. The record's bytes stay as they are in the file. What must be known in addition
 * to them (position, thread, clock) is in a record_context of plain numbers, which the reader copies into Wireshark's
 * pseudo-header and the dissector reads back. */
#ifndef WIRETRACE_CORE_RECORD_H
#define WIRETRACE_CORE_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "core/fault.h"

/* A frame holds at most this many bytes of its record; the `length` field has the record's full size. */
#ifndef RECORD_FRAME_MAX
#define RECORD_FRAME_MAX (2u << 20)
#endif
/* Bytes that are not a record are shown in pieces of at most this size. */
#ifndef RECORD_UNKNOWN_MAX
#define RECORD_UNKNOWN_MAX (64u << 10)
#endif

/* Kinds that all formats share, for bytes that are not records of the format. */
enum {
    KIND_PADDING = 253,
    KIND_CUT = 254,
    KIND_UNKNOWN = 255,
};

enum { /* record_context.flags */
       CONTEXT_BIG_ENDIAN = 1,
       CONTEXT_TRUNCATED = 2,     /* the file ends inside this record */
       CONTEXT_RANDOM_ACCESS = 4, /* the reader can read any record again */
       CONTEXT_EXPORTED = 8,      /* came as an exported PDU: `stream` is numbered across all traces in the open file */
       CONTEXT_TIME_CUT = 16,     /* its time does not fit into Wireshark's, see record_cut_time() */
       CONTEXT_EMPTY_SHARE = 32,  /* a share of the streams was asked for that has none, see trace_part.h */
};

/* The size limit of the struct in which a format keeps what it must know of a record in addition to its bytes. */
#define RECORD_OWN_MAX 96
/* For these structs: they are stored in an array of uint64_t. */
#define RECORD_OWN __attribute__((may_alias))
/* Defines OWN_of(), which returns the format's own part of a context, state or range; as const as its argument. */
#define RECORD_OWN_PART(own_type, of_type) \
    _Static_assert(sizeof(own_type) <= sizeof(((of_type *)0)->own), "there is room"); \
    static inline own_type *own_type##_of(const of_type *whole) \
    { \
        return (own_type *)(uintptr_t)whole->own; \
    }

/* No pointers, and no implicit padding that matters: it is zeroed before it is filled, and copied as bytes. A new member
 * needs a row in exported.c, a new member of a format's own part one in the format's folder. */
typedef struct record_context {
    uint8_t format; /* format_id */
    uint8_t kind;   /* of the format, or KIND_* */
    uint8_t fault;  /* FAULT_NONE if nothing is wrong */
    uint8_t flags;
    uint32_t stream;      /* number of the stream in its trace */
    uint64_t offset;      /* of the record in the file after decompression, bytes */
    uint64_t trace;       /* identifies the trace when records of several traces are in one file */
    uint64_t length;      /* of the record in the file, bytes; stored separately from `offset`, see stream_state */
    uint64_t fault_value; /* value that goes with the fault */
    uint32_t fault_at;    /* offset in the record at which the fault is, bytes */
    uint64_t own[RECORD_OWN_MAX / 8];
} record_context;

/* A record of a stream. `phase` (below 255) and `order` are the merge key: lower phase first, then lower order. */
typedef struct record {
    record_context context;
    uint64_t order;
    uint8_t phase;
    int32_t nanoseconds; /* 0 to 999999999 */
    int64_t seconds;     /* time shown, since 1970; set only when the trace delivers the record */
} record;

/* The range of time_t. On some 32-bit processors it ends in January 2038. */
#define RECORD_TIME_MAX ((int64_t)(INT64_MAX >> (64 - 8 * (int)sizeof(time_t))))
#define RECORD_TIME_MIN (-RECORD_TIME_MAX - 1)

/* Limits a time to whole seconds between `least` and `most`. True if it had to be changed. */
static inline bool record_cut_time(int64_t *seconds, int32_t *nanoseconds, int64_t least, int64_t most)
{
    bool before = *seconds<least, after = *seconds> most;
    if (!before && !after)
        return false;
    *seconds = before ? least : most;
    *nanoseconds = before ? 0 : 999999999;
    return true;
}

/* Sets the fault of a record, unless it has one already. */
static inline void record_set_fault(record *r, fault f, uint64_t value, uint32_t at)
{
    if (r->context.fault != FAULT_NONE)
        return;
    r->context.fault = f;
    r->context.fault_value = value;
    r->context.fault_at = at;
}

/* A handle of a record is stream << TRACE_OFFSET_BITS | offset (trace.h). */
#define TRACE_OFFSET_BITS 43

#endif
