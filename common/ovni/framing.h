/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a stream looks like from its first bytes, and what the framing must know of each stream. Knows bytes and no
 * files. */
#ifndef WIRETRACE_OVNI_FRAMING_H
#define WIRETRACE_OVNI_FRAMING_H

#include "events.h"
#include "ovni/context.h"
#include "ovni/state.h"

typedef enum ovni_shape_kind {
    OVNI_SHAPE_UNDECIDED,
    OVNI_SHAPE_HEADER,     /* begins with a header */
    OVNI_SHAPE_HEADERLESS, /* begins with an event */
    OVNI_SHAPE_CUT_HEADER, /* the whole file is the beginning of a header */
    OVNI_SHAPE_FOREIGN,    /* no record can be recognised */
    OVNI_SHAPE_METADATA,   /* not an event file */
    OVNI_SHAPE_MISSING,    /* not there, or not to be read: one record says so */
} ovni_shape_kind;

typedef struct ovni_shape {
    uint8_t kind; /* ovni_shape_kind */
    bool big_endian;
    bool known_version; /* 1 .. 255; only such a file is claimed */
    bool clock_known;   /* there is a first event */
    uint32_t version;
    int64_t clock; /* of the first event, ns */
} ovni_shape;

/* The shape of a file from its first bytes; `whole`: there are no more. */
ovni_shape ovni_shape_of(const uint8_t *head, size_t length, bool whole, bool may_be_headerless);

/* stream.detail of every stream. */
typedef struct ovni_stream {
    uint8_t shape; /* ovni_shape_kind; UNDECIDED until the first bytes are read: a pipe cannot be read twice */
    bool may_be_headerless;
    bool start_known;
    uint32_t version;
    int64_t start;  /* corrected clock of the first event of the trace: the time of what has no clock before it */
    uint64_t begin; /* offset of the first event */
    fault fault;    /* of a metadata record or a missing stream */
    uint64_t fault_value;
    uint32_t fault_at;
} ovni_stream;

/* Settles the shape of a stream from its first bytes, and what it decides: byte order, era, where the events begin, the first
 * clock. Returns how many bytes were looked at; 0 or w->error: nothing is settled. */
size_t ovni_stream_look(stream *s, window *w);

static inline int64_t ovni_corrected(int64_t clock, int64_t offset)
{
    return (int64_t)((uint64_t)clock + (uint64_t)offset);
}

#endif
