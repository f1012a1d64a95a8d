/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a recorder names the place of an allocation, and how that is shown. All that separate such names do so here.
 *     new in SYMBOL+0x1c              in a function, whose name is as linked; in older traces it is readable
 *     malloc at OBJECT+0x11d6         where no symbol is known: in a file, by its own addresses
 *     new in NAME (site.cpp:8)        as shown, if the line is known
 *     new in A+0x1 < B+0x2 < at C+0x3 with callers, as far as they are recorded
 * The number of an element may follow the last: [2]. */
#ifndef WIRETRACE_UTIL_PLACE_NAME_H
#define WIRETRACE_UTIL_PLACE_NAME_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A frame: the place itself, or one of its callers. */
typedef struct place_name {
    const char *name; /* of the function or file, in the text */
    size_t length;
    const char *rest; /* what follows the name in this frame */
    size_t rest_length;
    const char *end;  /* of the frame: the end of the text, or before the next one */
    uint64_t offset;  /* 0: a line is known instead */
    bool in_function; /* else in a file */
} place_name;

/* False if the text is not the name of a place. */
bool place_name_read(const char *text, place_name *p);
/* The frame of the caller. False if there is none. */
bool place_name_caller(const place_name *p, place_name *caller);

/* How a frame is shown, g_malloc'ed: the name of a function, NULL: as it is; the line, `FILE:LINE`, NULL: not known. */
typedef struct place_shown {
    char *name, *line;
} place_shown;
typedef place_shown place_show(void *data, const place_name *frame);
/* The whole name as it is shown, g_malloc'ed, of a text that is the name of a place. */
char *place_name_show(const char *text, place_show *show, void *data);

#endif
