/* SPDX-License-Identifier: GPL-2.0-or-later */
/* k-way merge of walks by phase, order, tie and offset: a binary heap, so a record costs log(streams) comparisons. Stable:
 * within a stream the reading order is kept, whatever the clocks do. A single stream needs no merge and pays none.
 * Knows nothing about formats. */
#ifndef WIRETRACE_MERGE_H
#define WIRETRACE_MERGE_H

#include "stream.h"

/* A walk that stands on a record, with the key of that record: comparing must not touch thousands of walks. */
typedef struct merge_entry {
    uint64_t order, offset;
    uint32_t tie;
    uint8_t phase;
    walk *walk;
} merge_entry;

typedef struct merge {
    merge_entry *heap; /* [0] holds the next record */
    uint32_t count;
    bool given; /* the record of heap[0] has been given out: advance first */
    int error;  /* of the first stream that could not be read on; the others go on */
    const stream *failed;
} merge;

/* Borrows the walks. Reads the first record of each. */
void merge_init(merge *m, walk **walks, uint32_t count);
void merge_clear(merge *m);
/* The walk whose record is next, or NULL at the end of all streams (see merge.error). Valid until the next call. */
walk *merge_next(merge *m);

#endif
