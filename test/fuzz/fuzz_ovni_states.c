/* SPDX-License-Identifier: GPL-2.0-or-later */
/* States, regions and tasks of ovni: events of a stream, distributed over three threads of two processes, visited and
 * looked up again. */
#include <glib.h>

#include "core/trace.h"
#include "core/formats.h"
#include "fuzz.h"
#include "ovni/context.h"
#include "ovni/events/layout.h"
#include "ovni/states.h"

#define METADATA \
    "{\"version\":3,\"ovni\":{\"mark\":{\"1\":{\"title\":\"T\",\"labels\":{\"1\":\"one\",\"2\":\"two\"}}}}," \
    "\"nosv\":{\"hwc\":{\"0\":{\"name\":\"cycles\"}}}}"
#define EVENTS_MAX 2000u

typedef struct seen {
    record_context context;
    size_t at;
} seen;

static void use(const ovni_states *s, const record_context *c, const ovni_event *event, const cursor *bytes,
                const ovni_known *known)
{
    char text[64], model;
    uint32_t functions[CALLS_STACK_MAX], left_out;
    ovni_thread_state_name(known->thread.state);
    if (known->has_region) {
        FUZZ_CHECK(ovni_states_stack(s, known, functions, &left_out) <= CALLS_STACK_MAX, "stack");
        ovni_states_name(s, known->function, text, sizeof text, &model);
    }
    if (!event)
        return;
    const char *state = ovni_states_text(s, known, event, bytes, text, sizeof text);
    FUZZ_CHECK(!state || g_utf8_validate(state, -1, NULL), "state is no text");
    if (event->channels & OVNI_MARK) {
        ovni_states_mark_name(s, OVNI_NAMED_MARK, event, bytes);
        ovni_states_mark_name(s, OVNI_NAMED_VALUE, event, bytes);
    }
    if (event->channels & OVNI_COUNTERS)
        ovni_states_counter(s, c, 0);
}

/* The lowest bits of the clock determine the thread, so that a mutation may move an event to another one. */
static void deal_out(record_context *c, const uint8_t *data)
{
    c->stream = data[4] % 3u;
    ovni_context_of(c)->process = (int32_t)(10 + c->stream / 2u);
    ovni_context_of(c)->thread = (int32_t)(10 + c->stream);
    ovni_context_of(c)->known |= OVNI_KNOWN_PROCESS | OVNI_KNOWN_THREAD;
}

static void follow_all(ovni_states *s, trace *t, const uint8_t *data, GArray *all)
{
    for (walk *w; all->len < EVENTS_MAX && (w = trace_next(t));) {
        seen one = {w->record.context, (size_t)w->record.context.offset};
        if ((one.context.kind != OVNI_EVENT && one.context.kind != OVNI_JUMBO) || one.context.length < OVNI_EVENT_SIZE)
            continue;
        ovni_known known = {0};
        cursor bytes = {data + one.at, (size_t)one.context.length, (one.context.flags & CONTEXT_BIG_ENDIAN) != 0};
        deal_out(&one.context, bytes.data);
        g_array_append_val(all, one);
        const ovni_event *event = ovni_event_of((ovni_era)ovni_context_of(&one.context)->era, &bytes);
        if (!ovni_states_stream_known(s, &one.context))
            ovni_states_stream(s, &one.context, "node.1");
        ovni_states_visit(s, &one.context, all->len, event, &bytes, &known);
        use(s, &one.context, event, &bytes, &known);
    }
}

static void find_all(ovni_states *s, const uint8_t *data, const GArray *all)
{
    for (guint i = 0; i < all->len; i++) {
        const seen *one = &g_array_index(all, seen, i);
        cursor bytes = {data + one->at, (size_t)one->context.length, (one->context.flags & CONTEXT_BIG_ENDIAN) != 0};
        const ovni_event *event = ovni_event_of((ovni_era)ovni_context_of(&one->context)->era, &bytes);
        ovni_known known = {0};
        ovni_states_find(s, &one->context, i + 1, event, &bytes, &known);
        FUZZ_CHECK(!known.has_region || known.region.begin <= all->len, "region begins in no record");
        use(s, &one->context, event, &bytes, &known);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    source *memory = source_memory_new(data, length);
    trace_input in = {NULL, memory, NULL, true};
    trace *t = trace_open(&ovni_format, &in, NULL);
    ovni_states *s = ovni_states_new(length % 4 != 3);
    record_context first = {0};
    ovni_states_stream(s, &first, "node.1");
    if (length % 8 < 4)
        ovni_states_metadata(s, &first, "node.1", METADATA, sizeof METADATA - 1);
    GArray *all = g_array_new(FALSE, TRUE, sizeof(seen));
    follow_all(s, t, data, all);
    if (ovni_states_kept(s))
        find_all(s, data, all);
    g_array_free(all, TRUE);
    ovni_states_free(s);
    trace_close(t);
    source_close(memory);
    return 0;
}
