/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a log once in advance to find the calls without an exit and where they ended, for who must know at once in which call a
 * record is and cannot wait for the exit that shows it (calls_follow() in calls.h). */
#ifndef WIRETRACE_XRAY_UNWOUND_H
#define WIRETRACE_XRAY_UNWOUND_H

#include <glib.h>

/* Of calls_unwound, by `begin`: numbers of records as a reader counts them. NULL if the log at `path` cannot be read (a compressed
 * one cannot); free with g_array_free(). */
GArray *xray_unwound_read(const char *path);

#endif
