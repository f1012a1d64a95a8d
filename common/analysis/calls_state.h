/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What calls.h knows: the open calls of each stack, and what is kept of those that have ended. For the files calls_*.c only.
 */
#ifndef WIRETRACE_ANALYSIS_CALLS_STATE_H
#define WIRETRACE_ANALYSIS_CALLS_STATE_H

#include "analysis/callees.h"
#include "analysis/calls.h"
#include "containers/frame_store.h"
#include "containers/hash_map.h"

/* A call that has begun but not ended. */
typedef struct open_call {
    uint64_t ticks;
    uint64_t within; /* ticks of calls inside that have ended */
    uint64_t away, paused_within;
    uint32_t record, function;
    bool clocked, unsure;
    bool unattributed;            /* CALL_UNATTRIBUTED */
    callees callees;              /* with CALLS_UNWIND */
    const calls_unwound *unwound; /* calls_follow(): how it ended; NULL: it has an end */
} open_call;

typedef struct call_stack {
    uint64_t key;    /* its number */
    open_call *open; /* `depth` of them, the innermost last */
    guint depth, room;
    /* How many open calls each function has. Created when, on a deep stack, an end first does not match the innermost
     * call: from then on a stray end does not search the whole stack. */
    GHashTable *counts;
    const uint32_t *losses; /* shared by all stacks with the same upper half of the number */
    uint32_t seen;          /* how many of these losses have been applied to the open calls */
    uint64_t ticks;         /* the latest time of calls_clock() */
    bool gap;               /* calls_expect_gap() */
    GHashTable *groups;     /* calls_switching.c: open calls by function, in place of `open`; NULL: it does not switch */
    uint32_t latest;        /* the same: the latest record that begins or ends a call */
    GArray *left; /* of closed_call: calls_unwind_to() has left them, and the end that closes them is still to come; NULL:
                     none */
} call_stack;

#define PACKED __attribute__((packed))

/* What is kept per record. 48 bits hold days of nanoseconds. */
typedef struct kept_begin {
    uint32_t end, caller, depth, function;
} kept_begin;

typedef struct PACKED kept_end {
    uint64_t duration : 48, self : 48; /* if `duration` is KEPT_LONG, `self` is an index in calls.long_times */
    uint32_t begin;
} kept_end;

typedef struct PACKED kept {
    union {
        kept_begin begin;
        kept_end end;
    };
    unsigned state : 6; /* CALL_* */
    unsigned is : 2;    /* KEPT_* */
} kept;
/* KEPT_SET: an end whose `self` is the function of the value that ended. */
enum { KEPT_NOTHING, KEPT_BEGIN, KEPT_END, KEPT_SET };
#define KEPT_UNATTRIBUTED CALL_CLOSED /* of an end: stands for the bit that does not fit */

_Static_assert(sizeof(kept) == 17, "17 bytes per record");

/* How long the owner of a call was paused. Stored separately and for few records, as most formats have no such clock. If
 * `all` is AWAY_LONG, `self` is an index in calls.long_pauses. */
typedef struct PACKED kept_paused {
    uint64_t all : 28, self : 28;
    uint32_t record;
} kept_paused;

_Static_assert(sizeof(kept_paused) == 11, "11 bytes per record that ends where somebody was away");

#define AWAY_LONG ((UINT32_C(1) << 28) - 1)

#define KEPT_LONG ((UINT64_C(1) << 48) - 1)

typedef struct long_times {
    uint64_t duration, self;
} long_times;

/* A call that has no end of its own. If these are kept, begin.end of its begin record is the index of this, from 1. */
typedef struct closed_call {
    uint64_t duration, self, until;
    uint32_t begin, last, sure, end, caller, depth, function;
    uint8_t state;
} closed_call;

_Static_assert(sizeof(closed_call) <= 56, "56 bytes per call that was closed");

/* The enclosing call at depth CALLS_STACK_OUTER - 1 of a kept begin whose depth is a multiple of that. */
typedef struct anchor {
    uint32_t record, outer;
} anchor;

/* The latest end. */
typedef struct last_end {
    uint32_t record, function;
    guint closed; /* index of the first call that it closed in addition to its own */
} last_end;

struct calls {
    hash_map numbers;   /* of a stack -> its index in `stacks` + 1 */
    GPtrArray *stacks;  /* of call_stack */
    GHashTable *losses; /* upper half of a stack number -> uint32_t */
    bool keep, unwind;
    callers callers;       /* with CALLS_UNWIND */
    const GArray *unwound; /* calls_follow(); NULL: nothing is known in advance */
    guint next_unwound;
    GHashTable *switching; /* calls_switch(); NULL: none */
    bool repeated;         /* a record number came twice: kept results are no longer valid */
    uint32_t last_record, last_kept;
    frames kept;         /* of kept */
    GArray *long_times;  /* of long_times: those that do not fit into a kept_end */
    GArray *absences;    /* of kept_paused, by record */
    GArray *long_pauses; /* of long_times: those that do not fit into a kept_paused */
    uint64_t away;       /* latest value of calls_paused() */
    GArray *anchors;     /* of anchor, by record */
    uint32_t unsettled;  /* callers and depths of kept records from this one on may be out of date; 0: none are */
    GArray *closed;      /* of closed_call, innermost first; when they are not kept, those of the last end */
    last_end last;
    call_stack *latest[16]; /* asked for last, see open_find(); NULL: none yet */
};

static inline open_call *open_at(const call_stack *s, guint i)
{
    return &s->open[i];
}

static inline kept *kept_at(const calls *c, uint32_t record)
{
    return frames_find(&c->kept, record);
}

static inline const closed_call *closed_at(const calls *c, uint64_t i)
{
    return &g_array_index(c->closed, closed_call, i);
}

#endif
