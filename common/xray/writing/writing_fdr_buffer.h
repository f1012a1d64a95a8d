/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A flight data recorder log being saved: its buffers, and the records added to them. Shared by the code that takes
 * records (writing_fdr.c) and the code that writes the log at the end (writing_fdr_log.c). */
#ifndef WIRETRACE_XRAY_WRITING_WRITING_FDR_BUFFER_H
#define WIRETRACE_XRAY_WRITING_WRITING_FDR_BUFFER_H

#include "xray/writing/writing.h"

/* How many of its first records a buffer has: all up to this one. */
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
    uint64_t at, length; /* in the spool, bytes */
    uint32_t next;
} fdr_piece;

/* A buffer being built, or bytes outside of any. */
typedef struct fdr_buffer {
    uint64_t origin;             /* its offset in its file */
    uint64_t begin, end;         /* offsets of its first record and of the end of the last one, in that file */
    uint64_t trace, last_origin; /* trace and buffer of the last record */
    uint64_t extent;             /* bytes after the extents, as originally stored there */
    uint64_t length;             /* bytes after the extents, so far */
    uint64_t tsc;                /* running counter, valid if `counted` */
    uint64_t time_tsc;           /* of the last record, ticks */
    uint64_t late_at, late_tsc;  /* see keep_late_cpu(): where in the buffer the CPU record belongs, and its counter */
    uint32_t number, thread, process;
    uint32_t first_piece, last_piece;
    uint16_t cpu;
    uint8_t phase;
    bool has_cpu, counted, has_thread, has_process;
    bool outside;
    bool has_extents;
    bool changed;  /* differs from its file */
    bool closed;   /* only records that directly continue it can be added */
    bool is_short; /* its file ends before the end given by the extents */
    bool is_cut;   /* its last record is cut off by the end of the file */
    bool ended;    /* version 1: it has its end-of-buffer record */
    bool late_wanted, late_known;
    uint8_t extents[XRAY_METADATA_LENGTH];
    GByteArray *tail; /* bytes not yet in a piece; NULL when finished */
} fdr_buffer;

typedef struct fdr_writer {
    xray_copy copy;
    GPtrArray *buffers;  /* of fdr_buffer */
    GHashTable *current; /* xray_thread_key() -> fdr_buffer */
    fdr_buffer *last;    /* of the previous record */
    GArray *pieces;      /* of fdr_piece */
    bool several;        /* records come from several files */
    bool exact;          /* the log is complete and unchanged: written as it was */
} fdr_writer;

/* A new buffer that begins with this record. */
fdr_buffer *fdr_buffer_new(fdr_writer *w, const record_context *c);
void fdr_buffer_free(gpointer p);
void fdr_buffer_append(fdr_buffer *b, const uint8_t *data, size_t length);
/* Moves its bytes to the spool. False: the sink's error is set. */
bool fdr_buffer_flush(fdr_writer *w, sink *out, fdr_buffer *b);
/* Moves its bytes to the spool and frees their memory; `b` may be NULL. False: the sink's error is set. */
bool fdr_buffer_finish(fdr_writer *w, sink *out, fdr_buffer *b);
void fdr_set_counter(fdr_buffer *b, uint64_t tsc);

void fdr_make_wrap(const fdr_writer *w, fdr_buffer *b, uint64_t tsc);
void fdr_make_cpu(const fdr_writer *w, fdr_buffer *b, uint16_t cpu, uint64_t tsc);
/* Adds the first records of a buffer that are missing before a record of phase `next`. */
void fdr_make_preamble(const fdr_writer *w, fdr_buffer *b, const record_context *c, fdr_phase next);

#endif
