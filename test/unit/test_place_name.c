/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of places of allocations, and the lines of those in a program: this one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "own_program.h"
#include "program/code_places.h"
#include "temporary_file.h"
#include "util/place_name.h"
#include "util/short_name.h"

static const struct {
    const char *text, *name, *rest;
    uint64_t offset;
    bool in_function;
} names[] = {
    {"new in _Z11load_pricesR3Hot+0x1c", "_Z11load_pricesR3Hot", "+0x1c", 0x1c, true},
    {"malloc at program+0x11d6", "program", "+0x11d6", 0x11d6, false},
    {"new in operator+(a, b)+0x8", "operator+(a, b)", "+0x8", 8, true},
    {"new in f(int) (site.cpp:8)", "f(int)", " (site.cpp:8)", 0, true},
    {"new in f (a b.cpp:88)[3]", "f", " (a b.cpp:88)[3]", 0, true},
    {"new[] in f+0x1[2]", "f", "+0x1[2]", 1, true},
    {"malloc at lua+0x5c < luaM_malloc_+0x3 < at lua+0x77[1]", "lua", "+0x5c", 0x5c, false},
};

static const char *const others[] = {"",
                                     "struct.order",
                                     "order at shop.c:12",
                                     "new in f",
                                     "new in +0x1",
                                     "new in f+0x",
                                     "new in f+0xg",
                                     "new of f+0x1",
                                     "new in f (a:)",
                                     "new in f (a:8) ",
                                     " in f+0x1",
                                     "a::b in f+0x1",
                                     "new in f (:8)",
                                     "new in f+0x1 < ",
                                     "new in f+0x1 < g",
                                     "new in f+0x1 < g+0x2 < at +0x1"};

static void names_are_read(void **state)
{
    (void)state;
    place_name p;
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        assert_true(place_name_read(names[i].text, &p));
        assert_int_equal(p.length, strlen(names[i].name));
        assert_memory_equal(p.name, names[i].name, p.length);
        assert_int_equal(p.rest_length, strlen(names[i].rest));
        assert_memory_equal(p.rest, names[i].rest, p.rest_length);
        assert_int_equal(p.offset, names[i].offset);
        assert_int_equal(p.in_function, names[i].in_function);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(others); i++)
        assert_false(place_name_read(others[i], &p));
}

static void check_short(const char *text, const char *wanted)
{
    g_autofree char *shortened = short_name(text, 0);
    assert_string_equal(shortened, wanted);
}

static place_shown show(void *line, const place_name *frame)
{
    const bool known = frame->in_function || frame->length == strlen("lua");
    return (place_shown){known && line ? g_strdup("load(Hot&)") : NULL, g_strdup(line)};
}

static void check_shown(const char *text, const char *line, const char *wanted)
{
    g_autofree char *shown = place_name_show(text, show, (void *)line);
    assert_string_equal(shown, wanted);
}

static void names_are_shown(void **state)
{
    (void)state;
    check_shown(names[0].text, NULL, names[0].text);
    check_shown(names[0].text, "site.cpp:8", "new in load(Hot&) (site.cpp:8)");
    check_shown("malloc at lua+0x5c < f+0x3 < at a+0x7[1]", NULL, "malloc at lua+0x5c < f+0x3 < at a+0x7[1]");
    check_shown("malloc at lua+0x5c < f+0x3 < at a+0x7", "l.c:2",
                "malloc in load(Hot&) (l.c:2) < load(Hot&) (l.c:2) < at a (l.c:2)");
    check_short("new in load_prices(Hot&) (site.cpp:8)", "new in load_prices (site.cpp:8)");
    check_short("new in std::vector<int>::push_back(int) (a.cpp:1)[2]", "new in std::vector<…>::push_back (a.cpp:1)[2]");
    check_short("new in a::f(int) (a.cpp:1) < b::g(char) (b.cpp:2)", "new in a::f (a.cpp:1) < b::g (b.cpp:2)");
    check_short("malloc at lib<x>.so+0x1", "malloc at lib<x>.so+0x1");
}

static void check_cut(const char *text, size_t width, const char *wanted)
{
    g_autoptr(GString) cut = g_string_new(NULL);
    const shown_name name = shown_name_of(text);
    short_name_append_cut(cut, &name, width, 0);
    assert_string_equal(cut->str, wanted);
}

/* Callers go first. */
static void names_are_cut(void **state)
{
    (void)state;
    static const char text[] = "new in load_prices (a.cpp:1) < read_books (b.cpp:2) < main (c.cpp:3)";
    check_cut(text, 100, text);
    check_cut(text, 60, "new in load_prices (a.cpp:1) < read_books (b.cpp:2) < …");
    check_cut(text, 50, "new in load_prices (a.cpp:1) < …");
    check_cut(text, 30, "new in load…ices (a.cpp:1) < …");
}

/* --- lines ------------------------------------------------------------------------------------------------------------- */

void *volatile returned;

__attribute__((noinline)) void place_name_keep(void)
{
    returned = __builtin_return_address(0);
}

enum { CALLED_IN = __LINE__ + 4 };
__attribute__((noinline)) void place_name_call(void)
{
    returned = NULL;
    place_name_keep();
    returned = (char *)returned + 0;
}

static char *line_of(code_places *c, const char *format, uint64_t offset)
{
    g_autofree char *text = g_strdup_printf("new %s+0x%" G_GINT64_MODIFIER "x", format, offset);
    g_autofree char *function = NULL;
    place_name p;
    assert_true(place_name_read(text, &p));
    char *line = code_places_line(c, &p, &function);
    if (line && p.in_function)
        assert_string_equal(function, "place_name_call");
    return line;
}

/* The same symbols; its lines are not found, as the names of its sections are other ones. */
static char *copy_without_lines(void)
{
    char *path, *bytes, *at;
    gsize length;
    g_assert_true(g_file_get_contents(own_program(), &bytes, &length, NULL));
    for (at = bytes; (at = memmem(at, length - (gsize)(at - bytes), ".debug_line", strlen(".debug_line")));)
        *++at = 'x';
    path = temporary_file(bytes, (gssize)length);
    g_free(bytes);
    return path;
}

static void lines_of_this_program(void **state)
{
    (void)state;
    code_places *c = code_places_new();
    g_autofree char *wanted = g_strdup_printf("/test_place_name.c:%d", CALLED_IN), *no = line_of(c, "in place_name_call", 1);
    assert_null(no);
    code_places_add(c, "/none", "/none");
    code_places_add(c, own_program(), "/elsewhere/other");
    place_name_call();
    const uint64_t offset = (uint64_t)((char *)returned - (char *)(uintptr_t)place_name_call);
    g_autofree char *line = line_of(c, "in place_name_call", offset), *unknown = line_of(c, "in nobody", offset),
                    *none = line_of(c, "at none", offset), *beyond = line_of(c, "at other", UINT64_C(1) << 60);
    if (!line)
        skip(); /* without debug information */
    assert_true(g_str_has_suffix(line, wanted));
    code_places_add(c, own_program(), "/again");
    g_autofree char *both = line_of(c, "in place_name_call", offset);
    assert_string_equal(both, line);
    g_autofree char *other = copy_without_lines();
    code_places_add(c, other, "/third");
    g_autofree char *several = line_of(c, "in place_name_call", offset);
    assert_null(several);
    g_remove(other);
    assert_null(unknown);
    assert_null(none);
    assert_null(beyond);
    code_places_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_are_read), cmocka_unit_test(names_are_shown),
                                       cmocka_unit_test(names_are_cut), cmocka_unit_test(lines_of_this_program)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
