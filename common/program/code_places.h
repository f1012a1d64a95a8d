/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source lines of places in programs and libraries that are named by symbol or file (util/place_name.h). */
#ifndef WIRETRACE_PROGRAM_CODE_PLACES_H
#define WIRETRACE_PROGRAM_CODE_PLACES_H

#include "util/place_name.h"

typedef struct code_places code_places;

code_places *code_places_new(void);
void code_places_free(code_places *p);
/* Adds a file, which is opened when it is needed. `path`: where it was when the place was named. If a symbol is in several
 * files, its line is that of all, or not known. */
void code_places_add(code_places *p, const char *file, const char *path);
/* "file:line" of a call that returns to a place, and in *function, if its file is known, the symbol of the function that it
 * is in; free both with g_free(); NULL: unknown. The first place in a file reads all of its symbols and line tables, each
 * further one only the tables of its unit. */
char *code_places_line(code_places *p, const place_name *n, char **function);

#endif
