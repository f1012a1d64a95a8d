/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Resynchronising in a damaged stream. An event says how long it is and nothing else, so one wrong byte can misplace
 * everything after it. But what the library writes looks regular: no reserved flags, printable codes, clocks close
 * together. Irregular events are accepted as long as regular ones follow directly, or none follow at all. */
#include "ovni/damage.h"

#include "ovni/state.h"
#include "core/resync.h"

/* Traits of an event, in addition to its class. The class is RESYNC_GOOD if all but the clock looks as the library writes
 * it. */
enum {
    BEGUN = 1,  /* its fixed part is complete */
    LIKELY = 2, /* its code is printable, or its clock follows the previous one closely */
    CLEAN = 4,  /* looks as the library writes it, complete or not */
    USUAL = 8,  /* its code is printable and its clock is close to the previous one, whatever its reserved flags */
};

static bool is(const resync_candidate *f, uint8_t trait)
{
    return f->traits & trait;
}

static bool whole(const resync_candidate *f)
{
    return f->class >= RESYNC_ODD;
}

static resync_candidate ovni_damage_check(const resync_window *s, uint64_t at)
{
    if (!cursor_has(&s->c, at, OVNI_EVENT_SIZE))
        return (resync_candidate){.class = resync_class_of_part(s, at)};
    const uint8_t *event = s->c.data + at;
    resync_candidate f = {.length = ovni_event_size(&s->c, (size_t)at), .mark = ovni_clock_at(&s->c, (size_t)at)};
    bool printable = ovni_clean(event, 0), jumbo = event[0] & OVNI_FLAG_JUMBO;
    bool clean = ovni_clean(event, OVNI_FLAGS_RESERVED) && (!jumbo || f.length < OVNI_JUMBO_SIZE + OVNI_LIBRARY_JUMBO_MAX);
    bool follows = s->mark_known && (uint64_t)f.mark - (uint64_t)s->mark < OVNI_CLOCK_STEP_MAX;
    f.traits = (uint8_t)(BEGUN | (printable || follows ? LIKELY : 0) | (clean ? CLEAN : 0) |
                         (printable && s->mark_known && ovni_near(f.mark, s->mark) ? USUAL : 0));
    f.class = resync_class_of(s, at, f.length, clean);
    return f;
}

/* Sets the reference clock. If the last event of the file, complete or cut, looks as the library writes it, a single
 * event found inside it is a coincidence: then two are needed (s->pairs). */
static void ovni_damage_prepare(resync_window *s, const walk *w)
{
    const ovni_state *state = ovni_state_of(&w->state);
    s->mark_known = state->clock_known;
    s->mark = state->clock;
    if (!s->mark_known && cursor_has(&s->c, 0, OVNI_EVENT_SIZE)) {
        s->mark = ovni_clock_at(&s->c, 0);
        s->mark_known = s->mark != 0;
    }
    const resync_candidate first = ovni_damage_check(s, 0), next = ovni_damage_check(s, first.length);
    s->pairs = s->end && is(&first, CLEAN) && is(&first, USUAL) && !is(&next, BEGUN);
}

/* A clean event with a close clock must follow. At the end of the file, a clock close to that of the previous event is
 * enough. */
static bool ovni_damage_confirmed(const resync_window *s, const resync_candidate *f, const resync_candidate *next,
                                  bool alone)
{
    if (is(next, BEGUN))
        return is(next, CLEAN) && ovni_near(f->mark, next->mark);
    return alone && s->end && !s->pairs && s->mark_known && ovni_near(f->mark, s->mark);
}

static size_t ovni_damage_next_passing(const resync_window *s, size_t from, size_t to)
{
    while (from < to && !(cursor_has(&s->c, from, OVNI_EVENT_SIZE) && ovni_clean(s->c.data + from, OVNI_FLAGS_RESERVED)))
        from++;
    return from;
}

static const resync_format checks = {ovni_damage_prepare, ovni_damage_check, ovni_damage_next_passing,
                                     ovni_damage_confirmed};

/* The events from the first one on, each found by the length of the one before. */
typedef struct chain {
    unsigned run;    /* how many were examined */
    size_t settled;  /* offset at which the chain is accepted: at valid events, at the end, after a long run of likely
                      * events, or where it leaves the window; 0: never */
    size_t unlikely; /* end of the unlikely events at its beginning, if there are several */
    bool usual;      /* all those examined are USUAL */
} chain;

/* Returns whether an event is outside the window, or is a long one of the library's that does not end in it. */
static bool ends_beyond_window(const resync_window *s, const resync_candidate *f)
{
    return !s->end && !whole(f) && (!is(f, BEGUN) || is(f, CLEAN));
}

static chain read_chain(const resync_window *s, const resync_candidate *first)
{
    chain c = {.usual = is(first, USUAL)};
    uint64_t at = first->length;
    bool likely = is(first, LIKELY), leading = !likely;
    for (resync_candidate f = *first; whole(&f) && c.run < RESYNC_ODD_MAX; at += f.length) {
        c.run++;
        bool end = s->end && at == s->c.length && (likely || c.run == 1);
        f = ovni_damage_check(s, at);
        bool out = likely && ends_beyond_window(s, &f);
        if (end || resync_valid(s, at, true) || (c.run == RESYNC_ODD_MAX && likely) || out) {
            c.settled = (size_t)at;
            c.run += out; /* in this case a single event proves nothing */
            break;
        }
        likely = likely && is(&f, LIKELY);
        c.usual = c.usual && is(&f, USUAL);
        leading = leading && whole(&f) && !is(&f, LIKELY);
        if (leading)
            c.unlikely = (size_t)(at + f.length);
    }
    return c;
}

/* Returns whether valid events follow the first one. The usual case, and it needs only a small window. */
static bool ovni_damage_continues_trace(walk *w)
{
    resync_window s = resync_look(w, &checks, OVNI_EVENT_MAX);
    resync_candidate first = ovni_damage_check(&s, 0);
    if (!is(&first, BEGUN) || first.length >= RESYNC_WINDOW / 2)
        return false;
    s = resync_look(w, &checks, (size_t)first.length + 2 * OVNI_EVENT_MAX);
    first = ovni_damage_check(&s, 0);
    return whole(&first) && (resync_valid(&s, first.length, true) || (s.end && first.length == s.c.length));
}

/* Without a previous event there is no clock to compare with, except that of the next event that is certain. */
size_t ovni_first_event(const cursor *head, size_t from, bool whole_file)
{
    resync_window s = {.format = &checks, .c = *head, .end = whole_file};
    resync_candidate first = ovni_damage_check(&s, from), next = ovni_damage_check(&s, from + first.length);
    bool followed = is(&next, LIKELY) && ovni_near(first.mark, next.mark);
    if ((is(&first, CLEAN) && (!is(&next, BEGUN) || is(&next, LIKELY))) || (is(&first, LIKELY) && followed))
        return from;
    size_t found = resync_next_begin(&s, from + 1, head->length);
    bool close = found < head->length && ovni_near(first.mark, ovni_clock_at(head, found));
    bool last = whole_file && whole(&first) && from + first.length == head->length;
    return is(&first, BEGUN) && (close || last) ? from : found;
}

size_t ovni_lost(walk *w)
{
    if (!ovni_state_of(&w->state)->skipping && ovni_state_of(&w->state)->clock_known && ovni_damage_continues_trace(w))
        return 0;
    resync_window s = resync_look(w, &checks, RESYNC_WINDOW);
    size_t most = MIN(s.c.length, (size_t)RECORD_UNKNOWN_MAX);
    size_t begin = ovni_state_of(&w->state)->clock_known ? 0 : ovni_first_event(&s.c, 0, s.end);
    if (begin && begin < s.c.length)
        return MIN(begin, most);
    if (ovni_state_of(&w->state)->skipping)
        return resync_next_begin(&s, 0, most);
    resync_candidate first = ovni_damage_check(&s, 0);
    if (first.class == RESYNC_GOOD && s.mark_known && ovni_near(first.mark, s.mark)) {
        size_t hidden = resync_next_begin(&s, 1, (size_t)first.length);
        return hidden < first.length ? MIN(hidden, most) : 0;
    }
    chain c = read_chain(&s, &first);
    if (c.settled && (c.run == 1 || c.usual))
        return 0;
    size_t to = c.settled ? c.settled : s.c.length, found = resync_next_begin(&s, 1, to);
    if (found < to)
        return MIN(found, most);
    if (c.settled)
        return MIN(c.unlikely, most);
    return !whole(&first) || (s.end && is(&first, LIKELY)) ? 0 : most;
}

bool ovni_events_in_rest(walk *w)
{
    return resync_in_rest(w, &checks, true) == RESYNC_FOUND;
}
