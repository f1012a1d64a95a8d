/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Matching of begin and end on stacks: depth, caller, duration, self time, and what has no partner. Serves function
 * calls and states of threads alike. A stack is known by a number (process and thread), what is entered and left by
 * another (function id). Begin and end come in order of time. Record numbers rise; one that is given twice (Wireshark
 * gives the number of a record that a read filter leaves out to the next one) makes all that was kept unknown, rather
 * than wrong.
 *
 * Rules: an end closes the innermost open call of its function, and what was open above that: calls that were left
 * without an end (an exception, longjmp). They end there too if CALLS_TIME_CLOSED says so, else without a duration. An
 * end without an open call of its function is stray and changes nothing. A clock that went back gives no duration.
 *
 * Memory: open calls, and, when results are kept, 17 bytes per record and 48 per call that was closed, which has no end
 * of its own. Every call costs O(1), whatever the input, calls_stack() and calls_closed() O(log n). Knows nothing about
 * formats, names or units of time ("ticks"). */
#ifndef WIRETRACE_CALLS_H
#define WIRETRACE_CALLS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct calls calls;

enum {                     /* call.state */
       CALL_TIMED = 1,     /* duration is known */
       CALL_SELF = 2,      /* self is known */
       CALL_UNMATCHED = 4, /* an end without begin, or a begin that was never ended (or not yet) */
       CALL_CLOSED = 8,    /* ended by the end of an outer call */
       CALL_UNSURE = 16,   /* records were lost between begin and end, or the clock went back */
       CALL_INSIDE = 32,   /* the record neither begins nor ends a call: the others tell of the call that it is in */
};

/* What is known about the call that a record begins or ends. Record numbers count from 1; 0 = none. */
typedef struct call {
    uint32_t begin, end;
    uint32_t caller;   /* begin record of the enclosing call */
    uint32_t depth;    /* 0 for the outermost; valid where begin is not 0 */
    uint64_t duration; /* ticks */
    uint64_t self;     /* duration less that of the calls within */
    uint8_t state;
} call;

enum {                        /* options of calls_new() */
       CALLS_KEEP = 1,        /* results stay known for calls_find() */
       CALLS_TIME_CLOSED = 2, /* calls that the end of an outer one closes last until then; else they have no times */
};
calls *calls_new(unsigned options);
void calls_free(calls *c);
bool calls_kept(const calls *c);
/* Whether what was kept is known still: no record number has come twice. */
bool calls_known(const calls *c);

/* To be called with a record before what it does: with every one of the file if a read filter is to be noticed for sure. */
void calls_record(calls *c, uint32_t record);
/* A begin or end in record `record`, at `ticks` (`clocked` false: not known). */
void calls_begin(calls *c, uint64_t stack, uint32_t record, uint32_t function, uint64_t ticks, bool clocked, call *result);
void calls_end(calls *c, uint64_t stack, uint32_t record, uint32_t function, uint64_t ticks, bool clocked, call *result);
/* A value that holds until the next one of its stack, which holds nothing else: ends the value before, of which `result`
 * and *left (its function; 0: there was none) tell, and begins another. */
void calls_set(calls *c, uint64_t stack, uint32_t record, uint32_t function, uint64_t ticks, bool clocked, call *result,
               uint32_t *left);
/* Records of this stack were lost here: what is open now is unsure. */
void calls_lost(calls *c, uint64_t stack);
/* The same for all stacks whose numbers have these upper 32 bits. */
void calls_lost_all(calls *c, uint32_t upper);
/* The clock of this stack is at `ticks`, to be called before a begin or end there: what is open when it goes back is unsure. */
void calls_clock(calls *c, uint64_t stack, uint64_t ticks);

/* A record that belongs to the innermost open call (an argument, an event). False when no call is open. */
bool calls_inside(calls *c, uint64_t stack, uint32_t record, call *result);
/* The innermost open call of a stack: its begin record, 0 if there is none; *function is set where there is one. */
uint32_t calls_open(calls *c, uint64_t stack, uint32_t *function);

/* What is known by now of a record that began or ended a call. False when nothing was kept for it. */
bool calls_find(const calls *c, uint32_t record, call *result);
/* Calls that the end in `record` has closed besides its own, where CALLS_TIME_CLOSED has been asked for: how many, and call
 * `i` of them, the innermost first, with its function; false when there are no more. Unless calls_known(), only for the
 * record that was given last. */
uint32_t calls_closed_count(const calls *c, uint32_t record);
bool calls_closed(const calls *c, uint32_t record, uint32_t i, call *result, uint32_t *function);
/* Function of a kept begin record, 0 if it is none. */
uint32_t calls_function(const calls *c, uint32_t record);
/* Function of the value that a kept record of calls_set() has ended, 0 if there was none. */
uint32_t calls_left(const calls *c, uint32_t record);

/* The functions from the outermost call to the one that is `known` (as given or found): at most CALLS_STACK_MAX, the outermost
 * and innermost ones; *left_out says how many are missing between the first CALLS_STACK_OUTER and the rest. `own` is its
 * own function. Unless calls_known(), only for the record that was given last. Returns how many. */
#define CALLS_STACK_MAX 64u
#define CALLS_STACK_OUTER 32u
unsigned calls_stack(calls *c, uint64_t stack, const call *known, uint32_t own, uint32_t functions[CALLS_STACK_MAX],
                     uint32_t *left_out);

#endif
