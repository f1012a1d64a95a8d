/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/statistics/interval.h"

#include <string.h>

#include "containers/binary_search.h"
#include "ovni/context.h"
#include "ovni/events/layout.h"

/* From this moment on a process is inside the mark, or outside; `spent` ns inside before. */
typedef struct turn {
    int64_t at, spent;
    bool inside;
} turn;

/* A process; its streams share it. */
typedef struct owner {
    GArray *turns; /* of turn, in order of time */
    unsigned held; /* how often the mark is set now */
} owner;

/* A stream, and how often it has set the mark. */
typedef struct holder {
    owner *of;
    unsigned held;
} holder;

struct ovni_interval {
    ovni_session session;
    int64_t from, to;    /* without a mark */
    char *mark;          /* TITLE=LABEL; NULL: the interval is one of times */
    bool found;          /* it has been set */
    GHashTable *owners;  /* number of the process -> owner */
    GHashTable *holders; /* stream -> holder */
    GByteArray *bytes;   /* an event with another clock */
    int64_t latest;      /* moment of all events, ns since the first record */
    uint64_t begin;      /* that of the first record, on the clock of the trace */
    ovni_known known;
    bool counts; /* the last event */
};

static void free_owner(gpointer data)
{
    g_array_free(((owner *)data)->turns, TRUE);
    g_free(data);
}

ovni_interval *ovni_interval_new(int64_t from, int64_t to)
{
    ovni_interval *w = g_new0(ovni_interval, 1);
    w->session.states = ovni_states_new(false);
    w->from = from;
    w->to = to;
    w->latest = INT64_MIN;
    w->owners = g_hash_table_new_full(NULL, NULL, NULL, free_owner);
    w->holders = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    w->bytes = g_byte_array_new();
    return w;
}

ovni_interval *ovni_interval_new_of_mark(const char *mark)
{
    ovni_interval *w = ovni_interval_new(0, INT64_MAX);
    w->mark = g_strdup(mark);
    return w;
}

void ovni_interval_free(ovni_interval *w)
{
    if (!w)
        return;
    ovni_session_end(&w->session);
    g_hash_table_destroy(w->owners);
    g_hash_table_destroy(w->holders);
    g_byte_array_free(w->bytes, TRUE);
    g_free(w->mark);
    g_free(w);
}

/* --- its word ------------------------------------------------------------------------------------------------------ */

static bool seconds_of(const char *text, char end, double *seconds, const char **rest)
{
    char *after;
    *seconds = g_ascii_strtod(text, &after);
    *rest = after + 1;
    return after != text && *after == end && *seconds >= 0 && *seconds <= 1e9;
}

static bool times_of(const char *text, int64_t *from, int64_t *to)
{
    const char *rest;
    double begin, end;
    if (!seconds_of(text, ',', &begin, &rest) || !seconds_of(rest, '\0', &end, &rest) || begin >= end)
        return false;
    *from = (int64_t)(begin * 1e9 + 0.5);
    *to = (int64_t)(end * 1e9 + 0.5);
    return *from < *to;
}

static bool is_mark(const char *text)
{
    return strchr(text, '=') != NULL;
}

bool ovni_interval_can(const statistic_words *words)
{
    const char *text = statistic_words_text(words, OVNI_WITHIN);
    int64_t from, to;
    return text && (is_mark(text) || times_of(text, &from, &to));
}

ovni_interval *ovni_interval_asked(const statistic_words *words)
{
    const char *text = statistic_words_text(words, OVNI_WITHIN);
    int64_t from, to;
    if (text && is_mark(text))
        return ovni_interval_new_of_mark(text);
    return text && times_of(text, &from, &to) ? ovni_interval_new(from, to) : NULL;
}

/* --- its clock ----------------------------------------------------------------------------------------------------- */

/* Of an announced stream. */
static holder *holder_of(const ovni_interval *w, uint32_t stream)
{
    holder *h = g_hash_table_lookup(w->holders, GUINT_TO_POINTER(stream));
    if (h)
        return h;
    const gpointer process = GUINT_TO_POINTER(ovni_states_process(w->session.states, stream));
    owner *of = g_hash_table_lookup(w->owners, process);
    if (!of) {
        of = g_new0(owner, 1);
        of->turns = g_array_new(FALSE, FALSE, sizeof(turn));
        g_hash_table_insert(w->owners, process, of);
    }
    h = g_new0(holder, 1);
    h->of = of;
    g_hash_table_insert(w->holders, GUINT_TO_POINTER(stream), h);
    return h;
}

/* The time that a process has been inside until then, ns. */
static int64_t spent_until(const owner *o, int64_t now)
{
    const size_t next = BINARY_SEARCH(o->turns->len, i, g_array_index(o->turns, turn, i).at <= now);
    const turn *last = next ? &g_array_index(o->turns, turn, next - 1) : NULL;
    return !last ? 0 : last->spent + (last->inside ? now - last->at : 0);
}

/* The time that is `now` for the states. */
static int64_t interval_time(const ovni_interval *w, uint32_t stream, int64_t now)
{
    return w->mark ? spent_until(holder_of(w, stream)->of, now) : CLAMP(now, w->from, w->to);
}

/* They may be very far from each other. */
static int64_t difference(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

/* The event `later` ns later, valid until the next one. */
static cursor moved(const ovni_interval *w, const cursor *bytes, int64_t later)
{
    const layout_row *clock = layout_row_of(&ovni_event_layout, OVNI_FIELD_CLOCK);
    if (!later || !cursor_has(bytes, clock->offset, clock->width))
        return *bytes;
    g_byte_array_set_size(w->bytes, 0);
    g_byte_array_append(w->bytes, bytes->data, (guint)bytes->length);
    cursor_put(w->bytes->data + clock->offset, (uint64_t)ovni_clock_at(bytes, 0) + (uint64_t)later, clock->width,
               bytes->big_endian);
    return (cursor){w->bytes->data, bytes->length, bytes->big_endian};
}

/* --- marks --------------------------------------------------------------------------------------------------------- */

/* The name of a mark has ": " between its title and its label. Both may contain a "=" as well. */
static bool is_named(const char *name, const char *mark)
{
    for (const char *equal = strchr(mark, '='); equal; equal = strchr(equal + 1, '=')) {
        const size_t title = (size_t)(equal - mark);
        if (strncmp(name, mark, title) == 0 && g_str_has_prefix(name + title, ": ") &&
            strcmp(name + title + 2, equal + 1) == 0)
            return true;
    }
    return false;
}

static bool is_called(const ovni_interval *w, uint32_t function)
{
    char model, text[TEXT_PAIR];
    const char *name = ovni_states_name(w->session.states, function, text, sizeof text, &model);
    return name && is_named(name, w->mark);
}

/* How often the stream has set the mark, after this event. */
static unsigned held_after(const ovni_interval *w, const ovni_tapped *r, unsigned held)
{
    if (!r->event)
        return held;
    if (r->event->channels & OVNI_THREAD_STATE && ovni_thread_state_after(r->event) == OVNI_THREAD_DEAD)
        return 0;
    if (!(r->event->channels & OVNI_MARK) || !(r->known.has_left || r->known.has_region))
        return held;
    const bool same = is_called(w, r->known.function);
    if (r->event->role == OVNI_SET)
        return held - (held && is_called(w, r->known.previous_function)) + same;
    return !same ? held : r->event->role == OVNI_PUSH ? held + 1 : held - (held > 0);
}

static void hold(ovni_interval *w, int64_t now, const ovni_tapped *r)
{
    holder *h = holder_of(w, r->context->stream);
    owner *o = h->of;
    const bool before = o->held > 0;
    const unsigned held = held_after(w, r, h->held);
    o->held += held - h->held;
    h->held = held;
    w->found |= o->held > 0;
    if ((o->held > 0) == before)
        return;
    const turn *last = o->turns->len ? &g_array_index(o->turns, turn, o->turns->len - 1) : NULL;
    const int64_t at = last ? MAX(now, last->at) : now; /* clocks may go back */
    const turn new = {at, spent_until(o, at), !before};
    g_array_append_val(o->turns, new);
}

/* Returns whether an event of a process that is outside ends something that was inside. */
static bool ends_what_was_inside(const ovni_known *k, uint32_t number)
{
    span s;
    for (uint32_t i = 0; ovni_known_span(k, number, i, &s); i++)
        if (s.call.duration)
            return true;
    return false;
}

static bool is_held(const ovni_interval *w, uint32_t stream)
{
    return holder_of(w, stream)->of->held > 0;
}

/* --- records ------------------------------------------------------------------------------------------------------- */

static void visit_event(ovni_interval *w, int64_t now, ovni_tapped *r)
{
    const uint32_t stream = r->context->stream;
    ovni_session_announce(r);
    bool inside = w->mark ? is_held(w, stream) : now >= w->from && now < w->to;
    w->latest = MAX(w->latest, now);
    w->begin = ovni_event_clock(&r->bytes) + (uint64_t)ovni_context_of(r->context)->clock_offset - (uint64_t)now;
    r->bytes = moved(w, &r->bytes, difference(interval_time(w, stream, now), now));
    ovni_session_visit(r, false);
    w->known = r->known;
    if (w->mark) {
        hold(w, now, r);
        inside |= is_held(w, stream);
    }
    w->counts = inside || ends_what_was_inside(&r->known, r->number);
}

void ovni_interval_play(ovni_interval *w, int64_t now, const ovni_tapped *of)
{
    ovni_tapped r = *of;
    w->known = (ovni_known){0};
    w->counts = false;
    if (!r.is_event && r.context->kind != OVNI_METADATA)
        return;
    w->session.name_of = of->session->name_of;
    w->session.loom_of = of->session->loom_of;
    r.session = &w->session;
    r.known = w->known;
    if (r.is_event)
        visit_event(w, now, &r);
    else
        ovni_session_visit(&r, false);
}

const ovni_known *ovni_interval_known(const ovni_interval *w)
{
    return &w->known;
}

bool ovni_interval_inside(const ovni_interval *w)
{
    return w->counts;
}

bool ovni_interval_over(const ovni_interval *w)
{
    return !w->mark && w->latest >= w->to;
}

bool ovni_interval_found(const ovni_interval *w)
{
    return !w->mark || w->found;
}

const ovni_states *ovni_interval_states(const ovni_interval *w)
{
    return w->session.states;
}

/* --- the end ------------------------------------------------------------------------------------------------------- */

typedef struct ending {
    const ovni_interval *interval;
    ovni_open_visitor visitor;
    void *data;
} ending;

static void give_open(void *data, uint32_t stream, char model, const span *open)
{
    const ending *e = data;
    const ovni_interval *w = e->interval;
    if (open->call.duration || (w->mark ? is_held(w, stream) : !ovni_interval_over(w)))
        e->visitor(e->data, stream, model, open);
}

/* The clock of each process stops at another moment. */
static void end_processes(const ovni_interval *w)
{
    GHashTableIter all;
    gpointer stream, h;
    g_hash_table_iter_init(&all, w->holders);
    while (g_hash_table_iter_next(&all, &stream, &h))
        ovni_states_end(w->session.states, GPOINTER_TO_UINT(stream),
                        w->begin + (uint64_t)spent_until(((const holder *)h)->of, w->latest));
}

void ovni_interval_each_open(const ovni_interval *w, ovni_open_visitor visitor, void *data)
{
    if (w->mark)
        end_processes(w);
    if (w->mark || w->latest >= w->from)
        ovni_states_each_open(w->session.states, give_open, &(ending){w, visitor, data});
}
