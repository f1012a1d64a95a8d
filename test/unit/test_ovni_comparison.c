/* SPDX-License-Identifier: GPL-2.0-or-later */
/* States of two traces side by side: what has ended, and what is open at the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib/gstdio.h>

#include "found_rows.h"
#include "ovni/statistics/comparison.h"
#include "ovni/context.h"
#include "ovni_stream.h"

static rows *filled(ovni_durations *before, ovni_durations *after, bool end_missing)
{
    rows *r = rows_new(ovni_comparison_columns, OVNI_COMPARISON_COLUMNS);
    ovni_comparison_fill(before, after, end_missing, r);
    return r;
}

/* Counts an event without a payload, of a stream. */
static void visit(ovni_durations *d, ovni_states *s, uint32_t stream_number, uint32_t frame, const char *mcv, uint8_t clock,
                  bool counts)
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
    if (counts)
        ovni_durations_add(d, s, &c, frame, &known, 0);
}

/* Each thread is in nOS-V's attach, from VAr to VAR; in the end both never leave it. */
static const struct {
    uint32_t thread;
    const char *mcv;
    uint8_t clock;
} events[] = {{0, "VAr", 10}, {1, "VAr", 11}, {0, "VAR", 14}, {1, "VAR", 21},
              {0, "VAr", 30}, {1, "VAr", 33}, {0, "VAR", 50}, {0, "VAr", 60}};

static ovni_durations *count(ovni_states *s, bool (*counts)(uint32_t thread, uint32_t frame))
{
    ovni_durations *d = ovni_durations_new_spread();
    for (uint32_t i = 0; i < G_N_ELEMENTS(events); i++)
        visit(d, s, events[i].thread, i + 1, events[i].mcv, events[i].clock, !counts || counts(events[i].thread, i + 1));
    ovni_durations_end(d, s, NULL);
    return d;
}

static bool before_the_end(uint32_t thread, uint32_t frame)
{
    (void)thread;
    return frame < 5;
}

static void sums(void **state)
{
    (void)state;
    ovni_states *s = ovni_states_new(false), *again = ovni_states_new(false);
    ovni_durations *before = count(s, NULL), *after = count(again, before_the_end);
    rows *r = filled(before, after, false);
    assert_int_equal(rows_length(r), 1);
    const rows_cell *row = rows_at(r, 0);
    assert_string_equal(row[1].text, "nosv");
    /* ended: 4, 10, 20; open until the last clock, 60: 27 and 0 */
    expect_number(r, row, "Count before", 5);
    expect_number(r, row, "Sum before", 4 + 10 + 20 + 27);
    expect_number(r, row, "Average before", 12); /* 12.2 */
    expect_number(r, row, "Median before", 10);
    expect_number(r, row, "99 % before", 20);
    expect_number(r, row, "Count after", 2); /* what has begun later does not count, though it is open */
    expect_number(r, row, "Sum after", 14);
    rows_free(r);
    r = filled(before, after, true);
    expect_number(r, rows_at(r, 0), "Count before", 5);
    expect_state(r, rows_at(r, 0), "Sum before", ROWS_UNKNOWN);
    expect_number(r, rows_at(r, 0), "Sum after", 14); /* nothing is open there */
    rows_free(r);
    ovni_durations *none = ovni_durations_new_spread();
    r = filled(before, none, false);
    expect_number(r, rows_at(r, 0), "Count after", 0);
    expect_state(r, rows_at(r, 0), "Median after", ROWS_NONE);
    rows_free(r);
    ovni_durations_free(before);
    ovni_durations_free(after);
    ovni_durations_free(none);
    ovni_states_free(s);
    ovni_states_free(again);
}

/* Of what is open there is a time, but no percentile. */
static bool is_last(uint32_t thread, uint32_t frame)
{
    return thread == 0 && frame == G_N_ELEMENTS(events);
}

static void only_open(void **state)
{
    (void)state;
    ovni_states *s = ovni_states_new(false);
    ovni_durations *before = count(s, is_last), *none = ovni_durations_new_spread();
    rows *r = filled(before, none, false);
    expect_number(r, rows_at(r, 0), "Count before", 1);
    expect_state(r, rows_at(r, 0), "Median before", ROWS_NONE);
    rows_free(r);
    ovni_durations_free(before);
    ovni_durations_free(none);
    ovni_states_free(s);
}

/* --- the baseline ------------------------------------------------------------------------------------------------------ */

/* A thread that runs from 5 to 40 and from 46 until its last event, at 50. It is in nosv_create from 10 to 14 and from 30
 * on. */
static void write_thread(const char *folder)
{
    static const char json[] =
        "{\"version\": 3, \"ovni\": {\"lib\": {\"version\": \"1.14.0\", \"commit\": \"unknown\"}, \"part\": \"thread\", "
        "\"tid\": 101, \"pid\": 10, \"loom\": \"a.0\", \"app_id\": 1, \"require\": {\"ovni\": \"1.1.0\", \"nosv\": "
        "\"2.7.0\"}}}";
    static const struct {
        const char *mcv;
        uint8_t clock;
    } stream[] = {{"OHx", 5}, {"VAr", 10}, {"VAR", 14}, {"VAr", 30}, {"OHp", 40}, {"OHr", 46}, {"OB.", 50}};
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    put_header(bytes, 1, false);
    for (size_t i = 0; i < G_N_ELEMENTS(stream); i++)
        put_event(bytes, 0, stream[i].mcv, stream[i].clock, false);
    g_autofree char *metadata = g_build_filename(folder, "stream.json", NULL),
                    *events_path = g_build_filename(folder, "stream.obs", NULL);
    assert_int_equal(g_mkdir_with_parents(folder, 0700), 0);
    assert_true(g_file_set_contents(metadata, json, -1, NULL));
    assert_true(g_file_set_contents(events_path, (const char *)bytes->data, (gssize)bytes->len, NULL));
}

static void remove_all(const char *root)
{
    static const char *const names[] = {"stream.obs", "stream.json", ""};
    g_autofree char *folder = g_build_filename(root, "loom.a.0", "proc.10", "thread.101", NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_build_filename(folder, names[i], NULL);
        g_remove(path);
    }
    for (char *slash; strlen(folder) > strlen(root) && (slash = strrchr(folder, '/'));) {
        *slash = '\0';
        g_rmdir(folder);
    }
}

/* The trace that is compared with is read from its files, as far as it is readable. */
static void baseline(void **state)
{
    (void)state;
    g_autofree char *root = g_dir_make_tmp("baseline-XXXXXX", NULL);
    g_autofree char *folder = g_build_filename(root, "loom.a.0", "proc.10", "thread.101", NULL);
    g_autofree char *path = g_build_filename(folder, "stream.json", NULL), *missing = g_build_filename(root, "none", NULL);
    write_thread(folder);
    ovni_durations *before = ovni_durations_new_spread(), *none = ovni_durations_new_spread();
    assert_true(ovni_baseline_read(before, path, NULL));
    rows *r = filled(before, none, false);
    const rows_cell *row = found_row(r, "API: Create", "nosv");
    expect_number(r, row, "Count before", 2);
    expect_number(r, row, "Sum before", 4 + 20);
    expect_number(r, row, "Active before", 4 + 14);
    expect_number(r, row, "Median before", 4);
    expect_number(r, row, "Count after", 0);
    expect_number(r, found_row(r, "Running", "ovni"), "Sum before", 35 + 4);
    rows_free(r);
    g_autoptr(GError) error = NULL;
    assert_false(ovni_baseline_read(none, missing, &error));
    assert_non_null(strstr(error->message, "none cannot be read"));
    r = filled(none, none, false);
    assert_int_equal(rows_length(r), 0);
    rows_free(r);
    ovni_durations_free(before);
    ovni_durations_free(none);
    remove_all(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums), cmocka_unit_test(only_open), cmocka_unit_test(baseline)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
