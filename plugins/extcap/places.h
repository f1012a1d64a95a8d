/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which files belong to what is followed: one file, all streams of an ovni trace, or what a program that is being recorded
 * writes. They may come at any time. */
#ifndef WIRETRACE_EXTCAP_PLACES_H
#define WIRETRACE_EXTCAP_PLACES_H

#include <glib.h>
#include <stdbool.h>

typedef struct places {
    const char *path; /* a file, or the folder of an ovni trace; with `recorded`, the beginning of the names of files */
    const char *ovni; /* with `recorded`, the folder of an ovni trace beside them */
    bool recorded;
} places;

/* What the list of objects of a recorder, and the output of a program, are called after the trace. */
#define PLACES_OBJECTS ".objects"
#define PLACES_OUTPUT ".output"

/* Calls `add` for each file. `of_folder`: it is a stream of an ovni trace with others. */
void places_find(const places *p, void (*add)(void *data, const char *path, bool of_folder), void *data);
/* The path of a metadata file of the ovni trace, by which all of it can be opened; NULL: there is none. g_free() it. */
char *places_metadata(const places *p);

#endif
