/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An open trace: its streams, merged in time order, and any record again by its handle. This is all that a file reader
 * needs. A handle is stream << 43 | offset: up to 2^20 streams of up to 8 TiB, never negative. */
#ifndef WIRETRACE_TRACE_H
#define WIRETRACE_TRACE_H

#include "merge.h"
#include "stream.h"

#define TRACE_OFFSET_BITS 43
/* Further interfaces share the last one. */
#define TRACE_INTERFACES_MAX 65536u

typedef struct format format;

/* What a trace is read from. The sources are borrowed. */
typedef struct trace_input {
    const char *path;   /* or NULL: standard input */
    source *sequential; /* the file that was opened; forward only when not seekable */
    source *random;     /* for any record again, NULL where that is not wanted */
    bool seekable;      /* `sequential` can be read anywhere, cheaply */
} trace_input;

struct trace {
    const format *format;
    GPtrArray *streams; /* of stream*, number = index */
    GString *comment;   /* what users should know about the file: its clock, what was wrong when opening it */
    GString *warnings;  /* what programs that show no records have to say, a line each */
    bool lacking;       /* a part of the trace cannot be read: its end is an error, as that of a cut file */
    void *detail;       /* the format's own */
    bool random_access; /* records can be asked for again */

    /* private */
    walk **random;     /* one per stream, or NULL */
    void *blocks;      /* what the streams read into one after the other, or NULL */
    walk *last_random; /* of the record read last, or NULL */
    merge merge;
    bool merging;
    bool cut; /* a record was cut by the end of its file */
    uint64_t bytes_read;
};

/* Opens a file as a format. NULL with *reason (g_malloc'ed) when it is hopeless. */
trace *trace_open(const format *f, const trace_input *in, char **reason);
void trace_close(trace *t);
/* Gives all records the number that tells this trace from others: `head` are the first bytes of the opened file. */
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

/* The next record in time order: the walk that stands on it, or NULL at the end. Then trace.cut says whether a record was
 * cut by the end of its file and trace.merge.error whether a stream could not be read to its end. */
walk *trace_next(trace *t);
/* The record with this handle, or NULL with *err set (errno value; 0: there is no such record). */
walk *trace_read(trace *t, uint64_t handle, int *err);
/* Bytes of the files that the streams have of their own; 0: all streams are those of the opened file. */
uint64_t trace_bytes(const trace *t);
/* Frees what only trace_next() needs. */
void trace_sequential_close(trace *t);

#endif
