/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What statistics of a trace are counted and shown with: the `how` of counted.h. */
#ifndef WIRETRACE_OVNI_STATISTICS_DISPLAY_H
#define WIRETRACE_OVNI_STATISTICS_DISPLAY_H

#include "ovni/session.h"
#include "statistics/counted.h"

/* All functions answer for what has been read so far. */
typedef struct ovni_display {
    const ovni_session *session;
    bool (*streams_missing)(void);        /* some are left out */
    bool (*end_missing)(void);            /* the last record of the trace may not have been read */
    bool (*part)(void);                   /* only a part of the trace is open, or has been read */
    uint32_t (*frame_of)(uint32_t place); /* the number by which a record is shown; 0: not at all */
} ovni_display;

#endif
