/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads one record: a header, then beats without gaps. Any bytes are a beat, so only the end of the file can cut one, and
 * only its clock can be wrong. */
#include "beat/beat.h"

bool beat_probe(const probe *p)
{
    return p->length >= BEAT_MAGIC_LENGTH && memcmp(p->head, BEAT_MAGIC, BEAT_MAGIC_LENGTH) == 0;
}

bool beat_open(trace *t, const trace_input *in, GError **error)
{
    static const stream_range whole = {.begin = 0, .end = UINT64_MAX};
    stream *s = trace_add_stream(t, "beats");
    (void)error; /* never fails */
    s->sequential = in->sequential;
    s->random = in->random;
    stream_add_range(s, &whole);
    g_string_append(t->comment, "Beat log; its clock counts nanoseconds since 1970.");
    return true;
}

void beat_enter(const trace *t, const stream_range *range, stream_state *state)
{
    (void)t;
    (void)range;
    *beat_state_of(state) = (beat_state){.begun = false};
}

static record *give(walk *w, uint8_t kind, uint64_t length)
{
    record *r = walk_begin_record(w, kind, length);
    beat_context_of(&r->context)->interval = 0;
    r->order = beat_state_of(&w->state)->clock;
    r->phase = 0;
    return r;
}

static void emit_cut(walk *w, uint64_t length)
{
    record *r = give(w, KIND_CUT, length);
    r->context.flags |= CONTEXT_TRUNCATED;
    record_set_fault(r, FAULT_CUT_BY_FILE, 0, 0);
}

static uint64_t clock_of(const uint8_t *data)
{
    const cursor c = {data, beat_layout.length, false};
    uint64_t values[BEAT_FIELDS];
    layout_values(&beat_layout, &c, values);
    return values[BEAT_FIELD_CLOCK];
}

static void give_beat(walk *w, const uint8_t *data)
{
    beat_state *s = beat_state_of(&w->state);
    const beat_state before = *s;
    *s = (beat_state){clock_of(data), true};
    record *r = give(w, BEAT_BEAT, beat_layout.length);
    if (before.begun && s->clock < before.clock)
        record_set_fault(r, FAULT_BEAT_CLOCK, before.clock - s->clock, beat_layout.rows[BEAT_FIELD_CLOCK].offset);
    else if (before.begun)
        beat_context_of(&r->context)->interval = s->clock - before.clock;
}

/* The header has no clock: it gets that of the first beat. */
static void give_header(walk *w)
{
    const uint8_t *first = walk_after(w, BEAT_MAGIC_LENGTH, beat_layout.length);
    beat_state_of(&w->state)->clock = first ? clock_of(first) : 0;
    give(w, BEAT_HEADER, BEAT_MAGIC_LENGTH);
}

step_result beat_step(walk *w)
{
    const uint8_t *data;
    uint8_t length = w->state.offset == 0 ? BEAT_MAGIC_LENGTH : beat_layout.length;
    size_t there = window_at(&w->window, w->state.offset, length, &data);
    if (there == 0)
        return STEP_END; /* also on a read error: walk_next() distinguishes them */
    if (there < length)
        emit_cut(w, there);
    else if (w->state.offset == 0)
        give_header(w);
    else
        give_beat(w, data);
    return STEP_RECORD;
}

/* A record without a clock gets that of the previous beat, the header that of the first. */
void beat_time(walk *w)
{
    const uint32_t second = 1000000000;
    w->record.seconds = (int64_t)(w->record.order / second);
    w->record.nanoseconds = (int32_t)(w->record.order % second);
}
