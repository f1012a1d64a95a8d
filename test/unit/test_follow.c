/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Following a file that is being written: which records are there, and when what is wrong is believed. */
#include <unistd.h>

#include "core/follow.h"
#include "fake_format.h"
#include "temporary_file.h"

#define SECOND 1000000

/* A file that grows, and a walk that follows it. */
typedef struct following {
    char *path;
    fake_stream nothing;
    trace *trace;
    source *source;
    walk walk;
    int64_t now;
} following;

static void following_begin(following *f)
{
    int err = 0;
    f->path = temporary_file("", 0);
    f->nothing = (fake_stream){.source = fake_source_of(NULL, 0, 1)};
    f->trace = fake_trace(&f->nothing, 1, false);
    f->source = follow_new(f->path, &err);
    assert_non_null(f->source);
    trace_stream(f->trace, 0)->sequential = f->source; /* closed with it */
    walk_init(&f->walk, f->trace, trace_stream(f->trace, 0), false);
    f->now = 10 * SECOND;
}

static void following_end(following *f)
{
    walk_clear(&f->walk);
    trace_close(f->trace);
    temporary_drop(f->path);
}

static void append(const following *f, const void *bytes, size_t length)
{
    FILE *file = fopen(f->path, "ab");
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

static void overwrite(const following *f, long at, const void *bytes, size_t length)
{
    FILE *file = fopen(f->path, "r+b");
    fseek(file, at, SEEK_SET);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

static follow_change look_after(following *f, int64_t microseconds)
{
    return follow_look(f->source, f->now += microseconds);
}

static void expect_record(following *f, uint64_t offset, uint64_t length)
{
    assert_int_equal(follow_next(&f->walk), STEP_RECORD);
    assert_int_equal(f->walk.record.context.offset, offset);
    assert_int_equal(f->walk.record.context.length, length);
}

static void expect_nothing(following *f)
{
    for (int i = 0; i < 2; i++)
        assert_int_equal(follow_next(&f->walk), STEP_END);
}

/* --- what is there ------------------------------------------------------------------------------------------------------
 */

/* No part of a record is ever shown, and each record as soon as it is there. */
static void test_byte_by_byte(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {2, 10, 3, 20, 7, 4, 30, 5, 9, 1, 5, 1, 2, 3, 4};
    following f;
    following_begin(&f);
    size_t begin = 0;
    for (size_t i = 0; i < sizeof bytes; i++) {
        append(&f, &bytes[i], 1);
        assert_int_equal(look_after(&f, 50000), FOLLOW_GROWN);
        if (i + 1 == begin + bytes[begin]) {
            expect_record(&f, begin, bytes[begin]);
            begin = i + 1;
        }
        expect_nothing(&f);
    }
    assert_int_equal(look_after(&f, 50000), FOLLOW_SAME);
    assert_int_equal(f.walk.state.number, 5);
    assert_int_equal(f.walk.state.own[0], 10 + 20 + 30 + 0 + 1);
    following_end(&f);
}

/* What has come since the window was filled is read without another call. */
static void test_window_is_old(void **state)
{
    (void)state;
    following f;
    following_begin(&f);
    append(&f, (const uint8_t[]){2, 10, 2}, 3);
    look_after(&f, 50000);
    expect_record(&f, 0, 2);
    append(&f, (const uint8_t[]){20, 2, 30}, 3);
    look_after(&f, 50000);
    expect_record(&f, 2, 2);
    expect_record(&f, 4, 2);
    expect_nothing(&f);
    following_end(&f);
}

/* A record is held while others are waited for. What was cut when it was read has long been whole when the next one is
 * asked for. */
static void test_window_is_too_old(void **state)
{
    (void)state;
    following f;
    following_begin(&f);
    append(&f, (const uint8_t[]){2, 10, 5}, 3);
    look_after(&f, 50000);
    expect_record(&f, 0, 2);
    append(&f, (const uint8_t[]){20, 1, 2, 3, 2, 30, 2, 40}, 8);
    for (int i = 0; i < 4; i++)
        look_after(&f, SECOND);
    expect_record(&f, 2, 5);
    expect_record(&f, 7, 2);
    expect_record(&f, 9, 2);
    expect_nothing(&f);
    following_end(&f);
}

/* --- zeros at the end ---------------------------------------------------------------------------------------------------
 */

/* Before the last byte that is not 0, what was there at the last look; the zeros when nothing changes. */
static void test_zeros(void **state)
{
    (void)state;
    static const uint8_t zeros[4] = {0};
    following f;
    following_begin(&f);
    append(&f, (const uint8_t[]){2, 10, 3, 20, 0}, 5);
    append(&f, zeros, sizeof zeros);
    look_after(&f, 50000);
    expect_nothing(&f);
    look_after(&f, 50000);
    expect_record(&f, 0, 2);
    expect_nothing(&f); /* the next one ends with 0 */
    look_after(&f, 100000);
    expect_nothing(&f);
    look_after(&f, 100000);
    expect_record(&f, 2, 3);
    for (int i = 0; i < 8; i++) {
        look_after(&f, SECOND); /* bytes that are not a record, with nothing after them */
        expect_nothing(&f);
    }
    assert_true(follow_is_settled(f.source));
    assert_int_equal(follow_size(f.source), 9);
    overwrite(&f, 5, (const uint8_t[]){3, 30}, 2); /* a record that is half written */
    assert_int_equal(look_after(&f, 50000), FOLLOW_GROWN);
    expect_nothing(&f);
    overwrite(&f, 7, (const uint8_t[]){9}, 1);
    look_after(&f, 50000);
    expect_nothing(&f);
    look_after(&f, 200000);
    expect_record(&f, 5, 3);
    assert_int_equal(f.walk.record.phase, 9);
    following_end(&f);
}

/* --- what is wrong ------------------------------------------------------------------------------------------------------
 */

/* What comes next ends with zeros, which are not relied on yet: a record is still cut there, however long it was so. */
static void test_cut_before_zeros(void **state)
{
    (void)state;
    following f;
    following_begin(&f);
    append(&f, (const uint8_t[]){2, 10, 5, 20, 1}, 5);
    for (int i = 0; i < 4; i++)
        look_after(&f, SECOND);
    expect_record(&f, 0, 2);
    expect_nothing(&f);
    append(&f, (const uint8_t[]){2, 3, 4, 9, 1, 0}, 6);
    look_after(&f, 50000);
    expect_nothing(&f);
    look_after(&f, 50000);
    expect_record(&f, 2, 5);
    following_end(&f);
}

static void test_damage_is_doubted(void **state)
{
    (void)state;
    following f;
    following_begin(&f);
    append(&f, (const uint8_t[]){2, 10, 0, 2, 20}, 5); /* the third is no record */
    look_after(&f, 50000);
    expect_record(&f, 0, 2);
    expect_nothing(&f);
    look_after(&f, SECOND / 2);
    expect_nothing(&f);
    look_after(&f, SECOND);
    expect_record(&f, 2, 1);
    assert_int_equal(f.walk.record.context.kind, KIND_UNKNOWN);
    expect_record(&f, 3, 2);
    following_end(&f);
}

/* At the end a part of a record is not believed, however long it stays; except when nobody writes any more. */
static void test_end(void **state)
{
    (void)state;
    following f;
    following_begin(&f);
    append(&f, (const uint8_t[]){2, 10, 9, 1, 2}, 5);
    look_after(&f, 50000);
    expect_record(&f, 0, 2);
    for (int i = 0; i < 5; i++) {
        look_after(&f, SECOND);
        expect_nothing(&f);
    }
    follow_finish(f.source);
    expect_record(&f, 2, 3);
    assert_true(f.walk.record.context.flags & CONTEXT_TRUNCATED);
    expect_nothing(&f);
    assert_true(follow_is_settled(f.source));
    following_end(&f);
}

/* --- other files --------------------------------------------------------------------------------------------------------
 */

static void test_cut_and_replaced(void **state)
{
    (void)state;
    following f;
    following_begin(&f);
    append(&f, (const uint8_t[]){2, 10, 2, 20}, 4);
    assert_int_equal(look_after(&f, 50000), FOLLOW_GROWN);
    expect_record(&f, 0, 2);
    g_autofree char *other = temporary_file((const uint8_t[]){1, 1, 1, 1}, 4);
    assert_int_equal(g_rename(other, f.path), 0);
    assert_int_equal(look_after(&f, 50000), FOLLOW_REPLACED);
    expect_record(&f, 2, 2); /* what was written is still there */
    following_end(&f);
    following_begin(&f);
    append(&f, (const uint8_t[]){2, 10, 2, 20}, 4);
    look_after(&f, 50000);
    assert_int_equal(truncate(f.path, 3), 0);
    assert_int_equal(look_after(&f, 50000), FOLLOW_CUT);
    following_end(&f);
}

/* A file that is removed is followed as long as somebody writes to it. */
static void test_removed(void **state)
{
    (void)state;
    following f;
    int err = 0;
    following_begin(&f);
    FILE *writer = fopen(f.path, "ab");
    g_unlink(f.path);
    fputs("\002\012", writer);
    fclose(writer);
    assert_int_equal(look_after(&f, 50000), FOLLOW_GROWN);
    expect_record(&f, 0, 2);
    assert_null(follow_new(f.path, &err));
    assert_int_equal(err, ENOENT);
    following_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_byte_by_byte),
        cmocka_unit_test(test_window_is_old),
        cmocka_unit_test(test_window_is_too_old),
        cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_cut_before_zeros),
        cmocka_unit_test(test_damage_is_doubted),
        cmocka_unit_test(test_end),
        cmocka_unit_test(test_cut_and_replaced),
        cmocka_unit_test(test_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
