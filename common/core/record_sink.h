/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who wants the records of a file as the reader gives them out, without Wireshark dissecting them. The reader and the
 * dissectors are two plugins, which share no variables. */
#ifndef WIRETRACE_CORE_RECORD_SINK_H
#define WIRETRACE_CORE_RECORD_SINK_H

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

/* What becomes of a record. */
typedef enum {
    RECORD_SEEN,  /* Wireshark gets it */
    RECORD_TAKEN, /* Wireshark need not see it, so the reader goes on to the next one */
    RECORD_LAST,  /* nobody needs it, nor those that follow */
} record_taken;

typedef struct record_sink {
    record_taken (*record)(const record_given *r); /* NULL: nobody wants records */
    void (*end)(void); /* there are no more, or the file is closed, but its trace is still open; may come more than once.
                          NULL: nobody wants to know; may be set without `record` */
} record_sink;

/* The only one; lives as long as the program. */
record_sink *record_sink_shared(void);

#endif
