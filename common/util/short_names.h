/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Short names (short_name.h) of all functions of a program, of which different functions have different ones: where two would be the same,
 * both keep more of their full names, or are numbered if that would be too long: `f<…> (2)`. */
#ifndef WIRETRACE_SHORT_NAMES_H
#define WIRETRACE_SHORT_NAMES_H

#include <stddef.h>

/* `names`: full ones; NULL: it has none. Returns as many; equal names have equal short ones. Free each, and the whole, with g_free(). Time
 * and memory are linear in the length of the names. */
char **short_names(const char *const *names, size_t count);

#endif
