/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the JSON files of a trace say about a stream: stream.json, thread.TID.json, metadata.json. Broken metadata
 * costs itself and nothing else. Does not know where the files stand. Only metadata_json.c knows of json-glib. */
#ifndef WIRETRACE_OVNI_METADATA_H
#define WIRETRACE_OVNI_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ovni/context.h"
#include "json_text.h"

/* Larger files are shown, but not read: json-glib takes up to 80 times their size. Those of ovni have a few kilobytes. */
#define OVNI_METADATA_MAX (512u << 10)
#define OVNI_METADATA_DEPTH JSON_TEXT_DEPTH
/* So many problems of a file are given in words, of others their number. */
#define OVNI_METADATA_PROBLEMS 8u

typedef struct ovni_metadata {
    ovni_context said;    /* process, thread, rank and application, where they are .known */
    bool has_ovni;        /* there is an object "ovni" */
    fault fault;          /* FAULT_NONE: valid JSON */
    uint64_t fault_value; /* what belongs to it: a byte position, or a limit */
    uint64_t fault_at;    /* byte position */
    char *loom;           /* or NULL */
    char *problems;       /* of valid JSON: what is not used, in words; or NULL */
} ovni_metadata;

/* Reads metadata; ovni_metadata_clear() is due afterwards, also after a fault (then nothing is known). Accepts what the
 * tools of ovni accept: comments, and anything after the closing brace. */
void ovni_metadata_parse(ovni_metadata *m, const char *text, size_t length);
void ovni_metadata_clear(ovni_metadata *m);

/* One thing that stands in metadata beside who wrote the stream. */
typedef enum ovni_metadata_kind {
    OVNI_ITEM_MARK_TITLE,  /* number: type; text */
    OVNI_ITEM_MARK_LABEL,  /* number: type, value: of the mark; text */
    OVNI_ITEM_COUNTER,     /* number: index; text: name */
    OVNI_ITEM_REQUIREMENT, /* key: model; text: version */
    OVNI_ITEM_CPU,         /* number: index in the loom, value: of the system */
    OVNI_ITEM_FINISHED,    /* number: 1 when the stream has been ended */
    OVNI_ITEM_RANKS,       /* number of MPI ranks */
    OVNI_ITEM_LIBRARY,     /* text: version of ovni's library */
    OVNI_ITEM_PROBLEM,     /* text: what is not used, and why */
} ovni_metadata_kind;

typedef struct ovni_metadata_item {
    ovni_metadata_kind kind;
    int64_t number, value;
    const char *key, *text; /* UTF-8; valid during the call */
} ovni_metadata_item;

/* Visits these things one by one, in the order of the enumeration; nothing of broken metadata. */
typedef void (*ovni_metadata_visitor)(void *data, const ovni_metadata_item *item);
void ovni_metadata_visit(const char *text, size_t length, ovni_metadata_visitor visitor, void *data);

/* Bytes up to the closing brace of the object that the text begins with; 0 if there is none or it is nested too deeply.
 */
size_t ovni_metadata_extent(const char *text, size_t length);

/* The file's metadata, to be freed with ovni_metadata_free(); NULL with *err (errno) if it cannot be read. */
ovni_metadata *ovni_metadata_load(const char *path, int *err);
void ovni_metadata_free(ovni_metadata *m);

#endif
