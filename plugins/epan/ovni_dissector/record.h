/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record that is dissected, and its meaning in context (common/ovni/session.h). The analysis is per open file: each record
 * is visited in the first pass, and results are looked up afterwards. */
#ifndef WIRETRACE_OVNI_DISSECTOR_RECORD_H
#define WIRETRACE_OVNI_DISSECTOR_RECORD_H

#include "dissector/protocol.h"

#include <epan/prefs.h>

#include "ovni/session.h"

/* The data of the taps "ovni" and of this one are an ovni_tapped; for listeners to this one `known` may be missing. */
#define OVNI_RECORDS_TAP "ovni_records"

/* Registers the preference. */
void ovni_record_register(module_t *module);
/* Returns whether states are followed. */
bool ovni_record_asked(void);
/* Fills in what the record itself has; then visits it if this is its first dissection and what it means is asked for. */
void ovni_record_read(ovni_tapped *r, const record_context *c, const cursor *bytes, const record_seen *seen);
void ovni_record_look(ovni_tapped *r, const record_seen *seen, const proto_tree *tree, bool asked);
/* What the dissector knows about a record begins with this. */
static inline const ovni_tapped *ovni_tapped_of(const dissection *d)
{
    return d->record;
}

#endif
