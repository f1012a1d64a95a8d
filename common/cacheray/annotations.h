/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the annotation that covers an address. Annotations are added and removed in trace order. Their regions may nest,
 * overlap, and begin at the same address any number of times. Rules:
 *   - an address belongs to the newest live annotation that covers it;
 *   - a remove ends the newest live annotation that begins exactly there;
 *   - regions are limited to the address space; empty regions cover nothing but can be removed.
 * Every function costs O(log n) of the live annotations, and looks at no more than ANNOTATIONS_STEPS of those that newer
 * ones overlap, whatever the input. Ended annotations are kept. Knows nothing of records, names or types. */
#ifndef WIRETRACE_CACHERAY_ANNOTATIONS_H
#define WIRETRACE_CACHERAY_ANNOTATIONS_H

#include <stdbool.h>
#include <stdint.h>

#define ANNOTATIONS_STEPS 1000u

typedef struct annotations annotations;

/* An annotation. Records count from 1. */
typedef struct annotation {
    uint64_t start;
    uint32_t elem_size, elem_count;
    uint32_t added;   /* record that added it */
    uint32_t removed; /* record that removed it; 0: it is live */
    uint32_t name;    /* for the caller's use */
} annotation;

annotations *annotations_new(void);
void annotations_free(annotations *a);

/* Annotations are numbered from 1 in the order in which they are added; 0: none. annotations_add() ignores `removed`. */
uint32_t annotations_add(annotations *a, const annotation *added);
uint32_t annotations_remove(annotations *a, uint64_t start, uint32_t record);
/* *cut: so many live annotations overlap near the address that the one that covers it has not been found; then 0. */
uint32_t annotations_find(annotations *a, uint64_t address, bool *cut);
/* Returns whether a region has bytes in common with a live annotation, or may have, as there are too many. */
bool annotations_overlap(const annotations *a, uint64_t start, uint64_t length);
/* Valid until the next add. */
const annotation *annotations_get(const annotations *a, uint32_t number);

static inline uint64_t annotation_length(const annotation *n)
{
    return (uint64_t)n->elem_size * n->elem_count;
}

#endif
