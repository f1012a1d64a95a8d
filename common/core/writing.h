/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing a trace in its own format: takes records with their contexts in order of time, and produces a valid file.
 * Records that the format cannot hold are refused with a reason for users, never dropped silently. */
#ifndef WIRETRACE_CORE_WRITING_H
#define WIRETRACE_CORE_WRITING_H

#include <glib.h>

#include "core/record.h"

/* Receives the bytes of the file, in order. */
typedef struct sink {
    /* False on failure, see `error`. */
    bool (*put)(struct sink *s, const void *data, size_t length);
    int error;     /* an errno */
    char *problem; /* what failed if it was something other than the file itself, in words (g_malloc'ed); or NULL */
} sink;

/* A record to be saved: complete, as in the file it comes from. */
typedef struct write_record {
    const record_context *context;
    const uint8_t *data;
    size_t length;
    int64_t seconds; /* time as shown now, since 1970 */
    int32_t nanoseconds;
} write_record;

/* The operations of a writable format. `state` is its own data, one per file. */
typedef struct write_ops {
    void *(*begin)(void);
    /* False: refused, or the sink has failed (sink.error), and *error is not set. */
    bool (*record)(void *state, sink *out, const write_record *r, GError **error);
    /* Writes the rest of the file. False if the sink failed. */
    bool (*finish)(void *state, sink *out);
    void (*end)(void *state);
} write_ops;

static inline bool sink_put(sink *s, const void *data, size_t length)
{
    return length == 0 || s->put(s, data, length);
}

#endif
