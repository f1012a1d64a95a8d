/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of functions in a build without libsupc++. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>

#include "program/demangle.h"

static void only_rust_is_demangled(void **state)
{
    (void)state;
    assert_null(demangle("_Z3fibi"));
    assert_null(demangle("_ZN3std3fibEi"));
    char *name = demangle("_ZN3std3fib17h0123456789abcdefE");
    assert_string_equal(name, "std::fib");
    g_free(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_rust_is_demangled)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
