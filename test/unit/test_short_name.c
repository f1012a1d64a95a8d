/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Short names: those of 200 functions of libstdc++, LLVM, clang, abseil, Boost, Eigen, Rust's compiler, and of D (short_names.tsv: the short
 * name, a tab and the name), each also cut at every byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>
#include <string.h>

#include "util/short_name.h"

static void real_names_are_short(void **state)
{
    (void)state;
    g_autofree char *text = NULL;
    assert_true(g_file_get_contents("test/unit/short_names.tsv", &text, NULL, NULL));
    g_auto(GStrv) lines = g_strsplit(g_strchomp(text), "\n", -1);
    assert_true(g_strv_length(lines) > 200);
    for (char **line = lines; *line; line++) {
        char *name = strchr(*line, '\t');
        *name++ = '\0';
        g_autofree char *shortened = short_name(name, 0);
        assert_string_equal(shortened, *line);
        for (size_t n = strlen(name); n-- > 0;) {
            g_autofree char *cut = g_strndup(name, n), *of_cut = short_name(cut, (unsigned)n % 8);
            assert_true(n == 0 || *of_cut);
        }
    }
}

static void expect(const char *name, unsigned kept, const char *wanted)
{
    g_autofree char *found = short_name(name, kept);
    assert_string_equal(found, wanted);
}

/* What distinguishes functions can be kept. */
static void more_can_be_kept(void **state)
{
    (void)state;
    static const char name[] =
        "void ns::(anonymous namespace)::a<std::vector<int> >::put<1, (2>3)>(std::map<int, long> const&, ns::b) const";
    expect(name, 0, "ns::a<…>::put<…>");
    expect(name, SHORT_NAME_PARAMETERS, "ns::a<…>::put<…>(std::map<…> const&, ns::b) const");
    expect(name, SHORT_NAME_OUTER, "ns::a<std::vector<…> >::put<1, (2>3)>");
    expect(name, SHORT_NAME_TEMPLATES, "ns::a<std::vector<int> >::put<1, (2>3)>");
    expect(name, SHORT_NAME_PARAMETERS | SHORT_NAME_TEMPLATES,
           "ns::a<std::vector<int> >::put<1, (2>3)>(std::map<int, long> const&, ns::b) const");
    expect("a::with<b>(c::read(int, int) const::{lambda(d&)#2}&&, e (*)(int))", SHORT_NAME_PARAMETERS,
           "a::with<…>(c::read::{lambda#2}&&, e (*)(int))");
    expect("a::{lambda(int)#1}::operator()", 0, "a::{lambda#1}::operator()"); /* cut there */
    expect("a::operator<<(int)", SHORT_NAME_PARAMETERS, "a::operator<<(int)");
    expect("a::operator< <int>(int)", SHORT_NAME_TEMPLATES, "a::operator<<int>");
}

static void expect_cut(const char *name, size_t width, const char *expected)
{
    g_autoptr(GString) text = g_string_new(NULL);
    short_name_append_cut(text, name, width);
    assert_string_equal(text->str, expected);
    for (width = 1; width < 100; width++) {
        g_string_truncate(text, 0);
        short_name_append_cut(text, name, width);
        assert_true(g_utf8_strlen(text->str, -1) <= (glong)width);
    }
}

/* What is cut keeps the name of the function itself, or its begin and end, and the outermost namespace where there is room. */
static void names_are_cut(void **state)
{
    (void)state;
    expect_cut("std::map<…>::at", 40, "std::map<…>::at");
    expect_cut("boost::fusion::next_impl<…>::apply<…>::call (12)", 27, "boost::…apply<…>::call (12)");
    expect_cut("std::vector<…>::emplace_back(int&)", 27, "std::…>::emplace_back(int&)");
    expect_cut("std::__detail::_Executor<…>::_M_apply::{lambda#1}", 30, "std::…>::_M_apply::{lambda#1}");
    expect_cut("std::__invoke_impl<void, void (std::thread::*)(), std::thread*>", 27, "…__invoke_impl…td::thread*>");
    expect_cut("std::__invoke_impl<void, void (std::thread::*)(), std::thread*>", 40,
               "std::…__invoke_impl<voi…), std::thread*>");
    expect_cut("a::b::operator<<int, c::d, e::f>(c::d const&)", 20, "a::…operator…const&)");
    expect_cut("a_function_with_a_rather_long_name", 21, "a_function…_long_name");
    expect_cut("main → std::basic_string<…>::_M_construct<…>", 27, "main → …>::_M_construct<…>");
    expect_cut("std::map<…>::operator[] → std::map<…>::at", 30, "…::operator[] → std::…p<…>::at");
    expect_cut("struct.packed_ctr[3].hits (thread 3)", 26, "struct.…3].hits (thread 3)");
    expect_cut("not <closed::name", 10, "not <…name");
}

/* Very deep and very long names take linear time. */
static void long_names_are_read(void **state)
{
    (void)state;
    GString *deep = g_string_new("a");
    for (unsigned i = 0; i < 200000; i++)
        g_string_append(deep, "<b");
    for (unsigned i = 0; i < 200000; i++)
        g_string_append_c(deep, '>');
    g_string_append(deep, "::c()");
    expect(deep->str, 0, "a<…>::c");
    g_string_truncate(deep, 200000);
    expect(deep->str, 0, deep->str);
    static const char *const open[] = {"a<", "(", "{lambda(", "a::b(", "a (*"};
    for (size_t i = 0; i < G_N_ELEMENTS(open); i++) {
        g_string_assign(deep, "f(");
        for (unsigned n = 0; n < 200000; n++)
            g_string_append(deep, open[i]);
        for (unsigned n = 0; n < 200000 && open[i][strlen(open[i]) - 1] == '('; n++)
            g_string_append_c(deep, ')');
        g_string_append_c(deep, ')');
        g_autofree char *found = short_name(deep->str, SHORT_NAME_PARAMETERS);
        assert_true(*found);
        g_autoptr(GString) cut = g_string_new(NULL);
        short_name_append_cut(cut, deep->str, 80);
        assert_true(g_utf8_strlen(cut->str, -1) <= 80);
    }
    g_string_free(deep, TRUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_names_are_short),
        cmocka_unit_test(more_can_be_kept),
        cmocka_unit_test(names_are_cut),
        cmocka_unit_test(long_names_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
