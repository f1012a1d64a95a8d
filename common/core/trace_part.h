/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of a trace that is opened: a span of time, some of its streams, or both. WIRETRACE_TIME and WIRETRACE_STREAMS
 * say which, for all formats. Decides about a time and about the name of a stream; knows no records. */
#ifndef WIRETRACE_CORE_TRACE_PART_H
#define WIRETRACE_CORE_TRACE_PART_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/settings.h"

/* A time since the first or the last record of the whole trace, or since 1970; nanoseconds from 0 to 999999999. */
typedef struct part_time {
    int64_t seconds;
    int32_t nanoseconds;
} part_time;

typedef enum { PART_BEFORE, PART_INSIDE, PART_AFTER } part_side;

typedef struct trace_part {
    bool timed;         /* `from` and `to` are valid */
    bool from_end;      /* they count from the last record, and are negative; otherwise from the first one */
    part_time from, to; /* `to` is not in the part; with from_end it may be later than any record */
    /* The streams: those with these names (name -> whether a stream has it), or a share of them, or all. */
    GHashTable *names;      /* NULL: no names */
    uint32_t share, shares; /* every `shares`th stream, beginning with number `share`, from 1; 0: no share */

    bool placed; /* `origin` is known */
    part_time origin;
} trace_part;

/* With a larger number of shares it is the name of a stream, such as "4711/4712". */
#define PART_SHARES_MAX 1000

/* "FROM,TO" in seconds with up to nine decimals, FROM < TO; or, before the end, "-FROM,-TO" with FROM > TO, or "-FROM".
 * False if it is something else, and *p is unchanged. */
bool part_read_time(trace_part *p, const char *text);
/* "K/N" with 1 <= K <= N <= PART_SHARES_MAX, or names separated by commas, of which one may be empty at the end. False if
 * there is no name. */
bool part_read_streams(trace_part *p, const char *text);

/* The part that the settings ask for; NULL: the whole trace. */
trace_part *part_wanted(const char *protocol);
void part_free(trace_part *p); /* NULL is allowed */

/* Returns whether a stream is in the part. `number`: from 0, among those that can be chosen. */
bool part_has_stream(const trace_part *p, uint32_t number, const char *name);
/* Where a time since 1970 is. Only if the part is timed and its origin is known. */
part_side part_side_of(const trace_part *p, int64_t seconds, int32_t nanoseconds);

/* For users: appends which part it is. `chosen` of `all` streams are in it. */
void part_describe(const trace_part *p, uint32_t chosen, uint32_t all, GString *text);
/* For users. */
#define PART_EMPTY_SHARE "The share that WIRETRACE_STREAMS asks for has no streams: this trace has too few."
/* Returns whether each name is that of a stream. To be called after part_has_stream() has been asked for all streams. */
bool part_complete(const trace_part *p, GError **error);

/* For settings.c. The names of the preferences are without that of the protocol. */
extern const setting part_time_setting, part_streams_setting;

#endif
