/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Matching begins and ends: every rule of calls.h, with results kept and not kept, compared with a plain model on random
 * input, and with deep stacks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <glib.h>

#include "analysis/calls.h"

#define STACK 5u

static call begin(calls *c, uint32_t record, uint32_t function, uint64_t ticks)
{
    call r;
    calls_begin(c, STACK, record, function, ticks, true, &r);
    return r;
}

static call end(calls *c, uint32_t record, uint32_t function, uint64_t ticks)
{
    call r;
    calls_end(c, STACK, record, function, ticks, true, &r);
    return r;
}

/* outer(1) calls inner(2) twice. */
static void nested(void **state)
{
    (void)state;
    for (int keep = 0; keep <= 1; keep++) {
        calls *c = calls_new(keep ? CALLS_KEEP : 0);
        call r = begin(c, 10, 1, 100);
        assert_int_equal(r.depth, 0);
        assert_int_equal(r.caller, 0);
        r = begin(c, 11, 2, 110);
        assert_int_equal(r.depth, 1);
        assert_int_equal(r.caller, 10);
        r = end(c, 12, 2, 130);
        assert_int_equal(r.begin, 11);
        assert_int_equal(r.duration, 20);
        assert_int_equal(r.self, 20);
        assert_int_equal(r.state, CALL_TIMED | CALL_SELF);
        begin(c, 13, 2, 140);
        end(c, 14, 2, 145);
        r = end(c, 15, 1, 200);
        assert_int_equal(r.begin, 10);
        assert_int_equal(r.duration, 100);
        assert_int_equal(r.self, 75);
        assert_int_equal(r.depth, 0);
        assert_int_equal(calls_find(c, 10, &r), keep);
        if (keep) {
            assert_int_equal(r.end, 15);
            assert_int_equal(r.duration, 100);
            assert_true(calls_find(c, 12, &r));
            assert_int_equal(r.begin, 11);
            assert_int_equal(r.caller, 10);
            assert_int_equal(r.depth, 1);
            assert_int_equal(calls_function(c, 11), 2);
            assert_false(calls_find(c, 9, &r));
            assert_false(calls_find(c, 4000000, &r));
        }
        calls_free(c);
    }
}

static void unmatched(void **state)
{
    (void)state;
    calls *c = calls_new(CALLS_KEEP);
    call r = end(c, 1, 7, 50); /* stray: nothing is open */
    assert_int_equal(r.state, CALL_UNMATCHED);
    assert_int_equal(r.begin, 0);
    begin(c, 2, 1, 100);
    r = end(c, 3, 7, 110); /* stray: a different function is open, and stays open */
    assert_int_equal(r.state, CALL_UNMATCHED);
    begin(c, 4, 2, 120);
    begin(c, 5, 3, 130);
    begin(c, 6, 4, 140);
    end(c, 7, 4, 150);
    r = end(c, 8, 1, 200); /* closes 3 and 2 without a duration */
    assert_int_equal(r.begin, 2);
    assert_int_equal(r.duration, 100);
    assert_int_equal(r.self, 90); /* minus 10 for the call that has ended */
    assert_true(calls_find(c, 4, &r));
    assert_int_equal(r.end, 0);
    assert_int_equal(r.state, CALL_UNMATCHED | CALL_CLOSED);
    begin(c, 9, 1, 300); /* never ended */
    assert_true(calls_find(c, 9, &r));
    assert_int_equal(r.state, CALL_UNMATCHED);
    calls_free(c);
}

/* 1 catches what 4 throws through 3 and 2, after 4 has called 5, and continues. */
static void closed_calls(void **state)
{
    (void)state;
    static const struct {
        uint32_t begin, caller, function;
        int64_t duration, self;
    } left[] = {{4, 3, 4, 0, 0}, {3, 2, 3, 10, 10}, {2, 1, 2, 20, 10}};
    for (int keep = 0; keep <= 1; keep++) {
        uint32_t functions[CALLS_STACK_MAX], left_out, function;
        calls *c = calls_new(CALLS_UNWIND | (keep ? CALLS_KEEP : 0));
        call r;
        for (uint32_t i = 1; i <= 4; i++)
            begin(c, i, i, 100 + 10 * (i - 1));
        begin(c, 5, 5, 140);
        end(c, 6, 5, 150);
        assert_int_equal(calls_closed_count(c, 6), 0);
        r = end(c, 7, 1, 300);
        assert_int_equal(r.duration, 200);
        assert_int_equal(r.self, 170);                                         /* without 10 of 3, 10 of 2 and 10 of 5 */
        assert_int_equal(r.state, CALL_TIMED | CALL_SELF | CALL_UNATTRIBUTED); /* who called 5 is seen nowhere else */
        assert_int_equal(calls_closed_count(c, 7), 3);
        assert_int_equal(calls_stack(c, STACK, &r, 1, functions, NULL, &left_out), 1);
        for (uint32_t i = 0; i < G_N_ELEMENTS(left); i++) {
            assert_true(calls_closed(c, 7, i, &r, &function));
            assert_int_equal(function, left[i].function);
            assert_int_equal(r.begin, left[i].begin);
            assert_int_equal(r.end, 7);
            assert_int_equal(r.last, 6);
            assert_int_equal(r.sure, 4); /* 1 may have called 5 */
            assert_int_equal(r.until, 130);
            assert_int_equal(r.caller, left[i].caller);
            assert_int_equal(r.depth, left[i].begin - 1);
            assert_int_equal(r.state, CALL_CLOSED | CALL_TIMED | CALL_SELF | CALL_UNATTRIBUTED);
            assert_int_equal(r.duration, left[i].duration);
            assert_int_equal(r.self, left[i].self);
            assert_int_equal(calls_stack(c, STACK, &r, function, functions, NULL, &left_out), left[i].begin);
            for (uint32_t f = 0; f < left[i].begin; f++)
                assert_int_equal(functions[f], f + 1);
        }
        assert_false(calls_closed(c, 7, 3, &r, &function));
        end(c, 8, 2, 310); /* a coroutine resumes: its exit is stray by now */
        assert_int_equal(calls_closed_count(c, 8), 0);
        assert_int_equal(calls_closed_count(c, 7), keep ? 3 : 0);
        assert_int_equal(calls_find(c, 3, &r), keep);
        if (keep) {
            assert_int_equal(r.end, 7);
            assert_int_equal(r.duration, 10);
            assert_int_equal(r.state, CALL_CLOSED | CALL_TIMED | CALL_SELF | CALL_UNATTRIBUTED);
            assert_true(calls_find(c, 7, &r));
            assert_int_equal(r.state, CALL_TIMED | CALL_SELF | CALL_UNATTRIBUTED);
        }
        calls_free(c);
    }
}

/* Times of any length, on alternating stacks; clocks that are unknown or go back. */
static void closed_times(void **state)
{
    (void)state;
    uint32_t function;
    call r;
    calls *c = calls_new(CALLS_UNWIND | CALLS_KEEP);
    calls_begin(c, 1, 1, 1, 0, true, &r);
    calls_begin(c, 2, 2, 1, 50, true, &r);
    calls_begin(c, 1, 3, 2, 5, true, &r);
    calls_begin(c, 2, 4, 2, 70, false, &r);
    calls_begin(c, 2, 5, 3, 90, true, &r);
    assert_true(calls_inside(c, 1, 6, UINT64_MAX, true, true, &r));
    assert_true(calls_inside(c, 2, 7, 0, false, true, &r));
    calls_end(c, 1, 8, 1, UINT64_MAX, true, &r);
    calls_end(c, 2, 9, 1, 180, true, &r);
    assert_true(calls_closed(c, 8, 0, &r, &function));
    assert_int_equal(r.begin, 3);
    assert_int_equal(r.last, 6);
    assert_int_equal(r.duration, UINT64_MAX - 5);
    assert_int_equal(r.self, UINT64_MAX - 5);
    assert_true(calls_closed(c, 9, 0, &r, &function));
    assert_int_equal(r.last, 7); /* whose time is not known: the latest that is */
    assert_int_equal(r.duration, 0);
    assert_true(calls_closed(c, 9, 1, &r, &function));
    assert_int_equal(r.begin, 4); /* no clock at the begin */
    assert_int_equal(r.state, CALL_CLOSED);
    assert_true(calls_find(c, 9, &r));
    assert_int_equal(r.duration, 130);
    calls_free(c);
}

typedef struct shape {
    uint32_t begin, last, caller, depth;
    int64_t duration, self;
    uint8_t state;
} shape;

static void check_shape(const call *r, const shape *want)
{
    assert_int_equal(r->begin, want->begin);
    assert_int_equal(r->last, want->last);
    assert_int_equal(r->caller, want->caller);
    assert_int_equal(r->depth, want->depth);
    assert_int_equal(r->duration, want->duration);
    assert_int_equal(r->self, want->self);
    assert_int_equal(r->state, want->state);
}

#define PROPER (CALL_TIMED | CALL_SELF)

/* 1 calls 2 and then 5, once as usual, and once 2 throws; 5 calls 6. In the second case 5 looks as if 2 had called it, until
 * 1 ends. Record numbers are times. */
static void moved_calls(void **state)
{
    (void)state;
    static const char *log = "+1 +2 +3 -3 -2 +5 +6 -6 -5 -1 +1 +2 +3 -3 +5 +6 -6 -5 -1";
    static const shape found[] = {{12, 14, 11, 1, 0, 0, CALL_CLOSED | PROPER | CALL_UNATTRIBUTED},
                                  {13, 0, 12, 2, 1, 1, PROPER},
                                  {15, 0, 11, 1, 3, 2, PROPER},
                                  {16, 0, 15, 2, 1, 1, PROPER},
                                  {11, 0, 0, 0, 8, 4, PROPER | CALL_UNATTRIBUTED}};
    g_auto(GStrv) records = g_strsplit(log, " ", -1);
    GArray *unwound = g_array_new(FALSE, FALSE, sizeof(calls_unwound));
    for (int pass = 0; pass < 3; pass++) { /* kept; not kept; followed */
        calls *c = calls_new(CALLS_UNWIND | (pass == 0 ? CALLS_KEEP : 0));
        uint32_t functions[CALLS_STACK_MAX], left_out, function, closed_in = 0;
        uint8_t marks[CALLS_STACK_MAX];
        if (pass == 2)
            calls_follow(c, unwound);
        for (uint32_t n = 1; records[n - 1]; n++) {
            const uint32_t f = (uint32_t)(records[n - 1][1] - '0');
            calls_unwind_to(c, STACK, n);
            call r = records[n - 1][0] == '+' ? begin(c, n, f, n) : end(c, n, f, n), k;
            for (uint32_t i = 0; calls_closed(c, n, i, &k, &function); i++) {
                closed_in = n;
                assert_int_equal(function, 2);
                check_shape(&k, &found[0]);
                assert_int_equal(k.until, 12); /* it may be that 1 called 3 */
                assert_int_equal(calls_stack(c, STACK, &k, 2, functions, marks, &left_out), 2);
                assert_true(functions[0] == 1 && functions[1] == 2);
                assert_true(marks[0] == CALL_HAS_END && marks[1] == CALL_HAS_NO_END && calls_is_unwound(c, k.begin));
                if (pass == 1) {
                    calls_unwound one = {k.begin, k.last, k.sure, k.until, k.duration - k.self, k.state};
                    g_array_append_val(unwound, one);
                }
            }
            if (pass == 2 && n == 18)
                check_shape(&r, &found[2]);
            if (pass == 2 && n == 17) {
                assert_int_equal(calls_stack(c, STACK, &r, 6, functions, NULL, &left_out), 3);
                assert_true(functions[0] == 1 && functions[1] == 5 && functions[2] == 6);
            }
            if (n == 14) { /* inside the call that turns out to have no end */
                assert_int_equal(calls_stack(c, STACK, &r, 3, functions, marks, &left_out), 3);
                assert_true(!marks[0] && marks[1] == (pass == 2 ? CALL_MAY_HAVE_ENDED : CALL_HAS_END) && !marks[2]);
                assert_true(calls_is_unwound(c, 12) == (pass == 2));
            }
            if (n == 19)
                check_shape(&r, &found[4]);
        }
        assert_int_equal(closed_in, 19);
        calls_unwound known = {0};
        assert_int_equal(calls_find_unwound(c, 12, &known), pass != 1);
        assert_int_equal(known.last, pass == 1 ? 0 : 14);
        assert_int_equal(known.until, pass == 1 ? 0 : 12);
        assert_false(calls_find_unwound(c, 11, &known) || calls_find_unwound(c, 14, &known) ||
                     calls_find_unwound(c, 99, &known));
        for (size_t i = 0; i < G_N_ELEMENTS(found) && pass == 0; i++) {
            call r;
            assert_true(calls_find(c, found[i].begin, &r));
            check_shape(&r, &found[i]);
        }
        if (pass == 0) {
            call r;
            assert_true(calls_find(c, 17, &r));
            assert_int_equal(calls_stack(c, STACK, &r, 6, functions, NULL, &left_out), 3);
            assert_true(functions[0] == 1 && functions[1] == 5 && functions[2] == 6);
            assert_true(calls_find(c, 14, &r));
            assert_int_equal(calls_stack(c, STACK, &r, 3, functions, marks, &left_out), 3);
            assert_true(!marks[0] && marks[1] == CALL_MAY_HAVE_ENDED && !marks[2] && calls_is_unwound(c, 12));
        }
        calls_free(c);
    }
    g_array_free(unwound, TRUE);
}

/* An end closes two calls, the innermost first, also if an earlier pass has shown that they had ended before. Record numbers
 * are times. */
static void closed_together(void **state)
{
    (void)state;
    static const char *log = "+1 +2 +3 -1";
    static const shape found[] = {{3, 3, 2, 2, 0, 0, CALL_CLOSED | PROPER}, {2, 3, 1, 1, 1, 1, CALL_CLOSED | PROPER}};
    g_auto(GStrv) records = g_strsplit(log, " ", -1);
    g_autoptr(GArray) unwound = g_array_new(FALSE, FALSE, sizeof(calls_unwound));
    for (int pass = 0; pass < 3; pass++) { /* kept; not kept; followed */
        calls *c = calls_new(CALLS_UNWIND | (pass == 0 ? CALLS_KEEP : 0));
        uint32_t closed = 0, function;
        if (pass == 2)
            calls_follow(c, unwound);
        for (uint32_t n = 1; records[n - 1]; n++) {
            const uint32_t f = (uint32_t)(records[n - 1][1] - '0');
            calls_unwind_to(c, STACK, n);
            call k;
            if (records[n - 1][0] == '+')
                begin(c, n, f, n);
            else
                end(c, n, f, n);
            assert_true(n == 4 || !calls_closed(c, n, 0, &k, &function));
            for (; n == 4 && calls_closed(c, n, closed, &k, &function); closed++) {
                assert_true(closed < G_N_ELEMENTS(found));
                check_shape(&k, &found[closed]);
                assert_int_equal(function, 3 - closed);
                assert_int_equal(k.until, 3);
                assert_true(calls_is_unwound(c, k.begin));
            }
        }
        assert_int_equal(closed, G_N_ELEMENTS(found));
        assert_false(calls_is_unwound(c, 1));
        for (guint i = 2; pass == 1 && i > 0; i--) {
            const calls_unwound one = {
                found[i - 1].begin, found[i - 1].last, 3, 3, (uint64_t)(found[i - 1].duration - found[i - 1].self),
                found[i - 1].state};
            g_array_append_val(unwound, one);
        }
        calls_free(c);
    }
}

/* Deep stacks below a call that is moved: the outer half of a stack is found again. */
static void moved_deep(void **state)
{
    (void)state;
    enum { DEPTH = 1200 };
    calls *c = calls_new(CALLS_UNWIND | CALLS_KEEP);
    uint32_t functions[CALLS_STACK_MAX], left_out, n = 0, thrown = 0;
    call r;
    for (int time = 0; time < 2; time++) {
        n++, begin(c, n, 1, n);
        n++, begin(c, n, 2, n);
        thrown = n;
        if (time == 0)
            n++, end(c, n, 2, n);
        for (uint32_t i = 0; i < DEPTH; i++)
            n++, begin(c, n, 1000 + i, n);
        for (uint32_t i = DEPTH; i-- > 0;)
            n++, end(c, n, 1000 + i, n);
        n++, end(c, n, 1, n);
    }
    assert_true(calls_find(c, thrown, &r));
    assert_int_equal(r.state, CALL_CLOSED | PROPER);
    for (uint32_t i = 0; i < DEPTH; i++) {
        assert_true(calls_find(c, thrown + 1 + i, &r));
        assert_int_equal(r.depth, i + 1);
        unsigned shown = calls_stack(c, STACK, &r, 1000 + i, functions, NULL, &left_out);
        assert_int_equal(shown + left_out, i + 2);
        assert_int_equal(functions[0], 1);
        assert_int_equal(functions[1], 1000);
        assert_int_equal(functions[MIN(shown, CALLS_STACK_OUTER) - 1],
                         i + 2 < CALLS_STACK_OUTER ? 1000 + i : 998 + CALLS_STACK_OUTER);
    }
    calls_free(c);
}

static void clocks(void **state)
{
    (void)state;
    call r;
    calls *c = calls_new(0);
    begin(c, 1, 1, 100);
    r = end(c, 2, 1, 90); /* the clock went back */
    assert_int_equal(r.begin, 1);
    assert_int_equal(r.state, 0);
    begin(c, 3, 1, 100);
    calls_end(c, STACK, 4, 1, 500, false, &r); /* no clock */
    assert_int_equal(r.state, 0);
    begin(c, 5, 1, 100);
    begin(c, 6, 2, 100);
    calls_lost(c, STACK);
    r = end(c, 7, 2, 110);
    assert_int_equal(r.state, CALL_TIMED | CALL_SELF | CALL_UNSURE);
    begin(c, 8, 2, 120);
    r = end(c, 9, 2, 130);
    assert_int_equal(r.state, CALL_TIMED | CALL_SELF);
    r = end(c, 10, 1, 140);
    assert_int_equal(r.state, CALL_TIMED | CALL_SELF | CALL_UNSURE);
    begin(c, 11, 1, 200); /* inner calls took longer than the outer one: its self time is unknown */
    begin(c, 12, 2, 100);
    end(c, 13, 2, 400);
    r = end(c, 14, 1, 210);
    assert_int_equal(r.state, CALL_TIMED);
    calls_free(c);
}

static void stacks_are_separate(void **state)
{
    (void)state;
    call r;
    uint32_t function;
    calls *c = calls_new(0);
    calls_begin(c, 1, 1, 9, 10, true, &r);
    calls_begin(c, 2, 2, 9, 20, true, &r);
    assert_int_equal(r.depth, 0);
    assert_int_equal(calls_open(c, 1, &function), 1);
    assert_int_equal(function, 9);
    assert_int_equal(calls_open(c, 3, &function), 0);
    calls_end(c, 1, 3, 9, 30, true, &r);
    assert_int_equal(r.begin, 1);
    calls_end(c, 2, 4, 9, 50, true, &r);
    assert_int_equal(r.begin, 2);
    assert_int_equal(r.duration, 30);
    calls_free(c);
}

static void inside(void **state)
{
    (void)state;
    for (int keep = 0; keep <= 1; keep++) {
        call r;
        calls *c = calls_new(keep ? CALLS_KEEP : 0);
        assert_false(calls_inside(c, STACK, 1, 0, false, false, &r));
        begin(c, 2, 1, 10);
        begin(c, 3, 2, 20);
        assert_true(calls_inside(c, STACK, 4, 0, false, false, &r));
        assert_int_equal(r.begin, 3);
        assert_int_equal(r.caller, 2);
        assert_int_equal(r.depth, 1);
        assert_int_equal(r.state, CALL_INSIDE);
        assert_int_equal(end(c, 5, 2, 30).duration, 10);
        if (keep) {
            assert_true(calls_find(c, 4, &r));
            assert_int_equal(r.begin, 3);
            assert_int_equal(r.end, 0);
            assert_int_equal(r.caller, 2);
            assert_int_equal(r.state, CALL_INSIDE);
        }
        calls_free(c);
    }
}

/* Records dropped by a read filter have no numbers of their own: results become unknown rather than wrong. */
static void repeated_numbers(void **state)
{
    (void)state;
    call r;
    uint32_t functions[CALLS_STACK_MAX], left_out;
    calls *c = calls_new(CALLS_KEEP);
    calls_record(c, 1);
    begin(c, 1, 1, 10);
    calls_record(c, 2);
    begin(c, 2, 2, 20);
    assert_true(calls_find(c, 1, &r));
    calls_record(c, 2); /* of another kind */
    assert_false(calls_find(c, 1, &r));
    assert_false(calls_find(c, 2, &r));
    calls_record(c, 2); /* what was kept of 2, still open, is lost: its stack is taken from the open calls */
    end(c, 2, 77, UINT64_MAX);
    calls_record(c, 3);
    r = begin(c, 3, 3, 30);
    assert_int_equal(calls_stack(c, STACK, &r, 3, functions, NULL, &left_out), 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(functions[i], i + 1);
    calls_free(c);
}

static call begin_away(calls *c, uint32_t record, uint32_t function, uint64_t ticks, uint64_t away)
{
    calls_paused(c, away);
    return begin(c, record, function, ticks);
}

static call end_away(calls *c, uint32_t record, uint32_t function, uint64_t ticks, uint64_t away)
{
    calls_paused(c, away);
    return end(c, record, function, ticks);
}

/* How much of a call's duration and self time the owner of the stack was away. */
static void owner_is_away(void **state)
{
    (void)state;
    const uint64_t far = UINT64_C(1) << 40; /* does not fit into a kept_paused */
    for (int keep = 0; keep <= 1; keep++) {
        calls *c = calls_new(keep ? CALLS_KEEP : 0);
        begin_away(c, 1, 1, 100, 50);
        begin_away(c, 2, 2, 110, 53);
        call r = end_away(c, 3, 2, 120, 57);
        assert_int_equal(r.away, 4);
        assert_int_equal(r.self_paused, 4);
        r = end_away(c, 4, 1, 200, 60);
        assert_int_equal(r.duration, 100);
        assert_int_equal(r.away, 10);
        assert_int_equal(r.self, 90);
        assert_int_equal(r.self_paused, 6);
        begin_away(c, 5, 3, 200, 60);
        end_away(c, 6, 3, 200 + far, 60 + far - 1);
        begin_away(c, 7, 3, 300, 60);
        r = end_away(c, 8, 3, 310, 90); /* at most the duration */
        assert_int_equal(r.away, 10);
        begin_away(c, 9, 3, 400, 60);
        assert_int_equal(end_away(c, 10, 3, 410, 40).away, 0); /* a clock that went back is ignored */
        if (keep) {
            assert_true(calls_find(c, 1, &r) && r.away == 10 && r.self_paused == 6);
            assert_true(calls_find(c, 3, &r) && r.away == 4 && r.self_paused == 4);
            assert_true(calls_find(c, 6, &r) && r.duration == far && r.away == far - 1 && r.self_paused == far - 1);
            assert_true(calls_find(c, 10, &r) && r.away == 0);
        }
        calls_free(c);
    }
}

static bool ends_at_200(void *data, uint64_t stack, uint32_t function, calls_end_at *at)
{
    (void)data;
    assert_true(stack == STACK || stack == STACK + 1);
    *at = (calls_end_at){200, 30};
    return function != 9;
}

static void note_open(void *data, uint64_t stack, uint32_t function, const call *open)
{
    char text[96];
    snprintf(text, sizeof text, "%u:%u@%u %u-%u %u-%u%s;", (unsigned)stack, function, open->begin, (unsigned)open->duration,
             (unsigned)open->away, (unsigned)open->self, (unsigned)open->self_paused, open->state & CALL_TIMED ? "" : "?");
    g_string_append(data, text);
}

/* Calls that are open at the end, as if they ended then. */
static void open_at_the_end(void **state)
{
    (void)state;
    GString *text = g_string_new(NULL);
    calls *c = calls_new(0);
    calls_paused(c, 5);
    calls_begin_implicit(c, STACK + 1, 1, 7, 150);
    begin_away(c, 2, 1, 100, 10);
    begin_away(c, 3, 2, 110, 12);
    end_away(c, 4, 2, 130, 15);
    begin_away(c, 5, 3, 150, 20);
    begin_away(c, 6, 9, 160, 20); /* its end is not known */
    calls_each_open(c, ends_at_200, note_open, text);
    assert_string_equal(text->str, "5:1@2 100-20 30-7;5:3@5 50-10 50-10;5:9@6 0-0 0-0?;6:7@1 50-25 50-25;");
    calls_lost(c, STACK + 1);
    g_string_truncate(text, 0);
    calls_each_open(c, ends_at_200, note_open, text);
    assert_non_null(strstr(text->str, "6:7@1 50-25"));
    g_string_free(text, TRUE);
    calls_free(c);
}

/* There is room for days; longer times are kept as well. */
static void long_times(void **state)
{
    (void)state;
    static const uint64_t times[] = {(UINT64_C(1) << 48) - 2, (UINT64_C(1) << 48) - 1, UINT64_C(1) << 48, UINT64_MAX};
    calls *c = calls_new(CALLS_KEEP);
    uint32_t record = 1, left;
    call r;
    for (size_t i = 0; i < G_N_ELEMENTS(times); i++, record += 4) {
        begin(c, record, 1, 0);
        begin(c, record + 1, 2, 0);
        end(c, record + 2, 2, 5);
        end(c, record + 3, 1, times[i]);
    }
    calls_set(c, STACK + 1, record, 70, 0, true, &r, &left);
    calls_set(c, STACK + 1, record + 1, 71, UINT64_MAX, true, &r, &left);
    for (size_t i = 0; i < G_N_ELEMENTS(times); i++)
        for (uint32_t n = 1; n <= 4; n += 3) { /* from its begin and from its end */
            assert_true(calls_find(c, (uint32_t)i * 4 + n, &r));
            assert_int_equal(r.duration, times[i]);
            assert_int_equal(r.self, times[i] - 5);
            assert_int_equal(r.begin, i * 4 + 1);
            assert_int_equal(r.state, CALL_TIMED | CALL_SELF);
        }
    assert_true(calls_find(c, record + 1, &r));
    assert_int_equal(r.duration, UINT64_MAX);
    assert_int_equal(calls_left(c, record + 1), 70);
    calls_free(c);
}

/* Calls at depth 1200 with different outer ones: kept results have the right ones each time. */
static void deep_again(void **state)
{
    (void)state;
    enum { ROUNDS = 3, DEPTH = 1200 };
    uint32_t functions[CALLS_STACK_MAX], left_out, record = 1;
    calls *c = calls_new(CALLS_KEEP);
    call r;
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        for (uint32_t i = 0; i < DEPTH; i++)
            begin(c, record++, round * 10000 + i, i);
        for (uint32_t i = DEPTH; i-- > 0;)
            end(c, record++, round * 10000 + i, DEPTH);
    }
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        assert_true(calls_find(c, (round - 1) * 2 * DEPTH + DEPTH, &r));
        assert_int_equal(r.depth, DEPTH - 1);
        assert_int_equal(calls_stack(c, STACK, &r, 0, functions, NULL, &left_out), CALLS_STACK_MAX);
        for (uint32_t i = 0; i < CALLS_STACK_MAX; i++)
            assert_int_equal(functions[i], round * 10000 + (i < CALLS_STACK_OUTER ? i : i + left_out));
    }
    calls_free(c);
}

/* What was kept of an open call may have been overwritten by a record with the same number on another stack: then the
 * stack is taken from the open calls. */
static void stack_of_repeated_numbers(void **state)
{
    (void)state;
    const uint64_t far = (uint64_t)1 << 40 << 16; /* its upper half is not the number of a record */
    uint32_t functions[CALLS_STACK_MAX], left_out;
    call r;
    calls *c = calls_new(CALLS_KEEP);
    calls_begin(c, 2, 1, 9, 0, true, &r);
    calls_begin(c, 1, 2, 5, 1, true, &r);
    calls_record(c, 3);
    calls_begin(c, 1, 3, 6, 2, true, &r);
    calls_record(c, 3);
    calls_end(c, 2, 3, 9, far, true, &r);
    for (uint32_t record = 4; record < 6; record++) {
        calls_record(c, record);
        calls_begin(c, 1, record, 3 + record, far + record, true, &r);
    }
    assert_false(calls_known(c));
    assert_int_equal(calls_stack(c, 1, &r, 8, functions, NULL, &left_out), 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(functions[i], 5 + i);
    calls_free(c);
}

/* A recursion of depth 10^6 with stray ends at every level takes a moment, not hours. */
static void deep(void **state)
{
    (void)state;
    enum { DEPTH = 1000000 };
    for (int keep = 0; keep <= 1; keep++) {
        calls *c = calls_new(keep ? CALLS_KEEP : 0);
        uint32_t functions[CALLS_STACK_MAX], left_out, record = 1;
        call r;
        for (uint32_t i = 0; i < DEPTH; i++, record += 2) {
            r = begin(c, record, i % 7 + 1, i);
            assert_int_equal(end(c, record + 1, 1000, i).state, CALL_UNMATCHED);
        }
        assert_int_equal(r.depth, DEPTH - 1);
        unsigned n = calls_stack(c, STACK, &r, (DEPTH - 1) % 7 + 1, functions, NULL, &left_out);
        assert_int_equal(n, CALLS_STACK_MAX);
        assert_int_equal(left_out, DEPTH - CALLS_STACK_MAX);
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(functions[i], (i < CALLS_STACK_OUTER ? i : i + left_out) % 7 + 1);
        for (uint32_t i = DEPTH; i-- > 0; record++) {
            r = end(c, record, i % 7 + 1, 2 * DEPTH - i);
            assert_int_equal(r.duration, 2 * (DEPTH - i));
            assert_int_equal(r.depth, i);
        }
        calls_free(c);
    }
}

static void stack_of_an_end(void **state)
{
    (void)state;
    for (int keep = 0; keep <= 1; keep++) {
        calls *c = calls_new(keep ? CALLS_KEEP : 0);
        uint32_t functions[CALLS_STACK_MAX], left_out;
        for (uint32_t i = 1; i <= 3; i++)
            begin(c, i, i * 10, i);
        call r = end(c, 4, 30, 9);
        assert_int_equal(calls_stack(c, STACK, &r, 30, functions, NULL, &left_out), 3);
        assert_int_equal(left_out, 0);
        assert_int_equal(functions[0], 10);
        assert_int_equal(functions[1], 20);
        assert_int_equal(functions[2], 30);
        r = end(c, 5, 77, 9);
        assert_int_equal(calls_stack(c, STACK, &r, 77, functions, NULL, &left_out), 1);
        assert_int_equal(functions[0], 77);
        calls_free(c);
    }
}

/* The same rules in the simplest way: one array that is searched through every time. */
typedef struct model_call {
    uint32_t record, function;
    uint64_t ticks, within;
} model_call;

static call model_end(GArray *open, uint32_t record, uint32_t function, uint64_t ticks)
{
    call r = {.end = record, .state = CALL_UNMATCHED};
    int at = (int)open->len - 1;
    while (at >= 0 && g_array_index(open, model_call, at).function != function)
        at--;
    if (at < 0)
        return r;
    uint64_t lost = 0; /* time of inner calls that does not count as self time */
    for (guint i = (guint)at + 1; i < open->len; i++)
        lost += g_array_index(open, model_call, i).within;
    model_call o = g_array_index(open, model_call, at);
    g_array_set_size(open, (guint)at);
    r = (call){.begin = o.record,
               .end = record,
               .depth = (uint32_t)at,
               .duration = ticks - o.ticks,
               .self = ticks - o.ticks - o.within - lost,
               .state = CALL_TIMED | CALL_SELF};
    if (at > 0) {
        model_call *outer = &g_array_index(open, model_call, at - 1);
        outer->within += r.duration;
        r.caller = outer->record;
    }
    return r;
}

static void as_the_model(void **state)
{
    (void)state;
    for (guint32 seed = 1; seed <= 60; seed++) {
        GRand *rand = g_rand_new_with_seed(seed);
        GArray *open = g_array_new(FALSE, TRUE, sizeof(model_call));
        calls *c = calls_new(seed % 2 ? CALLS_KEEP : 0);
        uint64_t ticks = 0;
        guint32 functions = seed % 5 ? 6 : 200;
        for (uint32_t record = 1; record < 3000; record++) {
            uint32_t function = (uint32_t)g_rand_int_range(rand, 1, (gint32)functions);
            ticks += (uint64_t)g_rand_int_range(rand, 0, 50);
            if (g_rand_int_range(rand, 0, 100) < 55) {
                call got = begin(c, record, function, ticks);
                assert_int_equal(got.depth, open->len);
                model_call m = {record, function, ticks, 0};
                g_array_append_val(open, m);
                continue;
            }
            call want = model_end(open, record, function, ticks), got = end(c, record, function, ticks);
            assert_int_equal(got.begin, want.begin);
            assert_int_equal(got.state, want.state);
            assert_int_equal(got.duration, want.duration);
            assert_int_equal(got.self, want.self);
            assert_int_equal(got.depth, want.depth);
            assert_int_equal(got.caller, want.caller);
        }
        calls_free(c);
        g_array_free(open, TRUE);
        g_rand_free(rand);
    }
}

/* What threads do besides plain calls, in the form of a log. `+2@30` enters function 2 at 30 ticks, `-2@30` leaves it,
 * `@30` sets the clock, `!` loses records. Expected for each record that leaves: the number of the entry (0: stray),
 * depth, duration and self time (-1: unknown). */
typedef struct thread_case {
    const char *records;
    struct {
        uint32_t begin, depth;
        int64_t duration, self;
        uint8_t state;
    } ends[4];
} thread_case;

static const thread_case thread_cases[] = {
    /* sibling calls of one function */
    {"+1@0 +2@10 -2@20 +2@30 -2@45 -1@60", {{2, 1, 10, 10, 0}, {4, 1, 15, 15, 0}, {1, 0, 60, 35, 0}}},
    /* 1 ends with a tail call of 2, which ends with one of 3: each leaves before the next is entered */
    {"+9@0 +1@5 -1@10 +2@11 -2@20 +3@21 -3@30 -9@40",
     {{2, 1, 5, 5, 0}, {4, 1, 9, 9, 0}, {6, 1, 9, 9, 0}, {1, 0, 40, 17, 0}}},
    /* the ring has lost the buffers with the entries: everything that was open leaves without one */
    {"-3@100 -2@110 +2@120 -2@130 -1@140",
     {{0, 0, -1, -1, CALL_UNMATCHED}, {0, 0, -1, -1, CALL_UNMATCHED}, {3, 0, 10, 10, 0}, {0, 0, -1, -1, CALL_UNMATCHED}}},
    /* records lost in the middle of a call */
    {"+1@0 +2@10 ! -2@20 +3@30 -3@40 -1@50", {{2, 1, 10, 10, CALL_UNSURE}, {5, 1, 10, 10, 0}, {1, 0, 50, 30, CALL_UNSURE}}},
    /* the thread moves to a CPU with an earlier counter inside 2: no call around that gets a wrong time */
    {"+1@1000 +2@1010 -2@500 +3@510 -3@530 -1@600",
     {{2, 1, -1, -1, CALL_UNSURE}, {4, 1, 20, 20, 0}, {1, 0, -1, -1, CALL_UNSURE}}},
    /* the times look right, but the counter has gone back in between: 1 took less time than the call inside */
    {"+1@500 +2@100 -2@900 -1@1000 +3@1100 -3@1200",
     {{2, 1, 800, 800, 0}, {1, 0, 500, -1, CALL_UNSURE}, {5, 0, 100, 100, 0}}},
    /* the same, noticed at a record that neither enters nor leaves */
    {"+1@500 +2@510 @400 -2@600 -1@1000", {{2, 1, 90, 90, CALL_UNSURE}, {1, 0, 500, 410, CALL_UNSURE}}},
    /* one exit of a recursion is missing: the others match the innermost entries */
    {"+1@0 +1@10 +1@20 -1@30 -1@50", {{3, 2, 10, 10, 0}, {2, 1, 40, 30, 0}}},
};

static void check_end(const thread_case *t, unsigned i, const call *got)
{
    bool timed = t->ends[i].duration >= 0, self = t->ends[i].self >= 0;
    assert_int_equal(got->begin, t->ends[i].begin);
    assert_int_equal(got->depth, t->ends[i].depth);
    assert_int_equal(got->state, t->ends[i].state | (timed ? CALL_TIMED : 0) | (self ? CALL_SELF : 0));
    assert_int_equal(got->duration, timed ? t->ends[i].duration : 0);
    assert_int_equal(got->self, self ? t->ends[i].self : 0);
}

static void threads(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(thread_cases); i++) {
        const thread_case *t = &thread_cases[i];
        char **records = g_strsplit(t->records, " ", -1);
        calls *c = calls_new(i % 2 ? CALLS_KEEP : 0);
        unsigned ends = 0;
        for (uint32_t n = 0; records[n]; n++) {
            if (records[n][0] == '!') {
                calls_lost(c, STACK);
                continue;
            }
            bool enters = records[n][0] == '+', leaves = records[n][0] == '-';
            assert_non_null(strchr(records[n], '@'));
            unsigned function = (unsigned)atoi(records[n] + 1), ticks = (unsigned)atoi(strchr(records[n], '@') + 1);
            calls_clock(c, STACK, ticks);
            if (!enters && !leaves)
                continue;
            call r = enters ? begin(c, n + 1, function, ticks) : end(c, n + 1, function, ticks);
            if (leaves)
                check_end(t, ends++, &r);
        }
        assert_true(ends == G_N_ELEMENTS(t->ends) || t->ends[ends].begin == 0);
        calls_free(c);
        g_strfreev(records);
    }
}

/* The calls around a record, from the outermost; too many lose the outer ones. A repeated record number makes kept ones
 * unknown. */
static void test_within(void **state)
{
    (void)state;
    for (int keep = 0; keep < 2; keep++) {
        calls *c = calls_new(keep ? CALLS_KEEP : 0);
        uint32_t records[4], left_out, unused;
        call r;
        for (uint32_t i = 1; i <= 5; i++) {
            calls_record(c, i);
            begin(c, i, i, i);
            assert_int_equal(calls_within(c, STACK, i, records, 4, &left_out), MIN(i, 4));
            assert_int_equal(left_out, i > 4);
            assert_int_equal(records[0], i > 4 ? 2 : 1);
            assert_int_equal(records[MIN(i, 4) - 1], i);
        }
        assert_int_equal(calls_within(c, STACK, 2, records, 4, &left_out), 2);
        assert_int_equal(calls_within(c, STACK, 77, records, 4, &left_out), 0);
        assert_int_equal(calls_within(c, 99, 0, records, 4, &left_out), 0);
        assert_int_equal(calls_within(c, STACK, 5, records, 0, &left_out), 0);
        assert_int_equal(left_out, 5);
        calls_record(c, 6);
        calls_around(c, STACK, 6);
        calls_around(c, 99, 7); /* nothing is open there */
        assert_int_equal(calls_open(c, STACK, &unused), 5);
        assert_int_equal(calls_find(c, 6, &r), keep);
        assert_true(!keep || (r.begin == 5 && r.state == CALL_AROUND && r.end == 0));
        assert_false(calls_find(c, 7, &r));
        end(c, 8, 3, 10);
        assert_int_equal(calls_within(c, STACK, 5, records, 4, &left_out), keep ? 4 : 0); /* known later only if kept */
        calls_record(c, 8);
        calls_record(c, 8);
        assert_int_equal(calls_within(c, STACK, 1, records, 4, &left_out), !keep);
        calls_free(c);
    }
}

/* Two fibers, both in 7; then 8 alone, with 9 inside. */
static void switching(void **state)
{
    (void)state;
    for (int keep = 0; keep <= 1; keep++) {
        const uint64_t key = STACK;
        g_autoptr(GHashTable) stacks = g_hash_table_new(g_int64_hash, g_int64_equal);
        uint32_t functions[CALLS_STACK_MAX], left_out;
        calls *c = calls_new(CALLS_UNWIND | (keep ? CALLS_KEEP : 0));
        g_hash_table_add(stacks, (gpointer)(uintptr_t)&key);
        calls_switch(c, stacks);
        call r = begin(c, 1, 7, 10);
        assert_true(calls_switches(c, STACK));
        assert_false(calls_switches(c, 99));
        begin(c, 2, 7, 20);
        r = begin(c, 3, 8, 30);
        assert_int_equal(r.depth + r.caller, 0);
        begin(c, 4, 9, 40);
        r = end(c, 5, 9, 50);
        assert_int_equal(r.begin, 4);
        assert_int_equal(r.state, CALL_TIMED | CALL_SELF | CALL_UNSURE | CALL_UNATTRIBUTED);
        r = end(c, 6, 8, 60);
        assert_int_equal(r.begin, 3);
        assert_int_equal(r.duration, 30);
        assert_int_equal(r.state, CALL_TIMED | CALL_UNSURE | CALL_UNATTRIBUTED);
        assert_int_equal(calls_stack(c, STACK, &r, 8, functions, NULL, &left_out), 1);
        for (uint32_t i = 7; i < 10; i++) { /* one end too many, too */
            r = end(c, i, 7, 70);
            assert_int_equal(r.begin, 0);
            assert_int_equal(r.state, CALL_UNMATCHED | CALL_UNSURE);
        }
        begin(c, 10, 7, 80); /* alone now */
        assert_int_equal(end(c, 11, 7, 90).begin, 10);
        begin(c, 12, 7, 100);
        calls_lost(c, STACK);
        assert_int_equal(end(c, 13, 7, 110).begin, 0);
        assert_int_equal(calls_find(c, 6, &r), keep);
        assert_int_equal(r.begin, keep ? 3 : r.begin);
        calls_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_within),
        cmocka_unit_test(nested),
        cmocka_unit_test(unmatched),
        cmocka_unit_test(clocks),
        cmocka_unit_test(stacks_are_separate),
        cmocka_unit_test(inside),
        cmocka_unit_test(repeated_numbers),
        cmocka_unit_test(stack_of_repeated_numbers),
        cmocka_unit_test(deep),
        cmocka_unit_test(stack_of_an_end),
        cmocka_unit_test(deep_again),
        cmocka_unit_test(owner_is_away),
        cmocka_unit_test(open_at_the_end),
        cmocka_unit_test(long_times),
        cmocka_unit_test(closed_calls),
        cmocka_unit_test(closed_times),
        cmocka_unit_test(moved_calls),
        cmocka_unit_test(closed_together),
        cmocka_unit_test(moved_deep),
        cmocka_unit_test(switching),
        cmocka_unit_test(threads),
        cmocka_unit_test(as_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
