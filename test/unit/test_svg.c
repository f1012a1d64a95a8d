/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is drawn as SVG, and the miss-ratio curve and the layouts of structs drawn from rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <glib.h>

#include "cacheray/statistics/curve.h"
#include "cacheray/statistics/curve_picture.h"
#include "cacheray/statistics/type_layouts.h"
#include "cacheray/statistics/type_layouts_picture.h"
#include "statistics/svg.h"

static void test_shapes(void **state)
{
    (void)state;
    g_autoptr(GString) text = g_string_new(NULL);
    svg_begin(text, 200, 100, "a<b");
    svg_rectangle(text, 1, 2, 3, 4, "fill=\"#000\"", "x & y");
    svg_line(text, 0, 0, 5, 6, "stroke=\"#111\"");
    svg_words(text, 7, 8, SVG_END, "std::vector<int>");
    svg_path_begin(text, 1, 1);
    svg_path_to(text, 9, -1);
    svg_path_end(text, "stroke=\"#222\"", NULL);
    svg_end(text);
    assert_string_equal(text->str,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"200\" height=\"100\" "
                        "viewBox=\"0 0 200 100\" font-family=\"sans-serif\" font-size=\"12\">\n"
                        "<title>a&lt;b</title>\n"
                        "<rect x=\"0\" y=\"0\" width=\"200\" height=\"100\" fill=\"#fff\"/>\n"
                        "<rect x=\"1\" y=\"2\" width=\"3\" height=\"4\" fill=\"#000\"><title>x &amp; y</title></rect>\n"
                        "<line x1=\"0\" y1=\"0\" x2=\"5\" y2=\"6\" stroke=\"#111\"/>\n"
                        "<text x=\"7\" y=\"8\" text-anchor=\"end\">std::vector&lt;int&gt;</text>\n"
                        "<path d=\"M1 1 L9 -1\" fill=\"none\" stroke=\"#222\"/>\n"
                        "</svg>\n");
}

static unsigned times_of(const GString *text, const char *part)
{
    unsigned n = 0;
    for (const char *at = text->str; (at = strstr(at, part)); at += strlen(part))
        n++;
    return n;
}

static bool has(const GString *text, const char *part)
{
    return times_of(text, part) > 0;
}

/* --- curves ------------------------------------------------------------------------------------------------------------ */

static void add_size(rows *r, const char *type, uint64_t size, uint64_t misses, uint64_t hits, int error)
{
    rows_cell *cells = rows_add(r);
    cells[CACHERAY_CURVE_SIZE] = rows_number(size);
    cells[CACHERAY_CURVE_MISSES] = rows_number(misses);
    cells[CACHERAY_CURVE_HITS] = rows_number(hits);
    if (error >= 0)
        cells[CACHERAY_CURVE_ERROR] = rows_number((uint64_t)error);
    if (type)
        cells[CACHERAY_CURVE_TYPE] = rows_text(r, type);
}

static rows *rows_of_curve(void)
{
    return rows_new(cacheray_curve_counted.columns, CACHERAY_CURVE_COLUMNS);
}

/* From 64 bytes to 4 KiB; 100 %, 50 % and 0 % are 360 pixels apart. */
static void test_curve(void **state)
{
    (void)state;
    g_autoptr(GString) text = g_string_new(NULL);
    rows *r = rows_of_curve();
    cacheray_curve_draw(r, "none", text);
    assert_false(has(text, "<path"));
    add_size(r, NULL, 64, 10, 0, 2);
    add_size(r, NULL, 1024, 5, 5, 6);
    add_size(r, NULL, 4096, 0, 10, -1);
    g_string_truncate(text, 0);
    cacheray_curve_draw(r, "one", text);
    rows_free(r);
    assert_true(has(text, "<path d=\"M60 50 L567 50 L567 230 L820 230 L820 410 L820 410\""));
    assert_true(has(text, ">64</text>") && has(text, ">1 KiB</text>") && has(text, ">4 KiB</text>") &&
                has(text, ">75 %</text>"));
    assert_true(has(text, "x1=\"60\" y1=\"50\" x2=\"60\" y2=\"122\"")); /* not above all accesses */
    assert_true(has(text, "x1=\"567\" y1=\"50\" x2=\"567\" y2=\"410\""));
    assert_int_equal(times_of(text, "stroke-width=\"4\""), 2);
}

static void test_types(void **state)
{
    (void)state;
    enum { TYPES = 10, COLOURS = 8 };
    g_autoptr(GString) text = g_string_new(NULL);
    rows *r = rows_of_curve();
    for (unsigned i = 0; i < TYPES; i++) {
        g_autofree char *name = g_strdup_printf("type<%u>", i);
        for (unsigned power = 6; power < 8 + i % 2; power++)
            add_size(r, name, UINT64_C(1) << power, 9 - power, 0, -1);
    }
    cacheray_curve_draw(r, "types", text);
    rows_free(r);
    assert_int_equal(times_of(text, "<path"), COLOURS);
    assert_true(has(text, ">type&lt;7&gt;</text>"));
    assert_false(has(text, "type&lt;8&gt;"));
}

/* --- layouts ----------------------------------------------------------------------------------------------------------- */

static rows_cell *add_member(rows *r, unsigned offset, unsigned bytes, const char *name, const char *heat,
                             unsigned contended)
{
    rows_cell *cells = rows_add(r);
    cells[CACHERAY_TYPE_LAYOUTS_TYPE] = rows_lasting_text("thing");
    cells[CACHERAY_TYPE_LAYOUTS_OFFSET] = rows_number(offset);
    cells[CACHERAY_TYPE_LAYOUTS_BYTES] = rows_number(bytes);
    cells[CACHERAY_TYPE_LAYOUTS_MEMBER] = rows_lasting_text(name);
    if (heat) {
        cells[CACHERAY_TYPE_LAYOUTS_HEAT] = rows_lasting_text(heat);
        cells[CACHERAY_TYPE_LAYOUTS_READS] = rows_number(5);
        cells[CACHERAY_TYPE_LAYOUTS_SHARE] = rows_number(1000);
        cells[CACHERAY_TYPE_LAYOUTS_CONTENDED] = rows_number(contended);
    }
    return cells;
}

static void add_whole(rows *r, unsigned bytes, unsigned begins)
{
    rows_cell *cells = add_member(r, 0, bytes, "*", NULL, 0);
    cells[CACHERAY_TYPE_LAYOUTS_OFFSET] = (rows_cell){0};
    cells[CACHERAY_TYPE_LAYOUTS_READS] = rows_number(7);
    cells[CACHERAY_TYPE_LAYOUTS_WRITES] = rows_number(4);
    if (begins)
        cells[CACHERAY_TYPE_LAYOUTS_BEGINS] = rows_number(begins);
}

/* 12 pixels a byte. Of the large member four lines are not drawn; the last one begins a line. */
static void test_layouts(void **state)
{
    (void)state;
    g_autoptr(GString) text = g_string_new(NULL);
    rows *r = rows_new(cacheray_type_layouts_counted.columns, CACHERAY_TYPE_LAYOUTS_COLUMNS);
    add_whole(r, 8, 0); /* not known */
    add_whole(r, 440, 32);
    add_member(r, 0, 8, "first", "hot", 1);
    add_member(r, 8, 24, "(hole)", NULL, 0);
    add_member(r, 32, 384, "large", "never", 0);
    add_member(r, 416, 2, "one|two", "cold", 0);
    add_member(r, 418, 22, "(padding)", NULL, 0);
    cacheray_type_layouts_draw(r, 64, "layouts", text);
    rows_free(r);
    assert_int_equal(times_of(text, ">thing: 440 bytes, 11 accesses</text>"), 1);
    assert_true(has(text, "<rect x=\"464\" y=\"98\" width=\"96\" height=\"30\" fill=\"#ff4632\" stroke=\"#5b2a86\" "
                          "stroke-width=\"3\"><title>first: offset 0, 8 bytes, reads 5, contended 1</title>"));
    assert_int_equal(times_of(text, ">large</text>"), 2);
    assert_int_equal(times_of(text, "fill=\"#e4e4e4\" stroke=\"#888\" stroke-width=\"1\""), 2);
    assert_int_equal(times_of(text, "…"), 1);
    assert_true(has(text, ">0</text>") && has(text, ">32</text>") && has(text, ">352</text>") && has(text, ">416</text>"));
    assert_true(has(text, ">on</text>")); /* 24 pixels */
    assert_true(has(text, "(padding): offset 418"));
    assert_false(has(text, ">(padding)</text>"));
    assert_int_equal(times_of(text, "fill=\"none\" stroke=\"#000\""), 4);
}

static void test_many(void **state)
{
    (void)state;
    g_autoptr(GString) text = g_string_new(NULL);
    rows *r = rows_new(cacheray_type_layouts_counted.columns, CACHERAY_TYPE_LAYOUTS_COLUMNS);
    for (unsigned i = 0; i < 3000; i++) {
        add_whole(r, 16, 0);
        add_member(r, 0, 16, "all", "hot", 0);
    }
    cacheray_type_layouts_draw(r, 16, "many", text);
    rows_free(r);
    assert_int_equal(times_of(text, "thing: 16 bytes"), 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes), cmocka_unit_test(test_curve),
                                       cmocka_unit_test(test_types), cmocka_unit_test(test_layouts),
                                       cmocka_unit_test(test_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
