/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must be known to read the next record of an ovni stream. */
#ifndef WIRETRACE_OVNI_STATE_H
#define WIRETRACE_OVNI_STATE_H

#include "core/stream.h"

typedef struct ovni_state {
    int64_t clock;  /* of the previous event, as in the file */
    uint32_t depth; /* of nested sort regions, OU[ OU] */
    bool clock_known;
    bool in_events; /* the header, or whatever precedes the events, has been read */
    bool skipping;  /* inside bytes that are not an event */
    bool flowing;   /* the previous record was an event, so `clock` is valid */
} RECORD_OWN ovni_state;

RECORD_OWN_PART(ovni_state, stream_state)

#endif
