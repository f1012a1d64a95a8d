/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks whether the settings of the reader can be used. With an invalid value no trace opens: what it asks for is not
 * known. */
#ifndef WIRETRACE_CORE_SETTINGS_CHECK_H
#define WIRETRACE_CORE_SETTINGS_CHECK_H

#include <glib.h>
#include <stdbool.h>

#include "core/format.h"

/* Returns whether all settings that matter for a format are valid; *error is about the first that is not. */
bool settings_check(const format *f, GError **error);
/* Which part of a trace is asked for, although exported records are not a trace, in words; NULL: none. g_free() it. */
char *settings_ignored(const char *protocol);

#endif
