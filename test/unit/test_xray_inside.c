/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What happened inside one call, by hand; and what is incomplete. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "found_rows.h"
#include "xray/statistics/one_call.h"
#include "xray_visits.h"

static const xray_display in_ticks = {.ticks = true};

typedef struct step {
    uint32_t thread;
    uint8_t kind;
    uint32_t function;
    uint64_t tsc;
    uint16_t cpu;
} step;

/* Thread 1: 7 { 8 { 9 { } } event, move, 8 { }, typed event }; the first entry and the last exit are not inside. */
static const step example[] = {
    {1, XRAY_ENTRY, 6, 990, 0},  {1, XRAY_ENTRY, 7, 1000, 0},        {1, XRAY_ENTRY, 8, 1010, 0},
    {1, XRAY_ENTRY, 9, 1012, 0}, {2, XRAY_ENTRY, 8, 1013, 5},        {1, XRAY_EXIT, 9, 1018, 0},
    {1, XRAY_EXIT, 8, 1020, 0},  {1, XRAY_CUSTOM_EVENT, 0, 1030, 0}, {1, XRAY_NEW_CPU, 0, 1040, 3},
    {1, XRAY_ENTRY, 8, 1060, 3}, {1, XRAY_EXIT, 8, 1100, 3},         {1, XRAY_TYPED_EVENT, 4, 1120, 3},
    {1, XRAY_EXIT, 7, 1200, 3},  {1, XRAY_EXIT, 6, 1300, 3}};

static uint32_t same(uint32_t place)
{
    return place;
}

static rows *filled(const xray_inside *c)
{
    rows *r = rows_new(xray_inside_columns, XRAY_INSIDE_COLUMNS);
    xray_inside_fill(c, &in_ticks, same, r);
    return r;
}

/* Counts the call whose entry is the record at `entry`, and returns how many records were of it. */
static unsigned count(xray_inside *c, const step *steps, unsigned n, uint32_t entry)
{
    visits all = {.session.calls = calls_new(CALLS_UNWIND)};
    unsigned counted = 0;
    for (unsigned i = 0; i < n; i++) {
        const xray_call_event v = visits_next(&all, steps[i].thread, steps[i].kind, steps[i].function, steps[i].tsc,
                                              steps[i].cpu);
        if (v.place == entry)
            xray_inside_enter(c, &v);
        counted += xray_inside_add(c, &v);
    }
    calls_free(all.session.calls);
    return counted;
}

static xray_inside_state state_after(const step *steps, unsigned n, uint32_t entry, uint32_t *begin)
{
    xray_inside *c = xray_inside_new(false);
    count(c, steps, n, entry);
    const xray_inside_state left = xray_inside_state_of(c, begin);
    xray_inside_free(c);
    return left;
}

static void expect_row(const rows *r, const char *what, const char *kind, const uint64_t *numbers)
{
    static const char *const titles[] = {"Count", "Sum", "Longest", "Part (%)", "At", "Record"};
    const rows_cell *row = found_row(r, what, kind);
    for (unsigned i = 0; i < G_N_ELEMENTS(titles); i++)
        if (numbers[i] == UINT64_MAX)
            expect_state(r, row, titles[i], ROWS_NONE);
        else
            expect_number(r, row, titles[i], numbers[i]);
}

static void sums(void **state)
{
    (void)state;
    static const uint64_t none = UINT64_MAX;
    const struct {
        const char *what, *kind;
        uint64_t numbers[6]; /* count, sum, longest, part, at, record */
    } expected[] = {
        {"#7", "this call", {1, 200, 200, 1000, 0, 2}},
        {"#8", "call", {2, 50, 40, 250, 60, 10}},
        {"(entry) → #8", "self time", {1, 10, 10, 50, 0, 2}},
        {"#8 → #8", "self time", {1, 40, 40, 200, 20, 7}},
        {"#8 → (exit)", "self time", {1, 100, 100, 500, 100, 11}},
        {"CPU 0 → CPU 3", "move", {1, none, none, none, 40, 9}},
        {"custom event", "event", {1, none, none, none, 30, 8}},
        {"type 4", "event", {1, none, none, none, 120, 12}},
    };
    xray_inside *c = xray_inside_new(false);
    assert_int_equal(count(c, example, G_N_ELEMENTS(example), 2), 11);
    rows *r = filled(c);
    assert_int_equal(rows_length(r), G_N_ELEMENTS(expected));
    for (unsigned i = 0; i < G_N_ELEMENTS(expected); i++)
        expect_row(r, expected[i].what, expected[i].kind, expected[i].numbers);
    rows_free(r);
    xray_inside_free(c);
    c = xray_inside_new(true); /* both calls of 8 have a row */
    count(c, example, G_N_ELEMENTS(example), 2);
    r = filled(c);
    assert_int_equal(rows_length(r), G_N_ELEMENTS(expected) + 1);
    expect_row(r, "#8", "call", (const uint64_t[]){1, 10, 10, 50, 10, 3});
    rows_free(r);
    xray_inside_free(c);
}

/* 7 { 8 { 9 { } (8 has no exit) } exit of 7: where 8 ended is known only then. */
static void without_an_exit(void **state)
{
    (void)state;
    static const step steps[] = {{1, XRAY_ENTRY, 7, 100, 0},
                                 {1, XRAY_ENTRY, 8, 110, 0},
                                 {1, XRAY_ENTRY, 9, 120, 0},
                                 {1, XRAY_EXIT, 9, 150, 0},
                                 {1, XRAY_EXIT, 7, 200, 0}};
    uint32_t begin;
    xray_inside *c = xray_inside_new(false);
    count(c, steps, G_N_ELEMENTS(steps), 1);
    assert_int_equal(xray_inside_state_of(c, &begin), XRAY_INSIDE_LATE);
    rows *r = filled(c);
    expect_number(r, found_row(r, "#8", "call"), "Sum", 0); /* 7 may have called 9 */
    expect_number(r, found_row(r, "#8", "call"), "Unwound", 1);
    expect_number(r, found_row(r, "#7", "this call"), "Unwound", 0);
    expect_number(r, found_row(r, "#8 → (exit)", "self time"), "Sum", 90);
    rows_free(r);
    xray_inside_free(c);
}

/* The same, known at the entry of 8: it counts once, and ends there. */
static void known_in_advance(void **state)
{
    (void)state;
    static const step steps[] = {{1, XRAY_ENTRY, 7, 100, 0},
                                 {1, XRAY_ENTRY, 8, 110, 0},
                                 {1, XRAY_CUSTOM_EVENT, 0, 150, 0},
                                 {1, XRAY_NEW_CPU, 0, 180, 0},
                                 {1, XRAY_EXIT, 7, 200, 0}};
    const span ended = {
        .call = {.begin = 2, .last = 3, .sure = 3, .until = 150, .duration = 40, .state = CALL_TIMED | CALL_CLOSED},
        .function = 8};
    visits all = {.session.calls = calls_new(CALLS_UNWIND)};
    xray_inside *c = xray_inside_new(false);
    uint32_t begin;
    for (unsigned i = 0; i < G_N_ELEMENTS(steps); i++) {
        xray_call_event v = visits_next(&all, 1, steps[i].kind, steps[i].function, steps[i].tsc, 0);
        v.unwound = i == 1 ? &ended : NULL;
        if (i == 0)
            xray_inside_enter(c, &v);
        assert_true(xray_inside_add(c, &v));
    }
    assert_int_equal(xray_inside_state_of(c, &begin), XRAY_INSIDE_WHOLE);
    rows *r = filled(c);
    expect_row(r, "#8", "call", (const uint64_t[]){1, 40, 40, 400, 10, 2});
    expect_row(r, "#8 → (exit)", "self time", (const uint64_t[]){1, 50, 50, 500, 50, 3});
    rows_free(r);
    xray_inside_free(c);
    calls_free(all.session.calls);
}

static void incomplete(void **state)
{
    (void)state;
    const unsigned n = G_N_ELEMENTS(example);
    uint32_t begin;
    assert_int_equal(state_after(example, n, 2, &begin), XRAY_INSIDE_WHOLE);
    assert_int_equal(state_after(example, n, n + 1, &begin), XRAY_INSIDE_NOT_ENTERED);
    assert_int_equal(state_after(example, n, 9, &begin), XRAY_INSIDE_NO_CALL);
    assert_int_equal(state_after(example, n, 11, &begin), XRAY_INSIDE_NO_ENTRY);
    assert_int_equal(begin, 10);
    assert_int_equal(state_after(example, n - 2, 2, &begin), XRAY_INSIDE_UNENDED);
    static const step back[] = {{1, XRAY_ENTRY, 7, 100, 0}, {1, XRAY_EXIT, 7, 50, 0}};
    assert_int_equal(state_after(back, 2, 1, &begin), XRAY_INSIDE_UNTIMED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums), cmocka_unit_test(without_an_exit),
                                       cmocka_unit_test(known_in_advance), cmocka_unit_test(incomplete)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
