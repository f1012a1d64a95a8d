/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of the calls of the open file (common/analysis/calls.h). */
#ifndef WIRETRACE_XRAY_DISSECTOR_CALLS_H
#define WIRETRACE_XRAY_DISSECTOR_CALLS_H

#include "showing/span_rows.h"
#include "xray/session.h"

/* What is known so far about the call that begins in a record. False if nothing was kept. */
bool xray_calls_find(uint32_t begin, call *k);
/* The call that an entry begins, with its times in ticks of the file, if it has no exit and it is known already where it
 * ended. Of the call only begin, last, until, duration and state are set. */
bool xray_calls_unwound(const xray_tapped *r, span *ended);
/* The duration of the call of an entry or exit; false if unknown. */
bool xray_calls_duration(const xray_tapped *r, uint64_t *ns);
/* Those that are open, as span_table.each_open says. */
void xray_calls_each_open(const void *tapped, uint64_t now, span_opened visit, void *data);

#endif
