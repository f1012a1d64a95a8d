/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time between a record and the one before on the same thread. Knows nothing of formats. Memory: a few words per thread,
 * and if results are kept 4 bytes per record (times above 4 s take about 50 more). */
#ifndef WIRETRACE_ANALYSIS_IDLE_TIME_H
#define WIRETRACE_ANALYSIS_IDLE_TIME_H

#include <stdbool.h>
#include <stdint.h>

typedef struct idle idle;

/* `keep`: results for idle_find(). */
idle *idle_new(bool keep);
void idle_free(idle *i);

/* A record of a thread (any number that identifies it) at a time in ns; each record once, in order. False: it is the first
 * of its thread, or its time is before that of the one before; else *ns is the time since that one. */
bool idle_visit(idle *i, uint32_t record, uint64_t thread, int64_t time, uint64_t *ns);
/* The same for a record visited earlier. */
bool idle_find(const idle *i, uint32_t record, uint64_t *ns);

#endif
