/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The miss-ratio curve: how many accesses a fully associative cache would miss, for caches of all sizes. All threads share
 * the cache, it loads what is read and written, and evicts the line not used for longest (docs/cacheray-statistics.md).
 * Records must be in order: what an access finds in a cache depends on those before it. */
#ifndef WIRETRACE_CACHERAY_STATISTICS_CURVE_H
#define WIRETRACE_CACHERAY_STATISTICS_CURVE_H

#include "cacheray/statistics/display.h"

enum {
    CACHERAY_CURVE_SIZE,  /* of the cache in bytes */
    CACHERAY_CURVE_LINES, /* the same in lines */
    CACHERAY_CURVE_MISSES,
    CACHERAY_CURVE_RATIO, /* of the accesses */
    CACHERAY_CURVE_ERROR, /* of the misses, if not all lines are kept */
    CACHERAY_CURVE_HITS,
    CACHERAY_CURVE_TYPE, /* only with by:type */
    CACHERAY_CURVE_COLUMNS
};
/* A row for each power of two, up to the size with which only first accesses to lines miss. Its words:
 *   by:type  the same for the accesses to each type, in the cache that all share;
 *   fine     three more sizes between two powers of two;
 *   every    all sizes with fewer misses than the one before, as long as there is room;
 *   block:N  lines of N bytes;
 *   keep:N   keeps so many lines; if there are more, a part of them is counted (distances.h);
 *   svg      as `fine`, for a picture (curve_picture.h). */
extern const counted cacheray_curve_counted;

#define CACHERAY_CURVE_SVG "svg"
#define CACHERAY_CURVE_BLOCK_MIN 16u
#define CACHERAY_CURVE_BLOCK_MAX (1u << 30)
#define CACHERAY_CURVE_KEEP_MIN 1024u
#define CACHERAY_CURVE_KEEP_MAX (1u << 28)
/* The numbers of block:N and keep:N; `usual` if there is no such word, 0: that is not a number that is possible. */
unsigned cacheray_curve_block(const statistic_words *words, unsigned usual);
unsigned cacheray_curve_keep(const statistic_words *words);

typedef struct cacheray_curve cacheray_curve; /* its data */
/* How often half of the lines were left out (distances.h), and how many were kept. */
unsigned cacheray_curve_halvings(const cacheray_curve *c);
unsigned cacheray_curve_kept(const cacheray_curve *c);

#endif
