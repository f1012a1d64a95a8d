/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where long names are cut, and what happens to characters that are not safe. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>
#include <string.h>

#include "util/text.h"

static void fits(void **state)
{
    (void)state;
    assert_int_equal(text_fitting("", 0, 4), 0);
    assert_int_equal(text_fitting("name", 4, 4), 4);
    assert_int_equal(text_fitting("names", 5, 4), 4);
}

/* Characters of two, three and four bytes stay whole; invalid UTF-8 is cut anywhere. */
static void characters(void **state)
{
    (void)state;
    assert_int_equal(text_fitting("ab\xc3\xa9", 4, 3), 2);
    assert_int_equal(text_fitting("ab\xc3\xa9z", 5, 4), 4);
    assert_int_equal(text_fitting("a\xe2\x82\xac", 4, 3), 1);
    assert_int_equal(text_fitting("a\xf0\x9f\x98\x80", 5, 4), 1);
    assert_int_equal(text_fitting("\x80\x80\x80\x80\x80\x80", 6, 5), 5);
}

/* A name cannot control a terminal or change the text direction, and keeps its length. */
static void safe(void **state)
{
    (void)state;
    char text[] = "a\x1b[31m\n\t\x7f\xc2\x9b\xc2\xa0 d\xc3\xa9%s\xc2", empty[] = "";
    assert_string_equal(text_sanitize(text), "a?[31m?????\xc2\xa0 d\xc3\xa9%s\xc2");
    assert_string_equal(text_sanitize(empty), "");
    assert_true(text_is_safe(text, strlen(text)));
}

/* The characters at both ends of each range that is not safe. */
static void unsafe(void **state)
{
    (void)state;
    static const unsigned ranges[][2] = {{0x01, 0x1f},     {0x7f, 0x9f},     {0x61c, 0x61c},
                                         {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}};
    for (unsigned c = 1; c < 0x2100; c++) {
        char text[8] = "";
        size_t n = (size_t)g_unichar_to_utf8(c, text);
        bool safe = true;
        for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
            safe = safe && (c < ranges[i][0] || c > ranges[i][1]);
        assert_int_equal(text_is_safe(text, n), safe);
        if (n > 1)
            assert_true(text_is_safe(text, n - 1)); /* cut */
        assert_int_equal(strspn(text_sanitize(text), "?"), c == '?' || !safe ? n : 0);
    }
    assert_false(text_is_safe("a\0b", 3));
}

/* Text longer than can be shown is marked; invalid UTF-8 is made valid. */
static void shown(void **state)
{
    (void)state;
    char *longer = g_strnfill(TEXT_MAX + 1, 'n'), *fits = g_strnfill(TEXT_MAX, 'n');
    g_autofree char *others = text_show(TEXT_OTHERS, -1), *part = text_show("f(others)", -1),
                    *within = text_show_within("(others) x", 8, 99);
    assert_string_equal(others, "\"(others)\""); /* not the name of a sum */
    assert_string_equal(within, "\"(others)\"");
    assert_string_equal(part, "f(others)");
    char *cut = text_show(longer, -1), *whole = text_show(fits, TEXT_MAX), *odd = text_show("a\xff\x1b\0z", 5);
    assert_string_equal(whole, fits);
    assert_int_equal(strlen(cut), TEXT_MAX);
    assert_true(g_str_has_suffix(cut, "n\xe2\x80\xa6"));
    assert_string_equal(odd, "a\xef\xbf\xbd?");
    g_free(longer);
    g_free(fits);
    g_free(cut);
    g_free(whole);
    g_free(odd);
}

static void escapes(void **state)
{
    (void)state;
    static const char unsafe[] = "a\a\b\n\r\t\x1b[31m\x7f\0z\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xa6\\\xff";
    g_autofree char *text = text_escape(unsafe, sizeof unsafe - 1), *none = text_escape("", 0);
    assert_string_equal(text, "a\\a\\b\\n\\r\\t\\033[31m\\177\\000z\\u2028\\u2029\xe2\x80\xa6\\\xff");
    assert_string_equal(none, "");
    for (size_t n = 0; n < sizeof unsafe - 1; n++) {
        g_autofree char *exact = g_memdup2(unsafe, n), *part = text_escape(exact, n);
        assert_true(g_str_has_prefix(text, part) || n > 11); /* a separator that is cut stays as it is */
    }
}

static void digits(void **state)
{
    (void)state;
    static const uint64_t numbers[] = {0, 9, 10, 255, 0x123456789abcdef0, UINT64_MAX};
    g_autoptr(GString) found = g_string_new(NULL), expected = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
        text_append_digits(found, numbers[i], 10);
        g_string_append_c(found, ' ');
        text_append_digits(found, numbers[i], 16);
        g_string_append_printf(expected, "%" G_GUINT64_FORMAT " %" G_GINT64_MODIFIER "x", numbers[i], numbers[i]);
    }
    assert_string_equal(found->str, expected->str);
}

/* Three digits, rounded; the next unit where rounding leads to a thousand. */
static void times(void **state)
{
    (void)state;
    static const struct {
        uint64_t ns;
        const char *text;
    } all[] = {{0, "0 ns"},
               {999, "999 ns"},
               {1000, "1.00 us"},
               {9994, "9.99 us"},
               {9995, "10.0 us"},
               {12749, "12.7 us"},
               {99949, "99.9 us"},
               {99950, "100 us"},
               {999499, "999 us"},
               {999500, "1.00 ms"},
               {1240000, "1.24 ms"},
               {999500000, "1.00 s"},
               {61500000000, "61.5 s"},
               {1234567000000, "1,235 s"},
               {UINT64_MAX, "18,446,744,074 s"}};
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        char text[TEXT_TIME];
        assert_string_equal(text_time(text, all[i].ns), all[i].text);
    }
}

static void groups_and_cuts(void **state)
{
    (void)state;
    static const uint64_t numbers[] = {0, 12, 999, 1000, 1234567, UINT64_MAX};
    g_autoptr(GString) text = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
        text_append_grouped(text, numbers[i]);
        g_string_append_c(text, ' ');
    }
    assert_string_equal(text->str, "0 12 999 1,000 1,234,567 18,446,744,073,709,551,615 ");
    g_string_truncate(text, 0);
    for (size_t width = 1; width <= 4; width++)
        text_append_cut(text, "µbcdé", width);
    assert_string_equal(text->str, "…"
                                   "µ…"
                                   "µ…é"
                                   "µb…é");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits),   cmocka_unit_test(characters), cmocka_unit_test(safe),
        cmocka_unit_test(unsafe), cmocka_unit_test(shown),      cmocka_unit_test(escapes),
        cmocka_unit_test(digits), cmocka_unit_test(times),      cmocka_unit_test(groups_and_cuts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
