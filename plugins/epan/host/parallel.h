/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts the streams of a trace in several threads (common/core/stream_pool.h), for statistics that need no order between
 * streams: each thread has sums of its own, which are added at the end. Where the result might differ from that of one
 * thread, it gives up, and all records are counted one after the other. */
#ifndef WIRETRACE_HOST_PARALLEL_H
#define WIRETRACE_HOST_PARALLEL_H

#include "compat.h"

#include <epan/packet.h>
#include <epan/prefs.h>

#include "core/stream_pool.h"
#include "host/record_seen.h"

/* What a statistic does. All but record() are called by the thread of Wireshark. */
typedef struct parallel_sums {
    /* Sums of a thread, of nothing. `data`: of the listener. Limits of their size are a `share`th of the usual ones: if no
     * thread reaches them, one alone would not have reached its own. */
    void *(*begin)(const void *data, unsigned share);
    /* Only times and the number in the stream are known, and those only if it is `final`; only the number if it is
     * `numbered`. False: there is no room, so the order of records matters. */
    bool (*record)(void *sums, const counted_record *r);
    void (*end)(void *sums, const void *tapped); /* of a stream; NULL: nothing to do */
    bool numbered;                               /* see above */
    bool final; /* what has been counted cannot be undone, so all streams are read once before, to know that threads can */
    void (*take)(void *data, const void *sums); /* adds them to what the listener has counted */
    void (*free)(void *sums);
} parallel_sums;

/* A listener, and its sums in one thread. */
typedef struct parallel_listener {
    const parallel_sums *how;
    void *data, *sums;
} parallel_listener;

/* The state of one counting thread. */
typedef struct parallel_thread {
    GArray *listeners; /* of parallel_listener */
    void *format;      /* of parallel_format */
    record_seen seen;
    nstime_t first; /* time of the first record of the trace */
} parallel_thread;

/* What a format does. */
typedef struct parallel_format {
    /* Called with the first record, before begin(), perhaps again without one. False: it is not possible with the user's
     * settings. */
    bool (*prepare)(const record_seen *seen, const record_context *first);
    void *(*begin)(void);
    void (*free)(void *format);
    stream_pool_visitor visitor; /* its data: parallel_thread. Passes records to parallel_deliver() */
} parallel_format;

/* To be called in a thread, with the number of the record in its stream. False: give up. */
bool parallel_deliver(parallel_thread *t, uint32_t number, const record *r, const void *tapped);
/* The same at the end of a stream. */
void parallel_end_stream(const parallel_thread *t, const void *tapped);

/* Begins to count the open trace for these listeners (of parallel_listener without sums). `first`: time of the first record.
 * False: it cannot be done in this way, or would take longer. */
bool parallel_begin(const trace *t, const parallel_format *f, GArray *listeners, const nstime_t *first);
/* Waits a moment. True: nothing remains to be done. */
bool parallel_wait(void);
/* How many threads the latest trace was read by, and how much has been read so far. */
unsigned parallel_threads(void);
uint64_t parallel_records(void);
uint64_t parallel_bytes(void);
/* Ends it. True: the listeners have counted all records of the trace; false: none. */
bool parallel_end(void);

void parallel_register(module_t *wiretrace);

#endif
