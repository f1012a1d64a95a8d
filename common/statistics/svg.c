/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics/svg.h"

static void append_escaped(GString *text, const char *words)
{
    g_autofree char *escaped = g_markup_escape_text(words, -1);
    g_string_append(text, escaped);
}

static void append_tip(GString *text, const char *tip, const char *end)
{
    if (!tip) {
        g_string_append(text, "/>\n");
        return;
    }
    g_string_append(text, "><title>");
    append_escaped(text, tip);
    g_string_append_printf(text, "</title></%s>\n", end);
}

void svg_begin(GString *text, int width, int height, const char *title)
{
    g_autofree char *begin = g_strdup_printf(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n<title>",
        width, height, width, height);
    g_string_append(text, begin);
    append_escaped(text, title);
    g_string_append(text, "</title>\n");
    svg_rectangle(text, 0, 0, width, height, "fill=\"#fff\"", NULL);
}

void svg_end(GString *text)
{
    g_string_append(text, "</svg>\n");
}

void svg_rectangle(GString *text, int x, int y, int width, int height, const char *style, const char *tip)
{
    g_string_append_printf(text, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" %s", x, y, width, height, style);
    append_tip(text, tip, "rect");
}

void svg_line(GString *text, int x1, int y1, int x2, int y2, const char *style)
{
    g_string_append_printf(text, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" %s/>\n", x1, y1, x2, y2, style);
}

void svg_words(GString *text, int x, int y, svg_anchor anchor, const char *words)
{
    static const char *const anchors[] = {[SVG_START] = "start", [SVG_MIDDLE] = "middle", [SVG_END] = "end"};
    g_string_append_printf(text, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">", x, y, anchors[anchor]);
    append_escaped(text, words);
    g_string_append(text, "</text>\n");
}

void svg_path_begin(GString *text, int x, int y)
{
    g_string_append_printf(text, "<path d=\"M%d %d", x, y);
}

void svg_path_to(GString *text, int x, int y)
{
    g_string_append_printf(text, " L%d %d", x, y);
}

void svg_path_end(GString *text, const char *style, const char *tip)
{
    g_string_append_printf(text, "\" fill=\"none\" %s", style);
    append_tip(text, tip, "path");
}
