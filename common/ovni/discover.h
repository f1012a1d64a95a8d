/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the files of a trace stand: the root, what the path of a file says about its stream, and all files below a
 * root. Knows names and the layouts of every era; opens nothing. */
#ifndef WIRETRACE_OVNI_DISCOVER_H
#define WIRETRACE_OVNI_DISCOVER_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "events.h"
#include "ovni/context.h"

/* Limits of the search below a root. */
#define OVNI_DEPTH_MAX 16u
#define OVNI_ENTRIES_MAX 1000000u

typedef enum ovni_file_kind {
    OVNI_FILE_FOREIGN,
    OVNI_FILE_EVENTS,           /* stream.obs, thread.TID, thread.TID.obs, thread.TID.ovnistream */
    OVNI_FILE_STREAM_METADATA,  /* stream.json, thread.TID.json */
    OVNI_FILE_PROCESS_METADATA, /* metadata.json */
} ovni_file_kind;

/* What a file's name says. */
typedef struct ovni_file_name {
    ovni_file_kind kind;
    ovni_era era; /* as far as the name tells: PLAIN stands for HEADERLESS, V1 for V2; UNKNOWN for metadata.json */
    bool tid_known;
    int32_t tid;
} ovni_file_name;

ovni_file_name ovni_file_name_read(const char *basename);

/* The directory that is the root of the trace a file belongs to, resolved; NULL if the file's directory does not exist.
 * *relative becomes the path of the file below it. Both to be freed with g_free(). */
char *ovni_root(const char *path, char **relative);

/* What the path of a file below the root says about its stream. */
typedef struct ovni_place {
    char *name;             /* of the stream (`ovni.stream`); of metadata the path itself */
    char *metadata;         /* where the JSON of the stream would stand, relative to the root; of metadata NULL */
    char *process_metadata; /* the same for the JSON of the process, NULL where there is none in this era */
    char *loom;             /* without "loom.", or NULL */
    ovni_context said;      /* process and thread, where they are .known */
    ovni_file_name file;
} ovni_place;

void ovni_place_read(ovni_place *p, const char *relative);
void ovni_place_clear(ovni_place *p);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ovni_place, ovni_place_clear)

/* All files of streams below the root, as paths relative to it, in the order in which they are shown: metadata first,
 * then event files, both in byte order. `opened` (or NULL) is a path relative to the root that is listed in any case. What
 * metadata of a thread says should be there and is not, and what is there but no file, is missing. */
typedef struct ovni_files {
    GPtrArray *metadata; /* of char* */
    GPtrArray *events;   /* of char*, in byte order of the names of their streams */
    GPtrArray *missing;  /* of ovni_missing*: what belongs to the trace and cannot be had, in byte order */
    bool narrowed;       /* the trace lies in /: only its loom.* and the opened file's folder were looked at */
} ovni_files;

typedef struct ovni_missing {
    fault fault;
    uint64_t value; /* that belongs to it */
    char path[];    /* relative to the root; of the root itself "." */
} ovni_missing;

void ovni_files_find(ovni_files *f, const char *root, const char *opened);
void ovni_files_clear(ovni_files *f);

#endif
