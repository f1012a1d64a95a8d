/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a format is to all code that the formats share: a row of functions. formats.c lists the rows. */
#ifndef WIRETRACE_FORMAT_H
#define WIRETRACE_FORMAT_H

#include "stream.h"
#include "trace.h"
#include "writing.h"

/* The beginning of a file that is to be recognised. */
#define PROBE_LENGTH 4096
typedef struct probe {
    const uint8_t *head; /* the first bytes, at most PROBE_LENGTH */
    size_t length;
    bool whole;       /* the head is the whole file */
    const char *path; /* or NULL: standard input */
} probe;

typedef struct format {
    uint8_t id;              /* its place in the list, format_id */
    const char *name;        /* file type, as in `editcap -F` */
    const char *description; /* shown to users */
    const char *protocol;    /* xray, cacheray or ovni: encapsulation and dissector */
    const char *extension;   /* of files, or NULL; only for file dialogs, as the following */
    const char *file_names;  /* patterns of other names, separated by blanks, or NULL */
    bool wants_seek;         /* records do not stand in time order: compressed input is unpacked once */

    /* Whether this is surely a file of the format. Never claims foreign or short input. */
    bool (*probe)(const probe *p);
    /* Fills in the streams of a trace. False with *reason (g_malloc'ed) only when the file is surely ours and hopeless. */
    bool (*open)(trace *t, const trace_input *in, char **reason);
    /* The state at the beginning of a range. `state` may be that at the end of the range before. */
    void (*enter)(const trace *t, const stream_range *range, stream_state *state);
    /* The record at w->state.offset into w->record; changes w->state, but for offset and number. */
    step_result (*step)(walk *w);
    /* The time of w->record, from its clock: only for records that are given out. */
    void (*time)(walk *w);
    /* Frees trace.detail and stream.detail; may be NULL. */
    void (*close)(trace *t);
    /* Writes such files; NULL: they are read only. */
    const write_ops *write;
} format;

#endif
