/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must be known to read on from one beat to the next. */
#ifndef WIRETRACE_BEAT_STATE_H
#define WIRETRACE_BEAT_STATE_H

#include "stream.h"

typedef struct beat_state {
    uint64_t clock; /* of the beat before */
    bool begun;     /* there is one */
} RECORD_OWN beat_state;

/* The format's own part; as constant as what it is a part of. */
_Static_assert(sizeof(beat_state) <= STREAM_STATE_MAX, "there is room");
static inline beat_state *beat_state_of(const stream_state *s)
{
    return (beat_state *)(uintptr_t)s->own;
}

#endif
