/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of formats: the one place that names all of them. A format is a row of functions; everything else in the
 * reader and the shared code goes through the row. */
#ifndef WIRETRACE_FORMATS_H
#define WIRETRACE_FORMATS_H

#include "stream.h"
#include "trace.h"
#include "writing.h"

/* The numbers stand in exported records: new formats go to the end. */
typedef enum format_id {
    FORMAT_XRAY_FDR,
    FORMAT_XRAY_BASIC,
    FORMAT_CACHERAY,
    FORMAT_OVNI,
    FORMAT_OVNI_TRACE,
    FORMAT_COUNT
} format_id;

/* The beginning of a file that is to be recognised. */
#define PROBE_LENGTH 4096
typedef struct probe {
    const uint8_t *head; /* the first bytes, at most PROBE_LENGTH */
    size_t length;
    bool whole;       /* the head is the whole file */
    const char *path; /* or NULL: standard input */
} probe;

typedef struct format {
    const char *name;        /* file type, as in `editcap -F` */
    const char *description; /* shown to users */
    const char *protocol;    /* xray, cacheray or ovni: encapsulation and dissector */
    const char *extensions;  /* of files, separated by ';', or NULL; only for file dialogs */
    bool wants_seek;         /* records do not stand in time order: compressed input is unpacked once */

    /* Whether this is surely a file of the format. Never claims foreign or short input. */
    bool (*probe)(const probe *p);
    /* Fills in the streams of a trace. False with *reason (g_malloc'ed) only when the file is surely ours and hopeless. */
    bool (*open)(trace *t, const trace_input *in, char **reason);
    /* The state at the beginning of a range. `state` may be that at the end of the range before. */
    void (*enter)(const trace *t, const stream_range *range, stream_state *state);
    /* The record at w->state.offset into w->record; changes w->state, but for offset and number. */
    step_result (*step)(walk *w);
    /* Frees trace.detail and stream.detail; may be NULL. */
    void (*close)(trace *t);
    /* Writes such files; NULL: they are read only. */
    const write_ops *write;
} format;

extern const format formats[FORMAT_COUNT];

#endif
