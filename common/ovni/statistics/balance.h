/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long each rank, or process without a rank, was running, and how much of that outside MPI, or in tasks. A runtime that
 * waits for tasks actively is outside MPI, but not in tasks. */
#ifndef WIRETRACE_OVNI_STATISTICS_BALANCE_H
#define WIRETRACE_OVNI_STATISTICS_BALANCE_H

#include "ovni/statistics/groups.h"
#include "ovni/statistics/late_rank.h"
#include "ovni/statistics/interval.h"

enum {
    OVNI_BALANCE_NAME,
    OVNI_BALANCE_RUNNING, /* of threads, ns */
    OVNI_BALANCE_MPI,     /* in the outermost function, ns */
    OVNI_BALANCE_OUTSIDE, /* the difference */
    OVNI_BALANCE_TASKS,   /* active, in tasks without those inside, ns */
    OVNI_BALANCE_RATIO,   /* of time outside MPI: the mean of all rows over the longest; the same in each row */
    OVNI_BALANCE_TASKS_RATIO,
    OVNI_BALANCE_COLUMNS
};
extern const rows_column ovni_balance_columns[OVNI_BALANCE_COLUMNS];

typedef struct ovni_balance ovni_balance;

/* As a statistic, with the words by:node and OVNI_WITHIN; its data is an ovni_balance. */
extern const counted ovni_balance_counted;
/* Of what such a statistic has counted (late_rank_find()). */
bool ovni_balance_late(const ovni_balance *b, int32_t *rank, uint32_t *count);

ovni_balance *ovni_balance_new(ovni_grouping by);
void ovni_balance_free(void *balance); /* NULL is allowed */
/* The part of the time that counts; NULL: all of it. */
const ovni_interval *ovni_balance_interval(const ovni_balance *b);
/* Streams are announced here; owned by `b`. */
ovni_groups *ovni_balance_groups(ovni_balance *b);
/* Counts an event of the tables. `frame`: its number. False if it ends neither the running of a thread, an outermost
 * function nor a task. */
bool ovni_balance_add(ovni_balance *b, const record_context *c, uint32_t frame, const ovni_known *known);
/* An event of a interval, whether it counts or not: what is open at its end counts, too. */
void ovni_balance_note(ovni_balance *b, const record_context *c, const ovni_known *known);
void ovni_balance_end(ovni_balance *b, const ovni_interval *w);
/* Adds rows: ranks by their number, then the rest. `streams_missing`: some are not read, so no ratio is known. */
void ovni_balance_fill(const ovni_balance *b, bool streams_missing, rows *to);

#endif
