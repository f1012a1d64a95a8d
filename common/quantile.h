/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exact order statistics of a growing set of numbers, known after every number: elements floor(n percent / 100), counted from
 * 0, of the n sorted numbers. A number costs O(log n) time and 8 bytes. For tables that are drawn at any moment. */
#ifndef WIRETRACE_QUANTILE_H
#define WIRETRACE_QUANTILE_H

#include <glib.h>
#include <stdint.h>

#define QUANTILES_MAX 3u

typedef struct quantiles {
    const unsigned *percents; /* ascending, 0 .. 99; of the caller */
    unsigned count;
    GArray
        *parts[QUANTILES_MAX + 1]; /* interval heaps: the numbers before the first element, from there to the second ... */
} quantiles;

/* For `count` percents, at most QUANTILES_MAX, which must stay where they are. */
void quantiles_init(quantiles *q, const unsigned *percents, unsigned count);
void quantiles_clear(quantiles *q);
void quantiles_add(quantiles *q, uint64_t number);
/* The element of percents[i]; 0 while there is no number. */
uint64_t quantiles_value(const quantiles *q, unsigned i);

#endif
