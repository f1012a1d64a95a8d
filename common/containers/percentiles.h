/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exact percentiles of a growing set of numbers: the elements with index floor(n * percent / 100) of the n sorted numbers. A
 * number costs 8 bytes. */
#ifndef WIRETRACE_CONTAINERS_PERCENTILES_H
#define WIRETRACE_CONTAINERS_PERCENTILES_H

#include <glib.h>
#include <stdint.h>

typedef struct percentiles {
    GArray *numbers; /* of uint64_t, in any order; NULL: none yet */
} percentiles;

/* All zero is an empty set. */
void percentiles_clear(percentiles *q);
void percentiles_add(percentiles *q, uint64_t number);
void percentiles_merge(percentiles *q, const percentiles *more);
/* `percent`: 0 to 99. 0 if there are no numbers. */
uint64_t percentiles_value(percentiles *q, unsigned percent);
/* The mean of the n numbers without the largest of them, as many as the square root of n, times n: a sum that a few large
 * numbers do not decide. UINT64_MAX if it is larger than that; 0 if there are fewer than two numbers. */
uint64_t percentiles_typical_sum(percentiles *q);

#endif
