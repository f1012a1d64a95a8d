/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The emulator of ovni: events of a stream, distributed over three threads of two processes on two CPUs, played with
 * metadata that require all models; or with the input as metadata. */
#include <glib.h>
#include <string.h>

#include "core/trace.h"
#include "core/formats.h"
#include "fuzz.h"
#include "ovni/context.h"
#include "ovni/emulator/emulator.h"
#include "ovni/events/layout.h"

#define EVENTS_MAX 2000u
#define THREADS 3u
#define METADATA \
    "{\"version\":3,\"ovni\":{\"lib\":{\"version\":\"1.14.0\",\"commit\":\"c\"},\"part\":\"thread\",\"tid\":%d,\"pid\":%d," \
    "\"loom\":\"node.1\",\"app_id\":1,\"rank\":%d,\"nranks\":2,\"finished\":1,\"loom_cpus\":[{\"index\":0,\"phyid\":0}," \
    "{\"index\":1,\"phyid\":1}],\"require\":{\"ovni\":\"1.1.0\",\"nosv\":\"2.6.0\",\"nanos6\":\"1.1.0\",\"nodes\":\"1.0.0\"," \
    "\"mpi\":\"1.0.0\",\"tampi\":\"1.0.0\",\"openmp\":\"1.1.0\",\"kernel\":\"1.0.0\"}," \
    "\"mark\":{\"1\":{\"title\":\"T\",\"chan_type\":\"stack\",\"labels\":{\"1\":\"one\"}}," \
    "\"2\":{\"title\":\"S\",\"chan_type\":\"single\"}}},\"nosv\":{\"hwc\":{\"0\":{\"name\":\"cycles\"}}}}"

static void check_label(void *data, int32_t type, int64_t value, const char *label)
{
    (void)data;
    (void)type;
    (void)value;
    FUZZ_CHECK(label, "a number without name");
}

static void check_findings(const GArray *findings)
{
    for (guint i = 0; i < findings->len; i++) {
        const ovni_finding *f = &g_array_index(findings, ovni_finding, i);
        FUZZ_CHECK(f->rule < OVNI_LINT_RULES && f->text, "a finding without rule or words");
    }
}

/* What a record has changed is of rows that there are. */
static void check_record(const ovni_emulator *e)
{
    const uint32_t cpus = ovni_emulator_cpu_count(e), threads = ovni_emulator_thread_count(e);
    const GArray *changes = ovni_emulator_changes(e), *of_cpus = ovni_emulator_cpu_changes(e),
                 *touched = ovni_emulator_touched(e);
    check_findings(ovni_emulator_findings(e));
    for (guint i = 0; i < changes->len; i++) {
        const ovni_change *c = &g_array_index(changes, ovni_change, i);
        FUZZ_CHECK(c->row < (c->of_cpu ? cpus : threads), "a change of no row");
    }
    for (guint i = 0; i < of_cpus->len; i++)
        FUZZ_CHECK(g_array_index(of_cpus, ovni_cpu_change, i).row < cpus, "a change of no CPU");
    for (guint i = 0; i < touched->len; i++)
        FUZZ_CHECK(g_array_index(touched, uint32_t, i) < cpus, "no CPU is touched");
}

static void check_all(const ovni_emulator *e, bool shows)
{
    int64_t value;
    for (uint32_t row = 0; row < ovni_emulator_cpu_count(e); row++) {
        const ovni_emulated_cpu *cpu = ovni_emulator_cpu(e, row);
        FUZZ_CHECK(cpu->running <= cpu->claimed && cpu->claimed <= ovni_emulator_thread_count(e), "threads of a CPU");
        for (int channel = 0; shows && channel < OVNI_CH_COUNT; channel++)
            ovni_emulator_shown(e, true, row, (ovni_channel_id)channel, &value);
    }
    for (uint32_t row = 0; ovni_emulator_cpu_count(e) && row < ovni_emulator_thread_count(e); row++) {
        const ovni_emulated_thread *t = ovni_emulator_thread(e, row);
        FUZZ_CHECK(t->cpu < (int64_t)ovni_emulator_cpu_count(e), "the CPU of a thread");
        FUZZ_CHECK(strlen(ovni_emulator_thread_name(e, row)), "a thread without name");
        g_free(ovni_emulator_stacks(e, row));
    }
    ovni_emulator_each_mark(e, check_label, check_label, NULL);
    ovni_emulator_each_counter(e, check_label, NULL);
    for (const char *model = "6PV"; *model; model++)
        ovni_emulator_each_type(e, *model, check_label, NULL);
    GArray *end = ovni_emulator_at_end(e);
    check_findings(end);
    ovni_findings_free(end);
}

/* Stream and thread are determined by the lowest bits of the clock, so that a mutation may move an event to another one. */
static record_context deal_out(const record_context *like, unsigned stream)
{
    record_context c = *like;
    ovni_context *o = ovni_context_of(&c);
    c.stream = stream;
    o->process = (int32_t)(10 + stream / 2u);
    o->thread = (int32_t)(10 + stream);
    o->era = OVNI_ERA_V3;
    o->known |= OVNI_KNOWN_PROCESS | OVNI_KNOWN_THREAD;
    return c;
}

static void declare(ovni_emulator *e)
{
    const record_context any = {0};
    for (unsigned i = 0; i < THREADS; i++) {
        const record_context c = deal_out(&any, i);
        g_autofree char *text = g_strdup_printf(METADATA, (int)(10 + i), (int)(10 + i / 2), (int)(i / 2));
        ovni_emulator_metadata(e, &c, text, strlen(text));
        check_record(e);
    }
}

static void play(ovni_emulator *e, trace *t, const uint8_t *data)
{
    uint32_t number = 0;
    for (walk *w; number < EVENTS_MAX && (w = trace_next(t));) {
        const record_context *found = &w->record.context;
        const cursor bytes = {data + found->offset, (size_t)found->length, (found->flags & CONTEXT_BIG_ENDIAN) != 0};
        const bool is_event = (found->kind == OVNI_EVENT || found->kind == OVNI_JUMBO) && bytes.length >= OVNI_EVENT_SIZE;
        const record_context c = deal_out(found, is_event ? bytes.data[4] % THREADS : 0);
        const ovni_event *event = is_event ? ovni_event_of(OVNI_ERA_V3, &bytes) : NULL;
        ovni_emulator_play(e, &(ovni_played){++number, &c, &bytes, event, NULL});
        check_record(e);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    static const ovni_emulation depths[] = {OVNI_EMULATE_RULES, OVNI_EMULATE_SHOWN, OVNI_EMULATE_ALL, OVNI_EMULATE_ALL};
    const ovni_emulation depth = depths[length % 4];
    source *memory = source_memory_new(data, length);
    trace_input in = {NULL, memory, NULL, true};
    trace *t = trace_open(&ovni_format, &in, NULL);
    ovni_emulator *e = ovni_emulator_new(depth);
    const record_context any = {0}, first = deal_out(&any, 0);
    if (length % 16 == 15)
        ovni_emulator_metadata(e, &first, (const char *)data, length);
    if (length % 16 != 14)
        declare(e);
    for (unsigned i = 0; i < THREADS; i++) {
        const record_context c = deal_out(&any, i);
        ovni_emulator_header(e, &c, i == 2 && length % 16 == 13 ? NULL : "node.1");
    }
    play(e, t, data);
    check_all(e, depth != OVNI_EMULATE_RULES);
    ovni_emulator_free(e);
    trace_close(t);
    source_close(memory);
    return 0;
}
