/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The miss-ratio curve as a picture: sizes to the right, each twice the one before, misses upwards. */
#ifndef WIRETRACE_CACHERAY_STATISTICS_CURVE_PICTURE_H
#define WIRETRACE_CACHERAY_STATISTICS_CURVE_PICTURE_H

#include "statistics/rows.h"

/* Appends it, in SVG. `of`: rows of curve.h, in their own order: those of a type one after the other. Of more types than
 * have colours the first ones are drawn. */
void cacheray_curve_draw(const rows *of, const char *title, GString *text);

#endif
