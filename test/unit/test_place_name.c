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
                                     "new in f (:8)"};

static void names_are_read(void **state)
{
    (void)state;
    place_name p;
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        assert_true(place_name_read(names[i].text, &p));
        assert_int_equal(p.length, strlen(names[i].name));
        assert_memory_equal(p.name, names[i].name, p.length);
        assert_string_equal(p.rest, names[i].rest);
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

static void names_are_shown(void **state)
{
    (void)state;
    place_name p;
    place_name_read(names[0].text, &p);
    g_autofree char *line = place_name_show(names[0].text, &p, "load_prices(Hot&)", "site.cpp:8");
    g_autofree char *plain = place_name_show(names[0].text, &p, NULL, NULL);
    assert_string_equal(line, "new in load_prices(Hot&) (site.cpp:8)");
    assert_string_equal(plain, names[0].text);
    check_short(line, "new in load_prices (site.cpp:8)");
    check_short("new in std::vector<int>::push_back(int) (a.cpp:1)[2]", "new in std::vector<…>::push_back (a.cpp:1)[2]");
    check_short("malloc at lib<x>.so+0x1", "malloc at lib<…>.so+0x1");
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
    place_name p;
    assert_true(place_name_read(text, &p));
    return code_places_line(c, &p);
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
    assert_null(unknown);
    assert_null(none);
    assert_null(beyond);
    code_places_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_are_read), cmocka_unit_test(names_are_shown),
                                       cmocka_unit_test(lines_of_this_program)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
