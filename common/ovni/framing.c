/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Framing: the length and time of the record at an offset. Reads as ovni's own tools do: reserved flag bits are ignored,
 * and so is the size code of a jumbo event (docs/formats/ovni.md). */
#include "ovni/framing.h"

#include "ovni/damage.h"
#include "ovni/ovni.h"

#define MAGIC "ovni"
#define MAGIC_SIZE 4u
#define OVNI_VERSION 1u
/* Clocks are signed but record.order is not: the clock 0 becomes this. */
#define ORDER_OF_ZERO (UINT64_C(1) << 63)

/* The largest clock believed of a single event, in ns: 36 years after boot. */
#define CLOCK_ALONE_MAX (UINT64_C(1) << 60)

/* What guess_events() found when reading in one byte order. */
typedef struct {
    bool plausible;
    bool damaged;    /* something other than an event follows */
    unsigned events; /* how many; the last one may be cut off */
    size_t length;   /* of the complete ones, in bytes */
    uint64_t clock;  /* of the first event */
} guess;

static bool ovni_framing_is_code(const uint8_t *mcv)
{
    return ovni_model_name((char)mcv[0]) && mcv[1] > ' ' && mcv[1] < 0x7f && mcv[2] > ' ' && mcv[2] < 0x7f;
}

static int region_change(const uint8_t *mcv)
{
    if (mcv[0] != 'O' || mcv[1] != 'U')
        return 0;
    return mcv[2] == '[' ? 1 : mcv[2] == ']' ? -1 : 0;
}

/* Returns whether the bytes from `at` to the end of the file could start an event. Checks what is there of its flags and
 * code. */
static bool begins_event(const cursor *c, size_t at)
{
    uint8_t lead[] = {0, 'O', '!', '!'};
    memcpy(lead, c->data + at, MIN(c->length - at, sizeof lead));
    return !(lead[0] & OVNI_FLAGS_RESERVED) && ovni_framing_is_code(ovni_code(lead));
}

/* Returns whether a file of at most one whole event is plausible: it must end with that event, or inside it or the next one.
 */
static bool plausible_alone(const guess *g, const cursor *c)
{
    if (g->damaged || !c->length)
        return false;
    if (!g->events)
        return begins_event(c, 0);
    if (g->length == c->length)
        return true;
    if (!g->clock || g->clock >= CLOCK_ALONE_MAX)
        return false;
    return g->length ? begins_event(c, g->length)
                     : !(c->data[0] & OVNI_FLAG_JUMBO) || c->data[0] == OVNI_LIBRARY_JUMBO_FLAGS;
}

/* Guesses whether the bytes are a sequence of events as the library writes them. `whole`: the file ends here. The last event
 * may be longer than what is left. */
static guess guess_events(const cursor *c, bool whole, unsigned enough)
{
    guess g = {0};
    uint64_t previous = 0, depth = 0;
    while (cursor_has(c, g.length, OVNI_EVENT_SIZE)) {
        uint8_t flags = c->data[g.length];
        const uint8_t *mcv = ovni_code(c->data + g.length);
        uint64_t clock = (uint64_t)ovni_clock_at(c, g.length), size = ovni_event_size(c, g.length);
        bool clock_jumps = g.events && depth == 0 && (clock < previous || clock - previous > OVNI_CLOCK_STEP_MAX);
        g.damaged = (flags & OVNI_FLAGS_RESERVED) || !ovni_framing_is_code(mcv) || clock_jumps ||
                    (!g.events && size >= OVNI_JUMBO_SIZE + OVNI_LIBRARY_JUMBO_MAX);
        if (g.damaged)
            break;
        int change = region_change(mcv);
        depth += change > 0;
        depth -= change < 0 && depth;
        if (!g.events)
            g.clock = clock;
        previous = clock;
        g.events++;
        if (!cursor_has(c, g.length, size))
            break;
        g.length += (size_t)size;
    }
    g.plausible = g.events >= (g.damaged ? enough : 2) || (whole && g.events < 2 && plausible_alone(&g, c));
    return g;
}

/* Sets the first clock of *s. `at`: where the events should begin. */
static void find_first_clock(ovni_shape *s, const cursor *c, size_t at, bool whole)
{
    size_t event = ovni_first_event(c, at, whole);
    if (!cursor_has(c, event, OVNI_EVENT_SIZE))
        return;
    s->clock_known = true;
    s->clock = ovni_clock_at(c, event);
}

static ovni_shape shape_with_header(const uint8_t *head, size_t length, bool whole)
{
    ovni_shape s = {.kind = OVNI_SHAPE_HEADER};
    cursor little = {head, length, false}, big = {head, length, true};
    const layout_row *version = layout_row_of(&ovni_header_layout, OVNI_FIELD_VERSION);
    uint32_t a = (uint32_t)layout_value(version, &little), b = (uint32_t)layout_value(version, &big);
    s.known_version = (a >= 1 && a <= 255) || (b >= 1 && b <= 255);
    /* the smaller number is the version: 1 in one byte order is 16777216 in the other */
    s.big_endian = b < a;
    s.version = s.big_endian ? b : a;
    find_first_clock(&s, s.big_endian ? &big : &little, OVNI_HEADER_SIZE, whole);
    return s;
}

static ovni_shape shape_without_header(const uint8_t *head, size_t length, bool whole, unsigned enough)
{
    cursor little = {head, length, false}, big = {head, length, true};
    guess a = guess_events(&little, whole, enough), b = guess_events(&big, whole, enough);
    if (!a.plausible && !b.plausible)
        return (ovni_shape){.kind = OVNI_SHAPE_FOREIGN};
    ovni_shape s = {.kind = OVNI_SHAPE_HEADERLESS};
    s.big_endian = b.plausible && (!a.plausible || b.clock < a.clock);
    find_first_clock(&s, s.big_endian ? &big : &little, 0, whole);
    return s;
}

ovni_shape ovni_shape_of(const uint8_t *head, size_t length, bool whole, unsigned enough)
{
    bool magic = memcmp(head, MAGIC, MIN(length, MAGIC_SIZE)) == 0;
    if (magic && length >= OVNI_HEADER_SIZE)
        return shape_with_header(head, length, whole);
    if (magic && length && length < OVNI_HEADER_SIZE)
        return (ovni_shape){.kind = OVNI_SHAPE_CUT_HEADER};
    if (enough)
        return shape_without_header(head, length, whole, enough);
    return (ovni_shape){.kind = OVNI_SHAPE_FOREIGN};
}

/* Stores what follows from the shape: byte order, era, where the events begin, the first clock. */
static void ovni_framing_settle(stream *s, const ovni_shape *shape)
{
    ovni_stream *o = s->detail;
    o->shape = shape->kind;
    o->version = shape->version;
    o->begin = shape->kind == OVNI_SHAPE_HEADERLESS ? 0 : shape->kind == OVNI_SHAPE_HEADER ? OVNI_HEADER_SIZE : UINT64_MAX;
    if (shape->big_endian)
        s->base.flags |= CONTEXT_BIG_ENDIAN;
    if (shape->kind == OVNI_SHAPE_HEADERLESS)
        ovni_context_of(&s->base)->era = OVNI_ERA_HEADERLESS;
    if (!o->start_known && shape->clock_known) {
        o->start = ovni_corrected(shape->clock, ovni_context_of(&s->base)->clock_offset);
        o->start_known = true;
    }
}

/* If the beginning is damaged, the first event is searched for in this many bytes. */
#define DAMAGED_BEGINNING_MAX (2 * RECORD_UNKNOWN_MAX)

size_t ovni_stream_look(stream *s, window *w)
{
    const uint8_t *head;
    const ovni_stream *o = s->detail;
    size_t n = window_at(w, 0, PROBE_LENGTH, &head);
    ovni_shape shape = ovni_shape_of(head, n, n < PROBE_LENGTH, o->enough);
    if (shape.kind == OVNI_SHAPE_HEADER && !shape.clock_known && n == PROBE_LENGTH) {
        n = window_at(w, 0, DAMAGED_BEGINNING_MAX, &head);
        shape = ovni_shape_of(head, n, n < DAMAGED_BEGINNING_MAX, o->enough);
    }
    if (n && !w->error)
        ovni_framing_settle(s, &shape);
    return n;
}

void ovni_time(walk *w)
{
    record *r = &w->record;
    int64_t corrected = (int64_t)(r->order ^ ORDER_OF_ZERO);
    if (r->phase < OVNI_PHASE_EVENTS)
        corrected = ((const ovni_stream *)w->stream->detail)->start;
    int64_t seconds = corrected / 1000000000, rest = corrected % 1000000000;
    r->seconds = seconds - (rest < 0);
    r->nanoseconds = (int32_t)(rest + (rest < 0 ? 1000000000 : 0));
}

static record *ovni_framing_begin_record(walk *w, uint8_t kind, uint64_t length)
{
    record *r = walk_begin_record(w, kind, length);
    ovni_context_of(&r->context)->known &= (uint8_t)~OVNI_BACKWARDS;
    return r;
}

/* A record without a clock takes the time of the event before it in its stream. */
static step_result step_timeless(walk *w, uint8_t kind, uint64_t length, uint8_t phase)
{
    const ovni_stream *o = w->stream->detail;
    record *r = ovni_framing_begin_record(w, kind, length);
    const ovni_state *s = ovni_state_of(&w->state);
    int64_t time = s->clock_known ? ovni_corrected(s->clock, ovni_context_of(&r->context)->clock_offset) : o->start;
    r->phase = phase;
    r->order = phase < OVNI_PHASE_EVENTS ? 0 : (uint64_t)time ^ ORDER_OF_ZERO;
    return STEP_RECORD;
}

static step_result ovni_framing_step_cut(walk *w, uint64_t length, uint8_t phase)
{
    if (w->window.error)
        return STEP_BAD;
    step_result got = step_timeless(w, KIND_CUT, length, phase);
    record_set_fault(&w->record, FAULT_CUT_BY_FILE, length, (uint32_t)MIN(length, UINT32_MAX));
    w->record.context.flags |= CONTEXT_TRUNCATED;
    return got;
}

static step_result ovni_framing_step_metadata(walk *w, const ovni_stream *o)
{
    const uint8_t *data;
    if (w->state.number || (!window_at(&w->window, 0, 1, &data) && w->window.error))
        return w->window.error ? STEP_BAD : STEP_END;
    step_timeless(w, OVNI_METADATA, window_available(&w->window, 0, UINT64_MAX), OVNI_PHASE_METADATA);
    w->record.order = 1; /* records of missing files come first */
    record_set_fault(&w->record, o->fault, o->fault_value, o->fault_at);
    return STEP_RECORD;
}

static step_result step_missing(walk *w, const ovni_stream *o)
{
    if (w->state.number)
        return STEP_END;
    step_timeless(w, OVNI_MISSING, 0, OVNI_PHASE_METADATA);
    record_set_fault(&w->record, o->fault, o->fault_value, 0);
    return STEP_RECORD;
}

static step_result step_unknown(walk *w)
{
    const uint8_t *data;
    size_t n = window_at(&w->window, w->state.offset, RECORD_UNKNOWN_MAX, &data);
    if (!n)
        return w->window.error ? STEP_BAD : STEP_END;
    step_timeless(w, KIND_UNKNOWN, n, OVNI_PHASE_EVENTS);
    record_set_fault(&w->record, FAULT_OVNI_NO_HEADER, 0, 0);
    return STEP_RECORD;
}

/* Whatever comes before the events (header, metadata), or is in their place. */
static step_result step_before_events(walk *w)
{
    ovni_stream *o = w->stream->detail;
    const uint8_t *data;
    if (o->shape == OVNI_SHAPE_METADATA)
        return ovni_framing_step_metadata(w, o);
    if (o->shape == OVNI_SHAPE_MISSING)
        return step_missing(w, o);
    if (o->shape == OVNI_SHAPE_UNDECIDED) {
        if (!ovni_stream_look(w->stream, &w->window) || w->window.error)
            return w->window.error ? STEP_BAD : STEP_END;
        walk_share(w);
        return ovni_step(w);
    }
    size_t n = window_at(&w->window, w->state.offset, OVNI_HEADER_SIZE, &data);
    if (!n)
        return w->window.error ? STEP_BAD : STEP_END;
    if (o->shape == OVNI_SHAPE_CUT_HEADER || (o->shape == OVNI_SHAPE_HEADER && n < OVNI_HEADER_SIZE))
        return ovni_framing_step_cut(w, n, OVNI_PHASE_HEADER);
    if (o->shape != OVNI_SHAPE_HEADER)
        return step_unknown(w);
    step_timeless(w, OVNI_HEADER, OVNI_HEADER_SIZE, OVNI_PHASE_HEADER);
    if (o->version != OVNI_VERSION) /* 1 is the only version so far; others are read like 1 */
        record_set_fault(&w->record, FAULT_OVNI_VERSION, o->version, MAGIC_SIZE);
    return STEP_RECORD;
}

/* Bytes that are not an event. If the piece is full (RECORD_UNKNOWN_MAX), the next step goes on searching. */
static step_result ovni_framing_step_unknown(walk *w, size_t length, uint64_t jumbo_size)
{
    ovni_state_of(&w->state)->skipping = length == RECORD_UNKNOWN_MAX;
    ovni_state_of(&w->state)->flowing = false;
    step_timeless(w, KIND_UNKNOWN, length, OVNI_PHASE_EVENTS);
    if (jumbo_size)
        record_set_fault(&w->record, FAULT_OVNI_JUMBO_SIZE, jumbo_size - OVNI_JUMBO_SIZE, OVNI_EVENT_SIZE);
    else
        record_set_fault(&w->record, FAULT_SKIPPED, 0, 0);
    return STEP_RECORD;
}

static void count_region(ovni_state *s, int change)
{
    if (change > 0)
        s->depth += s->depth < UINT32_MAX;
    else if (s->depth)
        s->depth--;
}

/* Returns whether the walk has reached the events. */
static bool among_events(walk *w)
{
    const ovni_stream *o = w->stream->detail;
    ovni_state_of(&w->state)->in_events = o->shape != OVNI_SHAPE_UNDECIDED && w->state.offset >= o->begin;
    return ovni_state_of(&w->state)->in_events;
}

/* The record of a complete event. */
static inline step_result emit_event(walk *w, uint8_t kind, uint64_t size, int64_t clock)
{
    record *r = ovni_framing_begin_record(w, kind, size);
    r->phase = OVNI_PHASE_EVENTS;
    r->order = (uint64_t)ovni_corrected(clock, ovni_context_of(&r->context)->clock_offset) ^ ORDER_OF_ZERO;
    ovni_state_of(&w->state)->clock = clock;
    return STEP_RECORD;
}

/* Returns whether an event is accepted without searching inside it for others: it looks as the library writes it and is
 * short, the last of the file, or followed by another one that looks right. Must not depend on how much the window happens
 * to hold, since the same event may be read again. */
static bool plain(walk *w, const cursor *c, uint64_t size)
{
    const ovni_state *s = ovni_state_of(&w->state);
    int64_t clock = ovni_clock_at(c, 0);
    if (!ovni_clean(c->data, OVNI_FLAGS_RESERVED) || (s->clock_known && !ovni_near(clock, s->clock)))
        return false;
    if (size <= OVNI_EVENT_MAX)
        return size <= c->length;
    if (size > OVNI_LIBRARY_JUMBO_MAX)
        return false;
    cursor after = {.big_endian = c->big_endian};
    after.length = window_ahead(&w->window, w->state.offset, (size_t)size + OVNI_EVENT_SIZE, &after.data);
    if (after.length == size)
        return !w->window.error;
    return cursor_has(&after, (size_t)size, OVNI_EVENT_SIZE) && ovni_clean(after.data + size, OVNI_FLAGS_RESERVED) &&
           ovni_near(ovni_clock_at(&after, (size_t)size), clock);
}

/* Everything that the fast path in ovni_step() does not handle. */
static __attribute__((noinline)) step_result ovni_framing_step_any(walk *w)
{
    ovni_state *state = ovni_state_of(&w->state);
    if (!state->in_events && !among_events(w))
        return step_before_events(w);

    cursor c = {.big_endian = (w->record.context.flags & CONTEXT_BIG_ENDIAN) != 0};
    c.length = window_at(&w->window, w->state.offset, OVNI_EVENT_MAX, &c.data);
    if (!c.length)
        return w->window.error ? STEP_BAD : STEP_END;
    size_t lost = state->skipping ? ovni_lost(w) : 0;
    if (lost)
        return ovni_framing_step_unknown(w, lost, 0);
    state->skipping = false;
    c.length = window_at(&w->window, w->state.offset, OVNI_EVENT_MAX, &c.data);
    if (c.length < OVNI_EVENT_SIZE)
        return ovni_framing_step_cut(w, c.length, OVNI_PHASE_EVENTS);
    bool jumbo = (c.data[0] & OVNI_FLAG_JUMBO) != 0;
    int64_t clock = ovni_clock_at(&c, 0);
    uint64_t size = ovni_event_size(&c, 0);
    int change = region_change(ovni_code(c.data));
    uint64_t jumbo_size = jumbo && ovni_clean(c.data, OVNI_FLAGS_RESERVED) ? size : 0;
    if (!plain(w, &c, size)) { /* invalidates c.data */
        lost = ovni_lost(w);
        if (lost && !w->window.error)
            return ovni_framing_step_unknown(w, lost, jumbo_size);
        uint64_t there = window_available(&w->window, w->state.offset, size);
        if (there < size && !w->window.error && ovni_events_in_rest(w))
            return ovni_framing_step_unknown(w, RECORD_UNKNOWN_MAX, jumbo_size);
        if (there < size || w->window.error)
            return ovni_framing_step_cut(w, there, OVNI_PHASE_EVENTS);
    }
    bool backwards = state->clock_known && state->depth == 0 && clock < state->clock;
    emit_event(w, jumbo ? OVNI_JUMBO : OVNI_EVENT, size, clock);
    if (backwards)
        ovni_context_of(&w->record.context)->known |= OVNI_BACKWARDS;
    state->clock_known = state->flowing = true;
    if (change)
        count_region(state, change);
    return STEP_RECORD;
}

/* The fast path, for most records: a normal event, clean, in order of time, with enough bytes in the window. */
step_result ovni_step(walk *w)
{
    const uint8_t *data;
    const ovni_state *s = ovni_state_of(&w->state);
    bool held = window_holds(&w->window, w->state.offset, OVNI_EVENT_MAX, &data);
    if (!held || !s->flowing || !ovni_clean(data, OVNI_FLAGS_RESERVED | OVNI_FLAG_JUMBO) || region_change(ovni_code(data)))
        return ovni_framing_step_any(w);
    cursor c = {data, OVNI_EVENT_MAX, (w->record.context.flags & CONTEXT_BIG_ENDIAN) != 0};
    int64_t clock = ovni_clock_at(&c, 0);
    if ((uint64_t)clock - (uint64_t)s->clock >= OVNI_CLOCK_STEP_MAX)
        return ovni_framing_step_any(w);
    return emit_event(w, OVNI_EVENT, OVNI_EVENT_SIZE + ovni_payload_size(data[0]), clock);
}
