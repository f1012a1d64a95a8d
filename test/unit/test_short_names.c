/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Short names of all functions of a program: different ones for different functions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>
#include <string.h>

#include "util/short_names.h"

/* Arguments of a template that nobody would read. */
#define TEN "aaaaaaaaa,"
#define WIDE TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN "b"

static void as_much_is_kept_as_distinguishes(void **state)
{
    (void)state;
    static const struct {
        const char *name, *wanted;
    } all[] = {
        {"main", "main"},
        {"void put<int>(int)", "put<…>(int)"},
        {"void put<std::vector<char> >(std::vector<char>)", "put<…>(std::vector<…>)"},
        {"shop::add(int)", "shop::add(int)"},
        {"shop::add(std::map<int, int> const&)", "shop::add(std::map<…> const&)"},
        {"list<int>::size() const", "list<…>::size() const"},
        {"list<int>::size()", "list<…>::size()"},
        {"get<a<int> >()", "get<a<int> >"},
        {"get<a<char> >()", "get<a<char> >"},
        {"x::f(int)", "x::f"},
        {"x::f(int)", "x::f"},
        {NULL, NULL},
        {"int one<char>(int)", "one<…> (1)"},
        {"long one<char>(int)", "one<…> (2)"},
        {"long one<char>(int)", "one<…> (2)"},
        {"rule<list<" WIDE " > >()", "rule<…> (1)"},
        {"rule<list<" WIDE " *> >()", "rule<…> (2)"},
        {"fold<std::pair<int, int>, 3>::go(char)", "fold<…>::go"},
        {"foo::bar(int) [clone .llvm.1234567]", "foo::bar(int)"},
        {"foo::bar(double) [clone .llvm.7654321]", "foo::bar(double)"},
        {"foo::run() [clone .cold]", "foo::run [.cold]"},
        {"foo::run()", "foo::run"},
        {"calc(int) [clone .constprop.747]", "calc"},
        {"hash_remove.llvm.4477738147604602593", "hash_remove"},
        {"a::write::h0123456789abcdef", "a::write::h0123456789abcdef"},
        {"a::write::h0123456789abcde0", "a::write::h0123456789abcde0"},
        {"a::read::h0123456789abcde0", "a::read"},
    };
    const char *names[G_N_ELEMENTS(all)];
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++)
        names[i] = all[i].name;
    uint8_t numbers[G_N_ELEMENTS(all)] = {0};
    g_autofree char **found = short_names(names, NULL, G_N_ELEMENTS(all), 0, numbers);
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        assert_int_equal(found[i] != NULL, all[i].wanted != NULL);
        if (found[i])
            assert_string_equal(found[i], all[i].wanted);
        const bool numbered = found[i] && g_str_has_suffix(found[i], ")") && g_ascii_isdigit(found[i][strlen(found[i]) - 2]);
        assert_int_equal(numbers[i], numbered ? strlen(" (1)") : 0);
        g_free(found[i]);
    }
}

/* A name that is short already belongs to the function that has it in full. */
static void short_and_full_names_differ(void **state)
{
    (void)state;
    static const char *const names[] = {"f(int)", "f"};
    g_autofree char **found = short_names(names, NULL, 2, 0, NULL);
    assert_string_equal(found[0], "f(int)");
    assert_string_equal(found[1], "f");
    g_free(found[0]);
    g_free(found[1]);
}

/* Different functions with the same name get their ids. */
static void equal_names_get_ids(void **state)
{
    (void)state;
    static const char *const names[] = {"<alloc::RawVec>::grow", "<alloc::RawVec>::grow", "a::f(int)", "rule<" WIDE ">()",
                                        "rule<" WIDE "*>()"};
    static const uint32_t ids[] = {7, 9, 10, 11, 12};
    static const char *const wanted[] = {"<alloc::RawVec>::grow #7", "<alloc::RawVec>::grow #9", "a::f", "rule<…> #11",
                                         "rule<…> #12"};
    static const uint8_t lengths[] = {3, 3, 0, 4, 4};
    uint8_t numbers[G_N_ELEMENTS(ids)] = {0};
    g_autofree char **found = short_names(names, ids, G_N_ELEMENTS(ids), 0, numbers);
    assert_memory_equal(numbers, lengths, sizeof lengths);
    for (size_t i = 0; i < G_N_ELEMENTS(ids); i++) {
        assert_string_equal(found[i], wanted[i]);
        g_free(found[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_much_is_kept_as_distinguishes),
        cmocka_unit_test(short_and_full_names_differ),
        cmocka_unit_test(equal_names_get_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
