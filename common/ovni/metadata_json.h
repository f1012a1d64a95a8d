/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What metadata contain, and parsing them with json-glib after a scan (metadata.h). */
#ifndef WIRETRACE_OVNI_METADATA_JSON_H
#define WIRETRACE_OVNI_METADATA_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ovni/context.h"
#include "util/json_text.h"

/* This many problems of a file are described; the others are only counted. */
#define OVNI_METADATA_PROBLEMS 8u

typedef struct ovni_metadata {
    ovni_context identity; /* process, thread, rank and application, if .known has them */
    bool has_ovni;         /* it has an "ovni" object */
    fault fault;           /* FAULT_NONE if it is valid JSON */
    uint64_t fault_value;  /* of the fault: a byte position, or a limit */
    uint64_t fault_at;     /* byte position of the fault */
    int32_t ranks;         /* how many the program has; 0 if unknown */
    bool reported;         /* its faults have been */
    char *loom;            /* or NULL */
    char *problems;        /* in words, what is ignored in valid JSON; or NULL */
} ovni_metadata;

/* The other things in metadata, in addition to what identifies the stream. */
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
    /* key: of a member that ovniemu asks for or that is shown, such as `ovni.pid`; text; real: number, 0 if it is not one;
       number: length of a list, or whether it is true */
    OVNI_ITEM_MEMBER,
    OVNI_ITEM_PROBLEM, /* text: what is ignored, and why; number: ovni_refusal */
} ovni_metadata_kind;

/* Which metadata ovniemu refuses for a problem: none, any, those of a thread, or those of a thread if some thread requires
 * nOS-V. */
typedef enum ovni_refusal { OVNI_ACCEPTED_ITEM, OVNI_REFUSED_ALL, OVNI_REFUSED_THREAD, OVNI_REFUSED_COUNTER } ovni_refusal;

typedef struct ovni_metadata_item {
    ovni_metadata_kind kind;
    int64_t number, value;
    double real;
    const char *key, *text; /* fit to be shown (text.h); valid during the call */
    const char *raw;        /* the bytes that `text` stands for, likewise */
} ovni_metadata_item;

typedef void (*ovni_metadata_visitor)(void *data, const ovni_metadata_item *item);

/* A number of metadata as ovniemu casts it on x86: cut to a whole one; INT32_MIN if it is out of range. */
int32_t ovni_metadata_int(double real);

/* Stores in *m, which is empty, what identifies the stream, and calls the visitor for every other item. False if the text
 * is not valid JSON: *at is then the byte position. May change the text. */
bool ovni_metadata_read_json(ovni_metadata *m, json_text *s, ovni_metadata_visitor visitor, void *data, size_t *at);

#endif
