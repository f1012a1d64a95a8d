/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Function names in a build without libelf. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "xray/functions.h"

static void programs_name_nothing(void **state)
{
    (void)state;
    GString *problems = g_string_new(NULL);
    assert_null(xray_functions_load("captures/xray/calls.elf", true, problems));
    assert_string_equal(problems->str, "There are no function names: built without libelf.\n");
    g_string_truncate(problems, 0);
    assert_null(xray_functions_load("", true, problems)); /* names were not asked for */
    assert_null(xray_functions_load(NULL, true, problems));
    xray_functions_narrow(NULL, XRAY_FDR_ID_BITS, problems);
    assert_string_equal(problems->str, "");
    assert_null(xray_functions_find(NULL, 1));
    assert_null(xray_functions_source(NULL, 1));
    assert_false(xray_functions_ambiguous(NULL, 1));
    assert_null(xray_functions_discover("captures/xray/fdr-args.xray"));
    xray_functions_free(NULL);
    g_string_free(problems, TRUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(programs_name_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
