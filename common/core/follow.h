/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Following a file that is being written: a source that has what can be relied on so far, and a step that waits for the rest
 * of a record. Whoever follows looks at the file from time to time, and reads on in between.
 *
 * A file that is written through a mapping has zeros at its end, where records are being made in any order: what was before
 * the last byte that is not 0 is relied on at the next look, and the zeros when nothing has changed for a moment. */
#ifndef WIRETRACE_CORE_FOLLOW_H
#define WIRETRACE_CORE_FOLLOW_H

#include "core/stream.h"

/* What is wrong in a file must be so for this long before it is believed, in microseconds: it may just not be written yet.
 */
#define FOLLOW_DOUBT ((int64_t)1000000)

typedef enum follow_change {
    FOLLOW_SAME,
    FOLLOW_GROWN,
    FOLLOW_CUT,      /* it is shorter than what was read of it */
    FOLLOW_REPLACED, /* another file has its name */
} follow_change;

/* A source for a regular file. NULL with *err, an errno, on failure. */
source *follow_new(const char *path, int *err);
/* Looks at the file again. `now`: from any clock that goes forward, in microseconds. */
follow_change follow_look(source *s, int64_t now);
/* Nobody writes to the file any more: what is there is all of it. */
void follow_finish(source *s);
/* Returns whether nothing has changed for FOLLOW_DOUBT, or ever will. */
bool follow_is_settled(const source *s);
/* Bytes of the file, as of the last look. */
uint64_t follow_size(const source *s);

/* Reads the next record of a walk over such a source. STEP_END: it is not there yet, and the walk is where it was. */
step_result follow_next(walk *w);

#endif
