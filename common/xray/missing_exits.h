/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks into a log in advance for calls without an exit, for who must know at once in which call a record is and cannot wait
 * for the exit that shows it (calls_follow() in calls.h). Most logs have none. */
#ifndef WIRETRACE_XRAY_MISSING_EXITS_H
#define WIRETRACE_XRAY_MISSING_EXITS_H

#include <glib.h>
#include <stdbool.h>

typedef struct trace trace;
typedef struct xray_tails xray_tails;

/* Returns whether the log that is open may have calls without an exit, or tail exits that were not taken (xray/tails.h).
 * False: each exit is that of the innermost open call, or of none. Reads each stream in its order, beside whoever reads the
 * trace; the trace must be seekable and have all times. */
bool xray_missing_exits_any(trace *t);
/* Reads a log once more, with all of its analysis, to find these calls and where they ended. `tails`: as in
 * xray_analysis_visit(). calls_unwound, by `begin`: numbers of records as a reader counts them. NULL if the log at `path`
 * cannot be read (a compressed one cannot); free with g_array_free(). */
GArray *xray_missing_exits_read(const char *path, const xray_tails *tails);

#endif
