/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of addresses from the symbol tables of an executable. Knows nothing of languages. */
#ifndef WIRETRACE_PROGRAM_SYMBOLS_H
#define WIRETRACE_PROGRAM_SYMBOLS_H

#include "program/executable.h"

/* Whether the symbols of all functions may be expected, not only of those that other files can see. */
bool symbols_complete(const executable *e);

/* Sets names[i] to the symbol of the function that begins at functions[i], to be freed with g_free(), or to NULL. Looks
 * in .symtab and .dynsym; with `debug`, the separate debug information, in its .symtab. Returns how many were found. */
size_t symbols_find(const executable *e, const executable *debug, const uint64_t *functions, size_t count, char **names);

#endif
