/* SPDX-License-Identifier: GPL-2.0-or-later */
/* k-way merge of walks by phase, order, tie and offset: a binary heap, so a record costs log(streams) comparisons. Stable:
 * within a stream the reading order is kept, whatever the clocks do. A single stream needs no merge and pays none.
 * Knows nothing about formats. */
#ifndef WIRETRACE_MERGE_H
#define WIRETRACE_MERGE_H

#include "stream.h"

#define MERGE_STREAM 0xffffffu

/* A walk that stands on a record, with the key of that record: comparing must not touch thousands of walks. A stream that has
 * not begun has no walk, and a key that none of its records comes before. */
typedef struct merge_entry {
    uint64_t order, offset;
    uint32_t tie;
    uint32_t stream : 24, phase : 8; /* number, of up to 2^20 */
    walk *walk;
} merge_entry;

typedef struct merge {
    trace *trace;
    merge_entry *heap; /* [0] holds the next record */
    uint32_t count;
    bool given; /* the record of heap[0] has been given out: advance first */
    int error;  /* of the first stream that could not be read on; the others go on */
    const stream *failed;
} merge;

/* Merges the streams of a trace. A stream is read from when its time has come, and its walk is freed at its end: threads that
 * live one after the other need the memory of one. */
void merge_init(merge *m, trace *t);
void merge_clear(merge *m);
/* The walk whose record is next, or NULL at the end of all streams (see merge.error). Valid until the next call. */
walk *merge_next(merge *m);

#endif
