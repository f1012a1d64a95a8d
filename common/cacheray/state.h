/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must be known to read on from one record of a Cacheray trace to the next. */
#ifndef WIRETRACE_CACHERAY_STATE_H
#define WIRETRACE_CACHERAY_STATE_H

#include "stream.h"

typedef struct cacheray_state {
    bool skipping; /* inside a stretch that is no record */
} RECORD_OWN cacheray_state;

/* The format's own part; as constant as what it is a part of. */
_Static_assert(sizeof(cacheray_state) <= STREAM_STATE_MAX, "there is room");
static inline cacheray_state *cacheray_state_of(const stream_state *s)
{
    return (cacheray_state *)(uintptr_t)s->own;
}

#endif
