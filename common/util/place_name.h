/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a recorder names the place of an allocation, and how that is shown. All that take such names apart do so here.
 *     new in SYMBOL+0x1c        in a function, whose name is as linked; in older traces it is readable
 *     malloc at OBJECT+0x11d6   where no symbol is known: in a file, by its own addresses
 *     new in NAME (site.cpp:8)  as shown, if the line is known
 * The number of an element may follow: [2]. */
#ifndef WIRETRACE_UTIL_PLACE_NAME_H
#define WIRETRACE_UTIL_PLACE_NAME_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct place_name {
    const char *name; /* of the function or file, in the text */
    size_t length;
    const char *rest; /* what follows the name */
    uint64_t offset;  /* 0: a line is known instead */
    bool in_function; /* else in a file */
} place_name;

/* False if the text is not the name of a place. */
bool place_name_read(const char *text, place_name *p);
/* The name as it is shown, g_malloc'ed: with a readable name of the function, or NULL, and the line, `FILE:LINE`, or NULL.
 */
char *place_name_show(const char *text, const place_name *p, const char *readable, const char *line);

#endif
