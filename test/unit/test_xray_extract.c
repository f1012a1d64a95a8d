/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instrumentation maps as llvm-xray extract prints them: exactly those, and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "load_functions.h"
#include "xray/names/extract.h"
#include "xray/names/functions.h"

#define ROW(id, function, name) \
    "- { id: " id ", address: 0x4233D0, function: " function \
    ", kind: function-enter, always-instrument: true, function-name: " name ", version: 2 }\n"

static const char valid[] = "---\n" ROW("1", "0x4233D0", "'leaf(int)'") ROW("1", "0x4233D0", "other") ROW(
    "3", "0x10", "main") ROW("4", "0xFFFFFFFFFFFFFFFF",
                             "'it''s, } \\ here'") ROW("5", "0x1", "\"q\\\"\\\\\\x41\\u00e9\\n\"") ROW("6", "0x2", "''")
    ROW("8", "0x4",
        "\"n\\0u\\x00l\"") "- { id: 7, address: 0x1, function: 0x3, kind: function-exit, always-instrument: false, function-name: old }\n...\n";

/* Copied, so that reading past the end is noticed. */
static extract_function *read_text(const char *text, size_t length, size_t *count, unsigned *line)
{
    char *copy = g_memdup2(text, length);
    extract_function *f = extract_read(copy, length, count, line);
    g_free(copy);
    return f;
}

static void test_valid(void **state)
{
    (void)state;
    static const char *const names[] = {"leaf(int)",       NULL, "main", "it's, } \\ here",
                                        "q\"\\A\xc3\xa9?", NULL, "old",  "n?u?l"};
    size_t count;
    unsigned line;
    extract_function *f = read_text(valid, strlen(valid), &count, &line);
    assert_non_null(f);
    assert_int_equal(count, G_N_ELEMENTS(names));
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(f[i].name == NULL, names[i] == NULL);
        assert_true(!names[i] || strcmp(f[i].name, names[i]) == 0);
    }
    assert_int_equal(f[0].address, 0x4233D0);
    assert_true(f[3].address == UINT64_MAX);
    extract_free(f, count);
}

/* Cut anywhere, it is whole lines or refused; with any byte changed nothing breaks. */
static void test_cut(void **state)
{
    (void)state;
    size_t count;
    unsigned line;
    for (size_t n = 0; n < strlen(valid); n++) {
        extract_function *f = read_text(valid, n, &count, &line);
        bool whole = n > 4 && (valid[n] == '\n' || valid[n - 1] == '\n');
        assert_int_equal(f != NULL, whole);
        if (f)
            extract_free(f, count);
    }
    for (size_t n = 0; n < strlen(valid); n++)
        for (int byte = 0; byte < 256; byte += 5) {
            g_autofree char *copy = g_strdup(valid);
            copy[n] = (char)byte;
            extract_function *f = read_text(copy, strlen(valid), &count, &line);
            if (f)
                extract_free(f, count);
        }
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned line;
    } bad[] = {
        {"", 1},
        {"--- \n", 1},
        {"---\n", 0},
        {"---\n...\n", 0},
        {"---\n" ROW("1", "0x1", "a") "...\n\n", 3},
        {"---\n" ROW("1", "0x1", "a") "\n", 3},
        {"---\n" ROW("0", "0x1", "a"), 2},
        {"---\n" ROW("400", "0x1", "a"), 2}, /* more ids than lines */
        {"---\n" ROW("-1", "0x1", "a"), 2},
        {"---\n" ROW("1", "0x10000000000000000", "a"), 2},
        {"---\n" ROW("1", "0x", "a"), 2},
        {"---\n" ROW("1", "0x1", "'a"), 2},
        {"---\n" ROW("1", "0x1", "\"a\\q\""), 2},
        {"---\n" ROW("1", "0x1", "\"a\\u12\""), 2},
        {"---\n" ROW("1", "0x1", "\"\\ud800\""), 2},
        {"---\n" ROW("1", "0x1", "a b"), 2},
        {"---\n- { id: 1, function: 0x1 }\n", 2},
        {"---\n- { id: 1, function: 0x1, function-name: a }", 99}, /* valid: no line feed at the end */
        {"---\n- { id: 1, function: 0x1, function-name: a, other: 3 }\n", 2},
        {"---\n- {}\n", 2},
        {"---\nnames: []\n", 2},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        size_t count;
        unsigned line = 77;
        extract_function *f = read_text(bad[i].text, strlen(bad[i].text), &count, &line);
        assert_int_equal(f != NULL, bad[i].line == 99);
        assert_true(f || line == bad[i].line);
        if (f)
            extract_free(f, count);
    }
}

/* A file with such a map names functions; what is wrong with it is said. */
static void test_files(void **state)
{
    (void)state;
    static const struct {
        const char *text, *problem, *name; /* of function 1 */
    } cases[] = {{"---\n" ROW("1", "0x4233D0", "'leaf(int)'") "...\n", "", "leaf(int)"},
                 {"---\n" ROW("1", "0x4233D0", "_Z4leafi") "...\n", "", "leaf(int)"},
                 {"---\n" ROW("1", "0x4233D0", "''") "...\n", "have no names", NULL},
                 {"---\n- { rubbish }\n...\n", "line 2 is not as llvm-xray extract writes it", NULL},
                 {"---", "cannot be used", NULL}};
    char *folder = g_dir_make_tmp("extract-XXXXXX", NULL), *path = g_build_filename(folder, "map", NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        GString *problems = g_string_new(NULL);
        assert_true(g_file_set_contents(path, cases[i].text, -1, NULL));
        xray_functions *f = load_functions(path, true, problems);
        const xray_function *x = f ? xray_functions_find(f, 1) : NULL;
        assert_int_equal(x && x->name, cases[i].name != NULL);
        if (cases[i].name)
            assert_string_equal(x->name, cases[i].name);
        if (!strstr(problems->str, cases[i].problem) || !*cases[i].problem != !problems->len)
            fail_msg("case %zu: %s", i, problems->str);
        xray_functions_free(f);
        g_string_free(problems, TRUE);
    }
    g_unlink(path);
    g_rmdir(folder);
    g_free(path);
    g_free(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_valid),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
