/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What statistics find that play a trace as ovniemu does: times of CPUs, threads at a moment, findings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "ovni/events/describe.h"
#include "ovni/emulator/at.h"
#include "ovni/emulator/breakdown.h"
#include "ovni/emulator/cpus.h"
#include "ovni/emulator/linting.h"
#include "ovni/emulator/paraver.h"
#include "ovni/events/layout.h"

#define EVENT(size, code, clock) size, (uint8_t)code[0], (uint8_t)code[1], (uint8_t)code[2], clock, 0, 0, 0, 0, 0, 0, 0
#define U32(n) n, 0, 0, 0
#define BEGINS(clock, cpu) EVENT(15, "OHx", clock), U32(cpu), 0xff, 0xff, 0xff, 0xff, U32(0), U32(0)
#define CREATE(clock, task, type) EVENT(7, "VTc", clock), U32(task), U32(type)
#define NAME(clock, type) EVENT(0x13, "VYc", clock), U32(6), U32(type), 't', 0
#define TASK(code, clock, task) EVENT(7, code, clock), U32(task), U32(0)

static ovni_cpus *cpus;
static ovni_at *at;
static ovni_linting *lint;
static uint32_t number;
static ovni_emulator *emulator;
static ovni_breakdowns *breakdowns;
static GString *changes;    /* of breakdowns; NULL: they are not played */
static ovni_paraver *files; /* they are written to */

static void play_breakdowns(const ovni_played *p)
{
    if (!changes)
        return;
    ovni_emulator_play(emulator, p);
    ovni_paraver_look(files, emulator);
    ovni_paraver_write(files, emulator);
    ovni_breakdowns_look(breakdowns, emulator);
    for (unsigned model = 0; model < OVNI_DOING_MODELS; model++) {
        const GArray *all = ovni_breakdowns_changes(breakdowns, model);
        for (guint i = 0; i < all->len; i++) {
            const ovni_change *c = &g_array_index(all, ovni_change, i);
            g_string_append_printf(changes, "%d:%u:%d:%d ", (int)ovni_emulator_time(emulator), c->row, c->type,
                                   (int)c->value);
        }
    }
}

static void play(uint32_t stream, uint8_t kind, const void *bytes, size_t length, bool counts)
{
    record_context c = {.kind = kind, .stream = stream};
    ovni_context *o = ovni_context_of(&c);
    o->era = OVNI_ERA_V3;
    o->known = OVNI_KNOWN_PROCESS | OVNI_KNOWN_THREAD;
    o->process = 10;
    o->thread = (int32_t)(100 + stream);
    const cursor all = {bytes, length, false};
    const bool is_event = kind == OVNI_EVENT || kind == OVNI_JUMBO;
    const ovni_played p = {++number, &c, &all, is_event ? ovni_event_of(OVNI_ERA_V3, &all) : NULL, "a.0"};
    const int64_t now = is_event ? all.data[4] - 10 : 0;
    ovni_cpus_play(cpus, now, &p);
    ovni_at_play(at, now, &p);
    ovni_linting_play(lint, &p);
    play_breakdowns(&p);
    if (!counts)
        return;
    ovni_cpus_count(cpus);
    if (is_event)
        ovni_at_count(at, stream);
    if (ovni_linting_found(lint))
        ovni_linting_list(lint, number, "stream");
}

static void declare(uint32_t stream)
{
    g_autofree char *text = g_strdup_printf(
        "{\"version\": 3, \"ovni\": {\"part\": \"thread\", \"loom\": \"a.0\", \"pid\": 10, \"app_id\": 1, \"tid\": %u,"
        " \"loom_cpus\": [{\"index\": 0, \"phyid\": 4}, {\"index\": 1, \"phyid\": 6}], \"finished\": 1,"
        " \"lib\": {\"version\": \"1.14.0\", \"commit\": \"x\"}, \"require\": {\"nosv\": \"2.5.1\"}},"
        " \"nosv\": {\"can_breakdown\": true}}",
        100 + stream);
    play(stream, OVNI_METADATA, text, strlen(text), true);
}

static void start(int64_t moment)
{
    number = 0;
    cpus = ovni_cpus_new(true, false);
    at = ovni_at_new(moment);
    lint = ovni_linting_new(false);
}

static void declare_all(void)
{
    for (uint32_t stream = 0; stream < 2; stream++)
        declare(stream);
    for (uint32_t stream = 0; stream < 2; stream++)
        play(stream, OVNI_HEADER, "ovni\1\0\0\0", 8, true);
}

/* Times begin at the clock 10. */
static void start_trace(int64_t moment)
{
    start(moment);
    declare_all();
}

static void end_counting(void)
{
    ovni_cpus_free(cpus);
    ovni_at_free(at);
    ovni_linting_free(lint);
}

#define PLAY_IF(counts, stream, ...) \
    play(stream, OVNI_EVENT, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), counts)
#define PLAY(stream, ...) PLAY_IF(true, stream, __VA_ARGS__)

static void expect_row(const rows *r, unsigned row, const char *expected)
{
    g_autoptr(GString) text = g_string_new(NULL);
    assert_true(row < rows_length(r));
    for (unsigned i = 0; i < r->count; i++) {
        const rows_cell *c = &rows_at(r, row)[i];
        g_string_append(text, i ? "|" : "");
        if (c->state == ROWS_IS_NUMBER)
            g_string_append_printf(text, "%" G_GUINT64_FORMAT, c->number);
        else if (c->state == ROWS_IS_TEXT)
            g_string_append(text, c->text);
    }
    assert_string_equal(text->str, expected);
}

/* Thread 0 runs on CPU 0 from 10 to 70, thread 1 on CPU 1 from 30 to 60. */
static void play_trace(bool counts_all)
{
    PLAY(0, BEGINS(10, 0));
    PLAY(0, NAME(11, 1));
    PLAY(0, CREATE(12, 1, 1));
    PLAY(0, EVENT(0, "VS[", 20)); /* scheduler: serving */
    PLAY(1, BEGINS(30, 1));
    PLAY(0, EVENT(0, "VS]", 32));
    PLAY_IF(counts_all, 0, TASK("VTx", 40, 1));
    PLAY(0, TASK("VTe", 55, 1));
    PLAY(1, EVENT(0, "OHe", 60));
    PLAY_IF(counts_all, 0, EVENT(0, "OHe", 70));
}

static void cpus_are_busy_and_idle(void **state)
{
    (void)state;
    start_trace(0);
    assert_true(ovni_cpus_known(cpus));
    play_trace(true);
    rows *r = rows_new(ovni_cpus_columns, OVNI_CPUS_COLUMNS);
    ovni_cpus_fill(cpus, r);
    assert_int_equal(rows_length(r), 3);
    expect_row(r, 0, "CPU 0.4|60|0|0|15|45|0");
    expect_row(r, 1, "CPU 0.6|30|30|0|0|30|0");
    expect_row(r, 2, "vCPU 0.*|0|60|0|0|0|0");
    rows_free(r);
    r = rows_new(ovni_cpus_part_columns, OVNI_CPUS_PART_COLUMNS);
    ovni_cpus_fill_parts(cpus, r);
    assert_int_equal(rows_length(r), 5);
    expect_row(r, 0, "CPU 0.4|nosv|task|t|15");
    expect_row(r, 1, "CPU 0.4|nosv|runtime|Unknown subsystem|33");
    expect_row(r, 2, "CPU 0.4|nosv|runtime|Scheduler: Serving|12");
    expect_row(r, 3, "CPU 0.6|nosv|runtime|Unknown subsystem|30");
    expect_row(r, 4, "CPU 0.6|nosv|rest|Resting|10");
    rows_free(r);
    end_counting();
}

/* Removes a file, and compares it: all of it, or its end. */
static void expect_file(const char *folder, const char *name, const char *expected)
{
    g_autofree char *path = g_build_filename(folder, name, NULL), *text = NULL;
    assert_true(g_file_get_contents(path, &text, NULL, NULL));
    if (!g_str_has_suffix(text, expected))
        assert_string_equal(text, expected);
    g_unlink(path);
}

static void expect_files(const char *folder)
{
    static const char *const sides[] = {"thread", "cpu"}, *const kinds[] = {"prv", "pcf", "row"};
    GError *error = NULL;
    assert_true(ovni_paraver_finish(files, emulator, &error));
    expect_file(folder, "nosv-breakdown.prv",
                "#Paraver (19/01/38 at 03:14):00000000000000000060_ns:0:1:1(2:1)\n2:0:1:1:1:0:17:0\n2:0:1:1:2:0:17:2\n"
                "2:0:1:1:2:10:17:7\n2:0:1:1:1:20:17:2\n2:0:1:1:2:22:17:2\n2:0:1:1:2:30:17:2090925516\n2:0:1:1:2:45:17:2\n"
                "2:0:1:1:2:50:17:101\n2:0:1:1:1:60:17:101\n");
    expect_file(folder, "nosv-breakdown.row", "LEVEL NODE SIZE 1\nhostname\n\nLEVEL THREAD SIZE 2\n~CPU    2\n~CPU    1\n");
    expect_file(folder, "nosv-breakdown.pcf", "\n100  Progressing\n101  Resting\n102  Absorbing noise\n2090925516 t\n");
    for (unsigned i = 0; i < G_N_ELEMENTS(sides) * G_N_ELEMENTS(kinds); i++) {
        g_autofree char *name = g_strdup_printf("%s.%s", sides[i / 3], kinds[i % 3]);
        expect_file(folder, name, "\n");
    }
    assert_int_equal(g_rmdir(folder), 0); /* there are no others */
}

/* What the CPUs do, sorted: rows and values of each moment. */
static void breakdowns_are_sorted(void **state)
{
    (void)state;
    breakdowns = ovni_breakdowns_new();
    emulator = ovni_emulator_new(OVNI_EMULATE_ALL);
    changes = g_string_new(NULL);
    g_autofree char *folder = g_dir_make_tmp("paraver-XXXXXX", NULL);
    files = ovni_paraver_open(folder, false, true, NULL);
    assert_non_null(files);
    start_trace(0);
    play_trace(true);
    assert_string_equal(changes->str,
                        "0:0:17:0 0:1:17:2 10:1:17:7 20:0:17:2 22:1:17:2 30:1:17:2090925516 45:1:17:2 50:1:17:101 "
                        "60:0:17:101 ");
    assert_true(ovni_breakdowns_made(emulator, 0));
    assert_false(ovni_breakdowns_made(emulator, 1) || ovni_breakdowns_made(emulator, 2));
    expect_files(folder);
    g_string_free(changes, TRUE);
    changes = NULL;
    ovni_emulator_free(emulator);
    ovni_breakdowns_free(breakdowns);
    end_counting();
}

/* The loom is "a.0". */
static void cpus_of_a_node_are_one_row(void **state)
{
    (void)state;
    start(0);
    ovni_cpus_free(cpus);
    cpus = ovni_cpus_new(true, true);
    declare_all();
    play_trace(true);
    rows *r = rows_new(ovni_cpus_node_columns, OVNI_CPUS_COLUMNS);
    ovni_cpus_fill(cpus, r);
    assert_int_equal(rows_length(r), 1);
    expect_row(r, 0, "a|90|90|0|15|75|0");
    rows_free(r);
    r = rows_new(ovni_cpus_node_part_columns, OVNI_CPUS_PART_COLUMNS);
    ovni_cpus_fill_parts(cpus, r);
    assert_int_equal(rows_length(r), 4);
    expect_row(r, 0, "a|nosv|task|t|15");
    expect_row(r, 1, "a|nosv|runtime|Unknown subsystem|63");
    expect_row(r, 2, "a|nosv|runtime|Scheduler: Serving|12");
    expect_row(r, 3, "a|nosv|rest|Resting|10");
    rows_free(r);
    end_counting();
}

static void time_counts_up_to_what_counts(void **state)
{
    (void)state;
    start_trace(0);
    play_trace(false);
    rows *r = rows_new(ovni_cpus_columns, OVNI_CPUS_COLUMNS);
    ovni_cpus_fill(cpus, r);
    expect_row(r, 0, "CPU 0.4|42|0|0|15|27|0"); /* not from 32 to 40, and from 60 to 70 */
    rows_free(r);
    end_counting();
}

static void threads_are_shown_at_a_moment(void **state)
{
    (void)state;
    start_trace(15);
    assert_true(ovni_at_known(at));
    PLAY(0, BEGINS(10, 0));
    assert_true(ovni_at_is_late(at));
    PLAY(0, EVENT(0, "VS[", 20));
    PLAY_IF(false, 1, BEGINS(30, 1));
    PLAY(0, EVENT(0, "VS]", 32)); /* after the moment */
    assert_false(ovni_at_is_late(at));
    rows *r = rows_new(ovni_at_columns, OVNI_AT_COLUMNS);
    ovni_at_fill(at, r);
    assert_int_equal(rows_length(r), 1);
    expect_row(r, 0, "a.0/10/100|running|CPU 0.4|nOS-V subsystem: Scheduler: Serving, nOS-V idle state: Progressing");
    rows_free(r);
    end_counting();
}

static ovni_verdict verdict(void)
{
    const char *limit;
    uint64_t more;
    const ovni_verdict verdict = ovni_linting_verdict(lint, &more, &limit);
    assert_null(limit);
    assert_int_equal(more, 0);
    return verdict;
}

static rows *findings(bool with_end)
{
    rows *all = rows_new(ovni_linting_columns, OVNI_LINTING_COLUMNS);
    ovni_linting_fill(lint, with_end, all);
    return all;
}

static void findings_are_listed(void **state)
{
    (void)state;
    start_trace(0);
    PLAY(0, BEGINS(10, 0));
    PLAY(0, EVENT(0, "VS[", 20));
    PLAY_IF(false, 0, EVENT(0, "VU]", 21)); /* not listed, but judged */
    PLAY(0, EVENT(0, "VU]", 22));
    PLAY(0, EVENT(0, "VS]", 23));
    rows *listed = findings(false);
    assert_int_equal(rows_length(listed), 1);
    rows_free(listed);
    rows *all = findings(true);
    assert_int_equal(rows_length(all), 3);
    expect_row(all, 0,
               "8|stream|nesting|nOS-V subsystem: Scheduler: Submitting ends, but Scheduler: Serving is open inside");
    expect_row(all, 1, "||alive|thread 100 of loom a.0 never ends");
    expect_row(all, 2, "||alive|thread 101 of loom a.0 never ends");
    rows_free(all);
    assert_int_equal(verdict(), OVNI_REFUSED);
    end_counting();
}

static void a_valid_trace_is_accepted(void **state)
{
    (void)state;
    start_trace(0);
    assert_true(ovni_linting_has_metadata(lint));
    play_trace(true);
    assert_int_equal(verdict(), OVNI_ACCEPTED);
    PLAY_IF(false, 0, EVENT(0, "VU]", 80));
    assert_int_equal(verdict(), OVNI_REFUSED);
    end_counting();
}

static void long_lists_are_cut(void **state)
{
    (void)state;
    start_trace(0);
    PLAY(0, BEGINS(10, 0));
    for (int i = 0; i < 10005; i++)
        PLAY(0, EVENT(0, "VU]", 20));
    uint64_t more;
    const char *limit;
    rows *listed = findings(false);
    assert_int_equal(rows_length(listed), 10000);
    rows_free(listed);
    assert_int_equal(ovni_linting_verdict(lint, &more, &limit), OVNI_REFUSED);
    assert_int_equal(more, 5);
    end_counting();
}

/* A stream that is opened alone. */
static void without_metadata_nothing_is_known(void **state)
{
    (void)state;
    start(0);
    PLAY(0, BEGINS(10, 0));
    assert_false(ovni_cpus_known(cpus));
    assert_false(ovni_at_known(at));
    assert_false(ovni_linting_has_metadata(lint));
    assert_int_equal(verdict(), OVNI_ACCEPTED);
    end_counting();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpus_are_busy_and_idle),
        cmocka_unit_test(cpus_of_a_node_are_one_row),
        cmocka_unit_test(breakdowns_are_sorted),
        cmocka_unit_test(time_counts_up_to_what_counts),
        cmocka_unit_test(threads_are_shown_at_a_moment),
        cmocka_unit_test(findings_are_listed),
        cmocka_unit_test(a_valid_trace_is_accepted),
        cmocka_unit_test(long_lists_are_cut),
        cmocka_unit_test(without_metadata_nothing_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
