/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pictures in SVG, which browsers show: shapes and words, one after the other, in pixels. Knows nothing of what is drawn. */
#ifndef WIRETRACE_STATISTICS_SVG_H
#define WIRETRACE_STATISTICS_SVG_H

#include <glib.h>

#define SVG_CHARACTER 7 /* width of a character of 12 pixels, about */

typedef enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END } svg_anchor;

/* On white. */
void svg_begin(GString *text, int width, int height, const char *title);
void svg_end(GString *text);
/* `style`: attributes, such as fill="#fff". `tip`: shown when the mouse is above it; NULL: none. */
void svg_rectangle(GString *text, int x, int y, int width, int height, const char *style, const char *tip);
void svg_line(GString *text, int x1, int y1, int x2, int y2, const char *style);
void svg_words(GString *text, int x, int y, svg_anchor anchor, const char *words);
/* A line of pieces: begins with the first point. */
void svg_path_begin(GString *text, int x, int y);
void svg_path_to(GString *text, int x, int y);
void svg_path_end(GString *text, const char *style, const char *tip);

#endif
