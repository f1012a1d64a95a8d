/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whatever reads files opens only regular ones; pipes, sockets, devices and folders are not opened, not even for a
 * moment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cacheray/caches.h"
#include "cacheray/members/members.h"
#include "load_functions.h"
#include "util/json_text.h"
#include "ovni/clocks.h"
#include "ovni/metadata.h"
#include "ovni/ovni.h"
#include "ovni/problems.h"
#include "util/regular_file.h"
#include "core/source.h"
#include "failed.h"
#include "xray/names/functions.h"

static char *folder, *file, *link_to_file, *fifo, *link_to_fifo, *log_path, *fifo_beside_log, *fifo_of_clocks;
static int watch; /* notices when the pipes are opened */

/* Instead of the library's: the file can seem to be another one than was looked at. */
static bool pretend_replaced;
int fstat(int fd, struct stat *st)
{
    int result = fstatat(fd, "", st, AT_EMPTY_PATH);
    st->st_ino += pretend_replaced;
    return result;
}

static char *in_folder(const char *name)
{
    return g_build_filename(folder, name, NULL);
}

static void make_fifo(const char *path)
{
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_true(inotify_add_watch(watch, path, IN_OPEN) >= 0);
}

static int make_files(void **state)
{
    (void)state;
    folder = g_dir_make_tmp("regular-XXXXXX", NULL);
    watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    assert_true(watch >= 0);
    file = in_folder("file");
    link_to_file = in_folder("link-to-file");
    fifo = in_folder("fifo");
    link_to_fifo = in_folder("link-to-fifo");
    log_path = in_folder("xray-log.program.Ab12Cd");
    fifo_beside_log = in_folder("program");
    fifo_of_clocks = in_folder("clock-offsets.txt");
    assert_true(g_file_set_contents(file, "bytes", 5, NULL));
    assert_int_equal(symlink("file", link_to_file), 0);
    assert_int_equal(symlink("fifo", link_to_fifo), 0);
    make_fifo(fifo);
    make_fifo(fifo_beside_log);
    make_fifo(fifo_of_clocks);
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    char *all[] = {file, link_to_file, fifo, link_to_fifo, fifo_beside_log, fifo_of_clocks};
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        g_unlink(all[i]);
        g_free(all[i]);
    }
    close(watch);
    g_rmdir(folder);
    g_free(folder);
    g_free(log_path);
    return 0;
}

static void assert_no_pipe_was_opened(void)
{
    char event[4096];
    errno = 0;
    assert_int_equal(read(watch, event, sizeof event), -1);
    assert_int_equal(errno, EAGAIN);
}

static void expect_open(const char *path, bool follow)
{
    struct stat st;
    int fd = regular_file_open(path, follow, &st);
    assert_true(fd >= 0);
    assert_int_equal(st.st_size, 5);
    char bytes[8];
    assert_int_equal(read(fd, bytes, sizeof bytes), 5);
    close(fd);
}

static void expect_refusal(const char *path, bool follow, int error)
{
    struct stat st;
    errno = 0;
    assert_int_equal(regular_file_open(path, follow, &st), -1);
    assert_int_equal(errno, error);
}

static void regular_files(void **state)
{
    (void)state;
    expect_open(file, false);
    expect_open(file, true);
    expect_open(link_to_file, true);
    expect_refusal(link_to_file, false, EINVAL);
}

static void other_files(void **state)
{
    (void)state;
    char *nothing = in_folder("nothing"), *path = in_folder("socket");
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    g_strlcpy(name.sun_path, path, sizeof name.sun_path);
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(s, (const struct sockaddr *)&name, sizeof name), 0);
    expect_refusal(path, true, EINVAL);
    close(s);
    g_unlink(path);
    expect_refusal(fifo, true, EINVAL);
    expect_refusal(fifo, false, EINVAL);
    expect_refusal(link_to_fifo, true, EINVAL);
    expect_refusal(link_to_fifo, false, EINVAL);
    expect_refusal("/dev/zero", true, EINVAL);
    expect_refusal(folder, true, EINVAL);
    expect_refusal(nothing, true, ENOENT);
    assert_string_equal(regular_file_problem(EINVAL), "it is not a regular file");
    assert_string_equal(regular_file_problem(ENOENT), g_strerror(ENOENT));
    assert_no_pipe_was_opened();
    g_free(nothing);
    g_free(path);
}

/* Everything that opens files with names from a trace, beside one, or from a preference. */
static void readers(void **state)
{
    (void)state;
    const char *const pipes[] = {fifo, link_to_fifo};
    for (size_t i = 0; i < G_N_ELEMENTS(pipes); i++) {
        const members_machine machine = {true, false};
        GError *failure = NULL;
        bool is;
        caches_config config;
        json_text text;
        int error = 0;
        assert_null(source_path_new(pipes[i], &error));
        assert_int_not_equal(error, 0);
        assert_false(json_text_is(pipes[i], &is, &failure));
        assert_failed(&failure, "it is not a regular file");
        assert_false(json_text_load(pipes[i], &text, &failure));
        assert_failed(&failure, "it is not a regular file");
        assert_null(members_open(pipes[i], &machine, &failure));
        assert_failed(&failure, "it is not a regular file");
        assert_false(caches_read(pipes[i], &config, &failure));
        assert_failed(&failure, "it is not a regular file");
        assert_null(ovni_metadata_load(pipes[i], &error));
        GString *problems = g_string_new(NULL);
        xray_functions_free(load_functions(pipes[i], true, problems));
        g_string_free(problems, TRUE);
    }
    g_strfreev(xray_functions_discover(log_path, NULL, NULL));
    ovni_problems none = {0};
    assert_null(ovni_clocks_load(folder, &none));
    ovni_problems_clear(&none);
    assert_no_pipe_was_opened();
}

/* Checks that the watch notices. */
static void the_watch_works(void **state)
{
    (void)state;
    char event[4096];
    close(open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    assert_true(read(watch, event, sizeof event) > 0);
    assert_no_pipe_was_opened();
}

static void reading(void **state)
{
    (void)state;
    struct stat st;
    char bytes[8] = "";
    int fd = regular_file_open(file, true, &st);
    assert_int_equal(regular_file_read(fd, 0, bytes, 5), 5);
    assert_memory_equal(bytes, "bytes", 5);
    assert_int_equal(regular_file_read(fd, 2, bytes, sizeof bytes), 3); /* fewer only at the end */
    assert_memory_equal(bytes, "tes", 3);
    assert_int_equal(regular_file_read(fd, 5, bytes, sizeof bytes), 0);
    close(fd);
    errno = 0;
    assert_int_equal(regular_file_read(fd, 0, bytes, 1), -1);
    assert_int_equal(errno, EBADF);
}

static void whole_files(void **state)
{
    (void)state;
    size_t length = 0;
    char *text = regular_file_text(file, false, 5, &length);
    assert_string_equal(text, "bytes");
    assert_int_equal(length, 5);
    g_free(text);
    assert_null(regular_file_text(file, false, 4, &length));
    assert_int_equal(errno, EFBIG);
    assert_null(regular_file_text(link_to_file, false, 5, &length));
    assert_int_equal(errno, EINVAL);
    assert_null(regular_file_text(fifo, true, 5, &length));
    assert_int_equal(errno, EINVAL);
}

/* If the file is replaced while it is opened, it is not opened; nor without descriptors. */
static void replaced_meanwhile(void **state)
{
    (void)state;
    struct rlimit before, none;
    pretend_replaced = true;
    expect_refusal(file, true, EINVAL);
    pretend_replaced = false;
    expect_open(file, true);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    struct stat st;
    int fd = regular_file_open(file, true, &st), error = errno;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(fd, -1);
    assert_int_equal(error, EMFILE);
    assert_string_equal(regular_file_problem(EINVAL), "it is not a regular file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replaced_meanwhile), cmocka_unit_test(regular_files),
        cmocka_unit_test(other_files),        cmocka_unit_test(reading),
        cmocka_unit_test(whole_files),        cmocka_unit_test(readers),
        cmocka_unit_test(the_watch_works),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
