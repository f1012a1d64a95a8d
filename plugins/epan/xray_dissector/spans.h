/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls of a tapped record, for the statistics and pictures: its own (calls.h) or the sums of a profile (profile.h). */
#ifndef WIRETRACE_XRAY_DISSECTOR_SPANS_H
#define WIRETRACE_XRAY_DISSECTOR_SPANS_H

#include "showing/spans.h"

#include "xray/session.h"

extern const span_source xray_spans;
void xray_spans_register_rows(void);
/* The pieces of the stack of a call (stacks_pieces()). */
unsigned xray_spans_pieces(const xray_tapped *r, const call *k, uint32_t function, uint8_t *marks, unsigned most,
                           stack_piece *pieces);

#endif
