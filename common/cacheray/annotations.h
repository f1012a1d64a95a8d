/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which annotation covers an address. Annotations come and go in the order of the trace; regions may nest, overlap and begin
 * at the same address any number of times. Rules:
 *   - an address belongs to the newest live annotation that covers it;
 *   - a remove ends the newest live annotation that begins exactly there;
 *   - regions end at the last address at the latest; empty regions cover nothing, but can be removed.
 * Every call costs O(log n) of the live annotations, whatever the input; annotations stay known when they have ended.
 * Knows nothing of records, names or types. */
#ifndef WIRETRACE_CACHERAY_ANNOTATIONS_H
#define WIRETRACE_CACHERAY_ANNOTATIONS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct annotations annotations;

/* What an annotation says. Record numbers count from 1. */
typedef struct annotation {
    uint64_t start;
    uint32_t elem_size, elem_count;
    uint32_t added;   /* record that adds it */
    uint32_t removed; /* record that removes it; 0: lives */
    uint32_t name;    /* any number of the caller's */
} annotation;

annotations *annotations_new(void);
void annotations_free(annotations *a);

/* Annotations have numbers from 1, in the order in which they are added; 0 = none. `removed` of what is added is not read. */
uint32_t annotations_add(annotations *a, const annotation *added);
uint32_t annotations_remove(annotations *a, uint64_t start, uint32_t record);
uint32_t annotations_find(const annotations *a, uint64_t address);
/* Whether a live annotation has bytes in common with a region. */
bool annotations_overlap(const annotations *a, uint64_t start, uint64_t length);
/* Borrowed until the next add. */
const annotation *annotations_get(const annotations *a, uint32_t number);

static inline uint64_t annotation_length(const annotation *n)
{
    return (uint64_t)n->elem_size * n->elem_count;
}

#endif
