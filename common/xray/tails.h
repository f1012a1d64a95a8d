/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must be known in advance of exits that seem to have no call: tail exits that were not taken, and threads that switch
 * between stacks (fibers).
 *
 * Compilers before 2024 log one for x86 in front of a conditional tail call whether or not
 * it is made, so that the function may go on and have another exit. A log that shows this has such an exit where no call of
 * the function is open.
 *
 * Rule: an exit of a function that has no open call belongs to its latest call that a tail exit has left inside the same
 * open call, if all calls since then have ended: that tail exit was not taken. An exit that an open call explains is that of
 * the open call; if later exits of the function turn out to be one too many, its latest tail exit was not taken either.
 *
 * An exit of an outer call takes those inside it for unwound. If one of these has an exit later, and nothing was lost, its
 * thread has more than one stack. */
#ifndef WIRETRACE_XRAY_TAILS_H
#define WIRETRACE_XRAY_TAILS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "xray/xray.h"

typedef struct xray_tails {
    GHashTable *not_taken; /* tail exits: their offsets in the file, uint64_t */
    GHashTable *switching; /* threads that switch: their xray_stack_of(), uint64_t */
} xray_tails;

/* Reads each stream in its order; the trace must be seekable and have all times. Memory: the open calls, and at most
 * TAILS_MAX tail exits inside each. */
#define TAILS_MAX 64u
xray_tails *xray_tails_read(trace *t);
void xray_tails_free(xray_tails *found);

#endif
