/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sources, and the window that holds a part of one in memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/source.h"

#define LENGTH 1000

/* Bytes that depend on their offset. */
static uint8_t byte_at(uint64_t offset)
{
    return (uint8_t)(offset * 7 + offset / 256);
}

static void check_bytes(const uint8_t *data, uint64_t offset, size_t length)
{
    for (size_t i = 0; i < length; i++)
        assert_int_equal(data[i], byte_at(offset + i));
}

/* A source that computes its bytes, counts reads, may hide its size and may fail. */
typedef struct made_up {
    source base;
    uint64_t length;
    uint64_t bad_from; /* reading fails from here on */
    uint64_t reads;
    uint64_t bytes_read;
} made_up;

static int64_t made_up_read(source *s, uint64_t offset, void *buffer, size_t length, int *err)
{
    made_up *m = (made_up *)s;
    m->reads++;
    if (offset + length > m->bad_from) {
        *err = EIO;
        return -1;
    }
    size_t n = offset < m->length ? MIN(length, (size_t)(m->length - offset)) : 0;
    for (size_t i = 0; i < n; i++)
        ((uint8_t *)buffer)[i] = byte_at(offset + i);
    m->bytes_read += n;
    return (int64_t)n;
}

static made_up make_up(uint64_t length, size_t block, bool size_known)
{
    static const source_ops ops = {made_up_read, NULL};
    return (made_up){
        .base = {&ops, size_known ? length : SOURCE_SIZE_UNKNOWN, block, 0}, .length = length, .bad_from = UINT64_MAX};
}

/* --- sources ----------------------------------------------------------------------------------------------------------- */

static void check_source(source *s)
{
    uint8_t buffer[LENGTH + 10];
    int err = 0;
    assert_int_equal(s->size, LENGTH);
    assert_true(s->block > 0);
    assert_int_equal(s->ops->read(s, 0, buffer, sizeof buffer, &err), LENGTH);
    check_bytes(buffer, 0, LENGTH);
    assert_int_equal(s->ops->read(s, 990, buffer, 10, &err), 10);
    check_bytes(buffer, 990, 10);
    assert_int_equal(s->ops->read(s, 995, buffer, 10, &err), 5);
    assert_int_equal(s->ops->read(s, LENGTH, buffer, 10, &err), 0);
    assert_int_equal(s->ops->read(s, UINT64_C(1) << 40, buffer, 10, &err), 0);
    assert_int_equal(err, 0);
}

typedef struct files {
    char *folder, *regular;
} files;

static int make_files(void **state)
{
    uint8_t bytes[LENGTH];
    files *f = g_new0(files, 1);
    for (unsigned i = 0; i < LENGTH; i++)
        bytes[i] = byte_at(i);
    f->folder = g_dir_make_tmp("wiretrace-XXXXXX", NULL);
    f->regular = g_build_filename(f->folder, "regular", NULL);
    *state = f;
    return g_file_set_contents(f->regular, (const char *)bytes, LENGTH, NULL) ? 0 : -1;
}

static int remove_files(void **state)
{
    files *f = *state;
    g_unlink(f->regular);
    g_rmdir(f->folder);
    g_free(f->regular);
    g_free(f->folder);
    g_free(f);
    return 0;
}

static void test_memory(void **state)
{
    (void)state;
    uint8_t bytes[LENGTH];
    for (unsigned i = 0; i < LENGTH; i++)
        bytes[i] = byte_at(i);
    source *s = source_memory_new(bytes, sizeof bytes);
    check_source(s);
    source_close(s);
    source_close(NULL);
}

static void test_descriptor(void **state)
{
    const files *f = *state;
    int fd = open(f->regular, O_RDONLY | O_CLOEXEC);
    source *s = source_descriptor_new(fd, LENGTH);
    check_source(s);
    source_close(s);
    assert_int_equal(fcntl(fd, F_GETFD), -1); /* closed with the source */

    uint8_t byte;
    int err = 0;
    s = source_descriptor_new(open(f->folder, O_RDONLY | O_CLOEXEC), 1); /* a folder cannot be read */
    assert_int_equal(s->ops->read(s, 0, &byte, 1, &err), -1);
    assert_int_equal(err, EISDIR);
    source_close(s);
}

/* While it is parked there is no descriptor; then the same file is opened again, and no other. */
static void test_parked(void **state)
{
    const files *f = *state;
    g_autofree char *moved = g_strconcat(f->regular, ".moved", NULL);
    uint8_t byte;
    int err = 0, fd = open(f->regular, O_RDONLY | O_CLOEXEC);
    source *s = source_descriptor_new(fd, LENGTH);
    for (unsigned i = 0; i < 2; i++) {
        source_park(s, f->regular);
        source_park(s, f->regular);
        assert_int_equal(fcntl(fd, F_GETFD), -1);
        check_source(s);
    }
    source_park(s, f->regular);
    assert_int_equal(g_rename(f->regular, moved), 0);
    assert_int_equal(s->ops->read(s, 0, &byte, 1, &err), -1);
    assert_int_equal(err, ENOENT);
    assert_true(g_file_set_contents(f->regular, "another", -1, NULL));
    assert_int_equal(s->ops->read(s, 0, &byte, 1, &err), -1);
    assert_int_equal(err, ESTALE);
    assert_int_equal(g_rename(moved, f->regular), 0);
    check_source(s);
    source_park(s, f->regular);
    source_close(s);

    s = source_descriptor_new(open(f->regular, O_RDONLY | O_CLOEXEC), LENGTH);
    assert_int_equal(g_rename(f->regular, moved), 0);
    assert_int_equal(g_unlink(moved), 0);
    source_park(s, f->regular); /* could not be opened again */
    check_source(s);
    source_close(s);
    s = source_memory_new("abc", 3);
    source_park(s, f->regular);
    assert_int_equal(s->ops->read(s, 0, &byte, 1, &err), 1);
    source_close(s);
}

static void test_path(void **state)
{
    const files *f = *state;
    int err = 0;
    source *s = source_path_new(f->regular, &err);
    assert_non_null(s);
    check_source(s);

    uint8_t bytes[10];
    assert_int_equal(truncate(f->regular, 500), 0); /* a file may get shorter while it is read */
    assert_int_equal(s->ops->read(s, 495, bytes, 10, &err), 5);
    assert_int_equal(g_unlink(f->regular), 0);
    assert_int_equal(s->ops->read(s, 0, bytes, 10, &err), -1);
    assert_int_equal(err, ENOENT);
    source_close(s);
}

static void refuse(const files *f, const char *path, int reason)
{
    int err = 0;
    assert_null(source_path_new(path, &err));
    assert_int_equal(err, reason);
    (void)f;
}

/* Anything may be beside a trace. */
static void test_path_of_no_regular_file(void **state)
{
    const files *f = *state;
    char *other = g_build_filename(f->folder, "other", NULL);
    refuse(f, other, ENOENT);
    refuse(f, f->folder, EINVAL);
    assert_int_equal(mkfifo(other, 0600), 0);
    refuse(f, other, EINVAL); /* also must not wait for a writer */
    g_unlink(other);
    assert_int_equal(symlink(f->regular, other), 0);
    refuse(f, other, EINVAL);
    g_unlink(other);
    g_free(other);
}

/* --- window ------------------------------------------------------------------------------------------------------------ */

static size_t check_window(window *w, uint64_t offset, size_t want, uint64_t length)
{
    const uint8_t *data;
    size_t got = window_at(w, offset, want, &data);
    size_t there = offset < length ? (size_t)MIN(want, length - offset) : 0;
    assert_int_equal(got, there);
    check_bytes(data, offset, got);
    return got;
}

static void test_window_forward(void **state)
{
    (void)state;
    for (unsigned known = 0; known < 2; known++)
        for (size_t block = 1; block <= 3000; block = block * 3 + 1) {
            made_up m = make_up(LENGTH, block, known);
            window w;
            window_init(&w, &m.base);
            for (uint64_t at = 0; at < LENGTH + 20; at += 7)
                check_window(&w, at, 20, LENGTH);
            assert_int_equal(w.error, 0);
            assert_true(m.bytes_read <= LENGTH); /* reading on reads nothing twice */
            window_clear(&w);
        }
}

static void test_window_anywhere(void **state)
{
    (void)state;
    GRand *r = g_rand_new_with_seed(4);
    for (unsigned round = 0; round < 100; round++) {
        uint64_t length = (uint64_t)g_rand_int_range(r, 0, 2000);
        made_up m = make_up(length, (size_t)g_rand_int_range(r, 1, 300), round % 2);
        window w;
        window_init(&w, &m.base);
        for (unsigned i = 0; i < 200; i++)
            check_window(&w, (uint64_t)g_rand_int_range(r, 0, 2200), (size_t)g_rand_int_range(r, 0, 500), length);
        check_window(&w, UINT64_MAX - 5, 10, length);
        check_window(&w, UINT64_MAX, 1, length);
        window_clear(&w);
    }
    g_rand_free(r);
}

/* Lent memory is used while it is large enough, then the window's own. */
static void test_window_lent(void **state)
{
    (void)state;
    uint8_t memory[100];
    made_up m = make_up(LENGTH, sizeof memory, false);
    window w;
    window_init(&w, &m.base);
    window_borrow(&w, memory, sizeof memory);
    for (uint64_t at = 0; at < 300; at += 7)
        check_window(&w, at, 20, LENGTH);
    assert_ptr_equal(w.data, memory);
    check_window(&w, 300, 200, LENGTH); /* a part of it is there */
    assert_ptr_not_equal(w.data, memory);
    check_window(&w, 301, 20, LENGTH);
    window_clear(&w);
    check_window(&w, 0, 20, LENGTH);
    window_clear(&w);
}

static void test_window_of_nothing(void **state)
{
    (void)state;
    for (unsigned known = 0; known < 2; known++) {
        made_up m = make_up(0, 100, known);
        window w;
        window_init(&w, &m.base);
        check_window(&w, 0, 10, 0);
        check_window(&w, 5, 10, 0);
        window_clear(&w);
    }
}

/* After a short read the end is known: a pipe is not asked again. */
static void test_end_is_remembered(void **state)
{
    (void)state;
    made_up m = make_up(LENGTH, 100, false);
    window w;
    window_init(&w, &m.base);
    check_window(&w, 950, 200, LENGTH);
    assert_true(w.end_seen);
    uint64_t reads = m.reads;
    for (uint64_t at = 950; at <= LENGTH; at++)
        check_window(&w, at, 200, LENGTH);
    assert_int_equal(m.reads, reads);
    check_window(&w, 0, 10, LENGTH); /* elsewhere it reads again */
    assert_true(m.reads > reads);
    window_clear(&w);
}

/* A length claimed by a file, however large, never takes more memory than the file has bytes. */
static void test_memory_grows_with_the_file(void **state)
{
    (void)state;
    for (unsigned known = 0; known < 2; known++) {
        made_up m = make_up(LENGTH, 64, known);
        window w;
        window_init(&w, &m.base);
        check_window(&w, 10, WINDOW_MAX, LENGTH);
        assert_true(w.capacity <= 4 * LENGTH);
        window_clear(&w);
        assert_int_equal(w.capacity, 0);
    }
}

static void test_window_has_a_maximum_length(void **state)
{
    (void)state;
    const uint8_t *data;
    made_up m = make_up(UINT64_C(1) << 30, 1u << 20, true);
    window w;
    window_init(&w, &m.base);
    assert_int_equal(window_at(&w, 5, WINDOW_MAX + 1, &data), WINDOW_MAX);
    assert_int_equal(data[0], byte_at(5));
    assert_true(w.capacity <= WINDOW_MAX);
    window_clear(&w);
}

/* Reading ahead stops at the end of a range, but what is asked for is read. */
static void test_limit(void **state)
{
    (void)state;
    made_up m = make_up(LENGTH, 100, true);
    window w;
    window_init(&w, &m.base);
    w.limit = 130;
    check_window(&w, 0, 10, LENGTH);
    assert_int_equal(m.bytes_read, 100);
    check_window(&w, 95, 10, LENGTH);
    assert_int_equal(w.offset + w.length, 130);
    check_window(&w, 125, 50, LENGTH);
    assert_int_equal(w.offset + w.length, 175);
    window_clear(&w);
}

static void test_read_error(void **state)
{
    (void)state;
    for (unsigned known = 0; known < 2; known++) {
        const uint8_t *data;
        made_up m = make_up(LENGTH, 100, known);
        window w;
        m.bad_from = 350;
        window_init(&w, &m.base);
        check_window(&w, 250, 50, LENGTH);
        assert_int_equal(w.error, 0);
        size_t got = window_at(&w, 310, 60, &data);
        assert_true(got < 60);
        check_bytes(data, 310, got);
        assert_int_equal(w.error, EIO);
        assert_false(w.end_seen);
        uint64_t reads = m.reads;
        assert_true(window_at(&w, 400, 60, &data) == 0); /* no further attempt */
        assert_int_equal(m.reads, reads);
        w.error = 0; /* until the error is cleared */
        check_window(&w, 100, 60, LENGTH);
        window_clear(&w);
    }
}

static void test_available(void **state)
{
    (void)state;
    for (unsigned known = 0; known < 2; known++) {
        made_up m = make_up(LENGTH, 100, known);
        window w;
        window_init(&w, &m.base);
        assert_int_equal(window_available(&w, 0, 10), 10);
        assert_int_equal(window_available(&w, 0, LENGTH), LENGTH);
        assert_int_equal(window_available(&w, 0, LENGTH + 1), LENGTH);
        assert_int_equal(window_available(&w, 990, UINT64_MAX), 10);
        assert_int_equal(window_available(&w, LENGTH, 1), 0);
        assert_int_equal(window_available(&w, LENGTH + 5, 1), 0);
        assert_int_equal(window_available(&w, 3, 0), 0);
        if (known)
            assert_int_equal(m.reads, 0); /* without reading anything */
        window_clear(&w);
    }
    const uint64_t most = WINDOW_MAX / 2;
    made_up m = make_up(most + 100, 1u << 20, false); /* further than it looks ahead */
    window w;
    window_init(&w, &m.base);
    assert_int_equal(window_available(&w, 0, most + 200), most + 200);
    assert_int_equal(window_available(&w, 200, most + 200), most - 100);
    window_clear(&w);
}

/* Lengths at advancing offsets that reach far ahead: not each of them may move everything in the window. */
static void test_available_again_and_again(void **state)
{
    (void)state;
    made_up m = make_up(4 * WINDOW_MAX, 16u << 10, false);
    window w;
    window_init(&w, &m.base);
    assert_int_equal(window_available(&w, 0, WINDOW_MAX), WINDOW_MAX);
    const uint64_t reads = m.reads;
    for (uint64_t at = 0; at < WINDOW_MAX / 4; at += 1000)
        assert_int_equal(window_available(&w, at, WINDOW_MAX), WINDOW_MAX);
    assert_true(m.reads < reads + 10);
    window_clear(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),
        cmocka_unit_test_setup_teardown(test_descriptor, make_files, remove_files),
        cmocka_unit_test_setup_teardown(test_parked, make_files, remove_files),
        cmocka_unit_test_setup_teardown(test_path, make_files, remove_files),
        cmocka_unit_test_setup_teardown(test_path_of_no_regular_file, make_files, remove_files),
        cmocka_unit_test(test_window_forward),
        cmocka_unit_test(test_window_anywhere),
        cmocka_unit_test(test_window_lent),
        cmocka_unit_test(test_window_of_nothing),
        cmocka_unit_test(test_end_is_remembered),
        cmocka_unit_test(test_memory_grows_with_the_file),
        cmocka_unit_test(test_window_has_a_maximum_length),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_read_error),
        cmocka_unit_test(test_available),
        cmocka_unit_test(test_available_again_and_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
