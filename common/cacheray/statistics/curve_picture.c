/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/statistics/curve_picture.h"

#include <math.h>
#include <string.h>

#include "cacheray/statistics/curve.h"
#include "statistics/svg.h"

enum { LEFT = 60, TOP = 50, WIDTH = 760, HEIGHT = 360, RIGHT = 40, BELOW = 60, LEGEND = 18 };

static const char *const colours[] = {"#d62728", "#1f77b4", "#2ca02c", "#9467bd",
                                      "#ff7f0e", "#8c564b", "#17becf", "#7f7f7f"};

/* Sizes from 2^first on, over the width. */
typedef struct scale {
    int first, doublings;
} scale;

static uint64_t number_at(const rows *r, unsigned row, unsigned column)
{
    return rows_at(r, row)[column].number;
}

static int x_of(const scale *s, uint64_t size)
{
    return LEFT + (int)lround((log2((double)size) - s->first) * WIDTH / s->doublings);
}

/* `misses` of so many accesses. */
static int y_of(uint64_t misses, uint64_t accesses)
{
    return TOP + HEIGHT - (int)lround((double)misses * HEIGHT / (double)accesses);
}

static scale scale_of(const rows *r)
{
    uint64_t least = UINT64_MAX, most = 1;
    for (unsigned i = 0; i < rows_length(r); i++) {
        least = MIN(least, number_at(r, i, CACHERAY_CURVE_SIZE));
        most = MAX(most, number_at(r, i, CACHERAY_CURVE_SIZE));
    }
    const int first = rows_length(r) ? (int)floor(log2((double)least)) : 0;
    return (scale){first, MAX((int)ceil(log2((double)most)) - first, 1)};
}

static void draw_axes(const scale *s, GString *text)
{
    static const char *const units[] = {"", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
    static const char grid[] = "stroke=\"#ddd\"";
    for (int part = 0; part <= 4; part++) {
        g_autofree char *percent = g_strdup_printf("%d %%", 25 * part);
        const int y = y_of((uint64_t)part, 4);
        svg_line(text, LEFT, y, LEFT + WIDTH, y, grid);
        svg_words(text, LEFT - 6, y + 4, SVG_END, percent);
    }
    for (int i = 0; i <= s->doublings; i += 1 + s->doublings / 16) {
        const int bits = s->first + i, x = LEFT + i * WIDTH / s->doublings;
        g_autofree char *size = g_strdup_printf("%d%s", 1 << bits % 10, units[bits / 10]);
        svg_line(text, x, TOP, x, TOP + HEIGHT, grid);
        svg_words(text, x, TOP + HEIGHT + 16, SVG_MIDDLE, size);
    }
    svg_words(text, LEFT + WIDTH / 2, TOP + HEIGHT + 40, SVG_MIDDLE, "bytes of the cache");
}

/* Up and down by the error. */
static void draw_errors(const rows *r, const scale *s, unsigned first, unsigned end, uint64_t accesses, GString *text)
{
    for (unsigned i = first; i < end; i++) {
        const rows_cell *error = &rows_at(r, i)[CACHERAY_CURVE_ERROR];
        const uint64_t misses = number_at(r, i, CACHERAY_CURVE_MISSES);
        const int x = x_of(s, number_at(r, i, CACHERAY_CURVE_SIZE));
        if (error->state == ROWS_IS_NUMBER)
            svg_line(text, x, y_of(MIN(misses + error->number, accesses), accesses), x,
                     y_of(misses - MIN(misses, error->number), accesses), "stroke=\"#f4b6b6\" stroke-width=\"4\"");
    }
}

/* Between two sizes misses are those of the smaller one: steps. */
static void draw_curve(const rows *r, const scale *s, unsigned first, unsigned end, unsigned which, GString *text)
{
    const rows_cell *name = &rows_at(r, first)[CACHERAY_CURVE_TYPE];
    const uint64_t accesses = MAX(number_at(r, first, CACHERAY_CURVE_MISSES) + number_at(r, first, CACHERAY_CURVE_HITS), 1);
    g_autofree char *style = g_strdup_printf("stroke=\"%s\" stroke-width=\"2\"", colours[which]);
    int y = y_of(number_at(r, first, CACHERAY_CURVE_MISSES), accesses);
    draw_errors(r, s, first, end, accesses, text);
    svg_path_begin(text, x_of(s, number_at(r, first, CACHERAY_CURVE_SIZE)), y);
    for (unsigned i = first + 1; i < end; i++) {
        const int x = x_of(s, number_at(r, i, CACHERAY_CURVE_SIZE));
        svg_path_to(text, x, y);
        y = y_of(number_at(r, i, CACHERAY_CURVE_MISSES), accesses);
        svg_path_to(text, x, y);
    }
    svg_path_to(text, LEFT + WIDTH, y); /* a larger cache changes nothing */
    svg_path_end(text, style, name->state == ROWS_IS_TEXT ? name->text : "all accesses");
    if (name->state != ROWS_IS_TEXT)
        return;
    svg_line(text, LEFT, TOP + HEIGHT + BELOW + LEGEND * (int)which, LEFT + 20, TOP + HEIGHT + BELOW + LEGEND * (int)which,
             style);
    svg_words(text, LEFT + 28, TOP + HEIGHT + BELOW + 4 + LEGEND * (int)which, SVG_START, name->text);
}

/* The first row after those of the same type. */
static unsigned end_of_type(const rows *r, unsigned first)
{
    const rows_cell *own = &rows_at(r, first)[CACHERAY_CURVE_TYPE];
    unsigned end = first + 1;
    while (end < rows_length(r) &&
           (own->state != ROWS_IS_TEXT || strcmp(own->text, rows_at(r, end)[CACHERAY_CURVE_TYPE].text) == 0))
        end++;
    return end;
}

void cacheray_curve_draw(const rows *of, const char *title, GString *text)
{
    const scale s = scale_of(of);
    svg_begin(text, LEFT + WIDTH + RIGHT, TOP + HEIGHT + BELOW + LEGEND * (int)G_N_ELEMENTS(colours), title);
    svg_words(text, LEFT, 24, SVG_START, title);
    draw_axes(&s, text);
    for (unsigned first = 0, which = 0; first < rows_length(of) && which < G_N_ELEMENTS(colours); which++) {
        const unsigned end = end_of_type(of, first);
        draw_curve(of, &s, first, end, which, text);
        first = end;
    }
    svg_end(text);
}
