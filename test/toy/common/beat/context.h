/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must be known in addition to the bytes of a beat. */
#ifndef WIRETRACE_BEAT_CONTEXT_H
#define WIRETRACE_BEAT_CONTEXT_H

#include "core/record.h"

typedef struct beat_context {
    uint64_t interval; /* since the previous beat, ns; 0 for the first one, and if the clock went back */
} RECORD_OWN beat_context;

RECORD_OWN_PART(beat_context, record_context)

#endif
