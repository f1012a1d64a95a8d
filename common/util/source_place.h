/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A place in the sources as people read it, and what it consists of. Who makes it also reports that, and nobody reads it out
 * of the text again. */
#ifndef WIRETRACE_UTIL_SOURCE_PLACE_H
#define WIRETRACE_UTIL_SOURCE_PLACE_H

#include <stdint.h>

typedef struct source_place {
    const char *text; /* `FILE:LINE`; NULL: unknown */
    uint32_t file;    /* bytes of FILE; 0: the text is something else that stands for a file */
    uint32_t line;
} source_place;

#endif
