/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Short names (short_name.h) of all functions of a program, of which different functions have different ones: where two
 * would be the same, both keep more of their full names, or are numbered if that would be too long: `f<…> #14`. */
#ifndef WIRETRACE_UTIL_SHORT_NAMES_H
#define WIRETRACE_UTIL_SHORT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/shown_name.h"

/* `names`: full ones; NULL: it has none. `kept`: SHORT_NAME_DATA or 0. `ids`: of different things, which may have equal
 * names, for the numbers; NULL: equal names are one thing, and numbers count. `numbers`, unless it is NULL: set to the bytes
 * of the number at the end of each; 0: it has none. Returns as many names; free each, and the whole, with g_free(). Time and
 * memory are linear in the length of the names. */
char **short_names(const char *const *names, const uint32_t *ids, size_t count, unsigned kept, uint8_t *numbers);

/* Cuts names that are longer than `widths` characters, each another one, such that different names stay different: what they
 * have in addition is left, or they get numbers, unless there is no room at all; *numbered: set to true if one does. */
char **short_names_cut(const shown_name *names, const size_t *widths, size_t count, bool *numbered);

#endif
