/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preferences for the reader, which has none, as it also works in programs without them: it reads the environment. */
#ifndef WIRETRACE_ENVIRONMENT_H
#define WIRETRACE_ENVIRONMENT_H

#include <glib.h>
#include <stdbool.h>

/* To be called when any preference of the protocol has changed. A variable that the user has set stands until its own
 * preference says something else than `usual`ly; *set remembers that it did. */
static inline void environment_prefer(const char *variable, const char *value, bool usual, bool *set)
{
    if (usual && !*set)
        return;
    g_setenv(variable, value, TRUE);
    *set = true;
}

#endif
