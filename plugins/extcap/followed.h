/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One file that is followed: it is opened as soon as its format is known, and its records come one by one as they are
 * written.
 */
#ifndef WIRETRACE_EXTCAP_FOLLOWED_H
#define WIRETRACE_EXTCAP_FOLLOWED_H

#include "core/follow.h"
#include "core/trace.h"

/* Who gives numbers to streams, which are those of their interfaces. */
typedef struct stream_names {
    uint32_t count;
    bool (*add)(void *data, const char *name, const char *description); /* false: it cannot be written */
    void *data;
} stream_names;

typedef struct followed {
    char *path;
    uint64_t of_trace;         /* record_context.trace of its records; 0: the file is a trace of its own */
    source *source;            /* NULL: the file is not there yet */
    trace *trace;              /* NULL: it is not known what it is */
    walk walk;                 /* over the only stream of the trace; begins with the trace */
    bool learned;              /* the others of its trace know it (followed_learn()) */
    bool waits;                /* for what followed_learn() needs */
    bool held;                 /* walk.record is the next one */
    bool ended;                /* all of it was read, and nobody writes to it */
    bool replaced;             /* another file has its name: to be followed from its beginning, when this one has ended */
    int64_t seen_at, moved_at; /* when it first had bytes, and when it last had more; microseconds */
    uint32_t number;           /* of its stream; those of its threads are in `threads` */
    GHashTable *threads;       /* uint64_t process << 32 | thread -> number */
} followed;

/* A new record_context.trace. Random, so that nobody can guess of what there is a note. */
uint64_t followed_identity(void);
followed *followed_new(const char *path, uint64_t of_trace);
void followed_free(followed *f);
/* Looks at the file. False: it cannot be read, *error says why. That it is not there is no error. */
bool followed_look(followed *f, stream_names *names, int64_t now, GError **error);
/* Takes over what is known of the stream among the others of its trace, such as what only another one says of its process.
 */
void followed_learn(followed *f, const trace *whole);
/* Nobody writes to it any more. */
void followed_finish(followed *f);
/* Reads the next record into f->walk.record, unless it is there already. False: there is none yet. */
bool followed_next(followed *f);
/* Gives the record of f->walk its time, and the number of its stream in all files. Returns the name of the stream, or NULL:
 * it cannot be written. */
const char *followed_complete(followed *f, stream_names *names);

#endif
