/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folded stacks, as flame graph tools read them: a line for each stack, with `outer;inner`, a blank and a number. The
 * number is the duration of the calls that ended on that stack, their self time, or their number. */
#ifndef WIRETRACE_STACKS_H
#define WIRETRACE_STACKS_H

#include "statistics/report.h"

#include "analysis/calls.h"
#include "util/text.h"

/* The stacks of a protocol. All pointers have static storage. */
typedef struct stacks_protocol {
    const char *tap, *command, *title; /* as in report.h */
    const char *unit;                  /* of times */
    const char *calls;                 /* what is counted, in words */
    bool active;                       /* the word `active` is accepted: leaves out the time in which the owner was away */
    /* Call `i` that ends with a tapped record, from 0; false if there are no more. Calls without a duration do not count. */
    bool (*ended)(const void *tapped, const packet_info *pinfo, uint32_t i, call *k);
    void (*append_thread)(wmem_strbuf_t *text, const void *tapped);
    void (*append_stack)(wmem_strbuf_t *text, const void *tapped, uint32_t i, unsigned most); /* see stacks_append() */
} stacks_protocol;

/* Sets up `r` (static storage) as the report of a protocol's folded stacks. */
void stacks_register(report *r, const stacks_protocol *p);

/* The name of a function, as shown in stacks; may be written to `text`, of TEXT_PAIR bytes. */
typedef const char *(*stacks_name)(uint32_t function, char *text, size_t size);

#define STACKS_SHORT 64u            /* functions of a stack where a person looks at it */
#define STACKS_BYTES 65536u         /* a longer stack is shortened to that */
#define STACKS_UNWOUND " [unwound]" /* follows the name of a call without an end */
/* A stack, outermost first (calls_stack() in calls.h). */
typedef struct stacks_stack {
    const uint32_t *functions;
    const bool *unwound; /* NULL: none is marked */
    unsigned n;
    uint32_t left_out;
} stacks_stack;
/* Appends a stack, separated by ';', which is removed from names; at most `most` functions, then with `...` in the middle. */
void stacks_append(wmem_strbuf_t *text, const stacks_stack *s, unsigned most, stacks_name name);

/* Appends one name. `semicolon` replaces ';' in it. */
void stacks_append_name(wmem_strbuf_t *text, const char *name, const char *semicolon);

#endif
