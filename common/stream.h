/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stream is a time-ordered sequence of records: the events of one thread. It consists of ranges of one file, in the
 * order in which they are read (the buffers of a thread may stand in the file as a ring; most streams are one range).
 * A walk goes through a stream record by record. Random access is a pure function of the offset: the nearest checkpoint
 * before it, then forward; checkpoints are kept every thousand records or so (CHECKPOINT_EVERY), never per record.
 * Knows nothing about the fields of any format: the format's step says how long the record here is and what it does to
 * the state. */
#ifndef WIRETRACE_STREAM_H
#define WIRETRACE_STREAM_H

#include <glib.h>

#include "record.h"
#include "source.h"

/* Got a record; the clean end of the stream; or reading failed (window.error). Damage in the file is never the third: it
 * is a record with a fault. */
typedef enum { STEP_RECORD, STEP_END, STEP_BAD } step_result;

/* What a format must know at the beginning of a range, and to go on from one record to the next: structs of the format's own,
 * of at most so many bytes. */
#define STREAM_SEED_MAX 24
#define STREAM_STATE_MAX 56

typedef struct stream_range {
    uint64_t begin, end; /* bytes of the file; end UINT64_MAX: up to the end of the file */
    uint64_t own[STREAM_SEED_MAX / 8];
} stream_range;

/* One allocation, as a trace may have very many streams of one range. */
typedef struct stream_ranges {
    uint32_t len;
    stream_range at[]; /* room for the next power of two */
} stream_ranges;

/* All that must be known to go on from `offset`. The next record waits for the offset alone: as neighbours, compilers would
 * store offset and number together. */
typedef struct stream_state {
    uint64_t offset;
    uint64_t own[STREAM_STATE_MAX / 8];
    uint64_t number; /* records of this stream before this one */
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
    uint32_t number;    /* in the trace = number of its interface */
    uint32_t tie;       /* streams of one file share it; equal times go by tie, then offset */
    char *name;         /* of the interface */
    char *description;  /* of the interface, or NULL */
    source *sequential; /* for reading on */
    source *random;     /* for any record again; may be the same */
    bool owns_source;   /* sequential == random, closed with the stream */
    void *block;        /* memory for reading on, or NULL: the walk's own */
    size_t block_size;
    uint8_t first_phase; /* with first_order: no record of the stream has a lower merge key; 0 where nothing is known */
    uint64_t first_order;
    stream_ranges *ranges; /* in reading order */
    uint32_t *by_offset;   /* numbers of the ranges in order of begin; made when first needed */
    GArray *checkpoints;   /* of stream_checkpoint, in reading order; NULL until there is one */
    void *detail;          /* the format's own, freed by the format's close */
    record_context base;   /* what all records of the stream share */
} stream;

stream *stream_new(uint32_t number, const char *name);
void stream_free(stream *s);
void stream_add_range(stream *s, const stream_range *range);

/* What a step needs stands together: where thousands of walks take turns, none of it is in the cache any more. */
typedef struct walk {
    record record;                       /* the last one */
    step_result (*step)(struct walk *w); /* of the format */
    trace *trace;
    stream *stream;
    window window; /* its limit is the end of the range */
    uint32_t range;
    uint32_t tie;           /* of the stream */
    uint64_t checkpoint_at; /* records before the next checkpoint; UINT64_MAX: none is kept */
    stream_state state;
} walk;

/* What all records of the stream share, for those to come. */
static inline void walk_share(walk *w)
{
    w->record.context = w->stream->base;
}

/* What a step makes of the record at the walk's offset: where it stands. What all records of the stream share is there
 * since the walk entered its range; a step sets all the rest that any step of its format ever changes, and the merge key. */
static inline record *walk_begin_record(walk *w, uint8_t kind, uint64_t length)
{
    record_context *c = &w->record.context;
    c->kind = kind;
    c->offset = w->state.offset;
    c->length = length;
    if (G_UNLIKELY(c->fault != FAULT_NONE)) { /* of the record before */
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
void walk_free(walk *w); /* or NULL */

/* The next record into w->record. Its bytes: walk_bytes(). */
step_result walk_next(walk *w);
/* The record that begins at `offset`, as walk_next() gave it. STEP_END when no record begins there. */
step_result walk_seek(walk *w, uint64_t offset);
/* Whether w->record is the last one of its stream, as far as its ranges and the size of the file say. */
bool walk_at_end(const walk *w);
/* The bytes of w->record, at most RECORD_FRAME_MAX; valid until the next call on this walk. */
static inline size_t walk_bytes(walk *w, const uint8_t **data)
{
    const record_context *c = &w->record.context;
    *data = (const uint8_t *)"";
    if (c->length == 0) /* stands for what is not there; the window may have no memory */
        return 0;
    return window_at(&w->window, c->offset, (size_t)MIN(c->length, (uint64_t)RECORD_FRAME_MAX), data);
}

#endif
