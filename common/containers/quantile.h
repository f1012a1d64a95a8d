/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exact quantiles of a growing set of numbers: the elements with index floor(n * percent / 100) of the n sorted numbers. A number costs
 * 8 bytes; when there are thousands, and most of them come again and again, each different one about 50. */
#ifndef WIRETRACE_QUANTILE_H
#define WIRETRACE_QUANTILE_H

#include <glib.h>
#include <stdint.h>

typedef struct quantiles {
    GArray *numbers;                /* of uint64_t, in any order; NULL: none yet, or they are counted */
    struct quantile_counts *counts; /* how often each number came; NULL: they are not counted */
} quantiles;

/* All zero is an empty set. */
void quantiles_clear(quantiles *q);
void quantiles_add(quantiles *q, uint64_t number);
void quantiles_merge(quantiles *q, const quantiles *more);
/* `percent`: 0 to 99. 0 if there are no numbers. */
uint64_t quantiles_value(quantiles *q, unsigned percent);

#endif
