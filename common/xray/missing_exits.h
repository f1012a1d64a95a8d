/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a log has calls without an exit. Most have none. */
#ifndef WIRETRACE_XRAY_MISSING_EXITS_H
#define WIRETRACE_XRAY_MISSING_EXITS_H

#include <glib.h>
#include <stdbool.h>

typedef struct trace trace;

/* Returns whether the log that is open may have calls without an exit, or tail exits that were not taken (xray/tails.h).
 * False: each exit is that of the innermost open call, or of none. Reads each stream in its order, beside whoever reads the
 * trace; the trace must be seekable and have all times. */
bool xray_missing_exits_any(trace *t);
#endif
