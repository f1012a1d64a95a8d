/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A flight data recorder log that is being saved: its buffers, and the records made for them. Shared by what takes
 * records (writing_fdr.c) and what writes the log in the end (writing_fdr_log.c). */
#ifndef WIRETRACE_XRAY_WRITING_FDR_H
#define WIRETRACE_XRAY_WRITING_FDR_H

#include "writing.h"

/* How far the first records of a buffer have come; a buffer has all up to its own. */
typedef enum fdr_phase {
    PHASE_NONE,
    PHASE_EXTENTS,
    PHASE_NEW_BUFFER,
    PHASE_WALL_CLOCK,
    PHASE_PROCESS,
    PHASE_CPU,
    PHASE_RECORDS,
} fdr_phase;

#define NO_PIECE UINT32_MAX
typedef struct fdr_piece {
    uint64_t at, length; /* in the spool */
    uint32_t next;
} fdr_piece;

/* A buffer that is being made, or bytes outside of any. */
typedef struct fdr_buffer {
    uint64_t origin;             /* where it stood in its file */
    uint64_t begin, end;         /* first record in it, end of the last one, in that file */
    uint64_t trace, last_origin; /* which file and buffer the last record comes from */
    uint64_t extent;             /* bytes after the extents, as they said */
    uint64_t length;             /* bytes after the extents now */
    uint64_t tsc;                /* running counter, where `counted` */
    uint64_t time_tsc;           /* of the last record */
    uint64_t late_at, late_tsc;  /* see keep_late_cpu() */
    uint32_t number, thread, process;
    uint32_t first_piece, last_piece;
    uint16_t cpu;
    uint8_t phase;
    bool has_cpu, counted, has_thread, has_process;
    bool outside;
    bool has_extents;
    bool changed;  /* not as in its file */
    bool closed;   /* nothing can follow but what continues it */
    bool is_short; /* the file has less of it than its extents say */
    bool is_cut;   /* the end of the file is within its last record */
    bool ended;    /* version 1: has its end-of-buffer record */
    bool late_wanted, late_known;
    uint8_t extents[XRAY_METADATA_LENGTH];
    GByteArray *tail; /* bytes that no piece has yet */
} fdr_buffer;

typedef struct fdr_writer {
    xray_copy copy;
    GPtrArray *buffers;  /* of buffer */
    GHashTable *current; /* xray_thread_key() -> buffer */
    fdr_buffer *last;    /* of the record before */
    GArray *pieces;      /* of piece */
    bool several;        /* files whose records are put together */
    bool exact;          /* a whole log: out it goes as it came */
} fdr_writer;

/* A buffer that begins with this record. */
fdr_buffer *fdr_buffer_new(fdr_writer *w, const record_context *c);
void fdr_buffer_free(gpointer p);
void fdr_buffer_append(fdr_buffer *b, const uint8_t *data, size_t length);
/* Hands the bytes so far to the spool; false: the sink's error is set. */
bool fdr_buffer_flush(fdr_writer *w, sink *out, fdr_buffer *b);
/* Another thread's turn to use the memory. NULL: nothing to finish. */
bool fdr_buffer_finish(fdr_writer *w, sink *out, fdr_buffer *b);
void fdr_set_counter(fdr_buffer *b, uint64_t tsc);

void fdr_make_wrap(const fdr_writer *w, fdr_buffer *b, uint64_t tsc);
void fdr_make_cpu(const fdr_writer *w, fdr_buffer *b, uint16_t cpu, uint64_t tsc);
/* What stands before a record of phase `next`, as far as it is not there. */
void fdr_make_preamble(const fdr_writer *w, fdr_buffer *b, const record_context *c, fdr_phase next);

/* All buffers, in the order of their file. */
bool fdr_log_write(fdr_writer *w, sink *out);

#endif
