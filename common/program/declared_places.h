/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where functions are declared, from the entries of debug information. The row of a line table for the beginning of a
 * function may be that of another one, which was inlined there. Reads the entries of a unit when one of its functions is
 * asked for. Knows nothing of line tables but where they begin. */
#ifndef WIRETRACE_PROGRAM_DECLARED_PLACES_H
#define WIRETRACE_PROGRAM_DECLARED_PLACES_H

#include "program/executable.h"

typedef struct declared_places declared_places;

/* NULL if the file has no debug information, or it is packed or cannot be used. Keeps a copy of the file. */
declared_places *declared_places_read(const executable *e);
void declared_places_free(declared_places *d);

typedef struct declared_place {
    uint64_t address; /* of the function, as linked */
    uint64_t table;   /* offset in .debug_line of the line table that has the file */
    uint32_t file, line;
} declared_place;
/* Of the function that begins at an address, in a unit with this line table; NULL if it is not known. */
const declared_place *declared_places_find(declared_places *d, uint64_t table, uint64_t address);

#endif
