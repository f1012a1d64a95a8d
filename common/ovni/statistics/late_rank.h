/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A rank that enters each MPI_Allreduce after all other ranks have left it, which cannot be: its clock differs. Nothing is
 * reported unless all ranks make the same number of calls, at least LATE_RANK_CALLS, each in one thread.
 * Memory: for the ranks. Events must come in order of time; time is linear in the number of calls. */
#ifndef WIRETRACE_OVNI_STATISTICS_LATE_RANK_H
#define WIRETRACE_OVNI_STATISTICS_LATE_RANK_H

#include "ovni/events/describe.h"
#include "ovni/context.h"

enum { LATE_RANK_CALLS = 8 };

typedef struct late_rank late_rank;

late_rank *late_rank_new(void);
void late_rank_free(late_rank *l);
void late_rank_visit(late_rank *l, const record_context *c, const ovni_event *event);
/* False: there is none. */
bool late_rank_find(const late_rank *l, int32_t *rank, uint32_t *calls);

#endif
