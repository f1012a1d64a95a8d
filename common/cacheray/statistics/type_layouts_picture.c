/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/statistics/type_layouts_picture.h"

#include <string.h>

#include "cacheray/statistics/type_layouts.h"
#include "statistics/svg.h"

enum { LEFT = 80, WIDTH = 768, RIGHT = 20, TOP = 64, HEADING = 34, STRIP = 30, BETWEEN = 4, STRIPS_MAX = 2000 };

typedef struct drawing {
    const rows *of;
    unsigned line_size;
    GString *text;
    int y;
    unsigned strips;
} drawing;

static const rows_cell *cell_at(const drawing *d, unsigned row, unsigned column)
{
    return &rows_at(d->of, row)[column];
}

static unsigned number_at(const drawing *d, unsigned row, unsigned column)
{
    const rows_cell *c = cell_at(d, row, column);
    return c->state == ROWS_IS_NUMBER ? (unsigned)c->number : 0;
}

static const char *text_at(const drawing *d, unsigned row, unsigned column)
{
    const rows_cell *c = cell_at(d, row, column);
    return c->state == ROWS_IS_TEXT ? c->text : "";
}

/* Hot members are red, the more the more of the accesses they have; a contended one has a frame. */
static char *style_of(const drawing *d, unsigned row)
{
    const char *heat = text_at(d, row, CACHERAY_TYPE_LAYOUTS_HEAT);
    const unsigned share = MIN(number_at(d, row, CACHERAY_TYPE_LAYOUTS_SHARE), 1000);
    g_autofree char *hot = g_strdup_printf("#ff%02x%02x", 190 - share * 120 / 1000, 170 - share * 120 / 1000);
    const char *fill = strcmp(heat, "hot") == 0     ? hot
                       : strcmp(heat, "cold") == 0  ? "#fff2b3"
                       : strcmp(heat, "never") == 0 ? "#e4e4e4"
                                                    : "#fff";
    const bool contended = number_at(d, row, CACHERAY_TYPE_LAYOUTS_CONTENDED);
    return g_strdup_printf("fill=\"%s\" stroke=\"%s\" stroke-width=\"%d\"%s", fill, contended ? "#5b2a86" : "#888",
                           contended ? 3 : 1, *heat ? "" : " stroke-dasharray=\"3\"");
}

static char *tip_of(const drawing *d, unsigned row)
{
    g_autoptr(GString) tip = g_string_new(text_at(d, row, CACHERAY_TYPE_LAYOUTS_MEMBER));
    g_string_append_printf(tip, ": offset %u, %u bytes", number_at(d, row, CACHERAY_TYPE_LAYOUTS_OFFSET),
                           number_at(d, row, CACHERAY_TYPE_LAYOUTS_BYTES));
    for (unsigned i = CACHERAY_TYPE_LAYOUTS_READS; i < CACHERAY_TYPE_LAYOUTS_COLUMNS; i++) {
        g_autofree char *title = g_ascii_strdown(d->of->columns[i].title, -1);
        if (cell_at(d, row, i)->state == ROWS_IS_NUMBER)
            g_string_append_printf(tip, ", %s %u", title, number_at(d, row, i));
    }
    return g_strdup(tip->str);
}

/* The bytes of a member that are in a line: `from` and `to` count from the beginning of that. */
static void draw_piece(const drawing *d, unsigned row, unsigned from, unsigned to)
{
    const int x = LEFT + (int)(from * WIDTH / d->line_size), end = LEFT + (int)(to * WIDTH / d->line_size);
    const char *name = text_at(d, row, CACHERAY_TYPE_LAYOUTS_MEMBER);
    g_autofree char *style = style_of(d, row), *tip = tip_of(d, row);
    svg_rectangle(d->text, x, d->y, end - x, STRIP, style, tip);
    const int room = (end - x - 4) / SVG_CHARACTER;
    if (room < 1 || *name == '(')
        return;
    g_autofree char *shown = g_utf8_strlen(name, -1) <= room ? g_strdup(name) : g_utf8_substring(name, 0, room);
    svg_words(d->text, (x + end) / 2, d->y + STRIP / 2 + 4, SVG_MIDDLE, shown);
}

/* A line of the struct, whose bytes begin at `begin` of its first line. Returns the first row that goes on after it. */
static unsigned draw_strip(drawing *d, unsigned row, unsigned end, unsigned begin, unsigned line)
{
    const unsigned first_byte = line * d->line_size, last_byte = first_byte + d->line_size;
    g_autofree char *offset = g_strdup_printf("%u", first_byte > begin ? first_byte - begin : 0);
    svg_words(d->text, LEFT - 8, d->y + STRIP / 2 + 4, SVG_END, offset);
    svg_rectangle(d->text, LEFT, d->y, WIDTH, STRIP, "fill=\"none\" stroke=\"#000\"", NULL);
    for (; row < end; row++) {
        const unsigned from = begin + number_at(d, row, CACHERAY_TYPE_LAYOUTS_OFFSET),
                       to = from + number_at(d, row, CACHERAY_TYPE_LAYOUTS_BYTES);
        if (from < last_byte)
            draw_piece(d, row, MAX(from, first_byte) - first_byte, MIN(to, last_byte) - first_byte);
        if (to >= last_byte)
            break;
    }
    d->y += STRIP + BETWEEN;
    d->strips++;
    if (row < end &&
        begin + number_at(d, row, CACHERAY_TYPE_LAYOUTS_OFFSET) + number_at(d, row, CACHERAY_TYPE_LAYOUTS_BYTES) ==
            last_byte)
        row++;
    return row;
}

/* The line where a member ends that has begun by this one and takes more after it; otherwise the line itself. */
static unsigned skip_lines(const drawing *d, unsigned row, unsigned begin, unsigned line)
{
    const unsigned first_byte = begin + number_at(d, row, CACHERAY_TYPE_LAYOUTS_OFFSET),
                   last = (first_byte + number_at(d, row, CACHERAY_TYPE_LAYOUTS_BYTES) - 1) / d->line_size;
    return first_byte / d->line_size <= line && last > line + 1 ? last : line;
}

static void draw_struct(drawing *d, unsigned first, unsigned end)
{
    const unsigned begin = number_at(d, first, CACHERAY_TYPE_LAYOUTS_BEGINS);
    g_autofree char *heading = g_strdup_printf(
        "%s: %u bytes, %" G_GUINT64_FORMAT " accesses", text_at(d, first, CACHERAY_TYPE_LAYOUTS_TYPE),
        number_at(d, first, CACHERAY_TYPE_LAYOUTS_BYTES),
        cell_at(d, first, CACHERAY_TYPE_LAYOUTS_READS)->number + cell_at(d, first, CACHERAY_TYPE_LAYOUTS_WRITES)->number);
    svg_words(d->text, LEFT, d->y + HEADING - 8, SVG_START, heading);
    d->y += HEADING;
    unsigned row = first + 1;
    for (unsigned line = 0; row < end && d->strips < STRIPS_MAX; line++) {
        row = draw_strip(d, row, end, begin, line);
        const unsigned last = row < end ? skip_lines(d, row, begin, line) : line;
        if (last != line) {
            svg_words(d->text, LEFT + WIDTH / 2, d->y + 8, SVG_MIDDLE, "…");
            d->y += STRIP / 2;
            line = last - 1;
        }
    }
}

/* The first row of the next struct. */
static unsigned end_of_struct(const drawing *d, unsigned first)
{
    unsigned end = first + 1;
    while (end < rows_length(d->of) && cell_at(d, end, CACHERAY_TYPE_LAYOUTS_OFFSET)->state == ROWS_IS_NUMBER)
        end++;
    return end;
}

static void draw_key(drawing *d, const char *title)
{
    static const struct {
        const char *style, *words;
    } key[] = {{"fill=\"#ff7f6b\" stroke=\"#888\"", "hot"},
               {"fill=\"#fff2b3\" stroke=\"#888\"", "cold"},
               {"fill=\"#e4e4e4\" stroke=\"#888\"", "never accessed"},
               {"fill=\"#fff\" stroke=\"#888\" stroke-dasharray=\"3\"", "no member"},
               {"fill=\"#fff\" stroke=\"#5b2a86\" stroke-width=\"3\"", "contended"}};
    svg_words(d->text, LEFT, 20, SVG_START, title);
    for (unsigned i = 0; i < G_N_ELEMENTS(key); i++) {
        svg_rectangle(d->text, LEFT + 140 * (int)i, 32, 20, 14, key[i].style, NULL);
        svg_words(d->text, LEFT + 140 * (int)i + 26, 44, SVG_START, key[i].words);
    }
}

void cacheray_type_layouts_draw(const rows *of, unsigned line_size, const char *title, GString *text)
{
    g_autoptr(GString) all = g_string_new(NULL);
    drawing d = {.of = of, .line_size = line_size, .text = all, .y = TOP};
    draw_key(&d, title);
    for (unsigned first = 0; first < rows_length(of) && d.strips < STRIPS_MAX;) {
        const unsigned end = end_of_struct(&d, first);
        if (end > first + 1)
            draw_struct(&d, first, end);
        first = end;
    }
    svg_begin(text, LEFT + WIDTH + RIGHT, d.y + HEADING, title);
    g_string_append_len(text, all->str, (gssize)all->len);
    svg_end(text);
}
