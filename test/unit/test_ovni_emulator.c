/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The emulator: rows, what is shown, what would be refused, each event also cut at every byte. What ovniemu writes for whole
 * traces is compared in test/tshark/ovniemu.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <glib/gstdio.h>
#include <string.h>

#include "ovni/events/describe.h"
#include "ovni/emulator/emulator.h"
#include "ovni/events/layout.h"
#include "ovni/emulator/doing.h"
#include "ovni/emulator/paraver.h"

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

/* Metadata of a thread; `more` stands in the object ovni, instead of members of the same name. */
static void declare(uint32_t stream, const char *more)
{
    static const char *const members[] = {
        "loom",   "\"a.0\"", "pid",       "10",
        "app_id", "1",       "loom_cpus", "[{\"index\": 0, \"phyid\": 4}, {\"index\": 1, \"phyid\": 2}]"};
    record_context c = context(stream, OVNI_METADATA);
    GString *text = g_string_new("{\"version\": 3, \"ovni\": {\"part\": \"thread\"");
    for (size_t i = 0; i < G_N_ELEMENTS(members); i += 2) {
        char *name = g_strdup_printf("\"%s\"", members[i]);
        if (!strstr(more, name))
            g_string_append_printf(text, ", %s: %s", name, members[i + 1]);
        g_free(name);
    }
    g_string_append_printf(text, ", \"tid\": %u, \"lib\": {\"version\": \"1.14.0\", \"commit\": \"x\"}%s}}", 100 + stream,
                           more);
    ovni_emulator_metadata(emulator, &c, text->str, text->len);
    g_string_free(text, TRUE);
}

#define VALID ", \"finished\": 1, \"require\": {\"nosv\": \"2.5.1\", \"mpi\": \"1.0.0\"}"

static void start(ovni_emulation what)
{
    emulator = ovni_emulator_new(what);
    for (uint32_t stream = 0; stream < 2; stream++) {
        declare(stream, VALID);
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

#define MARK(type, title, kind, labels) \
    VALID ", \"mark\": {\"" type "\": {\"title\": \"" title "\", \"chan_type\": \"" kind "\", \"labels\": " labels "}}"

static void refuses_metadata(void **state)
{
    (void)state;
    static const struct {
        const char *more, *rule;
    } cases[] = {{", \"require\": {}", "unfinished"},
                 {", \"finished\": 1", "require"},
                 {", \"finished\": 1, \"require\": {\"nosv\": \"2.8.0\"}", "require"},
                 {", \"finished\": 1, \"require\": {\"nosv\": \"2\"}", "require"},
                 {VALID ", \"rank\": 3, \"nranks\": 2", "metadata"},
                 {VALID ", \"mark\": {\"100\": {\"title\": \"T\", \"chan_type\": \"single\"}}", "mark"},
                 {VALID ", \"mark\": {\"1\": {\"title\": \"T\", \"chan_type\": \"both\"}}", "mark"}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        emulator = ovni_emulator_new(OVNI_EMULATE_RULES);
        declare(0, cases[i].more);
        assert_string_equal(found(), cases[i].rule);
        ovni_emulator_free(emulator);
    }
    emulator = ovni_emulator_new(OVNI_EMULATE_RULES);
    declare(0, VALID);
    declare(0, VALID);
    assert_string_equal(found(), "metadata");
    assert_int_equal(ovni_emulator_thread_count(emulator), 1);
    ovni_emulator_free(emulator);
    ovni_emulator_free(NULL);
}

/* What metadata declare of marks and counters, and what they contradict. */
static void refuses_declarations(void **state)
{
    (void)state;
    char *title = g_strnfill(600, 't');
    char *with_long = g_strdup_printf(VALID ", \"mark\": {\"1\": {\"title\": \"%s\", \"chan_type\": \"stack\"}}", title);
    const struct {
        const char *first, *second, *rule;
    } cases[] = {
        {MARK("1", "T", "stack", "{\"5\": \"five\"}"), MARK("1", "U", "stack", "{}"), "mark"},
        {MARK("1", "T", "stack", "{\"5\": \"five\"}"), MARK("1", "T", "single", "{}"), "mark"},
        {MARK("1", "T", "stack", "{\"5\": \"five\"}"), MARK("1", "T", "stack", "{\"5\": \"six\"}"), "mark"},
        {MARK("1", "T", "stack", "{\"5\": \"five\"}"), MARK("1", "T", "stack", "{\"5\": \"five\"}"), ""},
        {VALID, VALID ", \"mark\": {\"1\": {\"title\": \"T\"}}", "mark"},
        {VALID, VALID ", \"mark\": {\"1\": {\"chan_type\": \"stack\"}}", "mark"},
        {MARK("1", "T", "stack", "{}"), VALID ", \"mark\": {\"1\": {\"chan_type\": \"stack\"}}", "mark"},
        {VALID, with_long, "mark"},
        {VALID, VALID ", \"app_id\": 2", "metadata"},
        {VALID, VALID ", \"app_id\": 0", "metadata"},
        {VALID, VALID ", \"rank\": 0, \"nranks\": 2", ""},
        {VALID, VALID ", \"rank\": 0", "metadata"},
        {VALID, VALID ", \"pid\": 0", "metadata"},
        {VALID, VALID ", \"loom\": \"a/0\"", "metadata"},
        {VALID, VALID ", \"loom_cpus\": []", "cpus"},
        {VALID, VALID ", \"loom_cpus\": [{\"index\": -1, \"phyid\": 3}]", "cpus"},
        {VALID, VALID ", \"loom_cpus\": [{\"index\": 1, \"phyid\": 4}]", "cpus"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        emulator = ovni_emulator_new(OVNI_EMULATE_RULES);
        declare(0, cases[i].first);
        assert_string_equal(found(), "");
        declare(1, cases[i].second);
        if (strcmp(found(), cases[i].rule) != 0)
            fail_msg("case %zu: %s, not %s", i, found(), cases[i].rule);
        ovni_emulator_free(emulator);
    }
    g_free(with_long);
    g_free(title);
}

/* Looms are in the order of their ranks if all have ranks, else of their names; processes in that of ranks or numbers. */
static void orders_rows(void **state)
{
    (void)state;
    static const struct {
        const char *loom, *more;
        int pid, tid;
    } with[] = {{"b.0", ", \"rank\": 1, \"nranks\": 4", 20, 3},
                {"b.0", ", \"rank\": 0, \"nranks\": 4", 21, 1},
                {"b.0", ", \"rank\": 0, \"nranks\": 4", 21, 2},
                {"a.0", ", \"rank\": 2, \"nranks\": 4", 10, 4}},
      without[] = {
          {"b.0", "", 21, 1}, {"b.0", "", 20, 2}, {"a.0", "", 10, 4}, {"b.0", ", \"rank\": 1, \"nranks\": 4", 22, 5}};
    static const int32_t tids[2][4] = {{1, 2, 3, 4}, {4, 1, 2, 5}};
    for (int k = 0; k < 2; k++) {
        emulator = ovni_emulator_new(OVNI_EMULATE_RULES);
        for (unsigned i = 0; i < 4; i++) {
            record_context c = context(i, OVNI_METADATA);
            const int pid = k ? without[i].pid : with[i].pid, tid = k ? without[i].tid : with[i].tid;
            char *text = g_strdup_printf(
                "{\"version\": 3, \"ovni\": {\"part\": \"thread\", \"loom\": \"%s\", \"pid\": %d, "
                "\"tid\": %d, \"app_id\": 1, \"finished\": 1, \"require\": {}, \"lib\": {\"version\": "
                "\"1\", \"commit\": \"x\"}, \"loom_cpus\": [{\"index\": 0, \"phyid\": 0}, "
                "{\"index\": 5, \"phyid\": 1}]%s}}",
                k ? without[i].loom : with[i].loom, pid, tid, k ? without[i].more : with[i].more);
            ovni_emulator_metadata(emulator, &c, text, strlen(text));
            assert_string_equal(found(), "");
            g_free(text);
        }
        unsigned cpus = 0, metadata = 0; /* the first header says what is wrong with all of them */
        for (unsigned i = 0; i < 4; i++) {
            record_context c = context(i, OVNI_HEADER);
            ovni_context_of(&c)->process = k ? without[i].pid : with[i].pid;
            ovni_context_of(&c)->thread = k ? without[i].tid : with[i].tid;
            ovni_emulator_header(emulator, &c, k ? without[i].loom : with[i].loom);
            const GArray *findings = ovni_emulator_findings(emulator);
            for (guint n = 0; n < findings->len; n++) {
                const char *rule = ovni_rules[g_array_index(findings, ovni_finding, n).rule].name;
                cpus += strcmp(rule, "cpus") == 0;
                metadata += strcmp(rule, "metadata") == 0;
            }
        }
        assert_int_equal(cpus, 2);     /* an index of 5, with two CPUs, in each loom */
        assert_int_equal(metadata, k); /* only some processes of a loom have ranks */
        assert_int_equal(ovni_emulator_thread_count(emulator), 4);
        for (uint32_t i = 0; i < 4; i++)
            assert_int_equal(ovni_emulator_thread(emulator, i)->tid, tids[k][i]);
        ovni_emulator_free(emulator);
    }
}

/* Whole texts of metadata. */
static void refuses_texts(void **state)
{
    (void)state;
#define LEAST "\"loom\": \"a.0\", \"pid\": 1, \"tid\": 1, \"finished\": 1, \"require\": {}"
#define LIBRARY ", \"lib\": {\"version\": \"1.14.0\", \"commit\": \"x\"}"
    static const struct {
        const char *text, *rule;
    } cases[] = {
        {"{\"version\": 3, \"ovni\": {\"part\": \"thread\", " LEAST LIBRARY "}}", ""},
        {"{\"version\": 2, \"ovni\": {\"part\": \"thread\", " LEAST LIBRARY "}}", "metadata"},
        {"{\"version\": 3, \"ovni\": {" LEAST LIBRARY "}}", "metadata"},
        {"{\"version\": 3, \"ovni\": {\"part\": \"loom\"}}", ""},
        {"{\"version\": 3, \"ovni\": {\"part\": \"thread\", " LEAST "}}", "metadata"},
        {"{\"version\": 3, \"ovni\": {\"part\": \"thread\", " LEAST LIBRARY
         "}, \"nosv\": {\"hwc\": {\"0\": {\"name\": \"CYCLES\"}}}}",
         ""},
        {"{\"version\": 3, \"ovni\": {\"part\": \"thread\", " LEAST LIBRARY
         "}, \"nosv\": {\"hwc\": {\"100\": {\"name\": \"CYCLES\"}}}}",
         ""}, /* no thread requires nOS-V */
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        emulator = ovni_emulator_new(OVNI_EMULATE_RULES);
        record_context c = context(0, OVNI_METADATA);
        ovni_emulator_metadata(emulator, &c, cases[i].text, strlen(cases[i].text));
        if (strcmp(found(), cases[i].rule) != 0)
            fail_msg("case %zu: %s, not %s", i, found(), cases[i].rule);
        ovni_emulator_free(emulator);
    }
    emulator = ovni_emulator_new(OVNI_EMULATE_RULES);
    record_context c = context(0, OVNI_METADATA);
    c.fault = FAULT_UNKNOWN;
    ovni_emulator_metadata(emulator, &c, cases[0].text, strlen(cases[0].text));
    assert_string_equal(found(), "metadata");
    c.kind = OVNI_HEADER;
    ovni_emulator_header(emulator, &c, NULL);
    assert_string_equal(found(), "stream");
    ovni_emulator_damage(emulator, &c);
    assert_string_equal(found(), "stream");
    ovni_emulator_free(emulator);
}

/* Metadata that ovniemu accepts, with one thing changed. It is judged at once, at the first header, or when the thread
 * begins. */
static const char *check(const char *old, const char *new)
{
    static const char valid[] =
        "{\"version\": 3, \"ovni\": {\"part\": \"thread\", \"loom\": \"a.0\", \"pid\": 10, \"tid\": 100, \"app_id\": 1, "
        "\"rank\": 0, \"nranks\": 1, \"finished\": 1, \"lib\": {\"version\": \"1.14.0\", \"commit\": \"x\"}, "
        "\"require\": {\"nosv\": \"2.5.1\"}, \"mark\": {\"1\": {\"title\": \"T\", \"chan_type\": \"single\", "
        "\"labels\": {\"5\": \"five\"}}}, \"loom_cpus\": [{\"index\": 0, \"phyid\": 0}]}, "
        "\"nosv\": {\"hwc\": {\"0\": {\"name\": \"C\"}}}}"; /* the only C */
    const char *at = strstr(valid, old);
    assert_non_null(at);
    char *text = g_strdup_printf("%.*s%s%s", (int)(at - valid), valid, new, at + strlen(old));
    record_context c = context(0, OVNI_METADATA), head = context(0, OVNI_HEADER);
    emulator = ovni_emulator_new(OVNI_EMULATE_RULES);
    ovni_emulator_metadata(emulator, &c, text, strlen(text));
    const char *rule = found();
    if (!*rule) {
        if (g_str_has_prefix(new, "\"pid\": "))
            ovni_context_of(&head)->process = atoi(new + 7);
        if (g_str_has_prefix(new, "\"tid\": "))
            ovni_context_of(&head)->thread = atoi(new + 7);
        ovni_emulator_header(emulator, &head, "a.0");
        rule = found();
    }
    if (!*rule)
        rule = PLAY(0, BEGINS(10, 0));
    g_free(text);
    ovni_emulator_free(emulator);
    return rule;
}

static void checks_values_as_ovniemu(void **state)
{
    (void)state;
    static const struct {
        const char *old, *new, *rule;
    } cases[] = {
        {"\"rank\": 0", "\"rank\": 0, \"rank\": 0", "metadata"},
        {"\"five\"", "\"five\", \"5\": \"five\"", "metadata"},
        {"\"pid\": 10", "\"pid\": -10", "metadata"},
        {"\"tid\": 100", "\"tid\": -1", "metadata"},
        {"\"tid\": 100", "\"tid\": 2147483648", "metadata"},
        {"\"tid\": 100", "\"tid\": 100.9", ""},
        {"\"tid\": 100", "\"tid\": 0.5", "metadata"},
        {"\"pid\": 10", "\"pid\": 0.5", "metadata"}, /* 0 runs alone on a CPU */
        {"\"finished\": 1", "\"finished\": 1.5", "unfinished"},
        {"\"finished\": 1", "\"finished\": 1.0", ""},
        {"\"version\": 3", "\"version\": 3.9", ""},
        {"\"rank\": 0", "\"rank\": 2147483648", "metadata"},
        {"\"rank\": 0", "\"rank\": \"x\"", ""},
        {"\"rank\": 0", "\"rank\": null", ""},
        {"\"app_id\": 1", "\"app_id\": null", "metadata"},
        {"\"index\": 0", "\"index\": 2147483648", "cpus"},
        {"\"index\": 0, ", "", ""},
        {"\"phyid\": 0", "\"phyid\": null", ""},
        {"[{\"index\": 0, \"phyid\": 0}]", "[{}, null]", "metadata"},
        {"[{\"index\": 0, \"phyid\": 0}]", "[{}]", ""},
        {"2.5.1", "2.5.1x", "require"},
        {"2.5.1", "2.-1.0", "require"},
        {"2.5.1", "2..5.1", ""},
        {"2.5.1", "2.5.1-rc", ""},
        {"2.5.1", " 2.5.1.x", ""},
        {"2.5.1", "2.5", "require"},
        {"\"1\": {", "\"0x5\": {", "metadata"},
        {"\"1\": {", "\" 5\": {", ""},
        {"\"1\": {", "\"5 \": {", "metadata"},
        {"\"5\": ", "\"0x5\": ", "metadata"},
        {"\"five\"", "5", "metadata"},
        {"\"five\"", "\"five\", \"4294967301\": \"five\"", "mark"}, /* one number in Paraver's file */
        {"{\"5\": \"five\"}", "null", "metadata"},
        {"\"title\"", "\"name\"", "mark"},
        {"\"chan_type\"", "\"kind\"", "mark"},
        {"\"0\": {", "\"x\": {", "counter"},
        {"\"0\": {", "\"1\": {", "counter"},
        {"\"0\": {", "\"100\": {", "counter"},
        {"\"name\": \"C\"", "", "counter"},
        {"{\"0\": {\"name\": \"C\"}}", "5", ""},
        {"\"nranks\": 1", "\"nranks\": 01", "metadata"},
        {"\"nranks\": 1", "\"nranks\": .5", "metadata"},
        {"\"nranks\": 1", "\"nranks\": 0x1", "metadata"},
        {"\"nranks\": 1", "\"nranks\": 1e999", "metadata"},
        {"\"nranks\": 1", "\"nranks\": 1e0", ""},
        {"\"T\"", "\"T\t\"", "metadata"},
        {"\"T\"", "\"T\\t\"", ""},
        {"\"T\"", "\"T\\x\"", "metadata"},
        {"\"T\"", "\"\\u00e9\\ud83d\\ude00\"", ""},
        {"\"T\"", "\"\\ude00\"", "metadata"},
        {"\"T\"", "\"T\xff\"", ""},
        {"\"C\"", "\"C\"\v", ""},
        {"\"commit\": \"x\"", "\"commit\": 5", "metadata"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        if (strcmp(check(cases[i].old, cases[i].new), cases[i].rule) != 0)
            fail_msg("case %zu, %s: not %s", i, cases[i].new, cases[i].rule);
    for (size_t length = 247; length < 800; length += 353) {
        char *name = g_strnfill(length, 'n');
        assert_string_equal(check("C", name), length > 247 ? "counter" : "");
        g_free(name);
    }
}

/* The rules of what is wrong at the end. */
static char *at_end(void)
{
    GArray *end = ovni_emulator_at_end(emulator);
    GString *rules = g_string_new(NULL);
    for (guint i = 0; i < end->len; i++)
        g_string_append_printf(rules, "%s ", ovni_rules[g_array_index(end, ovni_finding, i).rule].name);
    ovni_findings_free(end);
    return g_string_free(rules, FALSE);
}

/* Streams without events, and those that are no thread's. */
static void checks_without_events(void **state)
{
    (void)state;
    record_context head = context(0, OVNI_HEADER), c = context(0, OVNI_METADATA);
    char *rules;
    emulator = ovni_emulator_new(OVNI_EMULATE_RULES);
    declare(0, VALID ", \"loom_cpus\": [{\"index\": 5}]");
    rules = at_end();
    assert_string_equal(rules, "stream "); /* no event file */
    g_free(rules);
    ovni_emulator_header(emulator, &head, "a.0");
    assert_string_equal(found(), "cpus");
    rules = at_end();
    assert_string_equal(rules, "alive ");
    g_free(rules);
    ovni_emulator_free(emulator);
    emulator = ovni_emulator_new(OVNI_EMULATE_RULES);
    static const char other[] = "{\"version\": 3, \"ovni\": {\"part\": \"foo\", \"require\": {\"nosv\": \"x\"}}}";
    ovni_emulator_metadata(emulator, &c, other, strlen(other));
    assert_string_equal(found(), "");
    rules = at_end();
    assert_string_equal(rules, "stream ");
    g_free(rules);
    ovni_emulator_header(emulator, &head, NULL);
    rules = at_end();
    assert_string_equal(rules, "");
    g_free(rules);
    assert_string_equal(PLAY(0, EVENT(0, "OHp", 9)), "metadata");
    assert_string_equal(PLAY(0, EVENT(0, "OHp", 9)), ""); /* told once */
    c.fault = FAULT_OVNI_JSON_DEPTH;
    ovni_emulator_free(emulator);
    emulator = ovni_emulator_new(OVNI_EMULATE_RULES);
    ovni_emulator_metadata(emulator, &c, "", 0);
    assert_string_equal(found(), "limit");
    assert_string_equal(PLAY(0, EVENT(0, "OHp", 9)), ""); /* it may have a thread */
    ovni_emulator_free(emulator);
}

/* ovniemu takes the size of a jumbo event for the beginning of its payload. */
static void reads_payloads_as_ovniemu(void **state)
{
    (void)state;
    start(OVNI_EMULATE_RULES);
    assert_string_equal(PLAY(0, EVENT(0x13, "OHx", 10), U32(4), U32(0)), "cpu");
    assert_string_equal(PLAY(1, EVENT(0x13, "OHx", 10), U32(1), 9), "");
    assert_int_equal(ovni_emulator_thread(emulator, 1)->cpu, 0); /* of index 1 */
    assert_string_equal(PLAY(1, EVENT(7, "VWC", 10), U32(8), U32(0)), "counter");
    ovni_emulator_free(emulator);
}

static void note_type(void *data, int32_t type, int64_t value, const char *label)
{
    g_string_append_printf(data, "%d/%d %s ", type, (int)value, label);
}

/* Marks are in the order of the rows of threads, not in that of their files; labels are bytes. */
static void orders_marks(void **state)
{
    (void)state;
    emulator = ovni_emulator_new(OVNI_EMULATE_RULES);
    declare(1, MARK("5", "B\xff", "stack", "{\"2\": \"two\", \"1\": \"o\\u0001\"}"));
    declare(0, VALID ", \"mark\": {\"7\": {\"title\": \"A\", \"chan_type\": \"single\"}, \"5\": {\"title\": \"B\xff\", "
                     "\"chan_type\": \"stack\", \"labels\": {\"3\": \"three\"}}}");
    record_context c = context(0, OVNI_HEADER);
    ovni_emulator_header(emulator, &c, "a.0");
    GString *all = g_string_new(NULL);
    ovni_emulator_each_mark(emulator, note_type, note_type, all);
    assert_string_equal(all->str, "107/0 A 105/0 B\xff 105/3 three 105/2 two 105/1 o\x01 ");
    g_string_free(all, TRUE);
    ovni_emulator_free(emulator);
}

/* Threads move between CPUs; which of it ovniemu refuses. */
static void moves_threads(void **state)
{
    (void)state;
    start(OVNI_EMULATE_ALL);
    assert_string_equal(PLAY(0, EVENT(7, "OAr", 9), U32(0), U32(101)), "cpu"); /* has not started */
    assert_string_equal(PLAY(0, BEGINS(10, 0)), "");
    assert_string_equal(PLAY(1, BEGINS(11, 1)), "");
    assert_int_equal(ovni_emulator_thread(emulator, 0)->cpu, 1);
    assert_string_equal(PLAY(0, EVENT(3, "OAs", 12), 0xff, 0xff, 0xff, 0xff), ""); /* the virtual one */
    assert_int_equal(ovni_emulator_thread(emulator, 0)->cpu, 2);
    assert_true(ovni_emulator_cpu(emulator, 2)->virtual);
    assert_string_equal(PLAY(0, EVENT(3, "OAs", 12), U32(9)), "cpu");
    assert_string_equal(PLAY(0, EVENT(7, "OAr", 13), U32(0), U32(101)), "");
    assert_int_equal(ovni_emulator_thread(emulator, 1)->cpu, 1);
    assert_string_equal(PLAY(0, EVENT(7, "OAr", 13), U32(0), U32(101)), "cpu"); /* it is there */
    assert_string_equal(PLAY(0, EVENT(7, "OAr", 13), U32(7), U32(101)), "cpu");
    assert_string_equal(PLAY(0, EVENT(0, "OHp", 14)), "");
    assert_string_equal(PLAY(0, EVENT(3, "OAs", 15), U32(1)), "cpu"); /* not active */
    assert_string_equal(PLAY(0, EVENT(0, "OHw", 16)), "");
    assert_string_equal(PLAY(0, EVENT(0, "OHr", 16)), "");
    assert_string_equal(PLAY(0, EVENT(0, "OHc", 17)), "");
    assert_string_equal(PLAY(0, BEGINS(18, 0)), "state"); /* has not ended */
    assert_string_equal(PLAY(0, EVENT(0, "OHe", 19)), "");
    assert_int_equal(ovni_emulator_thread(emulator, 0)->cpu, -1);
    assert_int_equal(ovni_emulator_thread(emulator, 0)->state, OVNI_THREAD_DEAD);
    assert_string_equal(PLAY(1, EVENT(0, "OF[", 20)), "");
    int64_t value;
    assert_true(ovni_emulator_shown(emulator, false, 1, OVNI_CH_FLUSH, &value) && value == 1);
    assert_true(ovni_emulator_set_now(emulator, 1, OVNI_CH_FLUSH));
    assert_string_equal(PLAY(1, EVENT(0, "OF]", 21)), "");
    assert_false(ovni_emulator_shown(emulator, false, 1, OVNI_CH_FLUSH, &value));
    assert_string_equal(PLAY(1, EVENT(0, "OB.", 22)), "");
    assert_int_equal(ovni_emulator_row(emulator, 1), 1);
    assert_int_equal(ovni_emulator_row(emulator, 7), -1);
    assert_string_equal(ovni_emulator_thread_name(emulator, 1), "a.0/10/101");
    assert_true(ovni_emulator_touched(emulator)->len == 0);
    assert_int_equal(ovni_emulator_time(emulator), 13);
    ovni_emulator_free(emulator);
}

/* From which states a thread may get into another one, as in ovniemu. */
static void threads_change_states(void **state)
{
    (void)state;
    static const struct {
        const char *before, *allowed; /* events after the start, and those that may follow */
    } paths[] = {{"", "epc"}, {"p", "rw"}, {"c", "ep"}, {"pw", "r"}, {"e", ""}};
    for (unsigned i = 0; i < G_N_ELEMENTS(paths); i++)
        for (const char *next = "eprcw"; *next; next++) {
            char code[] = "OH?";
            start(OVNI_EMULATE_ALL);
            assert_string_equal(PLAY(0, BEGINS(10, 0)), "");
            for (const char *one = paths[i].before; *one; one++) {
                code[2] = *one;
                assert_string_equal(PLAY(0, EVENT(0, code, 11)), "");
            }
            code[2] = *next;
            assert_string_equal(PLAY(0, EVENT(0, code, 12)), strchr(paths[i].allowed, *next) ? "" : "state");
            ovni_emulator_free(emulator);
        }
}

#define ALL_MODELS \
    ", \"finished\": 1, \"rank\": 0, \"nranks\": 1, \"require\": {\"nosv\": \"2.5.1\", \"nanos6\": \"1.0.0\", " \
    "\"openmp\": \"1.1.0\", \"kernel\": \"1.0.0\", \"nothing\": \"1.0.0\"}, \"mark\": {\"4\": {\"title\": \"Phase\", " \
    "\"chan_type\": \"stack\", \"labels\": {\"2\": \"two\"}}, \"5\": {\"title\": \"Step\", \"chan_type\": \"single\"}}"
#define NAMES(code, clock, type) EVENT(0x13, code, clock), U32(6), U32(type), 't', 0
#define MARKS(code, clock, value, type) EVENT(11, code, clock), U32(value), U32(0), U32(type)

static void start_all_models(void)
{
    emulator = ovni_emulator_new(OVNI_EMULATE_ALL);
    declare(0, ALL_MODELS);
    assert_string_equal(found(), "");
    declare(1, ALL_MODELS);
    for (uint32_t stream = 0; stream < 2; stream++) {
        record_context c = context(stream, OVNI_HEADER);
        ovni_emulator_header(emulator, &c, "a.0");
    }
    assert_string_equal(PLAY(0, BEGINS(10, 0)), "");
    assert_string_equal(PLAY(1, BEGINS(10, 1)), "");
}

/* What a CPU does for OpenMP; -1: nothing is known. */
static int does_openmp(uint32_t row)
{
    static ovni_doing doing;
    ovni_doing_look(emulator, row, &ovni_doing_models[2], &doing);
    return doing.known ? (int)doing.does : -1;
}

static void openmp_shows_labels_or_subsystems(void **state)
{
    (void)state;
    start_all_models();
    assert_int_equal(does_openmp(1), -1);
    assert_string_equal(PLAY(0, NAMES("POc", 11, 1)), "");
    assert_string_equal(PLAY(0, TASK("PPc", 12, 1, 1)), "");
    assert_string_equal(PLAY(0, EVENT(0, "PBb", 13)), "");
    assert_int_equal(does_openmp(1), OVNI_DOES_RUNTIME);
    assert_string_equal(PLAY(0, EVENT(0, "PBB", 14)), "");
    assert_int_equal(does_openmp(1), -1);
    assert_string_equal(PLAY(0, EVENT(3, "PPx", 15), U32(1)), "");
    assert_int_equal(does_openmp(1), OVNI_DOES_TASK);
    assert_string_equal(PLAY(0, EVENT(3, "PPe", 16), U32(1)), "");
    assert_int_equal(does_openmp(1), -1);
    ovni_emulator_free(emulator);
}

static void plays_marks(void **state)
{
    (void)state;
    start_all_models();
    assert_string_equal(PLAY(0, MARKS("OM[", 11, 2, 4)), "");
    assert_non_null(strstr(changes(), "t0:104:2 "));
    assert_string_equal(PLAY(0, MARKS("OM[", 11, 3, 4)), "");
    char *stacks = ovni_emulator_stacks(emulator, 0);
    assert_non_null(strstr(stacks, "Phase: two > 3"));
    g_free(stacks);
    assert_string_equal(PLAY(0, MARKS("OM]", 11, 2, 4)), "nesting"); /* 3 is inside */
    assert_string_equal(PLAY(0, MARKS("OM]", 11, 2, 4)), "nesting"); /* nothing is open */
    assert_string_equal(PLAY(0, MARKS("OM=", 11, 2, 4)), "nesting");
    assert_string_equal(PLAY(0, MARKS("OM[", 11, 2, 5)), "nesting");
    assert_string_equal(PLAY(0, MARKS("OM]", 11, 2, 5)), "nesting");
    assert_string_equal(PLAY(0, MARKS("OM=", 11, 2, 5)), "");
    assert_string_equal(PLAY(0, MARKS("OM=", 11, 0, 5)), "mark");
    assert_string_equal(PLAY(0, EVENT(3, "OM=", 11), U32(1)), "event");
    for (int i = 0; i < 512; i++)
        assert_string_equal(PLAY(0, MARKS("OM[", 11, 2, 4)), "");
    assert_string_equal(PLAY(0, MARKS("OM[", 11, 2, 4)), "nesting");
    ovni_emulator_free(emulator);
}

/* A stream that the trace does not declare changes nothing, nor does it repeat what was before. */
static void ignores_undeclared_streams(void **state)
{
    (void)state;
    start(OVNI_EMULATE_ALL);
    assert_string_equal(PLAY(0, BEGINS(10, 0)), "");
    assert_string_not_equal(changes(), "");
    record_context c = context(5, OVNI_EVENT);
    ovni_context_of(&c)->beside = FAULT_OVNI_UNDECLARED;
    const uint8_t event[] = {EVENT(0, "MUi", 12)};
    const cursor bytes = {event, sizeof event, false};
    ovni_emulator_play(emulator, &(ovni_played){9, &c, &bytes, ovni_event_of(OVNI_ERA_V3, &bytes), NULL});
    assert_string_equal(changes(), "");
    assert_int_equal(ovni_emulator_cpu_changes(emulator)->len, 0);
    ovni_emulator_free(emulator);
}

static void plays_tasks_of_all_models(void **state)
{
    (void)state;
    start_all_models();
    assert_string_equal(PLAY(0, EVENT(7, "6Yc", 11), U32(1), U32(0)), "type"); /* not jumbo */
    assert_string_equal(PLAY(0, NAMES("6Yc", 11, 0)), "type");
    assert_string_equal(PLAY(0, NAMES("6Yc", 11, 1)), "");
    assert_string_equal(PLAY(0, TASK("6Tc", 12, 1, 1)), "");
    assert_string_equal(PLAY(0, TASK("6Tc", 12, 2, 1)), "");
    assert_string_equal(PLAY(0, EVENT(3, "6Tx", 13), U32(1)), "");
    int64_t value;
    assert_true(ovni_emulator_shown(emulator, false, 0, OVNI_CH_NANOS6_RANK, &value));
    assert_int_equal(value, 1);
    assert_string_equal(PLAY(0, EVENT(3, "6Tx", 13), U32(2)), "nesting"); /* a body in a body, the tasks may */
    assert_string_equal(PLAY(0, EVENT(3, "6Te", 14), U32(1)), "task");    /* 2 is inside */
    assert_string_equal(PLAY(1, EVENT(3, "6Te", 14), U32(2)), "task");
    ovni_emulator_free(emulator);
    start_all_models();
    assert_string_equal(PLAY(0, NAMES("POc", 11, 1)), "");
    assert_string_equal(PLAY(0, TASK("PPc", 12, 0, 1)), "task");
    assert_string_equal(PLAY(0, TASK("PPc", 12, 1, 1)), "");
    assert_string_equal(PLAY(0, EVENT(3, "PPx", 13), U32(1)), "");
    char *stacks = ovni_emulator_stacks(emulator, 0);
    assert_non_null(strstr(stacks, "t"));
    g_free(stacks);
    assert_string_equal(PLAY(0, EVENT(3, "PPe", 14), U32(1)), "");
    assert_string_equal(PLAY(0, EVENT(3, "PPx", 15), U32(1)), ""); /* may run again */
    assert_string_equal(PLAY(0, EVENT(3, "PQx", 15), U32(1)), "");
    assert_string_equal(PLAY(0, EVENT(3, "PQe", 15), U32(1)), "");
    assert_string_equal(PLAY(0, EVENT(3, "PQx", 15), U32(9)), "type");
    assert_string_equal(PLAY(0, EVENT(1, "PQx", 15), 1, 0), "event");
    assert_string_equal(PLAY(0, NAMES("VYc", 16, 1)), "");
    assert_string_equal(PLAY(0, TASK("VTC", 16, 5, 1)), "");
    assert_string_equal(PLAY(0, TASK("VTx", 17, 5, 0)), "task"); /* which body? */
    assert_string_equal(PLAY(0, TASK("VTe", 17, 5, 3)), "task"); /* never started */
    assert_string_equal(PLAY(0, TASK("VTp", 17, 5, 1)), "task"); /* may not pause */
    assert_string_equal(PLAY(0, TASK("VTr", 17, 5, 1)), "");
    assert_string_equal(PLAY(0, TASK("VTx", 18, 5, 2)), "task"); /* over another one */
    assert_string_equal(PLAY(0, EVENT(3, "VTx", 18), U32(5)), "event");
    assert_string_equal(PLAY(0, EVENT(0, "KCO", 19)), "");
    assert_string_equal(PLAY(0, TASK("VTc", 19, 6, 1)), "outside"); /* the kernel runs something else */
    assert_string_equal(PLAY(0, EVENT(0, "KCI", 20)), "");
    ovni_emulator_free(emulator);
}

/* --- Paraver
 * ---------------------------------------------------------------------------------------------------------------- */

static const char *const paraver_files[] = {"thread.prv", "thread.pcf", "thread.row", "cpu.prv", "cpu.pcf", "cpu.row"};

/* The text of a file, which is removed; NULL: there is none. */
static char *take_file(const char *folder, const char *name)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    char *text = NULL;
    if (g_file_get_contents(path, &text, NULL, NULL))
        g_unlink(path);
    return text;
}

static void assert_holds(char *text, const char *const *words)
{
    assert_non_null(text);
    for (; *words; words++)
        if (!strstr(text, *words))
            fail_msg("'%s' is not in:\n%s", *words, text);
    g_free(text);
}

static void writes_for_paraver(void **state)
{
    (void)state;
    GError *error = NULL;
    char *folder = g_dir_make_tmp("paraver-XXXXXX", NULL), *below = g_build_filename(folder, "a", "b", NULL);
    ovni_paraver *p = ovni_paraver_open(below, false, false, &error);
    assert_non_null(p);
    start_all_models();
    ovni_paraver_write(p, emulator);
    PLAY(0, NAMES("6Yc", 11, 1));
    PLAY(0, MARKS("OM[", 12, 2, 4));
    ovni_paraver_write(p, emulator);
    PLAY(0, EVENT(0x13, "6Yc", 12), U32(8), U32(2), 't', 1, 0xff, 0); /* files have the bytes, what is shown has not */
    char *stacks = ovni_emulator_stacks(emulator, 0);
    assert_true(g_utf8_validate(stacks, -1, NULL));
    g_free(stacks);
    PLAY(0, EVENT(0, "OHp", 14));
    ovni_paraver_write(p, emulator);
    assert_true(ovni_paraver_finish(p, emulator, &error));
    assert_holds(take_file(below, "thread.prv"),
                 (const char *const[]){"#Paraver (19/01/38 at 03:14):00000000000000000004_ns:0:1:1(2:1)\n",
                                       "2:0:1:1:1:2:104:2\n", "2:0:1:1:1:4:4:2\n", NULL});
    assert_holds(take_file(below, "cpu.prv"), (const char *const[]){"_ns:0:1:1(3:1)\n", "2:0:1:1:2:4:1:0\n", NULL});
    assert_holds(take_file(below, "thread.row"), (const char *const[]){"THREAD SIZE 2\n", "TH 1.100\nTH 1.101\n", NULL});
    assert_holds(take_file(below, "cpu.row"), (const char *const[]){"THREAD SIZE 3\n CPU 0.2\n CPU 0.4\nvCPU 0.*\n", NULL});
    assert_holds(take_file(below, "thread.pcf"), (const char *const[]){"Thread: CPU affinity\nVALUES\n1     CPU 0.2\n",
                                                                       "0 104        Phase\nVALUES\n2    two\n",
                                                                       " t\x01\xff\n", "of the RUNNING thread", NULL});
    assert_holds(take_file(below, "cpu.pcf"), (const char *const[]){"STATES_COLOR\n0   {  0,   0,   0}\n", NULL});
    ovni_emulator_free(emulator);
    emulator = ovni_emulator_new(OVNI_EMULATE_ALL); /* nothing at all */
    p = ovni_paraver_open(below, false, false, &error);
    assert_non_null(p);
    assert_true(ovni_paraver_finish(p, emulator, &error));
    assert_null(ovni_paraver_open(below, false, false, &error)); /* the files are there */
    assert_non_null(strstr(error->message, "thread.prv cannot be written"));
    g_clear_error(&error);
    p = ovni_paraver_open(below, true, false, &error);
    assert_non_null(p);
    ovni_paraver_cancel(p);
    for (size_t i = 0; i < G_N_ELEMENTS(paraver_files); i++) {
        g_autofree char *text = take_file(below, paraver_files[i]); /* still there */
        assert_non_null(text);
    }
    char *file = g_build_filename(below, "file", NULL);
    assert_true(g_file_set_contents(file, "", 0, NULL));
    assert_null(ovni_paraver_open(file, false, false, &error));
    assert_non_null(strstr(error->message, "cannot be made"));
    g_clear_error(&error);
    g_free(file);
    g_free(take_file(below, "file"));
    ovni_emulator_free(emulator);
    assert_int_equal(g_rmdir(below), 0);
    g_free(below);
    below = g_build_filename(folder, "a", NULL);
    assert_int_equal(g_rmdir(below) | g_rmdir(folder), 0);
    g_free(below);
    g_free(folder);
}

/* First events that are more than an hour apart. */
static void finds_clocks_apart(void **state)
{
    (void)state;
    static const uint8_t late[] = {0, 'O', 'B', '.', 0, 0, 0, 0, 0, 0, 1, 0};
    for (unsigned first = 0; first < 2; first++) {
        start(OVNI_EMULATE_RULES);
        PLAY(first, EVENT(0, "OB.", 1));
        assert_string_equal(play(1 - first, late, sizeof late), "clocks");
        ovni_emulator_free(emulator);
    }
}

/* As ovniemu numbers them. */
static void labels_have_numbers(void **state)
{
    (void)state;
    assert_int_equal(ovni_label_number("init block"), 2121489183);
    assert_int_equal(ovni_label_number("stencil 3x3"), 621522729);
    assert_int_equal(ovni_label_number("a label of more than twelve bytes"), 436359526);
    assert_int_not_equal(ovni_label_number(""), 0);
    for (const ovni_value_label *l = ovni_thread_labels + 1; l->of; l++)
        assert_int_equal(g_ascii_strcasecmp(ovni_value_words(l), ovni_thread_state_name((uint8_t)l->value)), 0);
    assert_int_equal(ovni_model_named("nothing"), OVNI_MODEL_NONE);
    assert_int_equal(ovni_model_versions[ovni_model_named("nosv")][1], 7);
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
        cmocka_unit_test(shows_threads_and_cpus),
        cmocka_unit_test(refuses_what_ovniemu_refuses),
        cmocka_unit_test(refuses_metadata),
        cmocka_unit_test(labels_have_numbers),
        cmocka_unit_test(cut_at_every_byte),
        cmocka_unit_test(refuses_declarations),
        cmocka_unit_test(refuses_texts),
        cmocka_unit_test(checks_values_as_ovniemu),
        cmocka_unit_test(checks_without_events),
        cmocka_unit_test(reads_payloads_as_ovniemu),
        cmocka_unit_test(orders_marks),
        cmocka_unit_test(moves_threads),
        cmocka_unit_test(threads_change_states),
        cmocka_unit_test(openmp_shows_labels_or_subsystems),
        cmocka_unit_test(plays_marks),
        cmocka_unit_test(ignores_undeclared_streams),
        cmocka_unit_test(plays_tasks_of_all_models),
        cmocka_unit_test(finds_clocks_apart),
        cmocka_unit_test(writes_for_paraver),
        cmocka_unit_test(orders_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
