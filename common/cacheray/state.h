/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must be known to read the next record of a Cacheray trace. */
#ifndef WIRETRACE_CACHERAY_STATE_H
#define WIRETRACE_CACHERAY_STATE_H

#include "core/stream.h"

typedef struct cacheray_state {
    uint8_t skipping; /* inside bytes that are not a record: KIND_UNKNOWN, KIND_PADDING; 0: not */
} RECORD_OWN cacheray_state;

RECORD_OWN_PART(cacheray_state, stream_state)

#endif
