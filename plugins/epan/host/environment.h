/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preferences for the reader. It has none of its own, since it also runs in programs without preferences, and reads
 * environment variables instead. */
#ifndef WIRETRACE_HOST_ENVIRONMENT_H
#define WIRETRACE_HOST_ENVIRONMENT_H

#include <glib.h>
#include <stdbool.h>

/* Call when any preference of the protocol has changed. A variable set by the user stays as it is until the preference
 * that corresponds to it is not the default (`usual`) any more; *set remembers that. */
static inline void environment_prefer(const char *variable, const char *value, bool usual, bool *set)
{
    if (usual && !*set)
        return;
    g_setenv(variable, value, TRUE);
    *set = true;
}

#endif
