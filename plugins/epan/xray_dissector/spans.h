/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a record shows of calls, whether they are its own (calls.h) or the sums of a profile (profile.h). */
#ifndef WIRETRACE_XRAY_DISSECTOR_SPANS_H
#define WIRETRACE_XRAY_DISSECTOR_SPANS_H

#include "dissector/protocol.h"
#include "showing/spans.h"
#include "showing/statistic_run.h"
#include "xray/statistics/display.h"
#include "xray/statistics/account.h"
#include "xray_dissector/record.h"

/* Registers the preference. */
void xray_spans_register(module_t *module);
/* Returns whether calls are analysed. */
bool xray_spans_asked(void);
/* Returns whether records can be counted in threads; to be called before the first of them. */
bool xray_spans_prepare(const record_seen *seen, const record_context *first);
/* How threads count them. */
extern const parallel_format xray_parallel;
/* Fills in d->record, an xray_tapped, and visits the record if this is its first dissection. */
void xray_spans_look(dissection *d);

/* The calls of a tapped record, for the statistics and pictures. */
extern const span_source xray_spans;
void xray_spans_register_rows(void);
/* The pieces of the stack of a call (stacks_pieces()). */
unsigned xray_spans_pieces(const xray_tapped *r, const call *k, uint32_t function, uint8_t *marks, unsigned most,
                           stack_piece *pieces);

/* For statistics of single calls: false if the file has none, as it is a profile. */
bool xray_spans_single(const statistic_run *run, GError **error);
/* How ticks and functions are shown by a statistic, as its words and xray.names ask for it: an xray_display. */
const void *xray_spans_shown(const statistic_run *run);
extern const statistic_source xray_statistics;
/* Reports why a table of calls may have none, unless it has a filter. */
void xray_spans_note_none(const statistic_run *run, rows *shown);

#endif
