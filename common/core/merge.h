/* SPDX-License-Identifier: GPL-2.0-or-later */
/* k-way merge of streams by phase, order, tie and offset, with a tree of losers: log2(streams) comparisons per record.
 * Stable: the records of a stream keep their order, whatever their clocks say. A single stream costs nothing extra. Knows
 * nothing of formats. Where the format's own programs merge with a binary heap (format.heap_phase), so does this: which of
 * two equal records comes first then depends on all records before them, and only the same heap has the same answer. */
#ifndef WIRETRACE_CORE_MERGE_H
#define WIRETRACE_CORE_MERGE_H

#include "core/stream.h"
#include "util/math128.h"

/* The next record of a stream as one 128-bit number: phase (8 bits), order (64), tie (32), and lowest the index of the
 * stream (24). A stream that has not begun has the lowest key that any of its records can have. Comparing keys must not
 * touch the walks, of which there may be thousands, and must not branch, since nobody can predict which clock is lower;
 * except where they differ in the index alone, which are streams of one file at the same time. */
typedef wide128 merge_key;

typedef struct merge {
    trace *trace;
    GPtrArray *streams; /* borrowed */
    walk **walks;       /* one per stream; NULL before its first and after its last record */
    merge_key *tree;    /* [0] is the next record; [n] is the loser of the match between the two subtrees below n */
    uint32_t alive;     /* streams that have not ended */
    merge_key *heap;    /* NULL, or takes the place of the tree: all streams but that of tree[0], by order alone */
    uint64_t heap_from; /* merge_key.high from which there is a heap */
    bool given;         /* the record of tree[0] was delivered: advance first */
    int error;          /* errno of the first stream that failed; the others continue */
    const stream *failed;
} merge;

/* Merges the streams of a trace. A walk is created when the first record of its stream is due, and freed after the last,
 * so threads that run one after the other need the memory of one. */
void merge_init(merge *m, trace *t, GPtrArray *streams);
void merge_clear(merge *m);
/* The walk with the next record, or NULL at the end of all streams (see merge.error). Valid until the next call. */
walk *merge_next(merge *m);
/* Returns whether the record just delivered is the last, as far as walk_at_end() can tell. */
bool merge_at_end(const merge *m);

#endif
