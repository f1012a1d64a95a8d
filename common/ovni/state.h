/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must be known to read on from one record of an ovni stream to the next. */
#ifndef WIRETRACE_OVNI_STATE_H
#define WIRETRACE_OVNI_STATE_H

#include "stream.h"

typedef struct ovni_state {
    int64_t clock;  /* of the event before, as in the file */
    uint32_t depth; /* of sort regions, OU[ OU] */
    bool clock_known;
    bool in_events; /* what stands before them is past */
    bool skipping;  /* inside a stretch that is no event */
    bool flowing;   /* the record before was an event, so `clock` is known */
} RECORD_OWN ovni_state;

RECORD_OWN_PART(ovni_state, stream_state)

#endif
