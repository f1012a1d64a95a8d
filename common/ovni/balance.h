/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long each rank, or process without a rank, was running, and how much of that outside MPI. */
#ifndef WIRETRACE_OVNI_BALANCE_H
#define WIRETRACE_OVNI_BALANCE_H

#include "ovni/groups.h"
#include "statistics/rows.h"

enum {
    OVNI_BALANCE_NAME,
    OVNI_BALANCE_RUNNING, /* of threads, ns */
    OVNI_BALANCE_MPI,     /* in the outermost function, ns */
    OVNI_BALANCE_OUTSIDE, /* the difference */
    OVNI_BALANCE_COLUMNS
};
extern const rows_column ovni_balance_columns[OVNI_BALANCE_COLUMNS];

typedef struct ovni_balance ovni_balance;

ovni_balance *ovni_balance_new(void);
void ovni_balance_free(ovni_balance *b); /* NULL is allowed */
/* Streams are announced here; owned by `b`. */
ovni_groups *ovni_balance_groups(ovni_balance *b);
/* Counts an event of the tables. `frame`: its number. False if it ends neither the running of a thread nor an outermost function. */
bool ovni_balance_add(ovni_balance *b, const record_context *c, uint32_t frame, const ovni_event *event,
                      const ovni_known *known);
/* Adds what another one has counted of other streams of the same trace. */
void ovni_balance_merge(ovni_balance *b, const ovni_balance *other);
/* Adds rows: ranks by their number, then the rest. *ratio is the mean of the time outside MPI over the longest, from 0 to 1 unless times are
 * negative. False: there is none. */
bool ovni_balance_fill(const ovni_balance *b, rows *to, double *ratio);

#endif
