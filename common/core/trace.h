/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An open trace: its streams merged in order of time, and random access to any record by its handle. This is all that a
 * file reader needs. A handle is stream << 43 | offset: up to 2^20 streams of up to 8 TiB, never negative. */
#ifndef WIRETRACE_CORE_TRACE_H
#define WIRETRACE_CORE_TRACE_H

#include "core/merge.h"
#include "core/trace_part.h"
#include "core/stream.h"

/* Any further streams share the last interface. */
#define TRACE_INTERFACES_MAX 65536u

/* What a trace is read from. The sources are borrowed. */
typedef struct trace_input {
    const char *path;   /* NULL: standard input */
    source *sequential; /* the opened file; forward only unless `seekable` */
    source *random;     /* for random access; NULL if that is not needed */
    bool seekable;      /* `sequential` can be read at any offset without much cost */
    bool only_once;     /* `sequential` cannot be read again from its beginning */
    bool all_times;     /* of a part, what is outside its span of time is read too, see trace.outside */
} trace_input;

struct trace {
    const format *format;
    GPtrArray *streams; /* of stream*, number = index */
    GString *comment;   /* for users: about the clock, and problems while opening */
    GString *warnings;  /* for programs that show no records; one per line */
    bool incomplete;    /* a part of the trace cannot be read: the end is reported as an error, as for a cut file */
    int error;          /* with which a call failed while the trace was opened, as source.error; 0: none did */
    void *detail;       /* the format's own */
    bool random_access; /* trace_read() can be used */
    trace_part *part;   /* that is open; NULL: the whole trace */
    bool all_times;     /* trace_next() also reads what is outside the span of time */
    bool outside;       /* the last record that trace_next() has read is there */
    merge merge;
    bool cut;            /* a record was cut off by the end of its file */
    uint64_t bytes_read; /* by trace_next() */

    /* private */
    walk **random;     /* one per stream, or NULL before the first use */
    void *blocks;      /* shared memory for the windows of the streams, or NULL */
    walk *last_random; /* used by the last trace_read(), or NULL */
    bool begun, whole; /* the merge has begun; and no span of time leaves out any of its records */
};

/* Opens a file of a format. NULL if it cannot be read at all. */
trace *trace_open(const format *f, const trace_input *in, GError **error);
void trace_close(trace *t);
/* Computes record_context.trace for all records. `head`: the first bytes of the opened file. */
void trace_identify(trace *t, const uint8_t *head, size_t length);

stream *trace_add_stream(trace *t, const char *name);
static inline stream *trace_stream(const trace *t, uint32_t i)
{
    return (stream *)g_ptr_array_index(t->streams, i);
}
static inline uint32_t trace_interface(const record_context *c)
{
    return MIN(c->stream, TRACE_INTERFACES_MAX - 1);
}
static inline uint64_t trace_handle(const record_context *c)
{
    return (uint64_t)c->stream << TRACE_OFFSET_BITS | c->offset;
}

/* Reads the next record in order of time. Returns its walk, or NULL at the end; then trace.cut says whether a record was
 * cut off by the end of its file, and trace.merge.error whether a stream could not be read to its end. */
walk *trace_next(trace *t);
/* Reads the record with this handle. NULL with *err on failure (an errno; 0: there is no such record). */
walk *trace_read(trace *t, uint64_t handle, int *err);
/* The total size in bytes of the files that streams opened themselves; 0: all streams are in the opened file. */
uint64_t trace_bytes(const trace *t);
/* Frees what trace_read() keeps, and will make again. */
void trace_random_close(trace *t);
/* Frees what only trace_next() needs. */
void trace_sequential_close(trace *t);

#endif
