/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two logs side by side: what is compared of calls; a log that is read as the baseline. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "counting.h"
#include "failed.h"
#include "found_rows.h"
#include "load_functions.h"
#include "temporary_file.h"
#include "xray/statistics/comparison.h"
#include "xray_log.h"

static const xray_display in_ticks = {.ticks = true};

static rows *filled(const xray_baseline *before, const xray_account *after, const xray_display *shown)
{
    xray_comparison c = {.before = *before, .after = (xray_account *)(uintptr_t)after};
    return counting_rows(&xray_comparison_counted, &c, shown);
}

static void add(xray_account *a, uint32_t function, const uint32_t *caller, uint64_t took, unsigned how)
{
    const call k = {.begin = 1, .duration = took, .self = took / 2, .state = (uint8_t)(CALL_TIMED | CALL_SELF | how)};
    assert_true(xray_account_add(a, 1, caller, &(span){.call = k, .function = function}));
}

static void sums(void **state)
{
    (void)state;
    const uint32_t zero = 0, caller = 9;
    xray_baseline before = {.account = xray_account_new(true, XRAY_COUNT_ALL)};
    xray_account *after = xray_account_new(true, XRAY_COUNT_ALL);
    add(before.account, 7, NULL, 10, 0);
    add(before.account, 7, NULL, 21, CALL_CLOSED);
    add(before.account, 7, NULL, 2, 0);
    add(after, 7, NULL, 66, CALL_CLOSED);
    add(after, 7, &zero, 5, 0); /* a function 0 is not the same as no caller */
    add(after, 7, &caller, 3, 0);
    rows *r = filled(&before, after, &in_ticks);
    assert_int_equal(rows_length(r), 3);
    const rows_cell *own = found_row(r, "#7", "(no caller)");
    const struct {
        const char *title;
        uint64_t number;
    } expected[] = {{"Calls before", 3},  {"Calls after", 1},  {"Sum before", 33},        {"Sum after", 66},
                    {"Sum ratio", 2000},  {"Mean before", 11}, {"Median before", 10},     {"99 % before", 21},
                    {"Mean after", 66},   {"99 % after", 66},  {"Median difference", 56}, {"Unwound before", 1},
                    {"Unwound after", 1}, {"Self before", 16}, {"Self after", 33}};
    for (unsigned i = 0; i < G_N_ELEMENTS(expected); i++)
        expect_number(r, own, expected[i].title, expected[i].number);
    expect_number(r, found_row(r, "#7", "#0"), "Sum after", 5);
    expect_number(r, found_row(r, "#7", "#9"), "Calls after", 1);
    expect_state(r, found_row(r, "#7", "#9"), "Mean before", ROWS_NONE);
    expect_number(r, found_row(r, "#7", "#9"), "Unwound before", 0);
    rows_free(r);
    const xray_display two_gigahertz = {.frequency = UINT64_C(2000000000)};
    r = filled(&before, after, &two_gigahertz);
    expect_number(r, found_row(r, "#7", "(no caller)"), "Sum after", 33);
    expect_number(r, found_row(r, "#7", "(no caller)"), "Sum before", 33); /* a tick of the baseline is a nanosecond */
    rows_free(r);
    xray_account_free(after);
    xray_baseline_clear(&before);
}

/* 1 { 2 { 3 { } } 2 { }, where the first 2 and the 1 around have no exit of their own: the last exit is that of 1. Deltas in
 * `at`. */
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
    g_autofree char *path = temporary_file(b.bytes->data, b.bytes->len);
    g_autoptr(GString) problems = g_string_new(NULL);
    xray_baseline before;
    xray_account *after = xray_account_new(true, XRAY_COUNT_ALL);
    assert_true(xray_baseline_read(&before, path, true, "/nothing", false, problems, NULL));
    assert_non_null(strstr(problems->str, "/nothing"));
    assert_null(before.functions);
    rows *r = filled(&before, after, &in_ticks);
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
    r = filled(&before, after,
               &(const xray_display){0}); /* by the frequency of the baseline, whatever that of the other log */
    expect_number(r, found_row(r, "#3", "#2"), "Sum before", 4); /* 3.5 */
    rows_free(r);
    xray_baseline_clear(&before);
    g_unlink(path);
    GError *error = NULL;
    assert_false(xray_baseline_read(&before, path, false, NULL, false, problems, &error));
    assert_failed(&error, NULL);
    xray_baseline_clear(&before);
    xray_account_free(after);
    log_free(&b);
}

#define ROW(id, function, name) \
    "- { id: " id ", address: " function ", function: " function \
    ", kind: function-enter, always-instrument: true, function-name: " name ", version: 2 }\n"

/* Static functions of several files may have the same name. Only the baseline has a program, which names those of both logs.
 */
static void same_names(void **state)
{
    (void)state;
    static const char program[] = "---\n" ROW("1", "0x10", "helper") ROW("2", "0x20", "helper") ROW("3", "0x30", "main");
    char *path = temporary_file(program, -1);
    xray_baseline before = {xray_account_new(true, XRAY_COUNT_ALL), load_functions(path, false, NULL), 0, false};
    assert_non_null(before.functions);
    xray_account *after = xray_account_new(true, XRAY_COUNT_ALL);
    const uint32_t callers[] = {1, 2};
    add(before.account, 1, NULL, 10, 0);
    add(before.account, 2, NULL, 30, 0);
    add(before.account, 3, &callers[0], 5, 0);
    add(before.account, 3, &callers[1], 6, 0);
    add(after, 2, NULL, 7, 0);
    rows *r = filled(&before, after, &in_ticks);
    assert_int_equal(rows_length(r), 2);
    const rows_cell *helper = found_row(r, "helper", "(no caller)"), *other = found_row(r, "main", "helper");
    expect_number(r, helper, "Calls before", 2);
    expect_number(r, helper, "Sum before", 40);
    expect_number(r, helper, "Median before", 30);
    expect_number(r, helper, "Sum after", 7);
    expect_number(r, other, "Sum before", 11);
    rows_free(r);
    xray_account_free(after);
    xray_baseline_clear(&before);
    temporary_drop(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums), cmocka_unit_test(baseline), cmocka_unit_test(same_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
