/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of a trace that are not in the part that is open. Only records of the part are dissected, but what they mean
 * depends on those before them: open calls, states of threads, what caches hold. So if a span of time is open
 * (trace_part.h), this reads the file in addition, and gives the records that are hidden, because they are outside the span,
 * to those who must know them. What they are numbered by is in record_numbers.h. */
#ifndef WIRETRACE_HOST_HIDDEN_RECORDS_H
#define WIRETRACE_HOST_HIDDEN_RECORDS_H

#include "compat.h"

#include <epan/packet.h>

#include "host/open_file.h"
#include "host/record_seen.h"
#include "util/cursor.h"
#include "core/record.h"

typedef struct trace trace;

/* One reading of the file. The analysis has one, and so has each run that must see all records: in a window it begins when
 * that of the analysis has ended, as all records have been dissected. */
typedef struct hidden_reader hidden_reader;
/* A hidden record. Everything is valid during the visit. */
typedef struct hidden_record {
    const record_seen *seen;
    proto_tree *tree; /* of the shown record before which it is visited; NULL: none is wanted, or all are over */
    const record_context *context;
    cursor bytes;
    const trace *trace; /* which has the names of its stream: Wireshark may have closed the file */
} hidden_record;
typedef void (*hidden_visitor)(void *data, const hidden_record *r);

/* Visits the hidden records between the shown record of the last call and this one. *at is NULL before the first call; then
 * hidden_free() it. False: what came before is not known, see hidden_problem(). */
bool hidden_visit_until(hidden_reader **at, const record_seen *shown, proto_tree *tree, const record_context *c,
                        hidden_visitor visitor, void *data);
void hidden_free(hidden_reader *at); /* NULL is allowed */

/* To be called for each record before all others: finds out how the open file was opened. */
void hidden_note_record(const record_seen *seen, const record_context *c);
/* The same as hidden_visit_until() for the analysis of the open file, called for each record when it is seen first. Also
 * learns its place. `data` is kept for hidden_finish(). */
bool hidden_visit(const record_seen *shown, proto_tree *tree, const record_context *c, hidden_visitor visitor, void *data);
/* Visits all that is hidden after the part, once the reader has been at its end, so that what is still open there ends as it
 * does in the whole trace. */
void hidden_finish(void);

/* What is wrong, in words, if the open file is a span of time and what came before it cannot be known; otherwise NULL. */
const char *hidden_problem(void);
/* Returns whether records after the part are hidden, and have not been visited: what never ends here may end there. */
bool hidden_rest_unread(void);
/* The same, or the open file has not been dissected to its end: from 4.4 on Wireshark shows records while it reads others,
 * and in all versions while it dissects them again. */
bool hidden_end_unread(void);
/* Says that only a part is open, or has been read so far, in words; NULL: the whole trace. */
const char *hidden_part_text(void);
/* Returns whether streams are left out. */
bool hidden_streams_missing(void);
/* Returns whether the last record of the trace may be among what is not open, or not read. */
bool hidden_end_missing(void);

#endif
