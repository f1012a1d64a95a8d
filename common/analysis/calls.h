/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Matches begin and end events on stacks: depth, caller, duration, self time, and unmatched events. Used for
 * function calls and for thread states alike. A stack is identified by a number (process and thread), and what is entered
 * and left by another (function id). Begin and end must come in order of time. Record numbers must increase: they are those
 * in the whole trace, or in a thread that counts those in its stream. If one comes twice (Wireshark gives the number of a
 * record that a read filter drops to the next one), all kept results become unknown rather than wrong.
 *
 * Rules: an end closes the innermost open call of its function, and everything open above it: calls without an end of their
 * own (an exception, longjmp). With CALLS_UNWIND these ended at the last record inside them, and what came after it is moved
 * to the call outside that made it, as far as callees.h can tell; their duration ends at the last record that is surely
 * inside. Otherwise they have no duration. An end without an open
 * call of its function is stray and changes nothing. If the clock went back there is no duration.
 *
 * A second clock may say how long the owner of a stack was away, that is paused (calls_paused()). Each call then knows how
 * much of its time that was.
 *
 * Memory: the open calls, and if results are kept 17 bytes per record (28 for one that ends something in which the owner was
 * paused) and 56 per call that CALLS_UNWIND ends. Every function costs amortised O(1), whatever the input; calls_stack(),
 * calls_find(), calls_caller(), calls_closed() and calls_closed_count() cost O(log n), calls_each_open() O(n log n). Knows
 * nothing of formats, names or units of time ("ticks").
 *
 * Defined in calls_matching.c (begin and end), calls_open.c (what is open), calls_unwinding.c (calls without an end),
 * calls_switching.c (several stacks of one number), calls_kept.c (kept results) and calls_stack.c (the calls around one). */
#ifndef WIRETRACE_ANALYSIS_CALLS_H
#define WIRETRACE_ANALYSIS_CALLS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct calls calls;

enum {                     /* call.state */
       CALL_TIMED = 1,     /* the duration is known */
       CALL_SELF = 2,      /* the self time is known */
       CALL_UNMATCHED = 4, /* an end without a begin, or a begin without an end (so far) */
       CALL_CLOSED = 8,    /* it has no end: the end of an outer call closed it */
       CALL_UNSURE = 16,   /* records were lost between begin and end, the clock went back, or calls_switch() */
       CALL_INSIDE = 32,   /* the record neither begins nor ends a call: the other members describe the call around it */
       CALL_AROUND = CALL_INSIDE | CALL_UNMATCHED, /* the same, and the record does not belong to that call */
       CALL_UNATTRIBUTED = 64, /* of a call without an end, or of one inside it, it is unsure when it ended */
};

/* What is known about the call that a record begins or ends. Records count from 1; 0: none. */
typedef struct call {
    uint32_t begin, end;
    uint32_t caller;      /* begin record of the enclosing call */
    uint32_t depth;       /* 0 for the outermost; valid if begin is not 0 */
    uint32_t last;        /* with CALL_CLOSED and CALLS_UNWIND: the last record inside */
    uint32_t sure;        /* the same: the last record that can only be inside; another one if CALL_UNATTRIBUTED */
    uint64_t until;       /* the time of that; the duration is a lower bound */
    uint64_t duration;    /* ticks */
    uint64_t self;        /* duration less that of the calls within */
    uint64_t away;        /* of the duration: ticks in which the owner was away */
    uint64_t self_paused; /* of the self time: the same */
    uint8_t state;
} call;

enum {                   /* options of calls_new() */
       CALLS_KEEP = 1,   /* keep results for calls_find() */
       CALLS_UNWIND = 2, /* calls without an end last until the last record inside them; otherwise they have no times */
};
calls *calls_new(unsigned options);
void calls_free(calls *c);
bool calls_kept(const calls *c);
/* Returns whether kept results are available: they were asked for, and no record number has come twice. */
bool calls_known(const calls *c);

/* What an earlier pass over the same records has found out about a call without an end (calls_closed()). */
typedef struct calls_unwound {
    uint32_t begin, last, sure;
    uint64_t until;
    uint64_t within; /* of the duration: that of calls inside it */
    uint8_t state;
} calls_unwound;
/* Before the first record: follows what an earlier pass has found, so that everything is inside the right call at once.
 * `all`: of calls_unwound, by `begin`; it must live as long as `c`, which must not keep results unless there are none. Who
 * calls whom is not learnt then. */
void calls_follow(calls *c, const GArray *all);
/* Then to be called for a record of a stack before any other function: leaves the calls that had ended before it. */
void calls_unwind_to(calls *c, uint64_t stack, uint32_t record);
/* The call without an end that a record begins, if it is known by now where it ended: from kept results, or from the earlier
 * pass. False: it is not such a call, or not known. */
bool calls_find_unwound(const calls *c, uint32_t begin, calls_unwound *found);

/* Returns whether the call that a record begins is known by now to have no end: the same, or the latest end has closed it.
 */
bool calls_is_unwound(const calls *c, uint32_t begin);

/* Before the first record: these stacks (uint64_t; must live as long as `c`) are of owners that switch between several, such
 * as fibers. Their calls have no caller, depth or inside, and an end is matched only if no other call of its function has
 * been open: with CALL_UNSURE, and a self time only if the end follows the begin directly. */
void calls_switch(calls *c, GHashTable *stacks);
/* Returns whether that is known of a stack that has begun. */
bool calls_switches(calls *c, uint64_t stack);

/* Announces a record, before the call that says what it does. To notice a read filter reliably, announce every record of
 * the file. */
void calls_record(calls *c, uint32_t record);
/* Sets how many ticks the owner has been away in all, for the following begin, end or value. 0 if unknown. */
void calls_paused(calls *c, uint64_t ticks);
/* A begin or end in record `record`, at `ticks` (`clocked` false: not known). */
void calls_begin(calls *c, uint64_t stack, uint32_t record, uint32_t function, uint64_t ticks, bool clocked, call *result);
void calls_end(calls *c, uint64_t stack, uint32_t record, uint32_t function, uint64_t ticks, bool clocked, call *result);
/* Sets a value that lasts until the next one on the same stack, which must hold nothing else. Ends the previous value,
 * described by *result and by *left (its function; 0: there was none), and begins the new one. */
void calls_set(calls *c, uint64_t stack, uint32_t record, uint32_t function, uint64_t ticks, bool clocked, call *result,
               uint32_t *left);
/* The same for a value that no record sets: it lasts from `record` on, for which another result is kept. */
void calls_begin_implicit(calls *c, uint64_t stack, uint32_t record, uint32_t function, uint64_t ticks);
/* Visits the open calls: stacks in ascending order, the outermost call first. Their times are those of calls that end at
 * `at`, which the callback fills in; false: their times are unknown. */
typedef struct calls_end_at {
    uint64_t ticks, away;
} calls_end_at;
typedef bool (*calls_when)(void *data, uint64_t stack, uint32_t function, calls_end_at *at);
typedef void (*calls_visitor)(void *data, uint64_t stack, uint32_t function, const call *open);
void calls_each_open(calls *c, calls_when at, calls_visitor visitor, void *data);
/* Records of this stack were lost here: open calls are unsure. */
void calls_lost(calls *c, uint64_t stack);
/* The same, but they are lost later: where the next calls_reach_gap() is. */
void calls_expect_gap(calls *c, uint64_t stack);
void calls_reach_gap(calls *c, uint64_t stack);
/* The owner of this stack has ended, and another one begins: open calls never end. */
void calls_forget(calls *c, uint64_t stack);
/* Records of all stacks whose numbers have these upper 32 bits were lost. */
void calls_lost_all(calls *c, uint32_t upper);
/* Sets the clock of a stack; to be called before a begin or end at that time. If it goes back, the open calls are unsure. */
void calls_clock(calls *c, uint64_t stack, uint64_t ticks);

/* A record that belongs to the innermost open call (an argument, an event), at `ticks` if `clocked`. `sure`: that is known
 * even if this call should have no end. False if no call is open. */
bool calls_inside(calls *c, uint64_t stack, uint32_t record, uint64_t ticks, bool clocked, bool sure, call *result);
/* Any other record, so that calls_find() knows the call around it, with CALL_AROUND. */
void calls_around(calls *c, uint64_t stack, uint32_t record);
/* The innermost open call of a stack: the record that begins it, and *function; 0 if there is none. */
uint32_t calls_open(calls *c, uint64_t stack, uint32_t *function);

/* What is known so far about the call of a record that began or ended one. False if nothing was kept for it. With
 * CALLS_UNWIND depths and callers are final when all records have been seen. */
bool calls_find(calls *c, uint32_t record, call *result);
/* The calls that the end in `record` has closed in addition to its own, with CALLS_UNWIND: how many, and call `i` with its
 * function, innermost first; false if there are no more. Without calls_known() only for the latest record. */
uint32_t calls_closed_count(const calls *c, uint32_t record);
bool calls_closed(const calls *c, uint32_t record, uint32_t i, call *result, uint32_t *function);
/* The function that a kept record begins; 0 if it begins none. */
uint32_t calls_function(const calls *c, uint32_t record);
/* The function of the value that a kept record of calls_set() has ended; 0 if there was none. */
uint32_t calls_left(const calls *c, uint32_t record);

/* The records that begin the call `innermost` and those around it, from the outermost. If there are more than `most`, the
 * innermost, and *left_out is how many are missing. Without kept results only for the latest record; if they are not known
 * there are none. Returns how many. */
unsigned calls_within(calls *c, uint64_t stack, uint32_t innermost, uint32_t *records, unsigned most, uint32_t *left_out);

/* The function of the call around `known`, a result for this stack; false if there is none, or it is not known. Without
 * calls_known() only for the latest record. */
bool calls_caller(calls *c, uint64_t stack, const call *known, uint32_t *function);

/* The functions on the stack, from the outermost call to `known` (a result for this stack). If there are more than
 * CALLS_STACK_MAX, the outermost CALLS_STACK_OUTER and the innermost are given, and *left_out is how many are missing
 * between them. `own` is the function of `known` itself. `marks`: what is known by now of the ends of
 * these calls (CALL_HAS_END and others); NULL: that is not asked. Without calls_known() only for the latest record. Returns
 * how many. */
#define CALLS_STACK_MAX 512u
#define CALLS_STACK_OUTER 256u
enum { CALL_HAS_END, CALL_HAS_NO_END, CALL_MAY_HAVE_ENDED /* before `known`, which is then of a call around it */ };
unsigned calls_stack(calls *c, uint64_t stack, const call *known, uint32_t own, uint32_t functions[CALLS_STACK_MAX],
                     uint8_t marks[CALLS_STACK_MAX], uint32_t *left_out);

#endif
