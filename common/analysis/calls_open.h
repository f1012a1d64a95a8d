/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The open calls of each stack: those that have begun but not ended. For the files calls_*.c only. */
#ifndef WIRETRACE_CALLS_OPEN_H
#define WIRETRACE_CALLS_OPEN_H

#include "analysis/calls_state.h"

/* The stack of a number; NULL: nothing has begun on it. */
call_stack *open_find(calls *c, uint64_t key);
/* The same, created if there is none, and with all losses applied. */
call_stack *open_get(calls *c, uint64_t key);
/* Frees a call_stack. */
void open_free(gpointer p);
/* Records were lost here: the open calls are unsure. */
void open_lose(call_stack *s);

/* The index of the innermost open call of a function, or the number of open calls. */
guint open_index(call_stack *s, uint32_t function);
/* Adds an innermost call; removes it. */
void open_push(call_stack *s, const open_call *o);
void open_pop(call_stack *s);

/* Sets the times of a call that ends now. `away`: as in calls_paused(). */
void open_measure(const open_call *o, uint64_t ticks, uint64_t away, bool clocked, call *result);
/* Adds to the enclosing call the time of a call inside it, and how long the owner was away. */
void open_add_times(call_stack *s, guint depth, uint64_t ticks, uint64_t away);
/* Adds the times of a call `k` that has ended to the enclosing call; if they are unknown, those of the calls inside it. */
void open_add_ended(call_stack *s, guint depth, const open_call *o, const call *k);

#endif
