/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errors: set once, with words, for those who ask for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failed.h"
#include "util/fail.h"

static const char *nothing(GError **error)
{
    return fail_null(error, "%s%%", "nothing");
}

static void errors_have_words(void **state)
{
    (void)state;
    GError *error = NULL;
    assert_false(fail_with(&error, "line %u: %s", 7, "too long"));
    assert_failed(&error, "line 7: too long");
    assert_null(error);
    assert_null(nothing(&error));
    assert_failed(&error, "nothing%");
}

static void nobody_has_to_ask(void **state)
{
    (void)state;
    assert_false(fail_with(NULL, "%s", "unheard"));
    assert_null(nothing(NULL));
}

static void words_outlive_the_error(void **state)
{
    (void)state;
    GError *error = NULL;
    assert_null(fail_words(error));
    fail_with(&error, "%s", "kept");
    g_autofree char *words = fail_words(error);
    assert_string_equal(words, "kept");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(errors_have_words), cmocka_unit_test(nobody_has_to_ask),
                                       cmocka_unit_test(words_outlive_the_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
