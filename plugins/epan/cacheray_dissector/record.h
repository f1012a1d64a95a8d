/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record that is dissected, and how it relates to earlier ones (common/cacheray/session.h). The analysis is per open file:
 * each record is visited in the first pass, and results are looked up afterwards. */
#ifndef WIRETRACE_CACHERAY_DISSECTOR_RECORD_H
#define WIRETRACE_CACHERAY_DISSECTOR_RECORD_H

#include "dissector/protocol.h"

#include "cacheray/session.h"

/* The data of the taps "cacheray" and of this one are a cacheray_tapped; for listeners to this one only what the record
 * itself has may be set. */
#define CACHERAY_RECORDS_TAP "cacheray_records"

void cacheray_record_register(void);
/* Completes *v, in which the record's own fields are set (see cacheray_tapped), and visits the record if this is its first
 * dissection. `lines`: somebody looks at its cache line, which is the same for all records of a pass. */
void cacheray_record_look(cacheray_tapped *v, const dissection *d, bool lines);
/* What the dissector knows about a record begins with this. */
static inline const cacheray_tapped *cacheray_tapped_of(const dissection *d)
{
    return d->record;
}

#endif
