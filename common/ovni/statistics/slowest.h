/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which single states and runs of tasks of a trace took longest, or are first by another column (docs/ovni-statistics.md,
 * "The slowest states and tasks"): a row for each. They count as in durations.h. Memory: rows, a few numbers per stream, and
 * a bit per record. */
#ifndef WIRETRACE_OVNI_STATISTICS_SLOWEST_H
#define WIRETRACE_OVNI_STATISTICS_SLOWEST_H

#include "ovni/states.h"
#include "statistics/top_n.h"

enum {
    OVNI_SLOWEST_DURATION,
    OVNI_SLOWEST_ACTIVE,
    OVNI_SLOWEST_OWN, /* active, without what was inside */
    OVNI_SLOWEST_RANK,
    OVNI_SLOWEST_THREAD,
    OVNI_SLOWEST_BEGIN, /* records */
    OVNI_SLOWEST_END,
    OVNI_SLOWEST_KIND,
    OVNI_SLOWEST_NAME,
    OVNI_SLOWEST_MODEL,
    OVNI_SLOWEST_COLUMNS
};
extern const rows_column ovni_slowest_columns[OVNI_SLOWEST_COLUMNS];

typedef struct ovni_slowest ovni_slowest;

/* `every`: also states that last as long as a thread does something else, or nothing: see the page. */
ovni_slowest *ovni_slowest_new(const top_n_by *by, bool every);
void ovni_slowest_free(ovni_slowest *s); /* NULL is allowed */
/* Counts an event of `states`, which must live as long as `s`, and what is known of it. `frame`: its number. False if there
 * is nothing to count. */
bool ovni_slowest_add(ovni_slowest *s, const ovni_states *states, const record_context *c, uint32_t frame,
                      const ovni_known *known, char model);
/* Adds rows, in order; also for what is open now in `states`, unless that is NULL, as it has no end in what is known of the
 * trace. `labels_missing`: those of types may be in streams that are left out. `frame_of`: as record_frame() of the plugins.
 */
void ovni_slowest_fill(const ovni_slowest *s, const ovni_states *states, bool labels_missing,
                       uint32_t (*frame_of)(uint32_t place), rows *to);

#endif
