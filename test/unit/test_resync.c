/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The search for valid records, with a minimal format: R, the length as a digit (3 or more), a mark, and padding; r for a
 * record that fails a check. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/resync.h"

static void prepare(resync_window *s, const walk *w)
{
    (void)w;
    s->usual_size = 3;
}

static resync_candidate check(const resync_window *s, uint64_t at)
{
    if (!cursor_has(&s->c, at, 3))
        return (resync_candidate){.class = resync_class_of_part(s, at)};
    const uint8_t *data = s->c.data + at;
    if ((data[0] != 'R' && data[0] != 'r') || data[1] < '3' || data[1] > '9')
        return (resync_candidate){.class = RESYNC_INVALID};
    resync_candidate f = {.length = data[1] - '0', .mark = data[2]};
    f.class = resync_class_of(s, at, f.length, data[0] == 'R');
    return f;
}

static size_t next_passing(const resync_window *s, size_t from, size_t to)
{
    while (from < to && s->c.data[from] != 'R')
        from++;
    return from;
}

static bool confirmed(const resync_window *s, const resync_candidate *f, const resync_candidate *next, bool alone)
{
    (void)s;
    (void)f;
    return next->class == RESYNC_GOOD || (alone && next->class == RESYNC_END);
}

static const resync_format letters = {prepare, check, next_passing, confirmed};

static resync_window window_of(const char *text)
{
    return (resync_window){
        .format = &letters, .c = {(const uint8_t *)text, strlen(text), false}, .end = true, .usual_size = 6};
}

static void test_classes(void **state)
{
    (void)state;
    resync_window s = window_of("R4a.r3b-R5cR");
    assert_int_equal(check(&s, 0).class, RESYNC_GOOD);
    assert_int_equal(check(&s, 4).class, RESYNC_ODD);
    assert_int_equal(check(&s, 7).class, RESYNC_INVALID);
    assert_int_equal(check(&s, 8).class, RESYNC_UNFIT);
    assert_int_equal(check(&s, 11).class, RESYNC_CUT);
    assert_int_equal(check(&s, 12).class, RESYNC_END);
    assert_int_equal(check(&s, 13).class, RESYNC_FAR);
    s.end = false;
    for (uint64_t at = 8; at < 14; at += at == 8 ? 3 : 1)
        assert_int_equal(check(&s, at).class, RESYNC_FAR);
}

static void test_valid(void **state)
{
    (void)state;
    resync_window s = window_of("R3a-R4b.R3c");
    assert_false(resync_valid(&s, 0, true)); /* nothing follows */
    assert_true(resync_valid(&s, 4, false));
    assert_true(resync_valid(&s, 8, true)); /* the file ends */
    assert_false(resync_valid(&s, 8, false));
    assert_int_equal(resync_next_valid(&s, 0, 11, false), 4);
    assert_int_equal(resync_next_valid(&s, 5, 11, true), 8);
    assert_int_equal(resync_next_valid(&s, 5, 11, false), 11);
    assert_int_equal(resync_next_valid(&s, 0, 4, false), 4);
    s.end = false;
    assert_false(resync_valid(&s, 8, true));
}

/* From 0: two records, then nothing; from 3, with other marks: eight. */
#define RIVALS "R5aR5R4bR3xR3xR3xR3xR3xR3xR3x"

static void test_rivals(void **state)
{
    (void)state;
    resync_window s = window_of(RIVALS);
    assert_int_equal(resync_next_begin(&s, 0, s.c.length), 0);
    s.rivals = 3; /* the other one is further away */
    assert_int_equal(resync_next_begin(&s, 0, s.c.length), 0);
    s.rivals = 64; /* inside the first record the one that goes on longer is better */
    assert_int_equal(resync_next_begin(&s, 0, s.c.length), 3);
    s.usual_size = 2; /* a later one has to refute it */
    assert_int_equal(resync_next_begin(&s, 0, s.c.length), 3);
    s.conclusive = true; /* the place at 3 is contradicted by a record that passes at 5, the one at 8 by none */
    assert_int_equal(resync_next_begin(&s, 0, s.c.length), 8);
}

static void test_refuted_by_other_marks_only(void **state)
{
    (void)state;
    resync_window near_by = window_of("R5aR5R4bR3aR3xR3xR3xR3xR3xR3x"), few = window_of("R5aR5R4bR3xR3xR3xR3xR3x");
    near_by.rivals = few.rivals = 64;
    near_by.usual_size = few.usual_size = 2;
    assert_int_equal(resync_next_begin(&near_by, 0, near_by.c.length), 0); /* one of its marks is among theirs */
    assert_int_equal(resync_next_begin(&few, 0, few.c.length), 0);         /* six against two */
    few.usual_size = 6;                                                    /* inside the first record that is enough */
    assert_int_equal(resync_next_begin(&few, 0, few.c.length), 3);
}

static void test_hidden(void **state)
{
    (void)state;
    resync_window s = window_of("r5aR5R4bR3xR3xR3xR3xR3xR3xR3x");
    s.usual_size = 3;
    assert_true(resync_hides(&s, 5, false)); /* those at 3 refute continuing at 5 */
    s.conclusive = true;
    assert_false(resync_hides(&s, 5, false));
    assert_true(resync_hides(&s, 5, true)); /* they are before it */
    resync_window valid = window_of("r5a..R4b.R3xR3xR3x");
    assert_false(resync_hides(&valid, 5, true));
}

static resync_rest rest_of(size_t zeros, const char *then)
{
    size_t length = strlen(then);
    uint8_t *data = g_malloc0(zeros + length);
    memcpy(data + zeros, then, length);
    source *memory = source_memory_new(data, zeros + length);
    walk w = {0};
    window_init(&w.window, memory);
    resync_rest rest = resync_in_rest(&w, &letters, false);
    window_clear(&w.window);
    source_close(memory);
    g_free(data);
    return rest;
}

static void test_rest(void **state)
{
    (void)state;
    assert_int_equal(rest_of(0, "R3aR3a"), RESYNC_NONE); /* not what begins with the first byte */
    assert_int_equal(rest_of(10, "R3aR3a"), RESYNC_FOUND);
    assert_int_equal(rest_of(10, "R3a"), RESYNC_NONE);
    assert_int_equal(rest_of(3 * RESYNC_WINDOW, "R3aR3a"), RESYNC_FOUND);
    assert_int_equal(rest_of(RESYNC_WINDOW - 1, "R3aR3a"), RESYNC_FOUND); /* across the end of the first window */
    assert_int_equal(rest_of(3 * RESYNC_WINDOW, ""), RESYNC_NONE);
    assert_int_equal(rest_of(WINDOW_MAX, "R3aR3a"), RESYNC_TOO_FAR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes), cmocka_unit_test(test_valid),
        cmocka_unit_test(test_rivals),  cmocka_unit_test(test_refuted_by_other_marks_only),
        cmocka_unit_test(test_hidden),  cmocka_unit_test(test_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
