/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source lines of functions, from the line tables in an executable or its separate debug information. */
#ifndef WIRETRACE_PROGRAM_SOURCE_LINES_H
#define WIRETRACE_PROGRAM_SOURCE_LINES_H

#include "program/executable.h"
#include "util/source_place.h"

/* Larger sections of debug information, uncompressed, are not read; bytes. */
#define LINES_SECTION_MAX (UINT64_C(1) << 30)

typedef struct source_lines source_lines;

/* Finds the lines of the functions that begin at these addresses in the executable at `path`, unless that is a different
 * file by now. NULL if there are no line tables. Reads all of them, once. */
source_lines *source_lines_read(const char *path, const executable_identity *identity, const uint64_t *functions,
                                size_t count);
void source_lines_free(source_lines *l);

/* Of functions[i], with its text; free with g_free(). NULL if unknown. It is that of its declaration; if that is not known,
 * of its first instruction, which may be of a function that was inlined. */
source_place *source_lines_place(source_lines *l, size_t i);

/* The lines of any addresses in a file, one at a time. */
typedef struct source_map source_map;
/* Of an open file, or of its separate debug information (NULL: none), which must stay open as long. NULL if there are no
 * line tables. Reads all of them, once. */
source_map *source_map_new(const executable *e, const executable *debug);
void source_map_free(source_map *m);
/* "file:line" of an address as linked, free with g_free(); NULL if unknown. Reads the table of one unit. */
char *source_map_text(const source_map *m, uint64_t address);

#endif
