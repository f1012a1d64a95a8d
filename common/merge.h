/* SPDX-License-Identifier: GPL-2.0-or-later */
/* k-way merge of streams by phase, order, tie and offset: a tree of losers, so a record costs one comparison per doubling of
 * the streams. Stable: within a stream the reading order is kept, whatever the clocks do. A single stream needs no merge and
 * pays none. Knows nothing about formats. */
#ifndef WIRETRACE_MERGE_H
#define WIRETRACE_MERGE_H

#include "stream.h"
#include "wide.h"

/* What a stream has to give next, as one number of 128 bits: phase (8), order (64), tie (32), and in the lowest 24 bits its
 * place among the streams. A stream that has not begun has a key that none of its records comes before. Comparing must not
 * touch thousands of walks, and must not branch: nobody can predict which clock is lower. */
typedef wide128 merge_key;

typedef struct merge {
    trace *trace;
    GPtrArray *streams; /* borrowed */
    walk **walks;       /* one per stream; NULL before its time and after its end */
    merge_key *tree;    /* [0] is the next record; [n] has lost the match between the two parts of the streams below n */
    uint32_t alive;     /* streams that have not come to their end */
    bool given;         /* the record of tree[0] has been given out: advance first */
    int error;          /* of the first stream that could not be read on; the others go on */
    const stream *failed;
} merge;

/* Merges the streams of a trace. A stream is read from when its time has come, and its walk is freed at its end: threads that
 * live one after the other need the memory of one. */
void merge_init(merge *m, trace *t, GPtrArray *streams);
void merge_clear(merge *m);
/* The walk whose record is next, or NULL at the end of all streams (see merge.error). Valid until the next call. */
walk *merge_next(merge *m);
/* Whether the record given out is the last one, as far as walk_at_end() knows. */
bool merge_at_end(const merge *m);

#endif
