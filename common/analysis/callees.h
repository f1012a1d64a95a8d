/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls made from inside an open call, as far as they are needed to find out where it ended if it has no exit (an
 * exception, longjmp, a coroutine): a log does not tell whether what follows its last own record is still its own, or
 * belongs to the call that caught the exception. What does tell is who calls whom in calls that ended properly.
 *
 * Memory: what is known of callers takes 32 bytes per pair of functions, and each open call lists at most CALLEES_MAX
 * functions that it has not been known to call. Knows nothing of stacks and records. */
#ifndef WIRETRACE_ANALYSIS_CALLEES_H
#define WIRETRACE_ANALYSIS_CALLEES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "containers/hash_map.h"

#define CALLEES_MAX 64u

/* The last record inside a call: its own begin, the end of a call inside it, or an event. */
typedef struct callees_last {
    uint64_t ticks;
    uint32_t record;
} callees_last;

/* The last record that can only be inside a call: its begin, or that of a call inside it that was left with it. Who made a
 * call that ended properly is never sure: it may be what caught an exception, which may call a function nowhere else. */
typedef struct callees_sure {
    uint64_t ticks;
    uint64_t within; /* ticks of calls inside that ended before */
    uint32_t record;
} callees_sure;

/* A function that the call has not been known to call: all its calls since the first one. */
typedef struct callee {
    callees_last before, last; /* the last record of the caller before its first call, and that of its last call */
    callees_sure sure_before;  /* the same */
    callees_sure sure;         /* for the caller, of its last call if that has no exit either; record 0: it has one */
    uint64_t ticks;            /* sum of its calls */
    uint32_t function;
    bool joined; /* calls of the function before this one in the list came later as well: both have the same caller */
} callee;

/* What an open call has called. All zero: nothing. */
typedef struct callees {
    callees_last last;
    callees_sure sure;
    GArray *unknown; /* of callee, in order of their first call; NULL: none */
    guint own;       /* how many of these came before a function that the call is known to call, so that they are its own */
    uint32_t known;  /* if has_known: the function called latest that the call is known to call */
    bool has_known, too_many; /* too_many: more unknown functions than are listed */
} callees;

/* Pairs of a function and one that it calls, learnt from calls that ended properly. */
typedef struct callers {
    hash_map pairs;
} callers;

void callers_init(callers *all);
void callers_clear(callers *all);
bool callers_know(const callers *all, uint32_t caller, uint32_t function);

/* It begins in a record, and has called nothing: `c` is all zero. */
static inline void callees_begin(callees *c, uint64_t ticks, uint32_t record)
{
    c->last = (callees_last){ticks, record};
    c->sure = (callees_sure){ticks, 0, record};
}

/* Adds a call that has ended to those of an open call of `caller`, which is most often known to call this function. False:
 * it is not, so callees_add() must do it. */
static inline bool callees_add_known(callees *c, const callers *all, uint32_t caller, uint32_t function, callees_last last)
{
    if (c->unknown || ((c->known != function || !c->has_known) && !callers_know(all, caller, function)))
        return false;
    c->known = function;
    c->has_known = true;
    c->last = last;
    return true;
}

/* Adds calls of one function to those of an open call of `caller`: all of `k` but what was before it. One that is `joined`
 * must follow the one before it. */
void callees_add(callees *c, const callers *all, uint32_t caller, const callee *k);
/* The call has ended properly: what it has called is learnt, and forgotten here. */
void callees_learn(callees *c, callers *all, uint32_t caller);
void callees_clear(callees *c);

guint callees_count(const callees *c);
const callee *callees_at(const callees *c, guint i);

/* Returns whether a function further out on the stack is known to call a function. */
typedef bool (*callees_outside)(void *data, uint32_t function);
/* Finds where what belongs to a call without an end stops: returns the index of the first listed function that was called
 * after it, from further out; callees_count(): none was. Those must then be taken away with callees_cut(), which also sets
 * `last` and `sure`. */
guint callees_split(const callees *c, callees_outside outside, void *data);
void callees_cut(callees *c, guint split);
/* Returns whether it is unsure that the last of what is left belongs to this call. */
bool callees_unsure(const callees *c);

#endif
