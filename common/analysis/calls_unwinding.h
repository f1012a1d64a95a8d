/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls without an end of their own: where they ended, by what was called after them (callees.h), or by what an earlier pass
 * has found. For the files calls_*.c only. */
#ifndef WIRETRACE_ANALYSIS_CALLS_UNWINDING_H
#define WIRETRACE_ANALYSIS_CALLS_UNWINDING_H

#include "analysis/calls_state.h"

/* Closes what is open above a call that ends now. */
void unwinding_close_above(calls *c, call_stack *s, guint depth, uint32_t record);
/* Closes the calls that were left inside a call that ends now. */
void unwinding_close_left(calls *c, call_stack *s, uint32_t begin, uint32_t record);
/* A call has ended properly: what it has called is sure. */
void unwinding_end_callee(calls *c, call_stack *s, guint depth, const call *k, uint64_t ticks);
/* What the earlier pass has found out about the call that a record begins; NULL: it has an end. Records must come in order.
 */
const calls_unwound *unwinding_follow(calls *c, uint32_t record);

#endif
