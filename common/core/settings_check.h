/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether the settings of the reader can be used. With an invalid value no trace opens: what it asks for is not known. */
#ifndef WIRETRACE_CORE_SETTINGS_CHECK_H
#define WIRETRACE_CORE_SETTINGS_CHECK_H

/* What is wrong with the first invalid setting that matters for a protocol, in words; NULL: nothing. g_free() it. */
char *settings_problem(const char *protocol);
/* Which part of a trace is asked for, although exported records are not a trace, in words; NULL: none. g_free() it. */
char *settings_ignored(const char *protocol);

#endif
