/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads one XRay record: how long it is and how it changes the context of its buffer (docs/formats/xray.md, "Buffers" and
 * "Damage"). The same step serves reading in order of time (range by range), in file order (pipes), and indexing. */
#include "xray/layouts.h"

#define BIT(kind) (1u << (kind))
#define FUNCTIONS (BIT(XRAY_ENTRY) | BIT(XRAY_EXIT) | BIT(XRAY_TAIL_EXIT) | BIT(XRAY_ENTRY_ARGUMENTS))
#define EVENTS (BIT(XRAY_CUSTOM_EVENT) | BIT(XRAY_TYPED_EVENT))
#define CLOCKED (BIT(XRAY_NEW_CPU) | BIT(XRAY_TSC_WRAP) | EVENTS | FUNCTIONS | BIT(XRAY_END_OF_BUFFER))

/* Records that may come before the first counter, except the wall-clock marker. */
#define PREAMBLE (BIT(XRAY_NEW_BUFFER) | BIT(XRAY_PROCESS_ID) | BIT(XRAY_NEW_CPU) | BIT(XRAY_TSC_WRAP))

/* Which kinds may follow a kind; 0 is the start of a buffer. */
static const uint32_t legal_after[32] = {
    [0] = BIT(XRAY_BUFFER_EXTENTS) | BIT(XRAY_NEW_BUFFER),
    [XRAY_BUFFER_EXTENTS] = BIT(XRAY_NEW_BUFFER) | BIT(XRAY_BUFFER_EXTENTS),
    [XRAY_NEW_BUFFER] = BIT(XRAY_WALL_CLOCK),
    [XRAY_WALL_CLOCK] = BIT(XRAY_PROCESS_ID) | BIT(XRAY_NEW_CPU),
    [XRAY_PROCESS_ID] = BIT(XRAY_NEW_CPU),
    [XRAY_NEW_CPU] = CLOCKED,
    [XRAY_TSC_WRAP] = CLOCKED,
    [XRAY_CUSTOM_EVENT] = CLOCKED,
    [XRAY_TYPED_EVENT] = CLOCKED,
    [XRAY_ENTRY] = CLOCKED | BIT(XRAY_CALL_ARGUMENT),
    [XRAY_EXIT] = CLOCKED | BIT(XRAY_CALL_ARGUMENT),
    [XRAY_TAIL_EXIT] = CLOCKED | BIT(XRAY_CALL_ARGUMENT),
    [XRAY_ENTRY_ARGUMENTS] = CLOCKED | BIT(XRAY_CALL_ARGUMENT),
    [XRAY_CALL_ARGUMENT] = CLOCKED | BIT(XRAY_CALL_ARGUMENT),
    [XRAY_END_OF_BUFFER] = UINT32_MAX,
};

/* The versions that have a metadata kind. */
static const struct {
    uint8_t first, last;
} metadata_versions[XRAY_METADATA_COUNT] = {
    {1, 5}, {1, 1}, {1, 5}, {1, 5}, {1, 5}, {1, 5}, {1, 5}, {2, 5}, {2, 5}, {3, 5},
};

static const xray_log *log_of(const walk *w)
{
    return w->trace->detail;
}

static bool metadata_first(const xray_log *log, uint8_t first, uint8_t *kind)
{
    const layout_row *row = xray_metadata_row(log->big_endian, XRAY_FIELD_METADATA_KIND);
    *kind = (uint8_t)(first >> row->shift & (int)row->mask);
    return xray_begins_metadata(first, log->big_endian);
}

void xray_enter(const trace *t, const stream_range *range, stream_state *state)
{
    (void)t;
    const xray_seed *seed = xray_seed_of(range);
    *xray_state_of(state) = (xray_state){.tsc = seed->tsc,
                                         .time_tsc = seed->tsc,
                                         .thread = seed->thread,
                                         .process = seed->process,
                                         .cpu = seed->cpu,
                                         .known = seed->known};
}

/* --- the record being made --------------------------------------------------------------------------------------------- */

static record *xray_framing_begin_record(walk *w, uint8_t kind, uint64_t length)
{
    record *r = walk_begin_record(w, kind, length);
    xray_context_of(&r->context)->argument_index = 0;
    xray_context_of(&r->context)->previous = 0;
    r->phase = 1;
    return r;
}

static inline step_result finish_record(walk *w)
{
    const xray_state *s = xray_state_of(&w->state);
    xray_context_of(&w->record.context)->tsc = s->tsc;
    xray_context_of(&w->record.context)->time_tsc = s->time_tsc;
    w->record.order = s->time_tsc;
    return STEP_RECORD;
}

/* File offset of the first copy of the current buffer, or 0. */
static uint64_t repeats(const walk *w)
{
    const uint64_t *first = g_hash_table_lookup(log_of(w)->repeats, &xray_state_of(&w->state)->buffer);
    return first ? *first : 0;
}

static step_result end_record(walk *w)
{
    const xray_state *s = xray_state_of(&w->state);
    xray_context *c = xray_context_of(&w->record.context);
    c->buffer = w->record.context.offset < s->buffer_end ? s->buffer : 0; /* 0: outside any buffer */
    c->thread = s->thread;
    c->process = s->process;
    c->cpu = s->cpu;
    c->known = s->known;
    c->about_buffer = G_UNLIKELY(s->known & XRAY_REPEATED) ? repeats(w) : 0;
    return finish_record(w);
}

static step_result step_header(walk *w)
{
    const xray_log *log = log_of(w);
    record *r = xray_framing_begin_record(w, XRAY_HEADER, XRAY_HEADER_LENGTH);
    r->phase = 0;
    r->order = 0;
    xray_context_of(&r->context)->time_tsc = log->first_tsc;
    return STEP_RECORD;
}

/* A record that does not fit in `room` bytes: makes a cut record up to their end, or that of the file. */
static step_result xray_framing_step_cut(walk *w, uint64_t room, fault f, uint64_t value, uint32_t at)
{
    uint64_t present = window_available(&w->window, w->state.offset, room);
    record *r = xray_framing_begin_record(w, KIND_CUT, present);
    if (f == FAULT_NONE && present < room) {
        r->context.flags |= CONTEXT_TRUNCATED;
        record_set_fault(r, FAULT_CUT_BY_FILE, 0, (uint32_t)MIN(present, UINT32_MAX));
    }
    record_set_fault(r, f == FAULT_NONE ? FAULT_XRAY_CUT_BY_BUFFER : f, f == FAULT_NONE ? present : value, at);
    return end_record(w);
}

/* --- bytes that are not a record ----------------------------------------------------------------------------------- */

/* Returns whether what follows a BufferExtents record here is what must follow it. */
static bool extents_believable(const xray_log *log, const cursor *c, size_t at)
{
    uint8_t extents = xray_metadata_byte(XRAY_BUFFER_EXTENTS, log->big_endian);
    uint8_t buffer = xray_metadata_byte(XRAY_NEW_BUFFER, log->big_endian);
    if (!cursor_has(c, at, XRAY_METADATA_LENGTH) || c->data[at] != extents)
        return false;
    uint64_t size = xray_value_at(c, at, XRAY_LAYOUT_BUFFER_EXTENTS, XRAY_FIELD_EXTENT);
    if (!cursor_has(c, at + XRAY_METADATA_LENGTH, 1)) /* possible only at the end of the file */
        return size == 0;
    uint8_t next = c->data[at + XRAY_METADATA_LENGTH];
    return size == 0 ? next == extents : next == buffer && size >= XRAY_METADATA_LENGTH;
}

/* How many bytes here are not a record: up to a believable BufferExtents, `room` or RECORD_UNKNOWN_MAX. At least `known`,
 * and may be 0. Searches from the beginning of the record, since a pipe cannot re-read what has left the window. */
static uint64_t unknown_length(walk *w, uint64_t room, size_t known)
{
    const xray_log *log = log_of(w);
    const uint8_t *data;
    size_t limit = (size_t)MIN(room, (uint64_t)RECORD_UNKNOWN_MAX);
    size_t there = window_at(&w->window, w->state.offset, limit + XRAY_METADATA_LENGTH + 1, &data);
    if (log->version < 2)
        return MIN(there, limit);
    cursor c = {data, there, log->big_endian};
    int extents = xray_metadata_byte(XRAY_BUFFER_EXTENTS, log->big_endian);
    for (size_t at = known; at < there && at < limit; at++) {
        const uint8_t *found = memchr(data + at, extents, MIN(there, limit) - at);
        if (!found)
            break;
        at = (size_t)(found - data);
        if (extents_believable(log, &c, at))
            return at;
    }
    return MIN(there, limit);
}

/* A record for bytes that are not a record. */
static step_result xray_framing_step_unknown(walk *w, uint8_t kind, uint64_t length, fault f, uint64_t value)
{
    record *r = xray_framing_begin_record(w, kind, length);
    if (f != FAULT_NONE)
        record_set_fault(r, f, value, 0);
    return end_record(w);
}

/* --- flight data recorder ---------------------------------------------------------------------------------------------- */

/* The end of the current range. Extents that the index did not check may lie, but must not lead out of the range. */
static uint64_t range_end(const walk *w)
{
    return w->stream->ranges->at[w->range].end;
}

static void begin_buffer(walk *w, uint64_t first, uint64_t end)
{
    xray_state *s = xray_state_of(&w->state);
    xray_preamble p;
    const uint8_t *unused;
    end = MIN(end, range_end(w));
    /* the current record must stay in the window, since a pipe cannot go back */
    window_at(&w->window, w->state.offset, (size_t)(first - w->state.offset) + XRAY_PREAMBLE_MAX, &unused);
    /* a counter carried over from the previous buffer applies only to the first buffer of a range */
    bool carried = s->buffer_end == 0 && (s->known & XRAY_KNOWN_TSC);
    xray_preamble_read(&w->window, log_of(w), first, end, &p);
    s->known = (uint8_t)((p.known & (XRAY_KNOWN_THREAD | XRAY_KNOWN_PROCESS)) |
                         (carried ? s->known & (XRAY_KNOWN_TSC | XRAY_KNOWN_CPU) : 0));
    s->thread = p.thread;
    s->process = p.process;
    if (w->window.source->size != SOURCE_SIZE_UNKNOWN && end > w->window.source->size)
        s->known |= XRAY_BUFFER_SHORT;
    if (p.known & XRAY_KNOWN_TSC)
        s->time_tsc = p.tsc;
    s->buffer = w->state.offset;
    s->buffer_end = end;
    if (log_of(w)->repeats && repeats(w))
        s->known |= XRAY_REPEATED;
    if (log_of(w)->reused && g_hash_table_contains(log_of(w)->reused, &s->buffer))
        s->known |= XRAY_REUSED;
    s->previous = 0;
    s->skipping = s->padding = false;
}

static uint64_t add_clamped(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Version 1: buffers have a fixed size; if that is too small for a record, there is only one buffer. */
static uint64_t fixed_buffer_end(const xray_log *log, uint64_t offset)
{
    return log->buffer_size < XRAY_METADATA_LENGTH ? UINT64_MAX : add_clamped(offset, log->buffer_size);
}

/* Copies the fixed part of a metadata record, since looking ahead may move the window. Returns how many bytes there are. */
static size_t read_fixed(walk *w, uint8_t fixed[XRAY_METADATA_LENGTH])
{
    const uint8_t *data;
    size_t there = window_at(&w->window, w->state.offset, XRAY_METADATA_LENGTH, &data);
    memcpy(fixed, data, there);
    return there;
}

static void check_order(walk *w, record *r, uint8_t kind)
{
    xray_state *s = xray_state_of(&w->state);
    uint32_t legal = legal_after[s->previous & 31];
    /* the first runtimes of version 1 omitted the CPU record if the CPU had not changed */
    if (s->previous == XRAY_WALL_CLOCK && log_of(w)->version == 1)
        legal |= CLOCKED;
    xray_context_of(&r->context)->previous = s->previous;
    if (G_UNLIKELY(!(legal & BIT(kind))))
        record_set_fault(r, FAULT_XRAY_ORDER, s->previous, 0);
    if (kind != XRAY_CALL_ARGUMENT) /* arguments belong to the record before */
        s->previous = kind;
}

static step_result step_bad_action(walk *w, uint8_t action)
{
    record *r = xray_framing_begin_record(w, KIND_UNKNOWN, XRAY_FUNCTION_LENGTH);
    record_set_fault(r, FAULT_XRAY_BAD_ACTION, action, 0);
    return end_record(w);
}

/* The fields of a function record that matter here; its bit-fields depend on the byte order. */
typedef struct function_lead {
    uint32_t delta;
    uint8_t action;
} function_lead;

LAYOUT_INLINE function_lead xray_framing_read_function(const uint8_t *data, bool big_endian)
{
    const cursor c = {data, XRAY_FUNCTION_LENGTH, big_endian};
    const enum xray_layout_id lead = big_endian ? XRAY_LAYOUT_LEAD_FUNCTION_BE : XRAY_LAYOUT_LEAD_FUNCTION_LE;
    return (function_lead){(uint32_t)xray_value(&c, XRAY_LAYOUT_FUNCTION, XRAY_FIELD_TSC_DELTA),
                           (uint8_t)xray_value(&c, lead, XRAY_FIELD_ACTION)};
}

static step_result step_function(walk *w, const function_lead *f)
{
    xray_state *s = xray_state_of(&w->state);
    uint8_t kind = (uint8_t)(XRAY_ENTRY + f->action);
    if (f->action > 3)
        return step_bad_action(w, f->action);
    record *r = xray_framing_begin_record(w, kind, XRAY_FUNCTION_LENGTH);
    s->tsc += f->delta;
    if (s->known & XRAY_KNOWN_TSC)
        s->time_tsc = s->tsc;
    s->argument_index = 0;
    check_order(w, r, kind);
    return end_record(w);
}

/* The length of a metadata record in bytes, with payload; false if an event's size is negative. All events have the size
 * at the same offset, and likewise the counter (before version 5) or the delta (since). */
static bool metadata_length(const cursor *c, uint8_t kind, uint64_t *length)
{
    *length = XRAY_METADATA_LENGTH;
    if (!xray_is_event(kind))
        return true;
    int32_t size = (int32_t)xray_value(c, XRAY_LAYOUT_CUSTOM_V1, XRAY_FIELD_EVENT_SIZE);
    if (size < 0)
        return false;
    *length += (uint32_t)size;
    return true;
}

/* Since version 5 events advance the running counter; before, they have a counter of their own. */
static step_result end_event(walk *w, const cursor *c)
{
    const xray_log *log = log_of(w);
    xray_state *s = xray_state_of(&w->state);
    if (log->version >= 5) {
        s->tsc += xray_value(c, XRAY_LAYOUT_CUSTOM_V5, XRAY_FIELD_EVENT_DELTA);
        if (s->known & XRAY_KNOWN_TSC)
            s->time_tsc = s->tsc;
        return end_record(w);
    }
    s->time_tsc = xray_value(c, XRAY_LAYOUT_CUSTOM_V1, XRAY_FIELD_TSC);
    end_record(w);
    xray_context_of(&w->record.context)->tsc = s->time_tsc;
    xray_context_of(&w->record.context)->known |= XRAY_KNOWN_TSC;
    if (log->version == 4 && w->record.context.kind == XRAY_CUSTOM_EVENT) {
        xray_context_of(&w->record.context)->cpu = (uint16_t)xray_value(c, XRAY_LAYOUT_CUSTOM_V4, XRAY_FIELD_CPU);
        xray_context_of(&w->record.context)->known |= XRAY_KNOWN_CPU;
    }
    return STEP_RECORD;
}

static void set_counter(xray_state *s, uint64_t tsc)
{
    s->tsc = s->time_tsc = tsc;
    s->known |= XRAY_KNOWN_TSC;
}

static void apply_metadata(xray_state *s, uint8_t kind, const cursor *c)
{
    switch (kind) {
    case XRAY_NEW_BUFFER:
        s->thread = (uint32_t)xray_value(c, XRAY_LAYOUT_NEW_BUFFER, XRAY_FIELD_THREAD);
        s->known |= XRAY_KNOWN_THREAD;
        break;
    case XRAY_NEW_CPU:
        s->cpu = (uint16_t)xray_value(c, XRAY_LAYOUT_NEW_CPU, XRAY_FIELD_CPU);
        s->known |= XRAY_KNOWN_CPU;
        set_counter(s, xray_value(c, XRAY_LAYOUT_NEW_CPU, XRAY_FIELD_TSC));
        break;
    case XRAY_TSC_WRAP:
        set_counter(s, xray_value(c, XRAY_LAYOUT_TSC_WRAP, XRAY_FIELD_TSC));
        break;
    case XRAY_PROCESS_ID:
        s->process = (uint32_t)xray_value(c, XRAY_LAYOUT_PROCESS_ID, XRAY_FIELD_PROCESS);
        s->known |= XRAY_KNOWN_PROCESS;
        break;
    default:
        break;
    }
}

/* How many of the bytes promised by extents the file, whose size is known, does not have. */
static uint64_t missing_bytes(const walk *w, uint64_t extents)
{
    uint64_t there = w->window.source->size - w->state.offset - XRAY_METADATA_LENGTH;
    return extents > there ? extents - there : 0;
}

static step_result xray_framing_step_metadata(walk *w, const cursor *c, uint8_t metadata, uint64_t room)
{
    const xray_log *log = log_of(w);
    xray_state *s = xray_state_of(&w->state);
    uint8_t kind = (uint8_t)(XRAY_NEW_BUFFER + metadata);
    uint64_t length;
    if (!metadata_length(c, kind, &length)) {
        const layout_row *size = xray_row(XRAY_LAYOUT_CUSTOM_V1, XRAY_FIELD_EVENT_SIZE);
        return xray_framing_step_cut(w, room, FAULT_XRAY_NEGATIVE_SIZE, (uint64_t)(int32_t)layout_value(size, c),
                                     size->offset);
    }
    if (length > room || window_available(&w->window, w->state.offset, length) < length)
        return xray_framing_step_cut(w, length > room ? room : length, FAULT_NONE, 0, 0);
    record *r = xray_framing_begin_record(w, kind, length);
    if (kind == XRAY_BUFFER_EXTENTS && log->version >= 2) {
        uint64_t first = w->state.offset + XRAY_METADATA_LENGTH;
        begin_buffer(w, first, add_clamped(first, xray_value(c, XRAY_LAYOUT_BUFFER_EXTENTS, XRAY_FIELD_EXTENT)));
    }
    if (log->version < metadata_versions[metadata].first || log->version > metadata_versions[metadata].last)
        record_set_fault(r, kind == XRAY_END_OF_BUFFER ? FAULT_XRAY_END_OF_BUFFER : FAULT_XRAY_KIND_VERSION, log->version,
                         0);
    if (kind == XRAY_END_OF_BUFFER && log->version >= 2) /* otherwise ignored */
        return end_record(w);
    check_order(w, r, kind);
    apply_metadata(s, kind, c);
    if (kind == XRAY_CALL_ARGUMENT)
        xray_context_of(&r->context)->argument_index = s->argument_index++;
    s->padding = kind == XRAY_END_OF_BUFFER;
    if (xray_is_event(kind))
        return end_event(w, c);
    end_record(w);
    if (kind == XRAY_BUFFER_EXTENTS && s->known & XRAY_BUFFER_SHORT)
        xray_context_of(&r->context)->about_buffer = missing_bytes(
            w, xray_value(c, XRAY_LAYOUT_BUFFER_EXTENTS, XRAY_FIELD_EXTENT));
    return STEP_RECORD;
}

/* Outside of buffers: either a buffer begins here, or the bytes are unknown. */
static step_result step_outside(walk *w)
{
    const xray_log *log = log_of(w);
    uint8_t fixed[XRAY_METADATA_LENGTH];
    if (log->version < 2) {
        begin_buffer(w, w->state.offset, fixed_buffer_end(log, w->state.offset));
        return xray_fdr_step(w);
    }
    if (w->state.offset == xray_state_of(&w->state)->buffer_end) /* skipping ends with the damaged buffer */
        xray_state_of(&w->state)->skipping = false;
    size_t there = read_fixed(w, fixed);
    cursor c = {fixed, there, log->big_endian};
    uint8_t kind;
    bool extents = metadata_first(log, fixed[0], &kind) && kind == XRAY_BUFFER_EXTENTS - XRAY_NEW_BUFFER;
    uint64_t length = 0, room = range_end(w) - w->state.offset;
    if (xray_state_of(&w->state)->skipping || !extents)
        length = unknown_length(w, room, 0);
    if (length > 0) {
        bool first = !xray_state_of(&w->state)->skipping;
        xray_state_of(&w->state)->skipping = true;
        return xray_framing_step_unknown(w, KIND_UNKNOWN, length, first ? FAULT_XRAY_OUTSIDE_BUFFER : FAULT_SKIPPED, 0);
    }
    if (there < XRAY_METADATA_LENGTH)
        return xray_framing_step_cut(w, MIN(room, XRAY_METADATA_LENGTH), FAULT_NONE, 0, 0);
    return xray_framing_step_metadata(w, &c, kind, room);
}

/* Bytes after damage, or after the end-of-buffer record of version 1. False if there are none and a record follows. */
static bool step_rest(walk *w, uint64_t room, step_result *result)
{
    xray_state *s = xray_state_of(&w->state);
    uint64_t length = s->skipping ? unknown_length(w, room, 0) : MIN(room, (uint64_t)RECORD_UNKNOWN_MAX);
    length = window_available(&w->window, w->state.offset, length);
    if (s->skipping && length == 0) {
        s->skipping = false;
        return false;
    }
    *result = xray_framing_step_unknown(w, s->skipping ? KIND_UNKNOWN : KIND_PADDING, length,
                                        s->skipping ? FAULT_SKIPPED : FAULT_NONE, 0);
    return true;
}

/* Everything that the fast path in xray_fdr_step() does not handle. */
static __attribute__((noinline)) step_result xray_framing_step_any(walk *w)
{
    const xray_log *log = log_of(w);
    xray_state *s = xray_state_of(&w->state);
    uint64_t offset = w->state.offset;
    const uint8_t *data;
    size_t there = window_at(&w->window, offset, XRAY_FUNCTION_LENGTH, &data);
    if (there == 0)
        return w->window.error ? STEP_BAD : STEP_END;
    if (offset == 0)
        return step_header(w);
    if (offset >= s->buffer_end)
        return step_outside(w);
    uint64_t room = s->buffer_end - offset;
    if (s->padding || s->skipping) {
        step_result result;
        if (step_rest(w, room, &result))
            return result;
        there = window_at(&w->window, offset, XRAY_FUNCTION_LENGTH, &data);
    }
    uint8_t metadata;
    if (!metadata_first(log, data[0], &metadata)) {
        if (there < XRAY_FUNCTION_LENGTH || room < XRAY_FUNCTION_LENGTH)
            return xray_framing_step_cut(w, MIN(room, XRAY_FUNCTION_LENGTH), FAULT_NONE, 0, 0);
        function_lead f = xray_framing_read_function(data, log->big_endian);
        return step_function(w, &f);
    }
    if (metadata >= XRAY_METADATA_COUNT) {
        s->skipping = true; /* this byte is not a BufferExtents, so search after it */
        return xray_framing_step_unknown(w, KIND_UNKNOWN, unknown_length(w, room, 1), FAULT_XRAY_UNKNOWN_KIND, metadata);
    }
    uint8_t fixed[XRAY_METADATA_LENGTH];
    there = read_fixed(w, fixed);
    if (there < XRAY_METADATA_LENGTH || room < XRAY_METADATA_LENGTH)
        return xray_framing_step_cut(w, MIN(room, XRAY_METADATA_LENGTH), FAULT_NONE, 0, 0);
    cursor c = {fixed, there, log->big_endian};
    return xray_framing_step_metadata(w, &c, metadata, room);
}

/* Returns whether the previous record was a valid function record directly before this one: only then is its kind still
 * `previous`. The start of a buffer, a checkpoint and all other kinds of records change it. */
static inline bool after_function(const walk *w)
{
    const record_context *c = &w->record.context;
    return xray_is_function(c->kind) && c->kind == xray_state_of(&w->state)->previous && c->fault == FAULT_NONE &&
           (xray_context_of(c)->known & XRAY_KNOWN_TSC);
}

/* The fast path, for most records: a function record after another one differs only in kind, offset and counter. */
LAYOUT_INLINE step_result step_next_function(walk *w, const uint8_t *data, bool big_endian)
{
    function_lead f = xray_framing_read_function(data, big_endian);
    xray_state *s = xray_state_of(&w->state);
    record_context *c = &w->record.context;
    if (f.action > 3)
        return xray_framing_step_any(w);
    c->offset = w->state.offset;
    xray_context_of(c)->previous = c->kind;
    c->kind = s->previous = (uint8_t)(XRAY_ENTRY + f.action);
    s->time_tsc = s->tsc += f.delta;
    return finish_record(w);
}

step_result xray_fdr_step(walk *w)
{
    uint64_t offset = w->state.offset;
    const uint8_t *data;
    bool held = window_holds(&w->window, offset, XRAY_FUNCTION_LENGTH, &data);
    if (!held || offset + XRAY_FUNCTION_LENGTH > xray_state_of(&w->state)->buffer_end || !after_function(w))
        return xray_framing_step_any(w);
    bool big_endian = log_of(w)->big_endian;
    if (xray_begins_metadata(data[0], big_endian))
        return xray_framing_step_any(w);
    return G_UNLIKELY(big_endian) ? step_next_function(w, data, true) : step_next_function(w, data, false);
}

void xray_preamble_read(window *w, const xray_log *log, uint64_t offset, uint64_t end, xray_preamble *p)
{
    xray_state s = {.known = 0};
    const uint8_t *data;
    size_t there = window_at(w, offset, (size_t)MIN(end - offset, (uint64_t)XRAY_PREAMBLE_MAX), &data);
    *p = (xray_preamble){.wall = false};
    for (size_t at = 0; at + XRAY_METADATA_LENGTH <= there && !(s.known & XRAY_KNOWN_TSC); at += XRAY_METADATA_LENGTH) {
        cursor c = {data + at, XRAY_METADATA_LENGTH, log->big_endian};
        uint8_t metadata;
        if (!metadata_first(log, data[at], &metadata) || metadata >= XRAY_METADATA_COUNT)
            break;
        const uint8_t kind = (uint8_t)(XRAY_NEW_BUFFER + metadata);
        if (kind == XRAY_WALL_CLOCK) {
            p->wall = true;
            p->wall_seconds = xray_value(&c, XRAY_LAYOUT_WALL_CLOCK, XRAY_FIELD_WALL_SECONDS);
            p->wall_microseconds = (uint32_t)xray_value(&c, XRAY_LAYOUT_WALL_CLOCK, XRAY_FIELD_WALL_MICROSECONDS);
        } else if (!(BIT(kind) & PREAMBLE)) {
            break;
        }
        apply_metadata(&s, kind, &c);
    }
    p->thread = s.thread;
    p->process = s.process;
    p->tsc = s.tsc;
    p->known = s.known & (XRAY_KNOWN_THREAD | XRAY_KNOWN_PROCESS | XRAY_KNOWN_TSC);
}

/* --- basic mode -------------------------------------------------------------------------------------------------------- */

void xray_basic_read(const xray_log *log, const cursor *c, xray_basic_record *r)
{
    *r = (xray_basic_record){.kind = KIND_UNKNOWN,
                             .type = (uint16_t)xray_value(c, XRAY_LAYOUT_BASIC, XRAY_FIELD_TYPE),
                             .action = (uint8_t)xray_value(c, XRAY_LAYOUT_BASIC, XRAY_FIELD_ACTION)};
    if (!cursor_has(c, 0, XRAY_BASIC_LENGTH) || r->type > 1 || (r->type == 0 && r->action > 3))
        return;
    r->known = XRAY_KNOWN_THREAD | (log->version >= 3 ? XRAY_KNOWN_PROCESS : 0);
    if (r->type == 1) {
        r->kind = XRAY_CALL_ARGUMENT;
        r->thread = (uint32_t)xray_value(c, XRAY_LAYOUT_BASIC_ARGUMENT_V3, XRAY_FIELD_THREAD);
        if (log->version >= 3)
            r->process = (uint32_t)xray_value(c, XRAY_LAYOUT_BASIC_ARGUMENT_V3, XRAY_FIELD_PROCESS);
        return;
    }
    r->kind = (uint8_t)(XRAY_ENTRY + r->action);
    r->thread = (uint32_t)xray_value(c, XRAY_LAYOUT_BASIC_FUNCTION_V3, XRAY_FIELD_THREAD);
    if (log->version >= 3)
        r->process = (uint32_t)xray_value(c, XRAY_LAYOUT_BASIC_FUNCTION_V3, XRAY_FIELD_PROCESS);
    r->cpu = (uint8_t)xray_value(c, XRAY_LAYOUT_BASIC_FUNCTION_V3, XRAY_FIELD_CPU);
    r->tsc = xray_value(c, XRAY_LAYOUT_BASIC_FUNCTION_V3, XRAY_FIELD_TSC);
    r->known |= XRAY_KNOWN_CPU | XRAY_KNOWN_TSC;
}

step_result xray_basic_step(walk *w)
{
    const xray_log *log = log_of(w);
    xray_state *s = xray_state_of(&w->state);
    const uint8_t *data;
    xray_basic_record basic;
    size_t there = window_at(&w->window, w->state.offset, XRAY_BASIC_LENGTH, &data);
    if (there == 0)
        return w->window.error ? STEP_BAD : STEP_END;
    if (w->state.offset == 0)
        return step_header(w);
    s->known &= (uint8_t) ~(XRAY_KNOWN_CPU | XRAY_KNOWN_TSC);
    if (there < XRAY_BASIC_LENGTH)
        return xray_framing_step_cut(w, XRAY_BASIC_LENGTH, FAULT_NONE, 0, 0);
    cursor c = {data, there, log->big_endian};
    xray_basic_read(log, &c, &basic);
    if (basic.kind == KIND_UNKNOWN)
        return basic.type > 1 ? xray_framing_step_unknown(w, KIND_UNKNOWN, there, FAULT_XRAY_BAD_TYPE, basic.type)
                              : xray_framing_step_unknown(w, KIND_UNKNOWN, there, FAULT_XRAY_BAD_ACTION, basic.action);
    record *r = xray_framing_begin_record(w, basic.kind, XRAY_BASIC_LENGTH);
    xray_context_of(&r->context)->previous = s->previous;
    s->thread = basic.thread;
    s->process = basic.process;
    s->known = basic.known;
    if (basic.kind == XRAY_CALL_ARGUMENT) {
        xray_context_of(&r->context)->argument_index = s->argument_index++;
        return end_record(w);
    }
    s->previous = basic.kind;
    s->cpu = basic.cpu;
    s->tsc = s->time_tsc = basic.tsc;
    s->argument_index = 0;
    return end_record(w);
}
