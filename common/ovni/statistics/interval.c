/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/statistics/interval.h"

#include "containers/hash.h"
#include "ovni/events/layout.h"

typedef enum where { BEFORE, INSIDE, AFTER } where;

/* Times of a state or task before the part began, in ns; those of a task are its duration, active, self time and time on a
 * CPU. */
typedef struct spent {
    uint64_t duration, away, self, self_paused;
} spent;

struct ovni_interval {
    ovni_session session;
    int64_t from, to;
    where where;
    GHashTable *earlier; /* hash_pair: the record that began it, and its kind; stream or model -> spent */
    ovni_known known;
};

ovni_interval *ovni_interval_new(int64_t from, int64_t to)
{
    ovni_interval *w = g_new0(ovni_interval, 1);
    w->session.states = ovni_states_new(false);
    w->from = from;
    w->to = to;
    w->earlier = g_hash_table_new_full(hash_pair_of, hash_pair_equal, g_free, g_free);
    return w;
}

void ovni_interval_free(ovni_interval *w)
{
    if (!w)
        return;
    ovni_session_end(&w->session);
    g_hash_table_destroy(w->earlier);
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

static bool interval_of(const statistic_words *words, int64_t *from, int64_t *to)
{
    const char *text = statistic_words_text(words, OVNI_WITHIN), *rest;
    double begin, end;
    if (!text || !seconds_of(text, ',', &begin, &rest) || !seconds_of(rest, '\0', &end, &rest) || begin >= end)
        return false;
    *from = (int64_t)(begin * 1e9 + 0.5);
    *to = (int64_t)(end * 1e9 + 0.5);
    return *from < *to;
}

bool ovni_interval_can(const statistic_words *words)
{
    int64_t from, to;
    return interval_of(words, &from, &to);
}

ovni_interval *ovni_interval_asked(const statistic_words *words)
{
    int64_t from, to;
    return interval_of(words, &from, &to) ? ovni_interval_new(from, to) : NULL;
}

/* --- what was spent before ----------------------------------------------------------------------------------------- */

static hash_pair key_of_state(uint32_t stream, uint32_t function, const call *k)
{
    return (hash_pair){(uint64_t)k->begin << 32 | function, stream};
}

/* No function has this number. */
static hash_pair key_of_task(char model, const ovni_task *task)
{
    return (hash_pair){(uint64_t)task->begun << 32 | UINT32_MAX, (uint64_t)(uint8_t)model};
}

static void ovni_interval_keep(ovni_interval *w, hash_pair key, spent s)
{
    g_hash_table_insert(w->earlier, g_memdup2(&key, sizeof key), g_memdup2(&s, sizeof s));
}

static void keep_open(void *data, uint32_t stream, char model, const span *s)
{
    const ovni_task *task = s->detail;
    const call *k = &s->call;
    if (s->kind == OVNI_SPAN_TASK)
        ovni_interval_keep(data, key_of_task(model, task), (spent){task->running, task->active, task->own, task->on_cpu});
    else
        ovni_interval_keep(data, key_of_state(stream, s->function, k),
                           (spent){k->duration, k->away, k->self, k->self_paused});
}

static void take_off(uint64_t *from, uint64_t time)
{
    *from -= MIN(*from, time);
}

static void cut_state(const ovni_interval *w, uint32_t stream, uint32_t function, call *k)
{
    const hash_pair key = key_of_state(stream, function, k);
    const spent *s = g_hash_table_lookup(w->earlier, &key);
    if (!s)
        return;
    take_off(&k->duration, s->duration);
    take_off(&k->away, s->away);
    take_off(&k->self, s->self);
    take_off(&k->self_paused, s->self_paused);
}

static void cut_task(const ovni_interval *w, char model, ovni_task *task)
{
    const hash_pair key = key_of_task(model, task);
    const spent *s = g_hash_table_lookup(w->earlier, &key);
    if (!s)
        return;
    take_off(&task->running, s->duration);
    take_off(&task->active, s->away);
    take_off(&task->own, s->self);
    take_off(&task->on_cpu, s->self_paused);
}

/* --- records ------------------------------------------------------------------------------------------------------- */

/* The states are those at `moment`: before this event, which comes at `now`. */
static void pass(ovni_interval *w, const ovni_tapped *r, int64_t now, int64_t moment)
{
    ovni_session_announce(r);
    ovni_states_pass(w->session.states, r->context, &r->bytes,
                     (int64_t)((uint64_t)moment - (uint64_t)now)); /* they may be very far apart */
}

static void ovni_interval_enter(ovni_interval *w)
{
    ovni_states_each_open(w->session.states, keep_open, w);
    w->where = INSIDE;
}

void ovni_interval_play(ovni_interval *w, int64_t now, const ovni_tapped *of)
{
    const record_context *c = of->context;
    ovni_tapped r = *of;
    w->known = (ovni_known){0};
    if (w->where == AFTER || (!r.is_event && c->kind != OVNI_METADATA))
        return;
    w->session.name_of = of->session->name_of;
    w->session.loom_of = of->session->loom_of;
    r.session = &w->session;
    r.known = w->known;
    if (r.is_event && w->where == BEFORE && now >= w->from) {
        pass(w, &r, now, w->from);
        ovni_interval_enter(w);
    }
    if (r.is_event && now >= w->to) {
        pass(w, &r, now, w->to);
        w->where = AFTER;
        return;
    }
    ovni_session_visit(&r, false);
    w->known = r.known;
    cut_state(w, c->stream, w->known.function, &w->known.region);
    cut_state(w, c->stream, w->known.previous_function, &w->known.left);
    if (r.event)
        cut_task(w, r.event->mcv[0], &w->known.task);
}

const ovni_known *ovni_interval_known(const ovni_interval *w)
{
    return w->where == AFTER ? NULL : &w->known;
}

bool ovni_interval_inside(const ovni_interval *w)
{
    return w->where == INSIDE;
}

bool ovni_interval_over(const ovni_interval *w)
{
    return w->where == AFTER;
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
    span s = *open;
    ovni_task task;
    if (s.kind == OVNI_SPAN_STATE) {
        cut_state(e->interval, stream, s.function, &s.call);
    } else {
        task = *(const ovni_task *)s.detail;
        cut_task(e->interval, model, &task);
        s = ovni_span_of_task(&task);
    }
    e->visitor(e->data, stream, model, &s);
}

void ovni_interval_each_open(const ovni_interval *w, ovni_open_visitor visitor, void *data)
{
    if (w->where != BEFORE)
        ovni_states_each_open(w->session.states, give_open, &(ending){w, visitor, data});
}
