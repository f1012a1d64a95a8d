/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which JSON may be given to a parser whose strings are shown as they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "util/json_text.h"

static bool safe(const char *text)
{
    return json_text_is_safe(text, strlen(text));
}

static void test_safe(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "{\n\t\"a\": \"b\\\"c\\\\\"}",
                                        "\\n\\t\\/",
                                        "\\u00e9\\u0020\\u000a",
                                        "\\ud83d\\ude00",
                                        "\xc3\xa9\xf0\x9f\x98\x80",
                                        "\\\\u202e",
                                        "\\ud83d\\ude00x"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_true(safe(texts[i]));
}

static void test_unsafe(void **state)
{
    (void)state;
    static const char *const texts[] = {"\x1b",
                                        "\r",
                                        "\\r",
                                        "\\b",
                                        "\\f",
                                        "\\u001b",
                                        "\\u0000",
                                        "\\u007f",
                                        "\\u009b",
                                        "\\u202E",
                                        "\xe2\x80\xae",
                                        "\\ud800",
                                        "\\udc00\\ud800",
                                        "\\ud800\\u0041",
                                        "\\ud800x",
                                        "\\u12",
                                        "\\u12g4",
                                        "\\",
                                        "a\\u061cb",
                                        "\\ud83d\\ude00\\u2066",
                                        "\\n\\u202a"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(safe(texts[i]));
    assert_false(json_text_is_safe("a\0b", 3));
}

/* Cut at every byte: nothing after the end is read, as the sanitizer would see. */
static void test_cut(void **state)
{
    (void)state;
    static const char text[] = "a\\ud83d\\ude00\\u00e9\\n\xe2\x80\xae";
    for (size_t n = 0; n < sizeof text; n++) {
        char *copy = strndup(text, n);
        json_text_is_safe(copy, n);
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_safe), cmocka_unit_test(test_unsafe),
                                       cmocka_unit_test(test_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
