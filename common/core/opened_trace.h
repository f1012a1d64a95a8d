/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the file reader tells the dissectors of a trace that it has opened, since they are two plugins of one program: how
 * the trace can be read again, and which part of it is open. Found by record_context.trace. */
#ifndef WIRETRACE_CORE_OPENED_TRACE_H
#define WIRETRACE_CORE_OPENED_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/record.h"

typedef struct trace trace;
typedef struct opened {
    trace *trace;         /* while it is open, if it can be read anywhere; NULL: it cannot, or is exported */
    char *path;           /* of the file, to read it again while it is open, then perhaps empty; NULL: it cannot be, as it is
                             compressed and was not unpacked, comes through a pipe, or is exported */
    char *name;           /* of the file, beside which others may be; NULL: it is standard input, or exported */
    bool exported;        /* its records are given in exported form */
    bool timed;           /* only a span of time is open */
    uint32_t left_out;    /* streams that are not in the part */
    bool ended;           /* the reader has been at the end, or at the last record of the whole trace */
    bool sequential;      /* its records are read in order only, and none is hidden outside a span of time */
    const char *protocol; /* of its format */
    uint64_t bytes;       /* of all its records, in all files; 0: unknown */
} opened;

/* A new row for a trace (record_context.trace), all zero, in place of the one that there may be. It lasts until the trace is
 * opened again: programs close a file before they print what they have counted. */
opened *opened_trace_new(uint64_t identity);
/* NULL: no reader in this program has opened it. */
opened *opened_trace_find(uint64_t identity);
/* The name of the file that a record comes from; NULL: as opened.name, or no reader in this program has opened it. Of a live
 * capture it is the one that is followed; then it is valid until the next call. */
const char *opened_trace_name(const record_context *c);
/* The one that was opened last, even if it is closed; NULL: none has been. */
const opened *opened_trace_last(void);

#endif
