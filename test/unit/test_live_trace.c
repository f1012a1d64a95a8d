/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes of live captures: they are found by their number, only those of this user, and not for ever. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <glib.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include "core/live_trace.h"

static char *run, *folder;

static int begin(void **state)
{
    (void)state;
    run = g_dir_make_tmp("wiretrace-test-XXXXXX", NULL);
    g_setenv("XDG_RUNTIME_DIR", run, TRUE);
    folder = g_build_filename(run, "wiretrace-live", NULL);
    return run ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    GDir *dir = g_dir_open(folder, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir));) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        g_unlink(path);
    }
    g_dir_close(dir);
    g_rmdir(folder);
    g_rmdir(run);
    g_free(folder);
    g_free(run);
    return 0;
}

static void test_is_found(void **state)
{
    (void)state;
    assert_null(live_trace_name(1)); /* there is no folder */
    live_trace_note(UINT64_C(0xfedcba9876543210), "/a/trace");
    live_trace_note(2, "/another trace");
    assert_string_equal(live_trace_name(UINT64_C(0xfedcba9876543210)), "/a/trace");
    assert_string_equal(live_trace_name(2), "/another trace");
    assert_null(live_trace_name(3));
    live_trace_note(2, "/a/later/../one");
    assert_string_equal(live_trace_name(2), "/a/one");
}

static void test_of_others(void **state)
{
    (void)state;
    live_trace_note(4, "/trace");
    assert_int_equal(g_chmod(folder, 0722), 0);
    assert_null(live_trace_name(4));
    live_trace_note(5, "/trace");
    assert_int_equal(g_chmod(folder, 0700), 0);
    assert_string_equal(live_trace_name(4), "/trace");
    assert_null(live_trace_name(5));
    g_autofree char *link = g_build_filename(folder, "0000000000000006", NULL);
    assert_int_equal(symlink("0000000000000004", link), 0);
    assert_null(live_trace_name(6));
}

static void test_is_forgotten(void **state)
{
    (void)state;
    live_trace_note(7, "/trace");
    g_autofree char *old = g_build_filename(folder, "0000000000000007", NULL);
    const struct utimbuf long_ago = {1000, 1000};
    assert_int_equal(utime(old, &long_ago), 0);
    live_trace_note(8, "/trace");
    assert_null(live_trace_name(7));
    assert_string_equal(live_trace_name(8), "/trace");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_is_found),
        cmocka_unit_test(test_of_others),
        cmocka_unit_test(test_is_forgotten),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
