/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finding the files of a trace: its root, what a path says about its stream, and all files below the root. Knows the file
 * names and directory layouts of every era. Reads directories but no files. */
#ifndef WIRETRACE_OVNI_DISCOVER_H
#define WIRETRACE_OVNI_DISCOVER_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "ovni/events/events.h"
#include "ovni/context.h"

/* Limits of the search below a root: levels of directories, and directory entries in all. */
#define OVNI_DEPTH_MAX 16u
#define OVNI_ENTRIES_MAX 1000000u
/* How many directories above that of a stream, or of the looms, may be the root. */
#define OVNI_LEVELS_ABOVE 4

typedef enum ovni_file_kind {
    OVNI_FILE_FOREIGN,
    OVNI_FILE_EVENTS,           /* stream.obs, thread.TID, thread.TID.obs, thread.TID.ovnistream */
    OVNI_FILE_STREAM_METADATA,  /* stream.json, thread.TID.json */
    OVNI_FILE_PROCESS_METADATA, /* metadata.json */
} ovni_file_kind;

/* What the name of a file says. */
typedef struct ovni_file_name {
    ovni_file_kind kind;
    ovni_era era; /* as far as the name tells: PLAIN may be HEADERLESS, V1 may be V2; UNKNOWN for metadata.json */
    bool tid_known;
    int32_t tid;
} ovni_file_name;

ovni_file_name ovni_file_name_read(const char *basename);

/* The root directory of the trace that a file belongs to, as a resolved path; NULL if the file's directory does not
 * exist. *relative becomes the path of the file below the root. Free both with g_free(). */
char *ovni_root(const char *path, char **relative);

/* What the path of a file below the root says about its stream. `relative` is relative to the root. */
typedef struct ovni_location {
    char *name;             /* of the stream (`ovni.stream`); for metadata the path itself */
    char *metadata;         /* where the JSON of the stream would be, relative to the root; NULL for metadata */
    char *process_metadata; /* the same for the JSON of the process; NULL in eras without one */
    char *loom;             /* without "loom.", or NULL */
    ovni_context identity;  /* process and thread, if .known has them */
    ovni_file_name file;
} ovni_location;

void ovni_location_read(ovni_location *p, const char *relative);
void ovni_location_clear(ovni_location *p);
/* Returns whether the file is in folders of a loom and a process. */
bool ovni_location_is_in_trace(const ovni_location *p);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ovni_location, ovni_location_clear)

/* All files of a trace, as paths relative to the root, in the order in which they are shown. `opened` (or NULL) is a
 * relative path that is listed in any case. Missing are event files that metadata promises, and entries that should be
 * files but are not or cannot be read. */
typedef struct ovni_files {
    GPtrArray *metadata; /* of char*, in byte order */
    GPtrArray *events;   /* of char*, in byte order of the stream names */
    GPtrArray *missing;  /* of ovni_missing*, in byte order of the paths */
    bool narrowed;       /* the trace is in "/": only loom.* and the opened file's folder were searched */
} ovni_files;

typedef struct ovni_missing {
    fault fault;
    uint64_t value; /* the value of the fault */
    char path[];    /* relative to the root; "." is the root itself */
} ovni_missing;

/* Links called loom.*, proc.* or thread.* are followed to folders, which are searched once; others are not. Reads at most
 * `most` directory entries. */
void ovni_files_find(ovni_files *f, const char *root, const char *opened, unsigned most);
void ovni_files_clear(ovni_files *f);

#endif
