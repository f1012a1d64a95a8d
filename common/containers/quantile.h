/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exact quantiles of a growing set of numbers, available after every number: the elements with index floor(n * percent /
 * 100) of the n sorted numbers. A number costs O(log n) time and 8 bytes. Made for tables that may be redrawn at any
 * moment. */
#ifndef WIRETRACE_QUANTILE_H
#define WIRETRACE_QUANTILE_H

#include <glib.h>
#include <stdint.h>

#define QUANTILES_MAX 3u

typedef struct quantiles {
    const unsigned *percents; /* ascending, 0 to 99; borrowed */
    unsigned count;
    GArray *parts[QUANTILES_MAX + 1]; /* interval heaps: the numbers before the first quantile, those from there to the
                                    * second, and so on */
} quantiles;

/* `percents` has `count` elements, at most QUANTILES_MAX, and must stay valid. */
void quantiles_init(quantiles *q, const unsigned *percents, unsigned count);
void quantiles_clear(quantiles *q);
void quantiles_add(quantiles *q, uint64_t number);
/* The quantile for percents[i]; 0 if there are no numbers. */
uint64_t quantiles_value(const quantiles *q, unsigned i);

#endif
