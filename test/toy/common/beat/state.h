/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must be known to read the next beat. */
#ifndef WIRETRACE_BEAT_STATE_H
#define WIRETRACE_BEAT_STATE_H

#include "core/stream.h"

typedef struct beat_state {
    uint64_t clock; /* of the previous beat */
    bool begun;     /* there is a previous beat */
} RECORD_OWN beat_state;

RECORD_OWN_PART(beat_state, stream_state)

#endif
