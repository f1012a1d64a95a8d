/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two rows in the list of formats, for single streams and for whole traces, and the part of an exported record that
 * is ovni's. */
#include "core/formats.h"
#include "ovni/clocks.h"
#include "ovni/events/describe.h"
#include "ovni/framing.h"
#include "ovni/events/layout.h"
#include "ovni/ovni.h"

static const format_number numbers[] = {
    FORMAT_NUMBER(ovni_context, clock_offset), FORMAT_NUMBER(ovni_context, process), FORMAT_NUMBER(ovni_context, thread),
    FORMAT_NUMBER(ovni_context, rank),         FORMAT_NUMBER(ovni_context, app),     FORMAT_NUMBER(ovni_context, era),
    FORMAT_NUMBER(ovni_context, known),
};

static const fault_row fault_rows[] = {OVNI_FAULTS(FAULT_ROW)};
const fault_list ovni_faults = {fault_rows, G_N_ELEMENTS(fault_rows)};

static uint64_t min_length(const record_context *c)
{
    if (ovni_context_of(c)->era >= OVNI_ERA_COUNT)
        return UINT64_MAX;
    switch (c->kind) {
    case OVNI_HEADER:
        return OVNI_HEADER_SIZE;
    case OVNI_EVENT:
        return OVNI_EVENT_SIZE;
    case OVNI_JUMBO:
        return OVNI_JUMBO_SIZE;
    case OVNI_METADATA:
    case OVNI_MISSING:
    case KIND_CUT:
    case KIND_UNKNOWN:
        return 0;
    default:
        return UINT64_MAX;
    }
}

static unsigned layouts(const record_context *c, const layout *found[FORMAT_LAYOUTS_MAX])
{
    found[0] = c->kind == OVNI_HEADER  ? &ovni_header_layout
               : c->kind == OVNI_EVENT ? &ovni_event_layout
               : c->kind == OVNI_JUMBO ? &ovni_jumbo_layout
                                       : NULL;
    return found[0] ? 1 : 0;
}

static size_t describe(const record_context *c, const cursor *bytes, char *text, size_t size)
{
    bool whole = (c->kind == OVNI_EVENT || c->kind == OVNI_JUMBO) && bytes->length >= OVNI_EVENT_SIZE;
    const ovni_event *event = whole ? ovni_event_of((ovni_era)ovni_context_of(c)->era, bytes) : NULL;
    if (event)
        return ovni_describe(event, bytes, NULL, text, size);
    if (size)
        *text = 0;
    return 0;
}

static bool needed_later(const record_context *c)
{
    return c->kind == OVNI_HEADER || c->kind == OVNI_METADATA || c->kind == OVNI_MISSING;
}

static void process(const record_context *c, uint32_t *process, uint32_t *thread)
{
    const ovni_context *o = ovni_context_of(c);
    *process = o->known & OVNI_KNOWN_PROCESS ? (uint32_t)o->process : 0;
    *thread = o->known & OVNI_KNOWN_THREAD ? (uint32_t)o->thread : 0;
}

/* What the two rows share. Events of equal clocks come in the order that ovniemu and ovnidump have, since it decides what
 * ovniemu accepts and writes. */
#define OVNI_ROW \
    .protocol = "ovni", .describes_streams = true, .numbers = numbers, .number_count = G_N_ELEMENTS(numbers), \
    .faults = &ovni_faults, .min_length = min_length, .process = process, .layouts = layouts, .describe = describe, \
    .step = ovni_step, .time = ovni_time, .needed_later = needed_later, .near_end = ovni_near_end, .close = ovni_close, \
    .heap_phase = OVNI_PHASE_EVENTS, .setting = &ovni_clocks_setting

const format ovni_format = {
    OVNI_ROW,
    .name = "ovni",
    .description = "ovni event stream",
    .extension = "obs",
    .file_names = "*.ovnistream thread.*",
    .probe = ovni_stream_probe,
    .open = ovni_stream_open,
    .write = &ovni_write,
};
const format ovni_trace_format = {
    OVNI_ROW,
    .name = "ovni-trace",
    .description = "ovni trace (all streams of a directory)",
    .file_names = "stream.json metadata.json thread.*.json",
    .many_files = true,
    .probe = ovni_trace_probe,
    .open = ovni_trace_open,
};
