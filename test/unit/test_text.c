/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a long name is cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "text.h"

static void fits(void **state)
{
    (void)state;
    assert_int_equal(text_fitting("", 0, 4), 0);
    assert_int_equal(text_fitting("name", 4, 4), 4);
    assert_int_equal(text_fitting("names", 5, 4), 4);
}

/* Characters of two, three and four bytes stay whole; bytes that are no UTF-8 are cut anywhere. */
static void characters(void **state)
{
    (void)state;
    assert_int_equal(text_fitting("ab\xc3\xa9", 4, 3), 2);
    assert_int_equal(text_fitting("ab\xc3\xa9z", 5, 4), 4);
    assert_int_equal(text_fitting("a\xe2\x82\xac", 4, 3), 1);
    assert_int_equal(text_fitting("a\xf0\x9f\x98\x80", 5, 4), 1);
    assert_int_equal(text_fitting("\x80\x80\x80\x80\x80\x80", 6, 5), 5);
}

/* A name cannot steer a terminal, and stays as long as it was. */
static void tame(void **state)
{
    (void)state;
    char text[] = "a\x1b[31m\n\t\x7f\xc2\x9b\xc2\xa0 d\xc3\xa9%s\xc2", empty[] = "";
    assert_string_equal(text_tame(text), "a?[31m?????\xc2\xa0 d\xc3\xa9%s\xc2");
    assert_string_equal(text_tame(empty), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fits), cmocka_unit_test(characters), cmocka_unit_test(tame)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
