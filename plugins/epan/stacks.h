/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folded stacks, as flame-graph tools read them: one line for each stack, `outer;inner`, a blank and a number. The number is
 * the time of the calls that ended on that stack, their own time, or how many they were. */
#ifndef WIRETRACE_STACKS_H
#define WIRETRACE_STACKS_H

#include "report.h"

#include "calls.h"

/* What a protocol tells about its stacks. All pointers have static storage. */
typedef struct stacks_protocol {
    const char *tap, *command, *title; /* as in report.h */
    const char *unit;                  /* of time */
    const char *calls;                 /* what is counted */
    /* Call `i` that ends with a tapped record, from 0; false: there are no more. Those without a duration do not count. */
    bool (*ended)(const void *tapped, const packet_info *pinfo, uint32_t i, call *k);
    void (*append_thread)(wmem_strbuf_t *text, const void *tapped);
    void (*append_stack)(wmem_strbuf_t *text, const void *tapped, uint32_t i);
} stacks_protocol;

/* `r` (static storage as well) becomes the report of folded stacks of a protocol. */
void stacks_register(report *r, const stacks_protocol *p);

/* Name of a function as it stands in stacks; may be written into `text`. */
typedef const char *(*stacks_name)(uint32_t function, char *text, size_t size);

/* Appends functions, outermost first (calls_stack() in calls.h), separated by ';'. What separates is taken out of names. */
void stacks_append(wmem_strbuf_t *text, const uint32_t *functions, unsigned n, uint32_t left_out, stacks_name name);

/* Appends one name, likewise without what separates. */
void stacks_append_name(wmem_strbuf_t *text, const char *name);

#endif
