/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Something that lasted and has ended: a call, a state, a run of a task. It is what statistics and pictures count, whatever
 * the format. A record may end several spans. Those that are open at the end of a trace are described likewise. */
#ifndef WIRETRACE_ANALYSIS_SPAN_H
#define WIRETRACE_ANALYSIS_SPAN_H

#include "analysis/calls.h"

typedef struct span {
    call call;          /* its records, depth and times; `state` has its marks: without CALL_TIMED it does not count */
    uint32_t function;  /* the number of its name, as in calls.h; of a task, its type */
    uint8_t kind;       /* of the format: which table it counts in */
    bool nests;         /* it is on a stack, with others around it and inside it */
    uint64_t many;      /* 0: one; else times are sums of this many, which no record has begun or ended */
    const void *detail; /* what else the format knows of it, valid during the record; NULL: nothing */
} span;

/* How many it counts as. */
static inline uint64_t span_count(const span *s)
{
    return s->many ? s->many : 1;
}

/* Its self time while its owner was active; 0: unknown. */
static inline uint64_t span_active_self(const span *s)
{
    return s->call.state & CALL_SELF ? s->call.self - s->call.self_paused : 0;
}

#endif
