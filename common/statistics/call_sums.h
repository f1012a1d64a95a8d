/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls, added up by stack: how many there were on each, and how long they took. Knows nothing of what a call is. */
#ifndef WIRETRACE_STATISTICS_CALL_SUMS_H
#define WIRETRACE_STATISTICS_CALL_SUMS_H

#include "statistics/rows.h"
#include "statistics/stack_tree.h"

/* The numbers of a stack. Times are in ns. Without times of single calls the minimum is above the maximum. */
enum { CALL_SUMS_CALLS, CALL_SUMS_TIME, CALL_SUMS_SELF, CALL_SUMS_MIN, CALL_SUMS_MAX, CALL_SUMS_NUMBERS };

typedef struct call_sums {
    stack_tree stacks;
    uint64_t all[CALL_SUMS_NUMBERS]; /* of the calls around which there is no other */
} call_sums;

/* Free with call_sums_clear(). */
void call_sums_init(call_sums *s, stack_piece_name name);
void call_sums_clear(call_sums *s);
/* Adds a call, or the sum of `many`, none of whose times is known. The first `groups` pieces of its stack are not
 * calls. A call that is alone with them also counts in each of them, without its self time, and in `all`. `data` is for the
 * names. */
void call_sums_add(call_sums *s, const stack_piece *pieces, unsigned n, unsigned groups, uint64_t many, uint64_t time,
                   uint64_t self, const void *data);
/* Adds what another one has counted, of other threads or in another part of the trace. */
void call_sums_merge(call_sums *s, const call_sums *other);
/* Adds the numbers of one stack to those of another one. */
void call_sums_join(uint64_t *to, const uint64_t *from);

/* For each stack and all around it, in the order in which stack_tree_visit() enters them: whether it is among the `most`
 * with most time `by`, CALL_SUMS_TIME or CALL_SUMS_SELF, or has as much as the last of these. Its time is at least that of
 * what is inside, so what is around a chosen one is chosen, too. g_free() it. */
bool *call_sums_choose(const call_sums *s, unsigned by, unsigned most);

enum {
    CALL_SUMS_OF_CALLS,
    CALL_SUMS_OF_TIME,
    CALL_SUMS_OF_SELF,
    CALL_SUMS_OF_SHARE,
    CALL_SUMS_OF_AVERAGE,
    CALL_SUMS_OF_MIN,
    CALL_SUMS_OF_MAX,
    CALL_SUMS_OF_NAME,
    CALL_SUMS_OF_DEPTH,
    CALL_SUMS_COLUMNS
};
extern const rows_column call_sums_columns[CALL_SUMS_COLUMNS];
/* The columns where names are indented. */
#define CALL_SUMS_USUAL "calls,time,self,share_percent,average,min,max,name"

/* Adds a row named `root` for all calls, and below it one for each stack and all around it, which are called by their last
 * name. Those that share all around them are sorted by `by`, CALL_SUMS_TIME or CALL_SUMS_SELF, largest first. The share is
 * that of this time: at least that of what is inside, as calls that have not ended do not count. `indented`: people
 * see its depth in its name. */
void call_sums_fill(const call_sums *s, const char *root, unsigned by, bool indented, rows *to);

#endif
