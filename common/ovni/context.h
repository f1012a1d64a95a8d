/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must be known in addition to the bytes of an ovni record. */
#ifndef WIRETRACE_OVNI_CONTEXT_H
#define WIRETRACE_OVNI_CONTEXT_H

#include "ovni/faults.h"
#include "core/record.h"

enum { /* ovni_context.known */
       OVNI_KNOWN_PROCESS = 1,
       OVNI_KNOWN_THREAD = 2,
       OVNI_KNOWN_RANK = 4,
       OVNI_KNOWN_APP = 8,
       OVNI_KNOWN_CLOCK_OFFSET = 16,
       OVNI_BACKWARDS = 32, /* the clock is before that of the previous event, outside a sort region */
};

typedef struct ovni_context {
    int64_t clock_offset; /* ns, to be added to the clock */
    int32_t process, thread, rank, app;
    uint8_t era; /* ovni_era */
    uint8_t known;
    uint8_t beside,
        clocks; /* faults of the stream's metadata and of the clock table, for those who open the trace; not exported */
    uint32_t metadata_value, clocks_value;
    uint32_t ranks, all_ranks; /* if some are missing: how many the trace has, and should have; not exported either */
} RECORD_OWN ovni_context;

RECORD_OWN_PART(ovni_context, record_context)

/* Whether the record is in a file that looks like a stream, but which the trace does not declare, as a copy of one: it is
 * counted nowhere. */
static inline bool ovni_is_undeclared(const record_context *c)
{
    return ovni_context_of(c)->beside == FAULT_OVNI_UNDECLARED;
}

#endif
