/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finding back into a damaged stream. An event says how long it is and nothing else, so one wrong byte may misplace all
 * that follow. What the library writes is plain, though: no reserved flags, printable codes, neighbouring clocks.
 * Events that are otherwise are believed as long as plain ones follow at their end, or nowhere. */
#include "ovni/state.h"
#include "resync.h"

/* Bytes held while damage is judged: a stretch and what follows it. */
#define SIGHT_LENGTH (2 * RECORD_STRETCH_MAX)
/* So many odd events in a row are believed if they are likely and no others are hidden in them. */
#define ODD_RUN_MAX 16

/* The bytes from the event under judgement on. */
typedef struct sight {
    cursor c;
    bool end;   /* the file ends with these bytes */
    bool pairs; /* an event alone before the end of the file is no proof of any */
    bool clock_known;
    int64_t clock; /* of the event before */
} sight;

typedef struct frame {
    bool begun; /* its fixed part is there */
    bool whole;
    bool likely; /* its code is printable, or it goes on from the clock before */
    bool clean;  /* all but the clock is as the library writes it */
    bool usual;  /* its code is printable and its clock near the one before, whatever its reserved flags are */
    uint64_t size;
    int64_t clock;
} frame;

static sight look_ahead(walk *w, size_t need)
{
    sight s = {.c = {.big_endian = (w->record.context.flags & CONTEXT_BIG_ENDIAN) != 0}};
    s.c.length = window_ahead(&w->window, w->state.offset, need, &s.c.data);
    s.end = s.c.length < need && !w->window.error;
    s.clock_known = ovni_state_of(&w->state)->clock_known;
    s.clock = ovni_state_of(&w->state)->clock;
    if (!s.clock_known && cursor_has(&s.c, 0, OVNI_EVENT_SIZE)) {
        s.clock = (int64_t)ovni_clock_at(&s.c, 0);
        s.clock_known = s.clock != 0;
    }
    return s;
}

static frame frame_at(const sight *s, uint64_t at)
{
    frame f = {0};
    if (at > s->c.length || !cursor_has(&s->c, (size_t)at, OVNI_EVENT_SIZE))
        return f;
    const uint8_t *event = s->c.data + at;
    f.begun = true;
    f.clean = ovni_clean(event, OVNI_FLAGS_RESERVED);
    f.clock = (int64_t)ovni_clock_at(&s->c, (size_t)at);
    f.usual = ovni_clean(event, 0) && s->clock_known && ovni_near(f.clock, s->clock);
    f.likely = ovni_clean(event, 0) || (s->clock_known && (uint64_t)f.clock - (uint64_t)s->clock < OVNI_CLOCK_STEP_MAX);
    f.size = ovni_event_size(&s->c, (size_t)at);
    if (event[0] & OVNI_FLAG_JUMBO)
        f.clean = f.clean && f.size < OVNI_JUMBO_SIZE + OVNI_LIBRARY_JUMBO_MAX;
    f.whole = cursor_has(&s->c, (size_t)at, f.size);
    return f;
}

/* Where the last event of a file, whole or cut, is as the library writes it, what seems to be a single event inside it
 * has come about by chance. */
static sight look(walk *w, size_t need)
{
    sight s = look_ahead(w, need);
    const frame first = frame_at(&s, 0);
    s.pairs = s.end && first.clean && first.usual && !frame_at(&s, first.size).begun;
    return s;
}

/* Whether events begin here for sure: two clean ones with clocks close together, or one before the end of the file. */
static bool sound(const sight *s, size_t at)
{
    frame f = frame_at(s, at);
    if (!f.clean || !f.whole)
        return false;
    frame next = frame_at(s, at + f.size);
    if (next.begun)
        return next.clean && ovni_near(f.clock, next.clock);
    return s->end && !s->pairs && s->clock_known && ovni_near(f.clock, s->clock);
}

/* The first sound place in [from, to), or `to`. */
static size_t next_sound(const sight *s, size_t from, size_t to)
{
    while (from < to && !(cursor_has(&s->c, from, OVNI_EVENT_SIZE) &&
                          ovni_clean(s->c.data + from, OVNI_FLAGS_RESERVED) && sound(s, from)))
        from++;
    return from;
}

/* The events from the first one on, by their own lengths. */
typedef struct chain {
    unsigned run;    /* so many events are looked at */
    size_t settled;  /* where they come to sound ones, to the end, to a long run of likely ones, or to where they lead out
                      * of what is held; 0: nowhere */
    size_t unlikely; /* end of the unlikely ones that it begins with, if there are several */
    bool usual;      /* all that are looked at */
} chain;

/* Whether an event lies beyond what is held, or is a long one of the library's that does not end in it. */
static bool leads_out(const sight *s, const frame *f)
{
    return !s->end && !f->whole && (!f->begun || f->clean);
}

static chain follow(const sight *s, const frame *first)
{
    chain c = {.usual = first->usual};
    uint64_t at = first->size;
    bool likely = first->likely, leading = !likely;
    for (frame f = *first; f.whole && c.run < ODD_RUN_MAX; at += f.size) {
        c.run++;
        bool end = s->end && at == s->c.length && (likely || c.run == 1);
        f = frame_at(s, at);
        bool out = likely && leads_out(s, &f);
        if (end || sound(s, (size_t)at) || (c.run == ODD_RUN_MAX && likely) || out) {
            c.settled = (size_t)at;
            c.run += out; /* one alone proves nothing then */
            break;
        }
        likely = likely && f.likely;
        c.usual = c.usual && f.usual;
        leading = leading && f.whole && !f.likely;
        if (leading)
            c.unlikely = (size_t)(at + f.size);
    }
    return c;
}

/* Whether events go on at the end of the first one: for this little has to be held, and it is the usual case. */
static bool goes_on(walk *w)
{
    sight s = look(w, OVNI_EVENT_MAX);
    frame first = frame_at(&s, 0);
    if (!first.begun || first.size >= SIGHT_LENGTH / 2)
        return false;
    s = look(w, (size_t)first.size + 2 * OVNI_EVENT_MAX);
    first = frame_at(&s, 0);
    return first.whole && (sound(&s, (size_t)first.size) || (s.end && first.size == s.c.length));
}

/* Nothing is known before it that its clock could be compared with: only with that of the next sure one. */
size_t ovni_first_event(const cursor *head, size_t from, bool whole)
{
    sight s = {.c = *head, .end = whole};
    frame first = frame_at(&s, from), next = frame_at(&s, from + first.size);
    bool followed = next.likely && ovni_near(first.clock, next.clock);
    if ((first.clean && (!next.begun || next.likely)) || (first.likely && followed))
        return from;
    size_t found = next_sound(&s, from + 1, head->length);
    bool near = found < head->length && ovni_near(first.clock, frame_at(&s, found).clock);
    bool last = whole && first.whole && from + first.size == head->length;
    return first.begun && (near || last) ? from : found;
}

size_t ovni_lost(walk *w)
{
    if (!ovni_state_of(&w->state)->skipping && ovni_state_of(&w->state)->clock_known && goes_on(w))
        return 0;
    sight s = look(w, SIGHT_LENGTH);
    size_t most = MIN(s.c.length, (size_t)RECORD_STRETCH_MAX);
    size_t begin = ovni_state_of(&w->state)->clock_known ? 0 : ovni_first_event(&s.c, 0, s.end);
    if (begin && begin < s.c.length)
        return MIN(begin, most);
    if (ovni_state_of(&w->state)->skipping)
        return next_sound(&s, 0, most);
    frame first = frame_at(&s, 0);
    if (first.whole && first.clean && s.clock_known && ovni_near(first.clock, s.clock)) {
        size_t hidden = next_sound(&s, 1, (size_t)first.size);
        return hidden < first.size ? MIN(hidden, most) : 0;
    }
    chain c = follow(&s, &first);
    if (c.settled && (c.run == 1 || c.usual))
        return 0;
    size_t to = c.settled ? c.settled : s.c.length, found = next_sound(&s, 1, to);
    if (found < to)
        return MIN(found, most);
    if (c.settled)
        return MIN(c.unlikely, most);
    return !first.whole || (s.end && first.likely) ? 0 : most;
}

bool ovni_events_in_rest(walk *w)
{
    size_t done = 1;
    for (size_t need = SIGHT_LENGTH;; need *= 2) {
        sight s = look(w, need);
        size_t safe = s.end ? s.c.length : s.c.length - RECORD_STRETCH_MAX;
        if (w->window.error || s.c.length < done)
            return false;
        if (next_sound(&s, done, safe) < safe)
            return true;
        if (s.end || need >= WINDOW_MAX / 2)
            return false;
        done = safe;
    }
}
