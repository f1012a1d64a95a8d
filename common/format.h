/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a format is to all code that the formats share: one row. Each stands in its own folder, formats.def lists them. */
#ifndef WIRETRACE_FORMAT_H
#define WIRETRACE_FORMAT_H

#include "layout.h"
#include "settings.h"
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

/* A number of a context that goes with an exported record: where it stands in its struct, and its bytes, there and in the
 * file. */
typedef struct format_number {
    uint16_t at;
    uint8_t width;
} format_number;
#define FORMAT_NUMBER(type, member) \
    { \
        offsetof(type, member), sizeof((type *)0)->member \
    }

/* Layouts that the fixed part of a record may be made of. */
#define FORMAT_LAYOUTS_MAX 2

typedef struct format {
    const char *name;        /* file type, as in `editcap -F` */
    const char *description; /* shown to users */
    const char *protocol;    /* encapsulation and dissector */
    const char *extension;   /* of files, or NULL; only for file dialogs, as the following */
    const char *file_names;  /* patterns of other names, separated by blanks, or NULL */
    bool wants_seek;         /* records do not stand in time order: compressed input is unpacked once */
    bool many_files;         /* reads other files than the one that is opened */
    bool describes_streams;  /* what describes a stream is of the trace; else it is a path of this machine, and stays here */

    /* The format's own part of a context in exported records. The order is that of the file; new numbers go to the end. */
    const format_number *numbers;
    unsigned number_count;
    const fault_list *faults; /* of its own */
    /* Bytes that a record has at least; UINT64_MAX for a context that is none of this format's. */
    uint64_t (*least)(const record_context *c);
    /* The layouts of the record's own fields; returns how many, none for what has no fields. */
    unsigned (*layouts)(const record_context *c, const layout *found[FORMAT_LAYOUTS_MAX]);
    /* The record in words, at most `size` bytes with the NUL; returns how many without it. NULL: it has no words of its own. */
    size_t (*describe)(const record_context *c, const cursor *bytes, char *text, size_t size);

    /* Whether this is surely a file of the format. Never claims foreign or short input. */
    bool (*probe)(const probe *p);
    /* Fills in the streams of a trace. False with *reason (g_malloc'ed) only when the file is surely ours and hopeless. */
    bool (*open)(trace *t, const trace_input *in, char **reason);
    /* The state at the beginning of a range, beside the zeros that it is made of; NULL: nothing. */
    void (*enter)(const trace *t, const stream_range *range, stream_state *state);
    /* The record at w->state.offset into w->record; changes w->state, but for offset and number. */
    step_result (*step)(walk *w);
    /* The time of w->record, from its clock: only for records that are given out. */
    void (*time)(walk *w);
    /* Frees trace.detail and stream.detail; may be NULL. */
    void (*close)(trace *t);
    /* What users can set; NULL: nothing. */
    const setting *setting;
    /* Writes such files; NULL: they are read only. */
    const write_ops *write;
} format;

#endif
