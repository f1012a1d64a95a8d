/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls of an XRay log: which record begins or ends which call, and which call an argument or event belongs to
 * (docs/xray.md, "Calls"). Each record is visited once, in order of time; with CALLS_KEEP (calls.h) results are kept by
 * record. Knows nothing of names and fields. */
#ifndef WIRETRACE_XRAY_ANALYSIS_H
#define WIRETRACE_XRAY_ANALYSIS_H

#include "analysis/span.h"
#include "xray/xray.h"

/* What must be known in advance (xray/tails.h). */
typedef struct xray_tails {
    GHashTable *not_taken; /* tail exits: their offsets in the file, uint64_t */
    GHashTable *switching; /* threads that switch: their xray_analysis_stack(), uint64_t */
} xray_tails;

/* The stack of a record for calls.h: one per process and thread. A record without a known thread, or one in a file with
 * other traces, uses the stack of its stream. */
uint64_t xray_analysis_stack(const record_context *c);

/* Visits the record of a frame; `c` was made with CALLS_UNWIND. `stack`: see above; `function`: its id, if it has
 * one; `tails`: tail exits that were not taken are inside their call; NULL: none is known. False if it has nothing to do
 * with a call; else *result is what is known so far. */
bool xray_analysis_visit(calls *c, uint32_t frame, const record_context *context, uint64_t stack, uint32_t function,
                         const xray_tails *tails, call *result);

/* The calls that a record of a function has ended, if it is an exit: its own (i = 0), which is *own, then those within it
 * that have no exit, innermost first. False if there are no more. */
bool xray_analysis_ended(const calls *c, uint8_t kind, const call *own, uint32_t own_function, uint32_t i, span *ended);
#endif
