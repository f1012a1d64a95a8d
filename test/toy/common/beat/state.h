/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must be known to read on from one beat to the next. */
#ifndef WIRETRACE_BEAT_STATE_H
#define WIRETRACE_BEAT_STATE_H

#include "stream.h"

typedef struct beat_state {
    uint64_t clock; /* of the beat before */
    bool begun;     /* there is one */
} RECORD_OWN beat_state;

RECORD_OWN_PART(beat_state, stream_state)

#endif
