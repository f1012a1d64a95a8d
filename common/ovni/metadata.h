/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the JSON files of a trace: stream.json, thread.TID.json, metadata.json. Broken metadata never keeps a trace from
 * being opened. Does not know where the files are. Only metadata_json.c uses json-glib. */
#ifndef WIRETRACE_OVNI_METADATA_H
#define WIRETRACE_OVNI_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ovni/context.h"
#include "json_text.h"

/* Larger files are shown but not parsed, since json-glib needs up to 80 times their size. Real ones have a few kilobytes. */
#define OVNI_METADATA_MAX (512u << 10)
#define OVNI_METADATA_DEPTH JSON_TEXT_DEPTH
/* This many problems of a file are described; the others are only counted. */
#define OVNI_METADATA_PROBLEMS 8u

typedef struct ovni_metadata {
    ovni_context identity; /* process, thread, rank and application, if .known has them */
    bool has_ovni;         /* it has an "ovni" object */
    fault fault;           /* FAULT_NONE if it is valid JSON */
    uint64_t fault_value;  /* of the fault: a byte position, or a limit */
    uint64_t fault_at;     /* byte position of the fault */
    char *loom;            /* or NULL */
    char *problems;        /* in words, what is ignored in valid JSON; or NULL */
} ovni_metadata;

/* Parses metadata into *m, which must be cleared afterwards, even after a fault (nothing else is set then). Like ovni's
 * own tools, accepts comments and anything after the closing brace. */
void ovni_metadata_parse(ovni_metadata *m, const char *text, size_t length);
void ovni_metadata_clear(ovni_metadata *m);

/* The other things in metadata, except what identifies the stream. */
typedef enum ovni_metadata_kind {
    OVNI_ITEM_MARK_TITLE,  /* number: mark type; text: title */
    OVNI_ITEM_MARK_LABEL,  /* number: mark type; value: of the mark; text: label */
    OVNI_ITEM_COUNTER,     /* number: index; text: name */
    OVNI_ITEM_REQUIREMENT, /* key: model; text: version */
    OVNI_ITEM_CPU,         /* number: logical index in the loom; value: the system's number; key: of the list */
    OVNI_ITEM_FINISHED,    /* number: 1 if the stream was closed properly */
    OVNI_ITEM_RANKS,       /* number: of MPI ranks */
    OVNI_ITEM_LIBRARY,     /* text: version of libovni */
    OVNI_ITEM_MARK_KIND,   /* number: mark type; value: 1 if it has a title; text: `single` or `stack` */
    /* key: of a member that ovniemu asks for, such as `ovni.pid`; text; real: number, 0 if it is not one; number: length of a list */
    OVNI_ITEM_MEMBER,
    OVNI_ITEM_PROBLEM, /* text: what is ignored, and why; number: ovni_refusal */
} ovni_metadata_kind;

/* Whether ovniemu refuses metadata for a problem: any, those of a thread, or those of a thread if some thread requires nOS-V. */
typedef enum ovni_refusal { OVNI_TAKEN, OVNI_REFUSED_ALL, OVNI_REFUSED_THREAD, OVNI_REFUSED_COUNTER } ovni_refusal;

typedef struct ovni_metadata_item {
    ovni_metadata_kind kind;
    int64_t number, value;
    double real;
    const char *key, *text; /* fit to be shown (text.h); valid during the call */
    const char *raw;        /* the bytes that `text` stands for, likewise */
} ovni_metadata_item;

/* A number of metadata as ovniemu casts it on x86: cut to a whole one; INT32_MIN if it is out of range. */
int32_t ovni_metadata_int(double real);

/* Calls the visitor for each item, in the order of the enumeration, but for members, which come first. Broken metadata has none. */
typedef void (*ovni_metadata_visitor)(void *data, const ovni_metadata_item *item);
void ovni_metadata_visit(const char *text, size_t length, ovni_metadata_visitor visitor, void *data);

/* The length in bytes of the object that the text begins with, up to its closing brace; 0 if there is none or it is
 * nested too deeply. */
size_t ovni_metadata_extent(const char *text, size_t length);

/* Reads a file; free the result with ovni_metadata_free(). NULL with *err (errno) if it cannot be read. */
ovni_metadata *ovni_metadata_load(const char *path, int *err);
void ovni_metadata_free(ovni_metadata *m);

#endif
