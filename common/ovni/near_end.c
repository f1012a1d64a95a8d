/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the last event of a stream without reading the others. An event does not say where the one before it begins, so
 * regular events are followed from somewhere near the end: if many lead exactly to the end of the file, the last one is
 * that of the stream. What looks otherwise, such as a damaged or cut end, is read from its beginning. Only a large jumbo
 * event that ends with hundreds of events in its data would be taken for these. */
#include "ovni/damage.h"
#include "ovni/framing.h"
#include "ovni/ovni.h"

/* How many bytes at the end are looked at: a block of the source, and some hundred events. */
#define TAIL (16u << 10)
/* Where in them the first event is looked for: beyond the end of one that begins before them. */
#define FIRST_EVENT_MAX 1024u
/* Fewer events in a row may be a coincidence. */
#define ENOUGH 32u

/* Follows events from `at` to the end, the last of which begins at *last. False: they do not lead there, or are too few. */
static bool leads_to_end(const cursor *c, size_t at, size_t *last)
{
    unsigned events = 0;
    int64_t clock = 0;
    while (at < c->length) {
        if (!cursor_has(c, at, OVNI_EVENT_SIZE))
            return false;
        const int64_t own = ovni_clock_at(c, at);
        const uint64_t size = ovni_event_size(c, at);
        if (!ovni_clean(c->data + at, OVNI_FLAGS_RESERVED) || !cursor_has(c, at, size) || (events && !ovni_near(own, clock)))
            return false;
        *last = at;
        clock = own;
        at += (size_t)size;
        events++;
    }
    return events >= ENOUGH;
}

/* Returns whether the walk's stream is an event file of which more than the end must be read, with its shape known. */
static bool is_long(walk *w)
{
    const ovni_stream *o = w->stream->detail;
    if (o->shape == OVNI_SHAPE_UNDECIDED) {
        ovni_stream_look(w->stream, &w->window);
        walk_share(w);
    }
    const uint64_t size = w->window.source->size;
    return (o->shape == OVNI_SHAPE_HEADER || o->shape == OVNI_SHAPE_HEADERLESS) && size != SOURCE_SIZE_UNKNOWN &&
           size > o->begin + 2 * TAIL;
}

void ovni_near_end(walk *w)
{
    size_t at = 0, last = 0;
    if (!is_long(w))
        return;
    const uint64_t from = w->window.source->size - TAIL;
    cursor c = {.big_endian = (w->record.context.flags & CONTEXT_BIG_ENDIAN) != 0};
    c.length = window_at(&w->window, from, TAIL, &c.data);
    while (at < FIRST_EVENT_MAX && c.length == TAIL && !leads_to_end(&c, at, &last))
        at++;
    if (at == FIRST_EVENT_MAX || c.length < TAIL)
        return;
    w->state.offset = from + last;
    ovni_state_of(&w->state)->in_events = true;
}
