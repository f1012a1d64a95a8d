/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two logs side by side: what a call adds, with and without callers; a log that is read as the baseline; merging. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib/gstdio.h>

#include "found_rows.h"
#include "xray/comparison.h"
#include "xray_log.h"

static const xray_shown in_ticks = {.ticks = true};

static rows *filled(xray_comparison *c, const xray_shown *after)
{
    rows *r = rows_new(xray_comparison_columns, XRAY_COMPARISON_COLUMNS);
    xray_comparison_fill(c, after, r);
    return r;
}

static void add(xray_comparison *c, comparison_side side, uint32_t function, const uint32_t *caller, uint64_t took,
                unsigned how)
{
    const call k = {.begin = 1, .duration = took, .state = (uint8_t)(CALL_TIMED | how)};
    assert_true(xray_comparison_add(c, side, NULL, function, caller, &k));
}

static void sums(void **state)
{
    (void)state;
    const uint32_t zero = 0, caller = 9;
    xray_comparison *c = xray_comparison_new(true);
    assert_false(xray_comparison_add(c, COMPARISON_BEFORE, NULL, 7, NULL, &(call){.begin = 1, .state = CALL_UNMATCHED}));
    add(c, COMPARISON_BEFORE, 7, NULL, 10, 0);
    add(c, COMPARISON_BEFORE, 7, NULL, 21, CALL_CLOSED);
    add(c, COMPARISON_BEFORE, 7, NULL, 2, 0);
    add(c, COMPARISON_AFTER, 7, NULL, 66, CALL_CLOSED);
    add(c, COMPARISON_AFTER, 7, &zero, 5, 0); /* a function 0 is not the same as no caller */
    add(c, COMPARISON_AFTER, 7, &caller, 3, 0);
    rows *r = filled(c, &in_ticks);
    assert_int_equal(rows_length(r), 3);
    const rows_cell *own = found_row(r, "#7", "(no caller)");
    const struct {
        const char *title;
        uint64_t number;
    } expected[] = {{"Calls before", 3}, {"Calls after", 1},  {"Sum before", 33},        {"Sum after", 66},
                    {"Sum ratio", 2000}, {"Mean before", 11}, {"Median before", 10},     {"99 % before", 21},
                    {"Mean after", 66},  {"99 % after", 66},  {"Median difference", 56}, {"Unwound before", 1},
                    {"Unwound after", 1}};
    for (unsigned i = 0; i < G_N_ELEMENTS(expected); i++)
        expect_number(r, own, expected[i].title, expected[i].number);
    expect_number(r, found_row(r, "#7", "#0"), "Sum after", 5);
    expect_number(r, found_row(r, "#7", "#9"), "Calls after", 1);
    expect_state(r, found_row(r, "#7", "#9"), "Mean before", ROWS_NONE);
    expect_number(r, found_row(r, "#7", "#9"), "Unwound before", 0);
    rows_free(r);
    xray_comparison_forget(c);
    add(c, COMPARISON_AFTER, 7, &caller, 4, 0);
    const xray_shown two_gigahertz = {.frequency = UINT64_C(2000000000)};
    r = filled(c, &two_gigahertz);
    assert_int_equal(rows_length(r), 2);
    expect_number(r, found_row(r, "#7", "#9"), "Sum after", 2);
    expect_number(r, found_row(r, "#7", "(no caller)"), "Sum before", 33);
    rows_free(r);
    for (uint32_t i = 0; i < 8; i++) /* rows that are looked up anew, and known ones */
        add(c, COMPARISON_AFTER, 11 + i % 4, &caller, 1 + i % 4, 0);
    r = filled(c, &in_ticks);
    for (uint32_t i = 0; i < 4; i++) {
        g_autofree char *name = g_strdup_printf("#%u", 11 + i);
        expect_number(r, found_row(r, name, "#9"), "Sum after", 2 * (1 + i));
    }
    rows_free(r);
    xray_comparison_free(c);
}

/* 1 { 2 { 3 { } } 2 { }, where the first 2 and the 1 around have no exit of their own: the last exit is that of 1. Deltas in `at`. */
static void baseline(void **state)
{
    (void)state;
    static const struct {
        unsigned action;
        uint32_t function, delta;
    } steps[] = {{0, 1, 10}, {0, 2, 5}, {0, 3, 5}, {1, 3, 7}, {1, 2, 1}, {0, 2, 2}, {0, 3, 3}, {1, 1, 100}};
    builder b = log_begin(5, XRAY_TYPE_FDR, false, 4096);
    put_extents(&b, PREAMBLE + 8 * G_N_ELEMENTS(steps));
    put_preamble(&b, 1, 5, 0, 1000);
    for (unsigned i = 0; i < G_N_ELEMENTS(steps); i++)
        put_function(&b, steps[i].action, steps[i].function, steps[i].delta);
    static const uint8_t two_gigahertz[] = {0, 0x94, 0x35, 0x77};
    memcpy(b.bytes->data + 8, two_gigahertz, sizeof two_gigahertz);
    g_autofree char *path = NULL;
    const int file = g_file_open_tmp("baseline-XXXXXX", &path, NULL);
    assert_true(file >= 0 && g_file_set_contents(path, (const char *)b.bytes->data, b.bytes->len, NULL));
    g_autoptr(GString) problems = g_string_new(NULL);
    xray_comparison *c = xray_comparison_new(true);
    assert_null(xray_comparison_read(c, path, "/nothing", false, NULL, problems));
    assert_non_null(strstr(problems->str, "/nothing"));
    assert_false(xray_comparison_named(c));
    rows *r = filled(c, &in_ticks);
    assert_int_equal(rows_length(r), 3);
    const rows_cell *outer = found_row(r, "#1", "(no caller)"), *middle = found_row(r, "#2", "#1"),
                    *inner = found_row(r, "#3", "#2");
    expect_number(r, outer, "Sum before", 5 + 5 + 7 + 1 + 2 + 3 + 100);
    expect_number(r, middle, "Calls before", 2);
    expect_number(r, middle, "Unwound before", 1);
    expect_number(r, middle, "Sum before", 5 + 7 + 1 + 3); /* the second ends with the last record inside */
    expect_number(r, inner, "Calls before", 2);
    expect_number(r, inner, "Sum before", 7);
    rows_free(r);
    r = filled(c, &(const xray_shown){0}); /* by the frequency of the baseline, whatever that of the other log */
    expect_number(r, found_row(r, "#3", "#2"), "Sum before", 3);
    rows_free(r);
    xray_comparison_free(c);
    c = xray_comparison_new(false);
    g_unlink(path);
    g_autofree char *problem = xray_comparison_read(c, path, NULL, false, NULL, problems);
    assert_non_null(problem);
    xray_comparison_free(c);
    g_close(file, NULL);
    log_free(&b);
}

static void merged(void **state)
{
    (void)state;
    for (guint32 seed = 1; seed <= 8; seed++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
        xray_comparison *whole = xray_comparison_new(seed % 2),
                        *parts[] = {xray_comparison_new(seed % 2), xray_comparison_new(seed % 2)};
        for (unsigned i = 0; i < 500; i++) {
            const comparison_side side = g_rand_boolean(rand) ? COMPARISON_BEFORE : COMPARISON_AFTER;
            const uint32_t caller = g_rand_int(rand) % 3, function = g_rand_int(rand) % 4, took = g_rand_int(rand);
            add(whole, side, function, caller ? &caller : NULL, took, took % 2 ? CALL_CLOSED : 0);
            add(parts[g_rand_int(rand) % 2], side, function, caller ? &caller : NULL, took, took % 2 ? CALL_CLOSED : 0);
        }
        xray_comparison_merge(parts[0], parts[1]);
        rows *x = filled(whole, &in_ticks), *y = filled(parts[0], &in_ticks);
        expect_same_rows(x, y);
        rows_free(x);
        rows_free(y);
        xray_comparison_free(whole);
        xray_comparison_free(parts[0]);
        xray_comparison_free(parts[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums), cmocka_unit_test(baseline), cmocka_unit_test(merged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
