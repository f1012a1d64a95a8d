/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of functions from the symbol tables of an executable. Knows nothing of programming languages. */
#ifndef WIRETRACE_PROGRAM_SYMBOLS_H
#define WIRETRACE_PROGRAM_SYMBOLS_H

#include "program/executable.h"

/* Returns whether there are symbols for all functions, and not only for exported ones. */
bool symbols_complete(const executable *e);

/* Visits the symbols of functions in .symtab and .dynsym; if `debug`, the separate debug information, is not NULL, in its
 * .symtab. Names are valid as long as the files are open. */
typedef void (*symbols_visitor)(void *data, const GElf_Sym *symbol, const char *name);
void symbols_visit(const executable *e, const executable *debug, symbols_visitor visit, void *data);

/* Names of one address; free with g_free(). */
typedef struct symbols_names {
    char *name;  /* NULL: there is none */
    char *alias; /* another function that a compiler or linker has merged with it; NULL if there is none */
} symbols_names;

/* Sets names[i] to the symbols of the function that begins at functions[i], of those that symbols_visit() visits. Returns
 * how many were found. */
size_t symbols_find(const executable *e, const executable *debug, const uint64_t *functions, size_t count,
                    symbols_names *names);

#endif
