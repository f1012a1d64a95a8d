/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a whole trace in addition to the one that is open in a program, record by record in order of time. Knows nothing of
 * what the records are for. Compressed files, pipes and exported records are not read. If a part of it is asked for
 * (trace_part.h), streams outside are not read, but all times are, as what came before is needed to understand a part. */
#ifndef WIRETRACE_CORE_TRACE_READER_H
#define WIRETRACE_CORE_TRACE_READER_H

#include "core/record.h"
#include "util/cursor.h"
#include "core/stream.h"

typedef struct trace_reader {
    trace *trace;
    source *source; /* private */
} trace_reader;

/* Opens the trace at `path`, which must be of a format of this protocol (format.h). If that succeeds, trace_reader_close()
 * it. */
bool trace_reader_open(trace_reader *w, const char *path, const char *protocol, GError **error);
/* trace_next(), with the bytes of the record. trace.outside: the record is outside the part. */
walk *trace_reader_next(trace_reader *w, cursor *bytes);
void trace_reader_close(trace_reader *w);

/* Sees a record. `frame` is its number, from 1. `outside`: it is not in the part. Everything is valid during the call. */
typedef void (*trace_reader_visitor)(void *data, uint32_t frame, const record_context *c, const cursor *bytes,
                                     const stream *from, bool outside);

/* Opens a trace, and with a visitor reads it. A trace that is cut short or damaged is read as far as it goes, and that
 * succeeds; so is one of which a part cannot be read, but that fails. */
bool trace_reader_read(const char *path, const char *protocol, trace_reader_visitor visitor, void *data, GError **error);

#endif
