/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The shape of a stream as its first bytes show it, and what framing stores per stream. Works on bytes, not on files. */
#ifndef WIRETRACE_OVNI_FRAMING_H
#define WIRETRACE_OVNI_FRAMING_H

#include "ovni/events/events.h"
#include "ovni/context.h"
#include "ovni/state.h"

/* record.phase: what has no clock comes before all events. */
enum { OVNI_PHASE_METADATA, OVNI_PHASE_HEADER, OVNI_PHASE_EVENTS };

typedef enum ovni_shape_kind {
    OVNI_SHAPE_UNDECIDED,
    OVNI_SHAPE_HEADER,     /* begins with a header */
    OVNI_SHAPE_HEADERLESS, /* begins with an event */
    OVNI_SHAPE_CUT_HEADER, /* the file ends within its header */
    OVNI_SHAPE_FOREIGN,    /* no record can be recognised */
    OVNI_SHAPE_METADATA,   /* not an event file */
    OVNI_SHAPE_MISSING,    /* missing or unreadable: shown as one record */
} ovni_shape_kind;

typedef struct ovni_shape {
    uint8_t kind; /* ovni_shape_kind */
    bool big_endian;
    bool known_version; /* 1 to 255; other files are not claimed */
    bool clock_known;   /* an event was found */
    uint32_t version;
    int64_t clock; /* of the first event, ns */
} ovni_shape;

/* The shape of a file, from its first bytes. `whole`: the file ends here. `enough`: so many events in a row are taken for a
 * stream without header, whatever follows them; 0: it cannot be one. */
ovni_shape ovni_shape_of(const uint8_t *head, size_t length, bool whole, unsigned enough);
/* `enough` for a file that only its name says to be one, and for one in folders that ovni names so. */
enum { OVNI_ENOUGH_NAMED = 8, OVNI_ENOUGH_IN_TRACE = 2 };

/* What stream.detail points to. */
typedef struct ovni_stream {
    uint8_t shape;  /* ovni_shape_kind; UNDECIDED until the first bytes are read, since a pipe cannot be read twice */
    uint8_t enough; /* see ovni_shape_of() */
    bool start_known;
    uint32_t version;
    int64_t start;  /* corrected clock of the first event of the trace, ns: the time of records without any clock before
                     * them */
    uint64_t begin; /* offset of the first event */
    fault fault;    /* of a metadata record or a missing file */
    uint64_t fault_value;
    uint32_t fault_at;
} ovni_stream;

/* Determines the shape of a stream from its first bytes, and what follows from it: byte order, era, where the events
 * begin, the first clock. Returns how many bytes were examined. On 0 or w->error nothing is changed. */
size_t ovni_stream_look(stream *s, window *w);

static inline int64_t ovni_corrected(int64_t clock, int64_t offset)
{
    return (int64_t)((uint64_t)clock + (uint64_t)offset);
}

#endif
