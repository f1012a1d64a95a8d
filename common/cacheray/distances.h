/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reuse distances: how many other lines were used since a line was used last. A fully associative cache of n lines that
 * evicts the one not used for longest has the line if its distance is below n. So one pass tells the misses of all sizes (R.
 * L. Mattson and others, Evaluation techniques for storage hierarchies, 1970).
 *
 * A limited number of lines is kept. If there are more, half of them are left out, chosen by a hash of their numbers, and so
 * on: distances are then counted in lines that are kept, and each use of one stands for those of 2, 4, 8 ... (C. Waldspurger
 * and others, Efficient MRC construction with SHARDS, 2015). Knows nothing of accesses. */
#ifndef WIRETRACE_CACHERAY_DISTANCES_H
#define WIRETRACE_CACHERAY_DISTANCES_H

#include <stdint.h>

#define DISTANCE_FIRST UINT32_MAX      /* the line has not been used before */
#define DISTANCE_NONE (UINT32_MAX - 1) /* the line is not kept */

typedef struct distances distances;

/* `most`: lines that are kept. */
distances *distances_new(uint32_t most);
void distances_free(distances *d);
/* Uses a line, and returns its distance in lines that are kept. */
uint32_t distances_use(distances *d, uint64_t line);
/* How often half of the lines were left out. A use may do so, but what it returns is of the time after it. */
unsigned distances_halvings(const distances *d);
/* How many lines are kept. */
uint32_t distances_kept(const distances *d);

/* Lines are in random groups of about the same size. */
enum { DISTANCES_GROUPS = 16 };
unsigned distances_group(uint64_t line);

#endif
