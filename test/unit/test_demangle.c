/* SPDX-License-Identifier: GPL-2.0-or-later */
/* C++, Rust and D symbols, including malicious ones that would exhaust memory or loop forever. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <glib.h>
#include <string.h>

#include "program/demangle.h"

static const struct {
    const char *symbol, *name; /* NULL: not demangled */
} cxx[] = {
    {"_Z4leafi", "leaf(int)"},
    {"_ZN2nsL6hiddenEi", "ns::hidden(int)"},
    {"_ZNK6Square4areaEv", "Square::area() const"},
    {"_ZN5ShapeD2Ev", "Shape::~Shape()"},
    {"_Z5totalI5ShapeEiPKPKT_i", "int total<Shape>(Shape const* const*, int)"},
    {"_Z4leafi.specialized.1", "leaf(int) [clone .specialized.1]"},
    {"_ZN12_GLOBAL__N_13runEv", "(anonymous namespace)::run()"},
    {"_ZNK2cv3Mat4sizeEv", "cv::Mat::size() const"},
    {"_ZNK1AcviEv", "A::operator int() const"},
    {"_ZThn16_N1AD0Ev", "non-virtual thunk to A::~A()"},
    {"_ZN1a17h0123456789ABCDEFE", "a::h0123456789ABCDEF"}, /* not the hash of a Rust symbol */
    {"_ZN17h0123456789abcdefE", "h0123456789abcdef"},
    {"_Z", NULL},
    {"_ZN", NULL},
    {"_ZN5Shap", NULL},
    {"_Z99999999999999999999f", NULL},
    {"main", NULL},
    {"i", NULL}, /* a type, which is not demangled */
    {"", NULL},
};

/* As c++filt -r prints the newer mangling, and LLVM's demangler the older one with its hash, but clones as of C++. */
static const struct {
    const char *symbol, *name;
} rust[] = {
    {"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt::h0123456789abcdef"},
    {"_ZN4main17h0123456789abcdefE.llvm.1234567890", "main::h0123456789abcdef [clone .llvm.1234567890]"},
    {"_ZN50_$LT$T$u20$as$u20$core..convert..From$LT$U$GT$$GT$4from17h00112233445566aaE",
     "<T as core::convert::From<U>>::from::h00112233445566aa"},
    {"_ZN4main4main28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE", "main::main::{{closure}}::h0123456789abcdef"},
    {"_ZN6a$XY$b17h0123456789abcdefE", "a$XY$b::h0123456789abcdef"}, /* no such escape */
    {"_RNvCs1234_7mycrate3foo", "mycrate::foo"},
    {"_RNvCs9zvTZcadg7j_1w3fib", "w::fib"},
    {"_RNvCs9zvTZcadg7j_1w3fib.llvm.42", "w::fib [clone .llvm.42]"},
    {"_RNvNtCs92dm3009vxr_4rand4rngs4fork.0.0", "rand::rngs::fork [clone .0.0]"},
    {"_RNvCs9zvTZcadg7j_1w3fib.part.0.cold", "w::fib [clone .part.0.cold]"},
    {"_RNvXNtCsbsFkZsjFIc5_1w8spellingINtB2_4WraphKj7_ENtB2_5Shape4area",
     "<w::spelling::Wrap<u8, 7> as w::spelling::Shape>::area"},
    {"_RNCNvCs1234_7mycrate4main0B3_", "mycrate::main::{closure#0}"},
    {"_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y", "utf8_idents::საჭმელად_გემრიელი_სადილი"},
    {"_RNvMFGzz_EuCs1234_7mycrate3foo", NULL},
    {"_RNvMFG00zzzzzzzzz_EuCs1234_7mycrate3foo", NULL}, /* lifetimes that would be counted for years */
    {"_R", NULL},
    {"_RNv", NULL},
};

/* As c++filt -s dlang prints them. */
static const struct {
    const char *symbol, *name;
} d[] = {
    {"_Dmain", "D main"},
    {"_D4main3fibFmZm", "main.fib(ulong)"},
    {"_D4core6thread8osthread20createLowLevelThreadFNbNiDFNbZvkQhZm",
     "core.thread.osthread.createLowLevelThread(void() nothrow delegate, uint, void() nothrow delegate)"},
    {"_D3std4conv__T2toTAyaZ__TQlTPaZQrFNaNbQkZQx", "std.conv.to!(immutable(char)[]).to!(char*).to(char*)"},
    {"_D", NULL},
    {"_D4main", NULL},
};

static void check(const char *symbol, const char *wanted)
{
    char *name = demangle(symbol);
    if (wanted)
        assert_string_equal(name ? name : "(none)", wanted);
    else
        assert_null(name);
    g_free(name);
}

static void cxx_symbols(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(cxx); i++)
        check(cxx[i].symbol, cxx[i].name);
}

static void rust_symbols(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(rust); i++)
        check(rust[i].symbol, rust[i].name);
}

static void d_symbols(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(d); i++)
        check(d[i].symbol, d[i].name);
}

static void check_damaged(const char *symbol)
{
    for (size_t at = 0; at < strlen(symbol); at++) {
        g_autofree char *cut = g_strndup(symbol, at), *other = g_strdup(symbol);
        other[at] = (char)0xff;
        g_free(demangle(cut));
        g_free(demangle(other));
    }
}

/* Symbols may be cut anywhere, and contain anything. */
static void damaged(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(cxx); i++)
        check_damaged(cxx[i].symbol);
    for (size_t i = 0; i < G_N_ELEMENTS(rust); i++)
        check_damaged(rust[i].symbol);
    for (size_t i = 0; i < G_N_ELEMENTS(d); i++)
        check_damaged(d[i].symbol);
}

/* Each parameter is twice the size of the previous one: f(A, A A::*, ...). */
static char *doubling_parameters(unsigned count)
{
    GString *s = g_string_new("_Z1f1AMS_S_");
    for (unsigned i = 0; i < count; i++) {
        char digit = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i % 36], more = i < 36 ? 0 : '0';
        const char number[] = {more ? more : digit, more ? digit : 0, 0};
        g_string_append_printf(s, "MS%s_S%s_", number, number);
    }
    return g_string_free(s, FALSE);
}

/* Nested conversions to template parameters: each is read twice. */
static char *doubling_conversions(unsigned count)
{
    GString *s = g_string_new("_ZN1A");
    for (unsigned i = 0; i < count; i++)
        g_string_append(s, "cvT_I");
    return g_string_free(s, FALSE);
}

/* Rust: each type is a pair of the previous one. */
static char *doubling_pairs(unsigned count)
{
    GString *s = g_string_new("_RINvC1a1bT");
    size_t previous = strlen("INvC1a1bT"); /* positions are counted after _R */
    g_string_append(s, "uuE");
    for (unsigned i = 0; i < count; i++) {
        static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
        const size_t n = previous - 2; /* of the type itself, less one */
        const char number[] = {digits[n / 62 % 62], digits[n % 62], 0};
        previous = s->len - 2 + 1;
        g_string_append_printf(s, "TB%s_B%s_E", number, number);
    }
    return g_string_free(g_string_append_c(s, 'E'), FALSE);
}

/* D: each parameter is a function of the previous one, twice. */
static char *doubling_references(unsigned count)
{
    GString *s = g_string_new("_D1aFFiiZi");
    for (unsigned i = 0; i < count; i++)
        g_string_append(s, i ? "FQiQkZi" : "FQgQiZi"); /* letters are distances */
    return g_string_free(g_string_append(s, "Zi"), FALSE);
}

/* D: functions that do not end, which are read in two ways. */
static char *doubling_functions(unsigned count)
{
    GString *s = g_string_new("_D1a");
    for (unsigned i = 0; i < count; i++)
        g_string_append(s, "FC1b");
    return g_string_free(s, FALSE);
}

static void explosive(void **state)
{
    (void)state;
    gint64 begun = g_get_monotonic_time();
    for (unsigned count = 0; count < 160; count++) {
        char *symbols[] = {doubling_parameters(count), doubling_conversions(count), doubling_pairs(count),
                           doubling_references(count), doubling_functions(count)};
        for (size_t i = 0; i < G_N_ELEMENTS(symbols); i++) {
            char *name = demangle(symbols[i]);
            assert_true(!name || strlen(name) <= DEMANGLE_NAME_MAX);
            g_free(name);
            g_free(symbols[i]);
        }
    }
    assert_true(g_get_monotonic_time() - begun < 20 * G_USEC_PER_SEC);
}

static void long_symbols(void **state)
{
    (void)state;
    for (size_t length = 1; length < 3 * DEMANGLE_SYMBOL_MAX; length += 500) {
        char *part = g_strnfill(length, 'x');
        char *plain = g_strdup_printf("_Z%zu%sv", length, part), *nested = g_strnfill(length, 'P');
        char *pointers = g_strdup_printf("_Z1f%si", nested),
             *hashed = g_strdup_printf("_ZN%zu%s17h0123456789abcdefE", length, part);
        g_free(demangle(plain));
        g_free(demangle(pointers));
        g_autofree char *name = g_strconcat(part, "::h0123456789abcdef", NULL);
        check(hashed, strlen(hashed) < DEMANGLE_SYMBOL_MAX ? name : NULL);
        g_free(part);
        g_free(plain);
        g_free(nested);
        g_free(pointers);
        g_free(hashed);
    }
}

/* Symbols for which the demangler in the C++ runtime of GCC 12 loops forever, and some that look similar. */
static void endless(void **state)
{
    (void)state;
    static const char *const bad[] = {"_Z1fDTsrssD", "_Z1fDTsr1aD",      "_Z1fDTsr1aC",     "_Z1fDTsr1aU",
                                      "_Z1fDTsr9D",  "_Z1fDTsr1aLi2EDx", "_Z1fDTsr1aS1_Dx", "_ZssDTsrs1sr1aDx"};
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++)
        check(bad[i], NULL);
    check("_Z1fDTsr1A1aE", "f(decltype (A::a))");
    check("_Z1fIiEDTsr2CD1UEv", "decltype (CD::U) f<int>()");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cxx_symbols), cmocka_unit_test(rust_symbols), cmocka_unit_test(d_symbols),
        cmocka_unit_test(damaged),     cmocka_unit_test(explosive),    cmocka_unit_test(long_symbols),
        cmocka_unit_test(endless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
