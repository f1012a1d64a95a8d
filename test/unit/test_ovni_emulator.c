/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The emulator: rows, what is shown, what would be refused, each event also cut at every byte. What ovniemu writes for whole traces
 * is compared in test/tshark/ovniemu.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <string.h>

#include "ovni/describe.h"
#include "ovni/emulator.h"
#include "ovni/layout.h"

#define EVENT(size, code, clock) size, (uint8_t)code[0], (uint8_t)code[1], (uint8_t)code[2], clock, 0, 0, 0, 0, 0, 0, 0
#define U32(n) n, 0, 0, 0

static ovni_emulator *emulator;

static record_context context(uint32_t stream, uint8_t kind)
{
    record_context c = {.kind = kind, .stream = stream};
    ovni_context *o = ovni_context_of(&c);
    o->era = OVNI_ERA_V3;
    o->known = OVNI_KNOWN_PROCESS | OVNI_KNOWN_THREAD;
    o->process = 10;
    o->thread = (int32_t)(100 + stream);
    return c;
}

/* Metadata of a thread; `more` stands in the object ovni. */
static void declare(uint32_t stream, const char *more)
{
    record_context c = context(stream, OVNI_METADATA);
    char *text = g_strdup_printf(
        "{\"version\": 3, \"ovni\": {\"part\": \"thread\", \"loom\": \"a.0\", \"pid\": 10, \"tid\": %u, \"app_id\": 1,"
        "\"lib\": {\"version\": \"1.14.0\", \"commit\": \"x\"}, \"loom_cpus\": [{\"index\": 0, \"phyid\": 4},"
        "{\"index\": 1, \"phyid\": 2}]%s}}",
        100 + stream, more);
    ovni_emulator_metadata(emulator, &c, text, strlen(text));
    g_free(text);
}

#define SOUND ", \"finished\": 1, \"require\": {\"nosv\": \"2.5.1\", \"mpi\": \"1.0.0\"}"

static void start(ovni_emulation what)
{
    emulator = ovni_emulator_new(what);
    for (uint32_t stream = 0; stream < 2; stream++) {
        declare(stream, SOUND);
        assert_int_equal(ovni_emulator_findings(emulator)->len, 0);
    }
    for (uint32_t stream = 0; stream < 2; stream++) {
        record_context c = context(stream, OVNI_HEADER);
        ovni_emulator_header(emulator, &c, "a.0");
    }
}

static const char *found(void)
{
    const GArray *findings = ovni_emulator_findings(emulator);
    return findings->len ? ovni_rules[g_array_index(findings, ovni_finding, 0).rule].name : "";
}

static const char *play(uint32_t stream, const uint8_t *bytes, size_t length)
{
    record_context c = context(stream, OVNI_EVENT);
    uint8_t *copy = g_memdup2(bytes, length);
    cursor at = {copy, length, false};
    ovni_emulator_event(emulator, &c, ovni_event_of(OVNI_ERA_V3, &at), &at);
    g_free(copy);
    return found();
}

#define PLAY(stream, ...) play(stream, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
#define BEGINS(clock, cpu) EVENT(15, "OHx", clock), U32(cpu), 0xff, 0xff, 0xff, 0xff, U32(0), U32(0)
#define TASK(code, clock, task, body) EVENT(7, code, clock), U32(task), U32(body)
#define NAME(clock, type) EVENT(0x13, "VYc", clock), U32(6), U32(type), 't', 0

static const char *changes(void)
{
    static char text[1024];
    const GArray *all = ovni_emulator_changes(emulator);
    text[0] = 0;
    for (guint i = 0; i < all->len; i++) {
        const ovni_change *c = &g_array_index(all, ovni_change, i);
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "%s%u:%d:%d ", c->of_cpu ? "c" : "t", c->row, c->type, (int)c->value);
    }
    return text;
}

/* Values of ovniemu's files: CPUs are in the order of the system's numbers, the virtual one is last. */
static void shows_threads_and_cpus(void **state)
{
    (void)state;
    start(OVNI_EMULATE_ALL);
    assert_string_equal(PLAY(0, BEGINS(10, 0)), "");
    assert_int_equal(ovni_emulator_cpu_count(emulator), 3);
    assert_non_null(strstr(changes(), "t0:6:2 t0:4:1 t0:2:100 c1:2:100 c1:1:10 c1:3:1 "));
    assert_non_null(strstr(changes(), "t0:16:100 c1:25:0 "));
    const ovni_cpu_change *cpu = &g_array_index(ovni_emulator_cpu_changes(emulator), ovni_cpu_change, 0);
    assert_true(cpu->row == 1 && cpu->running == 1 && cpu->claimed == 1 && cpu->tid == 100 && cpu->was_idle);
    assert_string_equal(PLAY(0, EVENT(0, "MUi", 12)), "");
    assert_string_equal(changes(), "t0:25:1 c1:25:1 ");
    assert_string_equal(PLAY(0, NAME(13, 1)), "");
    assert_string_equal(PLAY(0, TASK("VTc", 13, 7, 1)), "");
    assert_string_equal(PLAY(0, TASK("VTx", 14, 7, 0)), "");
    assert_non_null(strstr(changes(), "t0:13:11 c1:13:11 t0:15:1 c1:15:1 t0:10:7 c1:10:7 "));
    assert_string_equal(PLAY(0, EVENT(0, "OHp", 20)), "");
    assert_non_null(strstr(changes(), "t0:4:2 t0:2:0 c1:2:0 c1:1:0 c1:3:0 t0:25:0 t0:15:0 "));
    assert_non_null(strstr(changes(), "c1:16:101 "));
    assert_string_equal(PLAY(1, BEGINS(25, 0)), "");
    cpu = &g_array_index(ovni_emulator_cpu_changes(emulator), ovni_cpu_change, 0);
    assert_true(cpu->claimed == 2 && cpu->tid == 101 && cpu->was_idle && cpu->idle == 5);
    assert_string_equal(PLAY(0, EVENT(0, "OHr", 26)), "cpu"); /* two run on a CPU */
    assert_string_equal(PLAY(1, EVENT(3, "OAs", 27), U32(1)), "");
    int64_t value;
    assert_true(ovni_emulator_shown(emulator, false, 0, OVNI_CH_NOSV_TASK, &value));
    assert_int_equal(value, 7);
    char *stacks = ovni_emulator_stacks(emulator, 0);
    assert_non_null(strstr(stacks, "MPI function: MPI_Init, nOS-V task body ID: 1"));
    assert_non_null(strstr(stacks, "nOS-V task type: t"));
    g_free(stacks);
    ovni_emulator_free(emulator);
}

static void refuses_what_ovniemu_refuses(void **state)
{
    (void)state;
    start(OVNI_EMULATE_RULES);
    assert_string_equal(PLAY(0, EVENT(0, "MUi", 9)), "outside");
    assert_string_equal(PLAY(0, EVENT(0, "OHp", 9)), "state");
    ovni_emulator_free(emulator);
    start(OVNI_EMULATE_RULES);
    assert_string_equal(PLAY(0, BEGINS(10, 7)), "cpu");
    assert_string_equal(PLAY(1, BEGINS(10, 1)), "");
    assert_string_equal(PLAY(1, EVENT(0, "MUi", 12)), "");
    assert_string_equal(PLAY(1, EVENT(0, "MUi", 12)), "nesting");
    assert_string_equal(PLAY(1, EVENT(0, "MUF", 12)), "nesting");
    assert_string_equal(PLAY(1, EVENT(0, "VPp", 12)), "nesting"); /* it is already */
    assert_string_equal(PLAY(1, EVENT(0, "VPr", 12)), "");
    assert_string_equal(PLAY(1, EVENT(0, "PBb", 12)), "require");
    assert_string_equal(PLAY(1, EVENT(0, "Vzz", 12)), "event");
    assert_string_equal(PLAY(1, EVENT(0, "MUI", 11)), "order");
    assert_string_equal(PLAY(1, TASK("VTc", 13, 1, 1)), "type");
    assert_string_equal(PLAY(1, NAME(13, 1)), "");
    assert_string_equal(PLAY(1, NAME(13, 1)), "type");
    assert_string_equal(PLAY(1, TASK("VTc", 13, 1, 1)), "");
    assert_string_equal(PLAY(1, TASK("VTc", 13, 1, 1)), "task");
    assert_string_equal(PLAY(1, TASK("VTx", 13, 9, 0)), "task");
    assert_string_equal(PLAY(1, TASK("VTe", 13, 1, 0)), "task");
    assert_string_equal(PLAY(1, TASK("VTx", 13, 1, 0)), "");
    assert_string_equal(PLAY(1, TASK("VTx", 13, 1, 0)), "task");
    assert_string_equal(PLAY(1, EVENT(11, "OM=", 13), U32(4), U32(0), U32(1)), "mark");
    assert_string_equal(PLAY(1, EVENT(0x13, "VWC", 13), U32(8), U32(1), U32(0)), "counter");
    assert_string_equal(PLAY(1, EVENT(7, "OAr", 13), U32(0), U32(99)), "cpu");
    assert_string_equal(PLAY(1, EVENT(0, "OHe", 13)), "open");
    GArray *end = ovni_emulator_at_end(emulator);
    assert_int_equal(end->len, 1); /* thread 100 */
    ovni_findings_free(end);
    ovni_emulator_free(emulator);
}

static void refuses_metadata(void **state)
{
    (void)state;
    static const struct {
        const char *more, *rule;
    } cases[] = {{", \"require\": {}", "unfinished"},
                 {", \"finished\": 1", "require"},
                 {", \"finished\": 1, \"require\": {\"nosv\": \"2.8.0\"}", "require"},
                 {", \"finished\": 1, \"require\": {\"nosv\": \"2\"}", "require"},
                 {SOUND ", \"rank\": 3, \"nranks\": 2", "metadata"},
                 {SOUND ", \"mark\": {\"100\": {\"title\": \"T\", \"chan_type\": \"single\"}}", "mark"},
                 {SOUND ", \"mark\": {\"1\": {\"title\": \"T\", \"chan_type\": \"both\"}}", "mark"}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        emulator = ovni_emulator_new(OVNI_EMULATE_RULES);
        declare(0, cases[i].more);
        assert_string_equal(found(), cases[i].rule);
        ovni_emulator_free(emulator);
    }
    emulator = ovni_emulator_new(OVNI_EMULATE_RULES);
    declare(0, SOUND);
    declare(0, SOUND);
    assert_string_equal(found(), "metadata");
    assert_true(ovni_emulator_has_threads(emulator));
    ovni_emulator_free(emulator);
    ovni_emulator_free(NULL);
}

/* As ovniemu numbers them. */
static void labels_have_numbers(void **state)
{
    (void)state;
    assert_int_equal(ovni_label_number("init block"), 2121489183);
    assert_int_equal(ovni_label_number("stencil 3x3"), 621522729);
    assert_int_not_equal(ovni_label_number(""), 0);
}

static void cut_at_every_byte(void **state)
{
    (void)state;
    const uint8_t events[][32] = {{BEGINS(10, 0)},
                                  {NAME(11, 1)},
                                  {TASK("VTc", 11, 1, 1)},
                                  {TASK("VTx", 11, 1, 0)},
                                  {TASK("VTe", 11, 1, 0)},
                                  {EVENT(11, "OM=", 11), U32(4), U32(0), U32(1)},
                                  {EVENT(0x13, "VWC", 11), U32(8), U32(1), U32(0)},
                                  {EVENT(7, "OAr", 11), U32(7), U32(100)},
                                  {EVENT(3, "PQx", 11), U32(1)}};
    start(OVNI_EMULATE_ALL);
    for (size_t i = 0; i < G_N_ELEMENTS(events); i++)
        for (size_t n = 12; n <= 28; n++)
            play(0, events[i], n);
    ovni_emulator_free(emulator);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_threads_and_cpus), cmocka_unit_test(refuses_what_ovniemu_refuses),
        cmocka_unit_test(refuses_metadata),       cmocka_unit_test(labels_have_numbers),
        cmocka_unit_test(cut_at_every_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
