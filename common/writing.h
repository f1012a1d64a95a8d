/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing a trace in its own format: records with their contexts go in, in the order of their times, a valid file comes
 * out. What the format cannot say is refused with a reason for users, never dropped in silence. */
#ifndef WIRETRACE_WRITING_H
#define WIRETRACE_WRITING_H

#include <glib.h>

#include "record.h"

/* Where the bytes of the file go, one after the other. */
typedef struct sink {
    /* False: `error` says why. */
    bool (*put)(struct sink *s, const void *data, size_t length);
    int error;     /* as errno */
    char *problem; /* NULL, or what has failed instead of this file, in words (g_malloc'ed) */
} sink;

/* A record that is to be saved: whole, as in the file that it comes from. */
typedef struct write_record {
    const record_context *context;
    const uint8_t *data;
    size_t length;
    int64_t seconds; /* time shown now */
    int32_t nanoseconds;
} write_record;

/* What a writable format can do. `state` is the format's own, one per file. */
typedef struct write_ops {
    void *(*begin)(void);
    /* False: refused with *reason (g_malloc'ed), or the sink has failed and *reason is NULL. */
    bool (*record)(void *state, sink *out, const write_record *r, char **reason);
    /* Writes what is left; false: the sink has failed. */
    bool (*finish)(void *state, sink *out);
    void (*end)(void *state);
} write_ops;

static inline bool sink_put(sink *s, const void *data, size_t length)
{
    return length == 0 || s->put(s, data, length);
}

#endif
