/* SPDX-License-Identifier: GPL-2.0-or-later */
/* TRACE.objects: which program and libraries wrote a trace, and where they were loaded (docs/formats/objects.md). Finds the
 * files, and reports those that are missing or another build. Knows nothing of traces. */
#ifndef WIRETRACE_PROGRAM_OBJECTS_H
#define WIRETRACE_PROGRAM_OBJECTS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* A program or library, each time that it was loaded. */
typedef struct object {
    uint32_t number;     /* 0: the program */
    uint64_t load;       /* is added to the addresses of the file */
    uint64_t begin, end; /* of `file`, as linked: all of its segments */
    char *build_id;      /* hexadecimal; NULL: it has none */
    char *path;          /* where it was */
    char *file;          /* where it is; NULL: not found */
} object;

typedef struct objects {
    GArray *all;        /* of object, by number */
    char *folder;       /* of the trace */
    GPtrArray *notices; /* what is to be reported: sentences for users */
} objects;

/* Reads what is beside a trace (or, of a compressed one, beside what it was before). NULL: there is no such file. */
objects *objects_read(const char *trace_path);
/* Finds the files of all objects, and adds notices of those that are missing or another build. */
void objects_find(objects *o);
void objects_free(objects *o);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(objects, objects_free)

/* The files by number, empty where one was not found; NULL: none was. Free with g_strfreev(). */
char **objects_files(const objects *o);
/* Where the object of a file was loaded: that with its build id, or else with its name. False: it is not among them. */
bool objects_load_of(const objects *o, const char *file, uint64_t *load);
/* Returns whether the objects of this number are known to be different builds; either may be NULL. */
bool objects_differ(const objects *a, const objects *b, uint32_t number);
/* Adds a notice if two objects were at the same addresses, one after the other. */
void objects_check_overlap(objects *o);

#endif
