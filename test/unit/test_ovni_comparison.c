/* SPDX-License-Identifier: GPL-2.0-or-later */
/* States of two traces side by side: what has ended, what is open at the end, and merging of streams. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "found_rows.h"
#include "ovni/comparison.h"
#include "ovni/context.h"

static rows *filled(ovni_comparison *c, bool end_missing)
{
    rows *r = rows_new(ovni_comparison_columns, OVNI_COMPARISON_COLUMNS);
    ovni_comparison_fill(c, end_missing, r);
    return r;
}

/* An event without a payload, of a stream. */
static ovni_known visit(ovni_states *s, uint32_t stream_number, uint32_t frame, const char *mcv, uint8_t clock)
{
    const uint8_t bytes[12] = {0, (uint8_t)mcv[0], (uint8_t)mcv[1], (uint8_t)mcv[2], clock};
    const cursor at = {bytes, sizeof bytes, false};
    record_context c = {.kind = 1, .stream = stream_number};
    ovni_known known;
    *ovni_context_of(&c) = (ovni_context){.era = OVNI_ERA_V3,
                                          .known = OVNI_KNOWN_PROCESS | OVNI_KNOWN_THREAD,
                                          .process = 10,
                                          .thread = (int32_t)(100 + stream_number)};
    if (!ovni_states_stream_known(s, &c))
        ovni_states_stream(s, &c, "loom");
    ovni_states_visit(s, &c, frame, ovni_event_of(OVNI_ERA_V3, &at), &at, &known);
    return known;
}

/* Each thread is in nOS-V's attach, from VAr to VAR; in the end both never leave it. */
static const struct {
    uint32_t thread;
    const char *mcv;
    uint8_t clock;
} events[] = {{0, "VAr", 10}, {1, "VAr", 11}, {0, "VAR", 14}, {1, "VAR", 21},
              {0, "VAr", 30}, {1, "VAr", 33}, {0, "VAR", 50}, {0, "VAr", 60}};

static void count(ovni_comparison *c, comparison_side side, ovni_states *s, bool (*counts)(uint32_t thread, uint32_t frame))
{
    for (uint32_t i = 0; i < G_N_ELEMENTS(events); i++) {
        const ovni_known known = visit(s, events[i].thread, i + 1, events[i].mcv, events[i].clock);
        if (!counts || counts(events[i].thread, i + 1))
            ovni_comparison_add(c, side, s, i + 1, &known);
    }
    ovni_comparison_end(c, side, s);
}

static bool before_the_end(uint32_t thread, uint32_t frame)
{
    (void)thread;
    return frame < 5;
}

static void sums(void **state)
{
    (void)state;
    ovni_comparison *c = ovni_comparison_new();
    ovni_states *s = ovni_states_new(false), *again = ovni_states_new(false);
    count(c, COMPARISON_BEFORE, s, NULL);
    count(c, COMPARISON_AFTER, again, before_the_end);
    ovni_comparison_end(c, COMPARISON_BEFORE, s); /* takes back what it has counted */
    rows *r = filled(c, false);
    assert_int_equal(rows_length(r), 1);
    const rows_cell *row = rows_at(r, 0);
    assert_string_equal(row[1].text, "nosv");
    /* ended: 4, 10, 20; open until the last clock, 60: 27 and 0 */
    expect_number(r, row, "Count before", 5);
    expect_number(r, row, "Sum before", 4 + 10 + 20 + 27);
    expect_number(r, row, "Average before", 61 / 5);
    expect_number(r, row, "Median before", 10);
    expect_number(r, row, "99 % before", 20);
    expect_number(r, row, "Count after", 2); /* what has begun later does not count, though it is open */
    expect_number(r, row, "Sum after", 14);
    rows_free(r);
    r = filled(c, true);
    expect_number(r, rows_at(r, 0), "Count before", 5);
    expect_state(r, rows_at(r, 0), "Sum before", ROWS_UNKNOWN);
    expect_number(r, rows_at(r, 0), "Sum after", 14); /* nothing is open there */
    rows_free(r);
    ovni_comparison_forget(c);
    r = filled(c, false);
    expect_number(r, rows_at(r, 0), "Count after", 0);
    rows_free(r);
    ovni_comparison_free(c);
    ovni_states_free(s);
    ovni_states_free(again);
}

static bool of_first(uint32_t thread, uint32_t frame)
{
    (void)frame;
    return thread == 0;
}

static bool of_second(uint32_t thread, uint32_t frame)
{
    (void)frame;
    return thread == 1;
}

static void merged(void **state)
{
    (void)state;
    static bool (*const parts[])(uint32_t, uint32_t) = {NULL, of_first, of_second};
    ovni_comparison *c[3];
    for (int i = 0; i < 3; i++) {
        ovni_states *s = ovni_states_new(false);
        c[i] = ovni_comparison_new();
        count(c[i], COMPARISON_BEFORE, s, parts[i]);
        ovni_states_free(s);
    }
    ovni_comparison_merge(c[2], c[1]);
    rows *x = filled(c[0], false), *y = filled(c[2], false);
    expect_same_rows(x, y);
    rows_free(x);
    rows_free(y);
    for (int i = 0; i < 3; i++)
        ovni_comparison_free(c[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums), cmocka_unit_test(merged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
