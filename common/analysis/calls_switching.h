/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of a stack number whose owner switches between several stacks, such as fibers: what encloses what is not known, and
 * an end is that of a call only if no other call of its function is open. For the files calls_*.c only. */
#ifndef WIRETRACE_ANALYSIS_CALLS_SWITCHING_H
#define WIRETRACE_ANALYSIS_CALLS_SWITCHING_H

#include "analysis/calls_state.h"

/* Begins a call: all of *result but its begin. */
void switching_begin(call_stack *s, const open_call *o, call *result);
/* Ends one, if it is known which: else *result is left as it is. */
void switching_end(const calls *c, call_stack *s, uint32_t function, uint64_t ticks, bool clocked, call *result);

#endif
