/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of clock offsets, as ovnisync writes them and with errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "ovni/clocks.h"

static const char real[] = "rank       hostname             offset_median        offset_mean          offset_std\n"
                           "0          node01               0                    0.000000             0.000000\n"
                           "1          node02               -36999999995         -37000000003.519997  28.871880\n";

static GHashTable *parse(const char *text, unsigned problems)
{
    ovni_problems p = {0};
    GHashTable *c = ovni_clocks_parse(text, strlen(text), &p);
    if (p.count != problems)
        fail_msg("%s: %u problems, expected %u: %s", text, p.count, problems, p.text ? p.text->str : "");
    ovni_problems_clear(&p);
    return c;
}

static void check_offset(const char *number, int64_t expected)
{
    char *text = g_strdup_printf("heading\n0 host %s 0 0\n", number);
    GHashTable *c = parse(text, 0);
    int64_t offset = 0;
    assert_true(ovni_clocks_find(c, "host", &offset));
    assert_true(offset == expected);
    g_hash_table_destroy(c);
    g_free(text);
}

static void a_real_table(void **state)
{
    (void)state;
    GHashTable *c = parse(real, 0);
    int64_t offset = 1;
    assert_int_equal(g_hash_table_size(c), 2);
    assert_true(ovni_clocks_find(c, "node01.0", &offset));
    assert_true(offset == 0);
    assert_true(ovni_clocks_find(c, "node02", &offset));
    assert_true(offset == INT64_C(-36999999995));
    assert_true(ovni_clocks_find(c, "node02.1.2", &offset));
    assert_false(ovni_clocks_find(c, "node0", &offset));
    assert_false(ovni_clocks_find(c, "node02x.0", &offset));
    assert_false(ovni_clocks_find(c, "", &offset));
    assert_false(ovni_clocks_find(c, NULL, &offset));
    assert_false(ovni_clocks_find(NULL, "node01", &offset));
    g_hash_table_destroy(c);
}

static void medians_are_signed_decimals(void **state)
{
    (void)state;
    check_offset("5", 5);
    check_offset("-5.9", -5);
    check_offset("5.9", 5);
    check_offset("1e3", 1000);
    check_offset("-2.5e1", -25);
    check_offset("9007199254740993", INT64_C(9007199254740993)); /* not representable as a double */
    check_offset("9007199254740993.5", INT64_C(9007199254740993));
    check_offset("-9223372036854775808", INT64_MIN);
    check_offset(".5", 0);
}

/* Table whose heading, or a row, has this many bytes more, followed by more text. */
static void check_long(bool heading, int more, const char *after, unsigned problems)
{
    g_autofree char *text = heading ? g_strdup_printf("%-*s%s\n0 a 7 0 0\n", more, "rank", after)
                                    : g_strdup_printf("rank\n%-*s%s\n", more, "0 a 7 0 0", after);
    GHashTable *c = parse(text, problems);
    int64_t offset = 0;
    assert_true(ovni_clocks_find(c, "a", &offset) && offset == 7);
    g_hash_table_destroy(c);
}

/* As ovniemu reads them. */
static void long_lines_are_several(void **state)
{
    (void)state;
    for (int heading = 0; heading < 2; heading++) {
        check_long(heading, 1022, "\r", 0);
        check_long(heading, 1023, "", 0);
        check_long(heading, 5000, "", 0);
        check_long(heading, 1023, "x", 1);
        check_long(heading, 2046, "1 b 8 0 0", 0);
    }
}

/* A bad row affects only itself. */
static void bad_rows_are_named_and_skipped(void **state)
{
    (void)state;
    static const struct {
        const char *row;
        unsigned problems;
    } rows[] = {
        {"", 0},
        {"   \t ", 0},
        {"1 b 2 3", 1},
        {"x b 2 3 4", 1},
        {"1 b x 3 4", 1},
        {"1 b 2 x 4", 1},
        {"1 b 2 3 x", 1},
        {"1 b nan 3 4", 1},
        {"1 b inf 3 4", 1},
        {"1 b 1e30 3 4", 1},
        {"1 a 2 3 4", 1},
        {"1 b 2 3 4 5", 0},
        {"1 b 2 3.000000 -nan", 0}, /* the deviation of a single sample */
        {"1 b 2 3 4\r", 0},
        {"1 b 9223372036854775808 3 4", 1},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        char *text = g_strdup_printf("heading\n0 a 7 0 0\n%s\n2 c 9 0 0", rows[i].row);
        GHashTable *c = parse(text, rows[i].problems);
        int64_t offset = 0;
        assert_true(ovni_clocks_find(c, "a", &offset));
        assert_true(offset == 7);
        assert_true(ovni_clocks_find(c, "c", &offset));
        assert_true(offset == 9);
        g_hash_table_destroy(c);
        g_free(text);
    }
}

static void tables_without_rows(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "\n", "heading", "0 a 1 2 3\n"};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        GHashTable *c = parse(texts[i], 1);
        assert_int_equal(g_hash_table_size(c), 0);
        g_hash_table_destroy(c);
    }
    g_hash_table_destroy(parse("wallclock node01 node02\n1700000000.5 0 -37000000000.1 0 0\n", 2));
}

static void problems_are_counted_not_all_shown(void **state)
{
    (void)state;
    GString *text = g_string_new("heading\n"), *comment = g_string_new("Clock.");
    for (int i = 0; i < 100000; i++)
        g_string_append(text, "bad\n");
    ovni_problems p = {0};
    g_hash_table_destroy(ovni_clocks_parse(text->str, text->len, &p));
    assert_int_equal(p.count, 100001);
    ovni_problems_append(&p, comment);
    assert_true(comment->len < 1000);
    assert_true(g_str_has_suffix(comment->str, "and 99993 more."));
    ovni_problems_clear(&p);
    g_string_free(text, TRUE);
    g_string_free(comment, TRUE);
}

static void the_variable_switches_it_off(void **state)
{
    (void)state;
    char *folder = g_dir_make_tmp("ovni-clocks-XXXXXX", NULL), *path = g_build_filename(folder, OVNI_CLOCKS_FILE, NULL);
    ovni_problems p = {0};
    assert_null(ovni_clocks_load(folder, &p)); /* there is none, which is no problem */
    assert_int_equal(p.count, 0);
    assert_true(g_file_set_contents(path, real, -1, NULL));
    GHashTable *c = ovni_clocks_load(folder, &p);
    assert_int_equal(g_hash_table_size(c), 2);
    g_hash_table_destroy(c);
    g_setenv(OVNI_CLOCKS_VARIABLE, "0", TRUE);
    assert_null(ovni_clocks_load(folder, &p));
    g_setenv(OVNI_CLOCKS_VARIABLE, "1", TRUE);
    g_hash_table_destroy(ovni_clocks_load(folder, &p));
    g_autofree char *other = g_build_filename(folder, "other", NULL);
    assert_true(g_file_set_contents(other, "rank host\n0 elsewhere 7 7 0\n", -1, NULL));
    g_setenv(OVNI_CLOCKS_VARIABLE, other, TRUE);
    c = ovni_clocks_load(folder, &p);
    int64_t offset = 0;
    assert_true(ovni_clocks_find(c, "elsewhere.0", &offset) && offset == 7 && g_hash_table_size(c) == 1);
    g_hash_table_destroy(c);
    g_unlink(other);
    g_unsetenv(OVNI_CLOCKS_VARIABLE);
    assert_int_equal(p.count, 0);
    g_unlink(path);
    g_mkdir(path, 0700); /* anything that is not a file is reported */
    assert_null(ovni_clocks_load(folder, &p));
    assert_int_equal(p.count, 1);
    ovni_problems_clear(&p);
    g_rmdir(path);
    g_rmdir(folder);
    g_free(path);
    g_free(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_real_table),
        cmocka_unit_test(medians_are_signed_decimals),
        cmocka_unit_test(long_lines_are_several),
        cmocka_unit_test(bad_rows_are_named_and_skipped),
        cmocka_unit_test(tables_without_rows),
        cmocka_unit_test(problems_are_counted_not_all_shown),
        cmocka_unit_test(the_variable_switches_it_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
