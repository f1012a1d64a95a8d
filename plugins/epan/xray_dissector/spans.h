/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls of a tapped record, for the statistics and pictures: its own (calls.h) or the sums of a profile (profile.h). */
#ifndef WIRETRACE_XRAY_DISSECTOR_SPANS_H
#define WIRETRACE_XRAY_DISSECTOR_SPANS_H

#include "showing/spans.h"

#include "statistics/counted.h"
#include "xray/session.h"
#include "xray/statistics/call_event.h"
#include "xray/statistics/display.h"

extern const span_source xray_spans;
void xray_spans_register_rows(void);
/* The pieces of the stack of a call (stacks_pieces()). */
unsigned xray_spans_pieces(const xray_tapped *r, const call *k, uint32_t function, uint8_t *marks, unsigned most,
                           stack_piece *pieces);
/* What a record says of calls, for those that ask for more than spans; valid until the next one. */
xray_call_event xray_spans_event(const xray_display *shown, const counted_record *of);

#endif
