/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stream is a sequence of records in order of time: the events of one thread. It consists of ranges of one file, in
 * reading order (the buffers of a thread may form a ring in the file; most streams have one range). A walk reads a stream
 * record by record. Random access depends on the offset alone: it reads forward from the nearest checkpoint. There is a
 * checkpoint about every thousand records (CHECKPOINT_EVERY), and nothing is kept per record. Knows no fields of any
 * format: the format's step says how long a record is and how it changes the state. */
#ifndef WIRETRACE_CORE_STREAM_H
#define WIRETRACE_CORE_STREAM_H

#include <glib.h>

#include "core/format.h"
#include "core/record.h"
#include "core/source.h"

/* Size limits of the format's own structs: what it must know at the beginning of a range, and between two records. Bytes. */
#define STREAM_SEED_MAX 24
#define STREAM_STATE_MAX 56

typedef struct stream_range {
    uint64_t begin, end; /* offsets in the file; end UINT64_MAX: the end of the file */
    uint64_t own[STREAM_SEED_MAX / 8];
} stream_range;

/* A single allocation, since a trace may have very many streams with one range. */
typedef struct stream_ranges {
    uint32_t len;
    stream_range at[]; /* allocated for a power of two */
} stream_ranges;

/* All that must be known to continue at `offset`. `offset` and `number` are not adjacent on purpose: compilers would
 * store them together, and reading the next record, which needs only `offset`, would have to wait. */
typedef struct stream_state {
    uint64_t offset;
    uint64_t own[STREAM_STATE_MAX / 8];
    uint64_t number; /* of records of this stream before this one */
} stream_state;

typedef struct stream_checkpoint {
    uint32_t range;
    stream_state state;
} stream_checkpoint;

/* Records between two checkpoints of a range. */
#ifndef CHECKPOINT_EVERY
#define CHECKPOINT_EVERY 1024
#endif

typedef struct trace trace;
typedef struct stream {
    const format *format;
    uint32_t number;    /* in the trace; also that of its interface */
    uint32_t tie;       /* for merging: equal times are ordered by tie, then by offset; streams of one file share it */
    char *name;         /* of the interface */
    char *description;  /* of the interface, or NULL */
    source *sequential; /* for reading in order */
    source *random;     /* for random access; may be the same source */
    bool framing;       /* needed whatever part of the trace is opened: has what belongs to no stream, or to all */
    bool left_out;      /* not in the part that is opened: never read */
    bool owns_source;   /* there is one source, which is closed with the stream */
    void *block;        /* memory for the window of the sequential walk, or NULL: it allocates its own */
    size_t block_size;
    uint8_t first_phase; /* with first_order: no record of the stream has a lower merge key; 0 if unknown */
    uint64_t first_order;
    stream_ranges *ranges; /* in reading order */
    uint32_t *by_offset;   /* indices of the ranges sorted by begin; made on first use */
    GArray *checkpoints;   /* of stream_checkpoint, in reading order; NULL if there are none */
    void *detail;          /* the format's own, freed by format.close */
    record_context base;   /* what all records of the stream have in common */
} stream;

stream *stream_new(const format *f, uint32_t number, const char *name);
void stream_free(stream *s);
void stream_add_range(stream *s, const stream_range *range);

/* A position in a stream. What a step needs is close together, since with thousands of walks taking turns all of it has
 * to be fetched into the cache every time. */
typedef struct walk {
    record record;                       /* the last one read */
    step_result (*step)(struct walk *w); /* format.step */
    trace *trace;
    stream *stream;
    window window; /* its limit is the end of the range */
    uint32_t range;
    uint32_t tie;           /* of the stream; a copy */
    uint64_t checkpoint_at; /* record number of the next checkpoint; UINT64_MAX: none is made */
    stream_state state;
} walk;

/* Copies what all records of the stream have in common into the walk's record. */
static inline void walk_share(walk *w)
{
    w->record.context = w->stream->base;
}

/* Begins the record at the walk's offset. What all records of the stream share is already set since the walk entered its
 * range. A step must set everything else that any step of its format changes, and the merge key. */
static inline record *walk_begin_record(walk *w, uint8_t kind, uint64_t length)
{
    record_context *c = &w->record.context;
    c->kind = kind;
    c->offset = w->state.offset;
    c->length = length;
    if (G_UNLIKELY(c->fault != FAULT_NONE)) { /* of the previous record */
        c->fault = FAULT_NONE;
        c->fault_value = 0;
        c->fault_at = 0;
        c->flags &= (uint8_t)~CONTEXT_TRUNCATED;
    }
    return &w->record;
}

void walk_init(walk *w, trace *t, stream *s, bool random);
void walk_clear(walk *w);
walk *walk_new(trace *t, stream *s, bool random);
void walk_free(walk *w); /* `w` may be NULL */

/* For a step, while the walk is at a record of `length` bytes: `more` bytes after it, or NULL if there are fewer. A header
 * that has no clock finds there the time of the first record that has one (format.time). */
static inline const uint8_t *walk_after(walk *w, size_t length, size_t more)
{
    const uint8_t *data;
    return window_at(&w->window, w->state.offset, length + more, &data) < length + more ? NULL : data + length;
}

/* Reads the next record into w->record; walk_bytes() has its bytes. */
step_result walk_next(walk *w);
/* Reads the last record of the stream into w->record, with as little as possible of what is before it; then the walk is of
 * no more use. False if there is no record. If window.error is set, there may be later ones. */
bool walk_last(walk *w);
/* Goes to the record that begins at `offset`, with the same result as when walk_next() read it. STEP_END if no record
 * begins there. */
step_result walk_seek(walk *w, uint64_t offset);
/* Returns whether w->record is the last of its stream, as far as its ranges and the file size tell. */
bool walk_at_end(const walk *w);
/* The bytes of w->record, at most RECORD_FRAME_MAX. Valid until the next call on this walk. */
static inline size_t walk_bytes(walk *w, const uint8_t **data)
{
    const record_context *c = &w->record.context;
    *data = (const uint8_t *)"";
    if (c->length == 0) /* a record for something missing; the window may have no memory */
        return 0;
    return window_at(&w->window, c->offset, (size_t)MIN(c->length, (uint64_t)RECORD_FRAME_MAX), data);
}

#endif
