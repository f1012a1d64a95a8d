/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept of calls that have ended, by record, and the calls that an end has closed in addition to its own. For the
 * files calls_*.c only. */
#ifndef WIRETRACE_ANALYSIS_CALLS_KEPT_H
#define WIRETRACE_ANALYSIS_CALLS_KEPT_H

#include "analysis/calls_state.h"

/* Keeps the begin of a call, which is the innermost of `s`. */
void kept_add_begin(calls *c, const call_stack *s, uint32_t function, const call *result);
/* Keeps an end or a record within a call: `is` is KEPT_END or KEPT_SET. */
void kept_add_end(calls *c, uint32_t record, unsigned is, const call *result, uint64_t self);
/* Appends a call without an end of its own to an array of closed_call. */
void kept_add_closed(GArray *to, const call *k, uint32_t function);
/* Moves kept records out of calls that had ended, and sets the depth of what is inside them again. */
void kept_settle(calls *c);
/* The call at depth CALLS_STACK_OUTER - 1 around a kept begin that is deeper. */
uint32_t kept_outer(const calls *c, uint32_t record);

#endif
