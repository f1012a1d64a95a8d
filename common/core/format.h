/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All that shared code knows about a format: one row. It is defined in the format's folder and listed in formats.def. */
#ifndef WIRETRACE_CORE_FORMAT_H
#define WIRETRACE_CORE_FORMAT_H

#include "core/layout.h"
#include "core/writing.h"

struct trace;
struct trace_input;
struct stream_range;
struct stream_state;
struct walk;
struct setting;

/* A record; the clean end of the stream; or a read error (window.error). Damage in the file is never the third: it is a
 * record with a fault. */
typedef enum { STEP_RECORD, STEP_END, STEP_BAD } step_result;

/* A format is recognised by this many bytes at most. */
#define PROBE_LENGTH 4096
typedef struct probe {
    const uint8_t *head; /* the first bytes, at most PROBE_LENGTH */
    size_t length;
    bool whole;       /* `head` is the whole file */
    const char *path; /* NULL: standard input */
} probe;

/* A number in a context that is exported: its offset in the struct, and its width in bytes, both there and in the file. */
typedef struct format_number {
    uint16_t at;
    uint8_t width;
} format_number;
#define FORMAT_NUMBER(type, member) \
    { \
        offsetof(type, member), sizeof((type *)0)->member \
    }

/* The fixed part of a record may consist of this many layouts. */
#define FORMAT_LAYOUTS_MAX 2

typedef struct format {
    const char *name;        /* file type, as in `editcap -F` */
    const char *description; /* for users */
    const char *protocol;    /* encapsulation and dissector; formats may share one */
    const char *extension;   /* of files, or NULL; like file_names only for file dialogs */
    const char *file_names;  /* patterns for other names, separated by blanks; or NULL */
    bool wants_seek;         /* records are not in order of time: compressed input is unpacked into a temporary file first */
    bool many_files;         /* reads other files than the one that is opened */
    bool in_order;           /* each record is later than the one before it, in the whole trace */
    bool describes_streams;  /* stream descriptions come from the trace and are exported; otherwise they are paths of this
                              * machine and are not */
    uint8_t heap_phase; /* from this phase on, records of equal order come as from a binary heap of the streams (merge.h),
                         * and no stream may have a first_phase; 0: they come in the order of stream.tie */

    /* The format's part of a context in exported records, in file order. Add new numbers at the end. */
    const format_number *numbers;
    unsigned number_count;
    const fault_list *faults; /* the format's own */
    /* The smallest size of such a record in bytes; UINT64_MAX if the context is not valid for this format. */
    uint64_t (*min_length)(const record_context *c);
    /* The process and the thread of a record, as its system numbers them; 0: unknown. NULL: no record has them. */
    void (*process)(const record_context *c, uint32_t *process, uint32_t *thread);
    /* The program that wrote the file, as the name of the file has it, or NULL. Free with g_free(). NULL: no name has it. */
    char *(*program)(const char *path);
    /* The layouts of the record's own fields. Returns how many; 0 for a record without fields. */
    unsigned (*layouts)(const record_context *c, const layout *found[FORMAT_LAYOUTS_MAX]);
    /* Describes the record in words, in at most `size` bytes including the NUL. Returns the length without it. NULL: not
     * supported. */
    size_t (*describe)(const record_context *c, const cursor *bytes, char *text, size_t size);

    /* Returns whether this is certainly a file of the format. Must not claim foreign or very short input. */
    bool (*probe)(const probe *p);
    /* Creates the streams of a trace. False only if the file is certainly ours and cannot be read at all. */
    bool (*open)(struct trace *t, const struct trace_input *in, GError **error);
    /* Sets up the state at the beginning of a range; it is all zero before. NULL: nothing to do. */
    void (*enter)(const struct trace *t, const struct stream_range *range, struct stream_state *state);
    /* Reads the record at w->state.offset into w->record. Updates w->state, except offset and number. The record ends at the
     * end of the range (w->window.limit) at the latest. Only the first of a stream may have no bytes. */
    step_result (*step)(struct walk *w);
    /* Sets the time of w->record. Called only for records that are delivered, or whose place in a part is
     * asked for. A record without a clock has the time of the
     * record before it; those at the beginning have that of the first record with a clock (walk_after()), as parts of a
     * trace and differences of time begin with the first record. */
    void (*time)(struct walk *w);
    /* Returns whether a record is needed to understand later ones, and stays if a part begins after it. NULL: none is. */
    bool (*needed_later)(const record_context *c);
    /* The time of the first record of a range, like format.time(), if no record of the range is earlier, and none of the
     * ranges before it in its stream later. False: not known. NULL: never known. */
    bool (*range_begins)(const struct trace *t, const struct stream_range *range, int64_t *seconds, int32_t *nanoseconds);
    /* Goes from the beginning of a range to a record near its end, from which on the last record is the same as when all are
     * read. NULL: only reading all of a range shows which record is the last. */
    void (*near_end)(struct walk *w);
    /* Frees trace.detail and stream.detail; may be NULL. */
    void (*close)(struct trace *t);
    /* The setting that users can change, or NULL. */
    const struct setting *setting;
    /* Writes files of this format; NULL: cannot be written. */
    const write_ops *write;
} format;

#endif
