/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls of an XRay log: which record begins or ends which, and which call an argument or event is in (docs/xray.md, "Calls").
 * Records are visited once, in the order of their times; what is kept is found again by the number of the frame. Knows
 * nothing of names and fields. */
#ifndef WIRETRACE_XRAY_ANALYSIS_H
#define WIRETRACE_XRAY_ANALYSIS_H

#include "calls.h"
#include "xray/xray.h"

/* One stack per process and thread. A record whose thread is not known belongs to its stream, and so does one that shares the
 * file with other traces. */
uint64_t xray_analysis_stack(const record_context *c);

/* The record of a frame, which is not visited again; `c` with CALLS_TIME_CLOSED. `function`: its id, where it has one. False: it
 * has nothing to do with a call; else *result is what is known by now. */
bool xray_analysis_visit(calls *c, uint32_t frame, const record_context *context, uint32_t function, call *result);

#endif
