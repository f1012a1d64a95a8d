/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The layout of each struct that is accessed, with how its members are used: all of them by offset, also those that are
 * never touched, and the holes between them; then an order that would need fewer cache lines (docs/cacheray-statistics.md).
 * Records must be in order, as whether an access is contended depends on those before it to the same line. */
#ifndef WIRETRACE_CACHERAY_STATISTICS_TYPE_LAYOUTS_H
#define WIRETRACE_CACHERAY_STATISTICS_TYPE_LAYOUTS_H

#include "cacheray/statistics/display.h"

enum {
    CACHERAY_TYPE_LAYOUTS_TYPE,
    CACHERAY_TYPE_LAYOUTS_OFFSET,
    CACHERAY_TYPE_LAYOUTS_BYTES,
    CACHERAY_TYPE_LAYOUTS_LINE,   /* of the struct, "1" or "0-1" */
    CACHERAY_TYPE_LAYOUTS_BEGINS, /* of a struct: the byte of a line where more than half of the accesses find it begin */
    CACHERAY_TYPE_LAYOUTS_MEMBER,
    CACHERAY_TYPE_LAYOUTS_HEAT,
    CACHERAY_TYPE_LAYOUTS_SHARE, /* of the accesses to the struct */
    CACHERAY_TYPE_LAYOUTS_READS,
    CACHERAY_TYPE_LAYOUTS_WRITES,
    CACHERAY_TYPE_LAYOUTS_THREADS,
    CACHERAY_TYPE_LAYOUTS_MISSED_FIRST, /* the first level of the simulated caches */
    CACHERAY_TYPE_LAYOUTS_MISSED_ALL,   /* all levels */
    CACHERAY_TYPE_LAYOUTS_CONTENDED,
    CACHERAY_TYPE_LAYOUTS_NEW_OFFSET, /* in the order that is proposed */
    CACHERAY_TYPE_LAYOUTS_COLUMNS
};
/* The struct with most accesses is first. Its first row is the sum of all, `*`. Its word `svg`: for a picture
 * (type_layouts_picture.h). */
#define CACHERAY_TYPE_LAYOUTS_SVG "svg"
extern const counted cacheray_type_layouts_counted;

typedef struct cacheray_type_layouts cacheray_type_layouts; /* its data */

/* Returns whether a struct was accessed, but of none the members are known. */
bool cacheray_type_layouts_unknown(const cacheray_type_layouts *l);
/* Appends the orders that would need fewer lines, as lines for remap.h with their reasons before them, which begin with '#'.
 */
void cacheray_type_layouts_propose(const cacheray_type_layouts *l, GString *text);

#endif
