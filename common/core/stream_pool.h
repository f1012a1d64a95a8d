/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the streams of an open trace each by itself, several at once in threads: for sums that do not depend on the order of
 * records of different streams. Only for traces that are one regular file. Memory: a window for each thread. */
#ifndef WIRETRACE_CORE_STREAM_POOL_H
#define WIRETRACE_CORE_STREAM_POOL_H

#include "core/record.h"
#include "util/cursor.h"

typedef struct trace trace;
typedef struct stream_pool stream_pool;

/* Called in a thread, with what belongs to it. False: these records cannot be counted in this way, so all is given up. */
typedef struct stream_pool_visitor {
    /* A record of a stream, which all come one after the other. `number`: of the record in its stream, from 1. Everything is
     * valid during the call. */
    bool (*record)(void *data, uint32_t number, const record *r, const cursor *bytes);
    bool (*end)(void *data); /* of a stream */
} stream_pool_visitor;

/* How many threads would read the streams of a trace at once: at most so many, and 1 if there is only one stream, or if
 * threads cannot read this trace. */
unsigned stream_pool_threads(const trace *t, unsigned most);
/* Begins to read the file at `path`, from which `t` was opened; until stream_pool_end() `t` must stay open. `data`: for each
 * thread. `timed`: records have their times. There may be fewer threads, if the system makes no more; NULL: there is none.
 */
stream_pool *stream_pool_begin(trace *t, const char *path, const stream_pool_visitor *v, void *const *data, unsigned threads,
                               bool timed);
/* Waits at most so many microseconds. True: all is read, or given up. */
bool stream_pool_wait(stream_pool *p, int64_t most);
/* How much has been read so far. */
uint64_t stream_pool_records(stream_pool *p);
uint64_t stream_pool_bytes(stream_pool *p);
/* Stops what is still being read, and frees it. True: every stream was read to its end, and nothing was given up, cut off or
 * unreadable. */
bool stream_pool_end(stream_pool *p);

#endif
