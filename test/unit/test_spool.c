/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes can be read back, whether or not there are too many for memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <glib.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "util/spool.h"
#include "util/temporary_file.h"

static void any_place(void **state)
{
    (void)state;
    enum { CHUNK = 3 << 20, CHUNKS = 14 };
    uint8_t *chunk = g_malloc(CHUNK), *back = g_malloc(CHUNK);
    spool *s = spool_new();
    for (unsigned i = 0; i < CHUNKS; i++) {
        memset(chunk, (int)i, CHUNK);
        assert_int_equal(spool_length(s), (uint64_t)i * CHUNK);
        assert_int_equal(spool_append(s, chunk, CHUNK), 0);
    }
    for (unsigned i = 0; i + 1 < CHUNKS; i++) { /* across the boundaries of chunks, and of file and memory */
        uint64_t at = (uint64_t)i * CHUNK + CHUNK / 2;
        assert_int_equal(spool_read(s, at, back, CHUNK), 0);
        assert_int_equal(back[0], i);
        assert_int_equal(back[CHUNK / 2 - 1], i);
        assert_int_equal(back[CHUNK / 2], i + 1);
        assert_int_equal(back[CHUNK - 1], i + 1);
    }
    assert_int_equal(spool_read(s, (uint64_t)CHUNKS * CHUNK - 1, back, 2), EIO);
    assert_int_equal(spool_read(s, 0, back, 0), 0);
    spool_free(s);
    g_free(chunk);
    g_free(back);
}

static void larger_than_memory(void **state)
{
    (void)state;
    size_t length = SPOOL_MEMORY + 5;
    uint8_t *all = g_malloc0(length), last;
    all[length - 1] = 9;
    spool *s = spool_new();
    assert_int_equal(spool_append(s, all, length), 0);
    assert_int_equal(spool_read(s, length - 1, &last, 1), 0);
    assert_int_equal(last, 9);
    spool_free(s);
    g_free(all);
}

/* Uses resource limits, as a full disk and a missing folder are hard to arrange. */
static int append_limited(spool *s, int resource, rlim_t limit)
{
    struct rlimit usual, now;
    uint8_t *all = g_malloc0(SPOOL_MEMORY + 5);
    assert_int_equal(getrlimit(resource, &usual), 0);
    now = usual;
    now.rlim_cur = limit;
    assert_int_equal(setrlimit(resource, &now), 0);
    int error = spool_append(s, all, SPOOL_MEMORY + 5);
    assert_int_equal(setrlimit(resource, &usual), 0);
    g_free(all);
    return error;
}

static void expect_problem(int resource, rlim_t limit, int error, const char *what)
{
    spool *s = spool_new();
    assert_int_equal(append_limited(s, resource, limit), error);
    char *problem = spool_problem(s, error);
    assert_non_null(strstr(problem, "the temporary file wiretrace-"));
    assert_non_null(strstr(problem, g_get_tmp_dir()));
    assert_non_null(strstr(problem, what));
    assert_non_null(strstr(problem, g_strerror(error)));
    g_free(problem);
    spool_free(s);
}

/* If the temporary file fails, its name and folder are reported, since users know nothing of it. */
static void no_room(void **state)
{
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    expect_problem(RLIMIT_NOFILE, 0, EMFILE, "cannot be made");
    expect_problem(RLIMIT_FSIZE, 1 << 20, EFBIG, "cannot be used");
}

/* What a temporary file cannot do is said with its name and folder. */
static void temporary_problems(void **state)
{
    (void)state;
    temporary t = TEMPORARY_CLOSED;
    char bytes[4] = "abc";
    assert_true(temporary_open(&t));
    assert_false(g_file_test(t.path, G_FILE_TEST_EXISTS));
    assert_int_equal(temporary_write(&t, 5, bytes, sizeof bytes), 0);
    memset(bytes, 0, sizeof bytes);
    assert_int_equal(temporary_read(&t, 5, bytes, sizeof bytes), 0);
    assert_string_equal(bytes, "abc");
    assert_int_equal(temporary_read(&t, 6, bytes, sizeof bytes), EIO); /* behind its end */
    g_autofree char *used = temporary_problem(&t, ENOSPC);
    assert_non_null(strstr(used, "cannot be used: No space left"));
    int own = temporary_take(&t);
    assert_int_equal(t.fd, -1);
    assert_int_equal(temporary_write(&t, 0, bytes, 1), EBADF);
    assert_int_equal(temporary_read(&t, 0, bytes, 1), EBADF);
    g_autofree char *made = temporary_problem(&t, EACCES);
    assert_non_null(strstr(made, "cannot be made: Permission denied"));
    assert_non_null(strstr(made, g_get_tmp_dir()));
    temporary_close(&t);
    assert_null(t.path);
    assert_int_equal(close(own), 0); /* it was ours */
}

/* Without descriptors there is none. */
static void no_descriptors(void **state)
{
    (void)state;
    struct rlimit before, none;
    temporary t = TEMPORARY_CLOSED;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    bool opened = temporary_open(&t);
    int error = errno;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_false(opened);
    assert_int_equal(error, EMFILE);
    temporary_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(temporary_problems), cmocka_unit_test(no_descriptors), cmocka_unit_test(any_place),
        cmocka_unit_test(larger_than_memory), cmocka_unit_test(no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
