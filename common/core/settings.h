/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of the reader. They are environment variables, so that they also work in programs without preferences. They
 * are checked by settings_check.h. */
#ifndef WIRETRACE_CORE_SETTINGS_H
#define WIRETRACE_CORE_SETTINGS_H

#include <glib.h>
#include <stdbool.h>

/* A row of a format, or one for all formats. A variable that is unset or empty means the default. */
typedef struct setting {
    const char *variable, *preference; /* the preference that sets it */
    const char *values[6];             /* valid values, ending in NULL; if none, is_usable() decides */
    bool (*is_usable)(const char *value);
    const char *usable; /* what is_usable() requires, in words */
} setting;

/* The value of a setting for all formats of which each protocol has its own preference (see trace_part.h): of the protocol
 * if it is set and not empty, else that for all. NULL: unset or empty. The preference sets settings_variable(), which is
 * g_malloc'ed. */
const char *settings_value(const setting *s, const char *protocol);
char *settings_variable(const setting *s, const char *protocol);

/* The value of a variable; NULL: unset or empty. */
const char *settings_read(const char *variable);

/* The value of a variable that may be "0" or "1"; `usual` if it is unset or invalid. */
bool settings_switch(const char *variable, bool usual);

#endif
