/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of the reader, which are environment variables, as it also works in programs without preferences: which there are and
 * what they may say. A value that none of them knows is not used, and said. */
#ifndef WIRETRACE_SETTINGS_H
#define WIRETRACE_SETTINGS_H

#include <glib.h>
#include <stdbool.h>

/* A row of a format, or one for all of them. Not set or empty is usual. */
typedef struct setting {
    const char *variable, *preference; /* which sets it */
    const char *values[6];             /* that it may have, NULL behind them; none: `is_usable` says */
    bool (*is_usable)(const char *value);
    const char *usable;      /* what that asks for, in words */
    const char *consequence; /* of another value */
} setting;

/* Whether a variable of two values, "0" and "1", says "1"; `usual` where it is not set or says something else. */
bool settings_switch(const char *variable, bool usual);

/* What is wrong with the settings that matter for a protocol, one sentence each; they are valid during the call. */
typedef void (*settings_visitor)(void *data, const char *sentence);
void settings_check(const char *protocol, settings_visitor visitor, void *data);

#endif
