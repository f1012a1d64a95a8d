/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every format yields for a record. The record's bytes stay as they are in the file; what must be known beside them
 * (where it stands, which thread, which clock) travels in a record_context of plain numbers, which the reader copies into
 * Wireshark's pseudo-header and the dissector reads back. */
#ifndef WIRETRACE_RECORD_H
#define WIRETRACE_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

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
       CONTEXT_TIME_CUT = 16,     /* its time does not fit into Wireshark's, see record_cut_time() */
};

/* What a format must know of a record beside its bytes: a struct of the format's own, of at most so many bytes. */
#define RECORD_OWN_MAX 96
/* For these structs: they lie in opaque bytes. */
#define RECORD_OWN __attribute__((may_alias))
/* OWN_of() is the format's own part of a context, state or range; as constant as that. */
#define RECORD_OWN_PART(own_type, of_type) \
    _Static_assert(sizeof(own_type) <= sizeof(((of_type *)0)->own), "there is room"); \
    static inline own_type *own_type##_of(const of_type *whole) \
    { \
        return (own_type *)(uintptr_t)whole->own; \
    }

/* No pointers and no implicit padding that matters: copied as bytes, zeroed before it is filled. A new member gets a row in
 * exported.c too; one of a format's own a row in the format's folder. */
typedef struct record_context {
    uint8_t format; /* format_id */
    uint8_t kind;   /* of the format's own, or one of the above */
    uint8_t fault;  /* FAULT_NONE, or what is wrong */
    uint8_t flags;
    uint32_t stream;      /* number of the stream in its trace */
    uint64_t offset;      /* of the record in its uncompressed file, bytes */
    uint64_t trace;       /* tells traces apart when their records are put together in one file */
    uint64_t length;      /* of the record in the file, bytes; not beside the offset for the reason given in stream_state */
    uint64_t fault_value; /* number that belongs to the fault */
    uint32_t fault_at;    /* byte of the record at which the fault stands */
    uint64_t own[RECORD_OWN_MAX / 8];
} record_context;

/* One record of a stream. `phase` (below 255) and `order` are the merge key: lower phase first, then lower order. */
typedef struct record {
    record_context context;
    uint64_t order;
    uint8_t phase;
    int32_t nanoseconds; /* 0 .. 999999999 */
    int64_t seconds;     /* time shown; filled in when the trace gives the record out */
} record;

/* What a time_t holds. On some processors of 32 bits it has no more, and ends in January 2038. */
#define RECORD_TIME_MAX ((int64_t)(INT64_MAX >> (64 - 8 * (int)sizeof(time_t))))
#define RECORD_TIME_MIN (-RECORD_TIME_MAX - 1)

/* Cuts a time to what lies between two numbers of seconds, whole; true where it did. */
static inline bool record_cut_time(int64_t *seconds, int32_t *nanoseconds, int64_t least, int64_t most)
{
    bool before = *seconds<least, after = *seconds> most;
    if (!before && !after)
        return false;
    *seconds = before ? least : most;
    *nanoseconds = before ? 0 : 999999999;
    return true;
}

/* The first fault of a record counts. */
static inline void record_set_fault(record *r, fault f, uint64_t value, uint32_t at)
{
    if (r->context.fault != FAULT_NONE)
        return;
    r->context.fault = f;
    r->context.fault_value = value;
    r->context.fault_at = at;
}

#endif
