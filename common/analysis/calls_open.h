/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The open calls of each stack: those that have begun but not ended. For the files calls_*.c only. */
#ifndef WIRETRACE_ANALYSIS_CALLS_OPEN_H
#define WIRETRACE_ANALYSIS_CALLS_OPEN_H

#include "analysis/calls_state.h"

/* Where a stack is kept that was asked for last. */
static inline call_stack **open_latest(calls *c, uint64_t key)
{
    return &c->latest[(key ^ key >> 32) % G_N_ELEMENTS(c->latest)];
}

/* The stack of a number; NULL: nothing has begun on it. */
call_stack *open_look_up(calls *c, uint64_t key);
static inline call_stack *open_find(calls *c, uint64_t key)
{
    call_stack *s = *open_latest(c, key);
    return G_LIKELY(s && s->key == key) ? s : open_look_up(c, key);
}

/* The same, created if there is none, and with all losses applied. */
call_stack *open_make(calls *c, uint64_t key);
static inline call_stack *open_get(calls *c, uint64_t key)
{
    call_stack *s = open_find(c, key);
    return G_LIKELY(s && s->seen == *s->losses) ? s : open_make(c, key);
}

/* Frees a call_stack. */
void open_free(gpointer p);
/* Records were lost here: the open calls are unsure. */
void open_lose(call_stack *s);

/* The index of the innermost open call of a function, or the number of open calls. */
guint open_index(call_stack *s, uint32_t function);
/* Adds an innermost call of a function, which is to be set; removes it. */
open_call *open_push(call_stack *s, uint32_t function);
void open_pop(call_stack *s);

/* Sets the times of a call that ends at `ticks`. `away`: as in calls_paused(). */
void open_measure(const open_call *o, uint64_t ticks, uint64_t away, bool clocked, call *result);
/* Adds to the enclosing call the time of a call inside it, and how long the owner was away. */
static inline void open_add_times(call_stack *s, guint depth, uint64_t ticks, uint64_t away)
{
    if (depth == 0)
        return;
    open_at(s, depth - 1)->within += ticks;
    open_at(s, depth - 1)->paused_within += away;
}
/* How long a call that has ended was, for the enclosing call. With calls that have ended inside one without an end after
 * its duration, which is a lower bound. */
static inline uint64_t open_ticks(const open_call *o, const call *k)
{
    if (k->state & CALL_CLOSED)
        return o->within + (k->state & CALL_SELF ? k->self : 0);
    return k->state & CALL_TIMED ? k->duration : o->within;
}
/* Adds the times of a call `k` that has ended to the enclosing call; if they are unknown, those of the calls inside it. */
static inline void open_add_ended(call_stack *s, guint depth, const open_call *o, const call *k)
{
    open_add_times(s, depth, open_ticks(o, k), k->state & CALL_TIMED ? k->away : o->paused_within);
}

#endif
