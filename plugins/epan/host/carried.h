/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is carried into a part of a trace. Only records of the part are dissected, but what they mean depends on those before them: open
 * calls, states of threads, what caches hold. So if a span of time is open (trace_part.h), this reads the file in addition, and gives the records
 * that are hidden, because they lie outside the span, to those who must know them.
 * An analysis numbers records as in the whole trace, here called places; what is shown are numbers of frames. If all of the trace is
 * open, they are the same. */
#ifndef WIRETRACE_CARRIED_H
#define WIRETRACE_CARRIED_H

#include "compat.h"

#include <epan/packet.h>

#include "util/cursor.h"
#include "core/record.h"

/* One reading of the file. */
typedef struct carried_reader carried_reader;
/* Sees a hidden record. `hidden` has its place as number, its times and interface; everything is valid during the call. */
typedef void (*carried_visitor)(void *data, packet_info *hidden, const record_context *c, const cursor *bytes);

/* Visits the hidden records between the shown record of the last call and this one. *at is NULL before the first call; then
 * carried_free() it. False: what came before is not known, see carried_unknown(). */
bool carried_until(carried_reader **at, packet_info *shown, const record_context *c, carried_visitor visitor, void *data);
void carried_free(carried_reader *at); /* NULL is allowed */

/* To be called for each record before all others: finds out how the open file was opened. */
void carried_note(const record_context *c);
/* The same as carried_until() for the analysis of the open file, called for each record when it is seen first. Also learns its place. */
bool carried_look(packet_info *shown, const record_context *c, carried_visitor visitor, void *data);
/* Visits all that is hidden after the part, once the reader has been at its end, so that what is still open there ends as it does in
 * the whole trace. */
void carried_finish(void);

/* What is wrong, in words, if the open file is a span of time and what came before it cannot be known; otherwise NULL. */
const char *carried_unknown(void);
/* Whether records after the part are hidden, and have not been visited: what never ends here may end there. */
bool carried_ends_early(void);
/* Says that only a part is open, or has been read so far, in words; NULL: the whole trace. */
const char *carried_part(void);
/* Whether streams are left out. */
bool carried_lacks_streams(void);
/* Whether the last record of the trace may be among what is not open, or not read. */
bool carried_lacks_end(void);

extern bool carried_renumbers; /* private: places are not the numbers of frames */
uint32_t carried_place_of(const packet_info *pinfo);

/* The place of a record, shown or hidden. */
static inline uint32_t carried_place(const packet_info *pinfo)
{
    return G_UNLIKELY(carried_renumbers) ? carried_place_of(pinfo) : pinfo->num;
}
/* The place of a frame. */
uint32_t carried_place_at(uint32_t frame);
/* The frame at a place; 0: it is hidden, or the place is 0. */
uint32_t carried_frame(uint32_t place);
/* The name and description (or NULL) of the stream of a hidden record. False if the record is shown. */
bool carried_names(const packet_info *pinfo, const char **name, const char **description);

void carried_register(void);

#endif
