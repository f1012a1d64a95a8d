/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who wants the records of a file as the reader gives them out, without Wireshark dissecting them. The reader and the dissectors are two plugins,
 * which share no variables. */
#ifndef WIRETRACE_RECORD_SINK_H
#define WIRETRACE_RECORD_SINK_H

#include "core/record.h"
#include "util/cursor.h"

typedef struct trace trace;

/* A record as Wireshark gets it. Everything is valid during the call. */
typedef struct record_given {
    const record_context *context;
    cursor bytes;       /* at most RECORD_FRAME_MAX */
    const trace *trace; /* that it comes from */
    int64_t seconds;    /* since 1970 */
    int32_t nanoseconds;
} record_given;

typedef struct record_sink {
    /* True: Wireshark need not see the record, so the reader goes on to the next one. NULL: nobody wants records. */
    bool (*record)(const record_given *r);
    void (*end)(
        void); /* there are no more, or the file is closed, but its trace is still open; may come more than once. NULL like `record` */
} record_sink;

/* The only one; lives as long as the program. */
record_sink *record_sink_shared(void);

#endif
