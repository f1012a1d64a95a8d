/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Layouts of structs as a picture: a strip for each cache line, with the members in it, in colours by how they are used. */
#ifndef WIRETRACE_CACHERAY_STATISTICS_TYPE_LAYOUTS_PICTURE_H
#define WIRETRACE_CACHERAY_STATISTICS_TYPE_LAYOUTS_PICTURE_H

#include "statistics/rows.h"

/* Appends it, in SVG. `of`: rows of type_layouts.h, in their own order. Of more strips than have room the first ones are
 * drawn; of a member that takes many lines the first one and the last one. */
void cacheray_type_layouts_draw(const rows *of, unsigned line_size, const char *title, GString *text);

#endif
