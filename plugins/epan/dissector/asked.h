/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who asks for the records of a protocol. */
#ifndef WIRETRACE_DISSECTOR_ASKED_H
#define WIRETRACE_DISSECTOR_ASKED_H

#include <epan/tap.h>

#include "dissector/protocol.h"
#include "host/notices.h"

/* Who listens to them. */
typedef struct listened {
    bool analysis, records; /* to its tap, and to the one that needs no analysis */
} listened;

static inline listened asked_listened(const protocol *p)
{
    return (listened){p->tap && have_tap_listener(*p->tap), p->records_tap && have_tap_listener(*p->records_tap)};
}

/* Returns whether somebody may ask what a record means among others (dissection.asked). */
static inline bool asked_among_others(const dissection *d, listened l)
{
    return l.analysis || d->tree || d->listed || d->context->flags & CONTEXT_RANDOM_ACCESS || notices_counted();
}

#endif
