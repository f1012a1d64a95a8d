/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups of events, for statistics: by rank, process, thread, CPU, loom or node. A group has a number from 0, and each a
 * text of its own. */
#ifndef WIRETRACE_OVNI_STATISTICS_GROUPS_H
#define WIRETRACE_OVNI_STATISTICS_GROUPS_H

#include "core/record.h"
#include "ovni/session.h"

typedef enum ovni_grouping {
    OVNI_BY_NOTHING, /* one group, with an empty text */
    OVNI_BY_RANK,
    OVNI_BY_PROCESS,
    OVNI_BY_THREAD,
    OVNI_BY_CPU,
    OVNI_BY_LOOM,
    OVNI_BY_NODE,
    OVNI_GROUPINGS,                /* that can be asked for */
    OVNI_BY_LOAD = OVNI_GROUPINGS, /* by rank, or by process where there is no rank */
} ovni_grouping;

typedef struct ovni_group {
    char *text;
    bool ranked; /* it is that of a rank: */
    int32_t rank;
} ovni_group;

typedef struct ovni_groups ovni_groups;

ovni_groups *ovni_groups_new(ovni_grouping by);
void ovni_groups_free(ovni_groups *g); /* NULL is allowed */
/* Returns whether a stream must be announced before its first event. */
bool ovni_groups_unannounced(const ovni_groups *g, uint32_t stream);
/* Announces it. `loom` and `thread`, which are copied, are what it is called; `loom` may be NULL. */
void ovni_groups_stream(ovni_groups *g, uint32_t stream, const char *loom, const char *thread);
/* Announces the stream of a record; only if that has a state or a task, and it has not been announced. `known`: of it. */
void ovni_groups_announce(ovni_groups *g, const ovni_tapped *r, const ovni_known *known);
/* The group of an event of an announced stream. */
uint32_t ovni_groups_of(ovni_groups *g, const record_context *c, const ovni_known *known);
/* Remembers the group of a stream, and gives what was remembered; 0: nothing was. */
void ovni_groups_remember(ovni_groups *g, uint32_t stream, uint32_t group);
uint32_t ovni_groups_remembered(const ovni_groups *g, uint32_t stream);
/* Valid as long as the groups. */
const ovni_group *ovni_groups_get(const ovni_groups *g, uint32_t group);
/* Such a text for a column that shows only its beginning: of a path the last part first, `thread.3 of loom.a/proc.2`.
 * g_free() it. */
char *ovni_groups_last_part_first(const char *text);

#endif
