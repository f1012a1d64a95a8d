/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exact order statistics of a growing set of numbers, known after every number: element floor(q n), counted from 0, of the
 * sorted numbers. A number costs O(log n) time and 8 bytes. For tables that are drawn at any moment. */
#ifndef WIRETRACE_QUANTILE_H
#define WIRETRACE_QUANTILE_H

#include <glib.h>
#include <stdint.h>

typedef struct quantile {
    unsigned percent; /* q = percent / 100, 0 .. 99 */
    GArray *below;    /* max-heap of the numbers before the element */
    GArray *above;    /* min-heap of the element and what comes after */
} quantile;

void quantile_init(quantile *q, unsigned percent);
void quantile_clear(quantile *q);
void quantile_add(quantile *q, uint64_t number);
/* The element; 0 while there is no number. */
uint64_t quantile_value(const quantile *q);

#endif
