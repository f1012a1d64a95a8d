/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must be known in addition to the bytes of a Cacheray record. */
#ifndef WIRETRACE_CACHERAY_CONTEXT_H
#define WIRETRACE_CACHERAY_CONTEXT_H

#include "cacheray/faults.h"
#include "core/record.h"

typedef struct cacheray_context {
    uint64_t number; /* of the record, from 1 */
    uint8_t layout;  /* cacheray_layout */
} RECORD_OWN cacheray_context;

RECORD_OWN_PART(cacheray_context, record_context)

#endif
