/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record that is dissected (xray/session.h), and visited if this is its first dissection. */
#ifndef WIRETRACE_XRAY_DISSECTOR_RECORD_H
#define WIRETRACE_XRAY_DISSECTOR_RECORD_H

#include "dissector/protocol.h"

#include <epan/prefs.h>

#include "xray/session.h"

/* The data of the taps "xray" and of this one are an xray_tapped; for listeners to this one its call may be missing. */
#define XRAY_RECORDS_TAP "xray_records"

/* Registers the preference. */
void xray_record_register(module_t *module);
/* Returns whether calls are analysed. */
bool xray_record_asked(void);
/* Fills in d->record, an xray_tapped, and visits the record if this is its first dissection. Returns it, unless it is in the
 * second copy of a buffer: its calls were counted in the first. */
const void *xray_record_look(dissection *d);
/* Returns whether records can be counted in threads; to be called before the first of them. */
bool xray_record_prepare(const record_seen *seen, const record_context *first);

#endif
