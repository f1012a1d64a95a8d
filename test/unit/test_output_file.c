/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file is there when all of it has been written; until then, and after any failure, what was there before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/output_file.h"

static char *folder;

static int make_folder(void **state)
{
    (void)state;
    folder = g_dir_make_tmp("output-XXXXXX", NULL);
    return folder && g_chdir(folder) == 0 ? 0 : -1;
}

/* Nothing may be left. */
static int remove_folder(void **state)
{
    (void)state;
    int status = g_rmdir(folder);
    g_free(folder);
    return status;
}

static void write_all(const char *path, const char *text)
{
    assert_true(g_file_set_contents(path, text, -1, NULL));
}

/* Removes it, too. */
static void assert_holds(const char *path, const char *text)
{
    g_autofree char *found = NULL;
    assert_true(g_file_get_contents(path, &found, NULL, NULL));
    assert_string_equal(found, text);
    assert_int_equal(g_unlink(path), 0);
}

static output_file *opened(const char *path, bool replace, const char *text)
{
    output_file *f = output_file_open(path, replace);
    assert_non_null(f);
    fputs(text, f->stream);
    return f;
}

static void at_the_end(void **state)
{
    (void)state;
    g_autofree char *path = g_build_filename(folder, "a", NULL);
    output_file *files[] = {opened(path, false, "new"), opened("b", true, "other")};
    fflush(files[0]->stream);
    assert_int_equal(g_access(path, F_OK), -1);
    assert_true(output_files_finish(files, 2));
    assert_holds(path, "new");
    assert_holds("b", "other");
}

static void what_was_there(void **state)
{
    (void)state;
    write_all("a", "old");
    assert_int_equal(g_chmod("a", 0600), 0);
    assert_null(output_file_open("a", false));
    assert_int_equal(errno, EEXIST);
    output_file_cancel(opened("a", true, "new"));
    output_file *f = opened("a", true, "new");
    assert_true(output_files_finish(&f, 1));
    struct stat there;
    assert_int_equal(stat("a", &there), 0);
    assert_int_equal(there.st_mode & 0777, 0600); /* as it was */
    f = opened("b", false, "mine");
    write_all("b", "theirs"); /* meanwhile */
    assert_false(output_files_finish(&f, 1));
    assert_int_equal(errno, EEXIST);
    assert_holds("a", "new");
    assert_holds("b", "theirs");
}

static void links_and_others(void **state)
{
    (void)state;
    write_all("target", "old");
    assert_int_equal(symlink("target", "link"), 0);
    assert_int_equal(symlink("nowhere", "broken"), 0);
    assert_null(output_file_open("link", false));
    assert_null(output_file_open("broken", false));
    output_file *files[] = {opened("link", true, "new"), opened("broken", true, "new")};
    assert_true(output_files_finish(files, 2));
    assert_holds("target", "old");
    assert_holds("link", "new");
    assert_holds("broken", "new");
    assert_null(output_file_open(folder, true));
    assert_int_equal(errno, EISDIR);
    assert_null(output_file_open("/dev/null", true));
    assert_null(output_file_open("no/folder", true));
    assert_int_equal(errno, ENOENT);
    write_all("own", "old");
    assert_int_equal(g_chmod("own", 0400), 0);
    if (geteuid() != 0)
        assert_null(output_file_open("own", true));
    assert_holds("own", "old");
}

static void all_or_none(void **state)
{
    (void)state;
    write_all("a", "old a");
    output_file *files[] = {opened("a", true, "new a"), opened("b", true, "new b")};
    assert_int_equal(g_mkdir("b", 0700), 0); /* in its way */
    assert_false(output_files_finish(files, 2));
    assert_int_equal(errno, EISDIR);
    assert_int_equal(g_rmdir("b"), 0);
    assert_holds("a", "old a");
}

static void a_full_disk(void **state)
{
    (void)state;
    static char much[100000];
    struct rlimit before, small;
    memset(much, 'x', sizeof much - 1);
    write_all("a", "old a");
    write_all("b", "old b");
    output_file *files[] = {opened("a", true, "new a"), opened("b", true, "")};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 5000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    fputs(much, files[1]->stream);
    bool done = output_files_finish(files, 2);
    int error = errno;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_false(done);
    assert_true(error == EFBIG || error == EIO);
    assert_holds("a", "old a");
    assert_holds("b", "old b");
}

/* As when a later option is wrong. */
static void an_early_end(void **state)
{
    (void)state;
    write_all("a", "old");
    pid_t child = fork();
    if (child == 0) {
        opened("a", true, "new");
        exit(3);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    assert_holds("a", "old");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(at_the_end),       cmocka_unit_test(what_was_there),
                                       cmocka_unit_test(links_and_others), cmocka_unit_test(all_or_none),
                                       cmocka_unit_test(a_full_disk),      cmocka_unit_test(an_early_end)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
