/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Short names: those of 200 functions of libstdc++, LLVM, clang, abseil, Boost, Eigen, Rust's compiler, and of D
 * (short_names.tsv: the short name, a tab and the name), each also cut at every byte. */
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

static void expect_cut_name(shown_name name, size_t width, const char *expected)
{
    g_autoptr(GString) text = g_string_new(NULL);
    short_name_append_cut(text, &name, width, 0);
    assert_string_equal(text->str, expected);
    for (width = 1; width < 100; width++) {
        g_string_truncate(text, 0);
        short_name_append_cut(text, &name, width, width % 4);
        assert_true(g_utf8_strlen(text->str, -1) <= (glong)width);
    }
}

static void expect_cut(const char *name, size_t width, const char *expected)
{
    expect_cut_name(shown_name_of(name), width, expected);
}

static void expect_remark(const char *name, const char *remark, size_t width, const char *expected)
{
    g_autofree char *text = g_strconcat(name, remark, NULL);
    expect_cut_name((shown_name){.text = text, .remark = (uint8_t)strlen(remark)}, width, expected);
}

/* What is cut loses parameters, template arguments and outer namespaces first, then the beginning of the class, at last
 * the middle of the function. */
static void names_are_cut(void **state)
{
    (void)state;
    expect_cut("std::map<…>::at", 40, "std::map<…>::at");
    expect_cut("CppCheck::check(std::basic_string<…> const&)", 43, "CppCheck::check");
    expect_cut("CppCheck::check(std::basic_string<…> const&)", 12, "…heck::check");
    expect_cut("a::b::c::function(int)", 19, "a::b::c::function");
    expect_cut("a::b::c::function(int)", 16, "…::c::function");
    expect_remark("boost::fusion::next_impl<…>::apply<…>::call", " (12)", 36, "…::next_impl<…>::apply<…>::call (12)");
    expect_remark("boost::fusion::next_impl<…>::apply<…>::call", " (12)", 27, "…::apply<…>::call (12)");
    expect_remark("boost::fusion::next_impl<…>::apply<…>::call", " (12)", 20, "…::apply::call (12)");
    expect_remark("std::_Function_handler<…>::_M_invoke", " #14", 36, "…::_Function_handler::_M_invoke #14");
    expect_cut("std::vector<…>::emplace_back(int&)", 27, "…::vector<…>::emplace_back");
    expect_cut("std::__detail::_Executor<…>::_M_apply::{lambda#1}", 36, "…::_Executor::_M_apply::{lambda#1}");
    expect_cut("std::__detail::_Executor<…>::_M_apply::{lambda#1}", 27, "…utor::_M_apply::{lambda#1}");
    expect_cut("std::__invoke_impl<void, void (std::thread::*)(), std::thread*>", 27, "std::__invoke_impl<…>");
    expect_cut("a_function_with_a_rather_long_name", 21, "a_function…_long_name");
    expect_cut("<w::spelling::Wrap<u8, 7> as w::spelling::Shape>::area", 27, "<Wrap<…> as Shape>::area");
    expect_cut("core::slice::insertion_sort_shift_left::<(u64, u64)>", 28, "…::insertion_sort_shift_left");
    expect_cut("std.algorithm.comparison.among!(…).among", 20, "….among!(…).among");
    expect_remark("struct.packed_ctr[3].hits", " (thread 3)", 26, "…ed_ctr[3].hits (thread 3)");
    expect_cut("new[] in std::__new_allocator<…>::allocate+0x8b", 34, "new[] in …allocator::allocate+0x8b");
    expect_cut("CppCheck::check(std::vector<…> const&) [.cold]", 40, "CppCheck::check");
    expect_cut("core::ptr::drop_in_place::<syn::expr::Expr> [.llvm.9847179912324010603]", 33,
               "core::ptr::drop_in_place::<…>");
    expect_cut("-[MyVeryLongClassName initWithFrame:andStyle:]", 27, "-[MyVeryLongC…me:andStyle:]");
    expect_cut("input buffer of thread 2, and other words", 27, "input buffer …d other words");
    expect_cut("not <closed::name", 10, "not <…name");
}

/* Of two names, each is cut, and keeps its remark. */
static void two_names_are_cut(void **state)
{
    (void)state;
    const shown_name main = shown_name_of("main"), construct = shown_name_of("std::basic_string<…>::_M_construct<…>"),
                     numbered = {.text = "std::vector<…>::push_back #14", .remark = 4};
    const shown_name pairs[] = {shown_name_pair(&main, &construct), shown_name_pair(&numbered, &numbered)};
    expect_cut_name(pairs[0], 36, "main → …::basic_string::_M_construct");
    expect_cut_name(pairs[1], 61, "std::vector<…>::push_back #14 → std::vector<…>::push_back #14");
    expect_cut_name(pairs[1], 43, "…ctor::push_back #14 → …ctor::push_back #14");
    expect_cut("main → call", 9, "main…call"); /* a text that nobody has made of two names */
    for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++)
        g_free((char *)(uintptr_t)pairs[i].text);
}

/* What is not a name of C++, Rust or D stays as it is: names of Objective-C, Go and Swift, and what people write to
 * describe memory. */
static void text_stays(void **state)
{
    (void)state;
    static const char *const texts[] = {"-[MyClass init]",
                                        "+[MyClass stringWithFormat:]",
                                        "-[MyClass(Category) setX:y:]",
                                        "__30-[MyClass run:]_block_invoke",
                                        "main.(*Tree[...]).Insert",
                                        "$s4main3fooyyF",
                                        "arr1 i32",
                                        "arr2 i32",
                                        "order (shop.c:12)",
                                        "struct.order at shop.c:12",
                                        "shop.c:12: struct.order",
                                        "parser buffer",
                                        "decoder buffer",
                                        "i32 [shop.c:44]",
                                        "i32 [.data]",
                                        "unsigned long",
                                        "char const*",
                                        "input buffer of thread 2",
                                        "sizeof (x)",
                                        "sizeof(struct x)",
                                        "int (*callback)(void *)",
                                        "buffer(12 elements)",
                                        "the input: a buffer (large)",
                                        "hash table (buckets)",
                                        "struct.order",
                                        "int [4]",
                                        "a < b",
                                        "1 + 2",
                                        "what?",
                                        "\"quoted\" text",
                                        "(",
                                        ")",
                                        "<",
                                        "a(",
                                        "a)b",
                                        "input buffer of(int)",
                                        "void (*)(int)",
                                        "unsigned int*",
                                        "shop.c(12)",
                                        "node->next",
                                        "per-thread",
                                        "50 %",
                                        "x = y"};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        expect(texts[i], SHORT_NAME_DATA, texts[i]);
    expect("input buffer of(int)", 0, "of"); /* a function that returns one */
    expect("list<of things>", SHORT_NAME_DATA, "list<…>");
    expect("struct.order<shop.c:12>", SHORT_NAME_DATA, "struct.order<…>");
    expect("new in main+0x1c, or so", 0, "new in main+0x1c, or so");
    expect("new in std::vector<int>::grow(int)+0x1c", SHORT_NAME_DATA, "new in std::vector<…>::grow+0x1c");
    expect("std::vector<int> const*", SHORT_NAME_DATA, "std::vector<…> const*");
    expect("shop::Money::add(int)::calls", SHORT_NAME_DATA, "shop::Money::add::calls");
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
        const shown_name name = shown_name_of(deep->str);
        short_name_append_cut(cut, &name, 80, 0);
        assert_true(g_utf8_strlen(cut->str, -1) <= 80);
    }
    g_string_free(deep, TRUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_names_are_short), cmocka_unit_test(more_can_be_kept), cmocka_unit_test(names_are_cut),
        cmocka_unit_test(two_names_are_cut),    cmocka_unit_test(text_stays),       cmocka_unit_test(long_names_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
