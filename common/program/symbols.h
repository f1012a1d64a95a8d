/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of functions from the symbol tables of an executable. Knows nothing of programming languages. */
#ifndef WIRETRACE_PROGRAM_SYMBOLS_H
#define WIRETRACE_PROGRAM_SYMBOLS_H

#include "program/executable.h"

/* Returns whether there are symbols for all functions, and not only for exported ones. */
bool symbols_complete(const executable *e);

/* Names of one address; free with g_free(). */
typedef struct symbols_names {
    char *name;  /* NULL: there is none */
    char *alias; /* another function that a compiler or linker has merged with it; NULL if there is none */
} symbols_names;

/* Sets names[i] to the symbols of the function that begins at functions[i]. Searches .symtab and .dynsym; if `debug`, the
 * separate debug information, is not NULL, its .symtab. Returns how many were found. */
size_t symbols_find(const executable *e, const executable *debug, const uint64_t *functions, size_t count,
                    symbols_names *names);

#endif
