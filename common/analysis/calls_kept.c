/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/calls_kept.h"

#include "containers/binary_search.h"

bool calls_kept(const calls *c)
{
    return c->keep;
}

bool calls_known(const calls *c)
{
    return c->keep && !c->repeated;
}

static void keep_paused(calls *c, uint32_t record, const call *result)
{
    long_times t = {result->away, result->self_paused};
    GArray *all = c->absences;
    if (all->len && g_array_index(all, kept_paused, all->len - 1).record >= record)
        g_array_set_size(all, all->len - 1); /* the record ends something else as well */
    if (t.duration == 0 && t.self == 0)
        return;
    if (MAX(t.duration, t.self) >= AWAY_LONG) {
        g_array_append_val(c->long_pauses, t);
        t = (long_times){AWAY_LONG, c->long_pauses->len - 1};
    }
    const kept_paused k = {t.duration & AWAY_LONG, t.self & AWAY_LONG, record};
    g_array_append_val(all, k);
}

static void find_paused(const calls *c, uint32_t record, call *result)
{
    const GArray *all = c->absences;
    const size_t n = BINARY_SEARCH(all->len, i, g_array_index(all, kept_paused, i).record < record);
    const kept_paused *k = n < all->len ? &g_array_index(all, kept_paused, n) : NULL;
    long_times t = k && k->record == record ? (long_times){k->all, k->self} : (long_times){0};
    if (t.duration == AWAY_LONG)
        t = g_array_index(c->long_pauses, long_times, t.self);
    result->away = t.duration;
    result->self_paused = t.self;
}

void kept_add_end(calls *c, uint32_t record, unsigned is, const call *result, uint64_t self)
{
    kept *k = frames_keep(&c->kept, record);
    c->last_kept = record;
    long_times t = {result->duration, self};
    if (MAX(t.duration, t.self) >= KEPT_LONG) {
        g_array_append_val(c->long_times, t);
        t = (long_times){KEPT_LONG, c->long_times->len - 1};
    }
    k->end = (kept_end){t.duration & KEPT_LONG, t.self & KEPT_LONG, result->begin};
    k->state = (result->state & 0x3fu) | (result->state & CALL_UNATTRIBUTED ? KEPT_UNATTRIBUTED : 0u);
    k->is = is & 3u;
    keep_paused(c, record, result);
}

static bool has_checkpoint(uint32_t depth)
{
    return depth && depth % CALLS_STACK_OUTER == 0;
}

static void keep_checkpoint_of_calls(calls *c, uint32_t record, uint32_t outer)
{
    const anchor a = {record, outer};
    g_array_append_val(c->anchors, a);
}

void kept_add_begin(calls *c, const call_stack *s, uint32_t function, const call *result)
{
    kept *k = frames_keep(&c->kept, result->begin);
    c->last_kept = result->begin;
    k->begin = (kept_begin){.caller = result->caller, .depth = result->depth, .function = function};
    k->state = CALL_UNMATCHED;
    k->is = KEPT_BEGIN;
    if (has_checkpoint(result->depth))
        keep_checkpoint_of_calls(c, result->begin, open_at(s, CALLS_STACK_OUTER - 1)->record);
}

void kept_add_closed(GArray *to, const call *k, uint32_t function)
{
    closed_call over = {k->duration, k->self,   k->until, k->begin, k->last, k->sure,
                        k->end,      k->caller, k->depth, function, k->state};
    g_array_append_val(to, over);
}

static long_times times_of(const calls *c, const kept_end *end)
{
    if (end->duration == KEPT_LONG)
        return g_array_index(c->long_times, long_times, end->self);
    return (long_times){end->duration, end->self};
}

static call call_closed(const closed_call *k)
{
    return (call){.begin = k->begin,
                  .end = k->end,
                  .caller = k->caller,
                  .depth = k->depth,
                  .last = k->last,
                  .sure = k->sure,
                  .until = k->until,
                  .duration = k->duration,
                  .self = k->self,
                  .state = k->state};
}

/* The call around a kept begin, `up` calls further out. */
static uint32_t caller_of(const calls *c, uint32_t record, uint32_t up)
{
    while (up--)
        record = kept_at(c, record)->begin.caller;
    return record;
}

uint32_t kept_outer(const calls *c, uint32_t record)
{
    record = caller_of(c, record, kept_at(c, record)->begin.depth % CALLS_STACK_OUTER);
    return g_array_index(c->anchors, anchor,
                         BINARY_SEARCH(c->anchors->len, i, g_array_index(c->anchors, anchor, i).record < record))
        .outer;
}

/* The call that a record belongs to: not `around` if that had ended before, as the end of a call further out has shown. */
static uint32_t still_open(const calls *c, uint32_t around, uint32_t record)
{
    const kept *k;
    while (around && (k = kept_at(c, around)) && k->state & CALL_CLOSED && k->begin.end &&
           closed_at(c, k->begin.end - 1)->last < record)
        around = k->begin.caller;
    return around;
}

static void settle_begin(calls *c, uint32_t record, kept *k)
{
    const uint32_t caller = still_open(c, k->begin.caller, record), depth = caller ? kept_at(c, caller)->begin.depth + 1 : 0;
    k->begin.caller = caller;
    k->begin.depth = depth;
    if (has_checkpoint(depth))
        keep_checkpoint_of_calls(
            c, record, depth == CALLS_STACK_OUTER ? caller : kept_outer(c, caller_of(c, record, CALLS_STACK_OUTER)));
}

void kept_settle(calls *c)
{
    const uint32_t from = c->unsettled;
    if (!from || c->repeated)
        return;
    c->unsettled = 0;
    g_array_set_size(c->anchors,
                     (guint)BINARY_SEARCH(c->anchors->len, i, g_array_index(c->anchors, anchor, i).record < from));
    for (uint32_t record = from; record && record <= c->last_kept; record++) {
        kept *k = kept_at(c, record);
        if (k && k->is == KEPT_BEGIN)
            settle_begin(c, record, k);
        else if (k && k->is == KEPT_END && k->state & CALL_INSIDE)
            k->end.begin = still_open(c, k->end.begin, record);
    }
    for (guint i = 0; i < c->closed->len; i++) {
        closed_call *k = &g_array_index(c->closed, closed_call, i);
        k->caller = kept_at(c, k->begin)->begin.caller;
        k->depth = kept_at(c, k->begin)->begin.depth;
    }
}

/* A value that does not nest: what was before it has ended here. */
static void find_set(calls *c, uint32_t record, const kept *k, call *result)
{
    *result = (call){.begin = k->end.begin, .end = record, .state = k->state};
    result->duration = times_of(c, &k->end).duration;
    find_paused(c, record, result);
}

/* Sets the records at which the call of a record begins and ends, and gives what is kept of them; NULL: nothing is. */
static void find_both(calls *c, uint32_t record, const kept *k, call *result, const kept **begin, const kept **end)
{
    *begin = k;
    *end = NULL;
    result->begin = record;
    if (k->is == KEPT_BEGIN && k->state & CALL_CLOSED) {
        if (k->begin.end) /* otherwise its times are unknown */
            *result = call_closed(closed_at(c, k->begin.end - 1));
    } else if (k->is == KEPT_END) {
        bool inside = k->state & CALL_INSIDE;
        result->begin = k->end.begin;
        *begin = k->end.begin ? kept_at(c, k->end.begin) : NULL;
        result->end = inside ? 0 : record;
        *end = inside ? NULL : k;
    } else if (k->begin.end) {
        result->end = k->begin.end;
        *end = kept_at(c, k->begin.end);
    }
}

static void find_times(calls *c, const kept *end, call *result)
{
    result->duration = times_of(c, &end->end).duration;
    result->self = times_of(c, &end->end).self;
    result->state = end->state & (uint8_t)~KEPT_UNATTRIBUTED;
    result->state |= end->state & KEPT_UNATTRIBUTED ? CALL_UNATTRIBUTED : 0;
    find_paused(c, result->end, result);
}

bool calls_find(calls *c, uint32_t record, call *result)
{
    kept_settle(c);
    const kept *k = kept_at(c, record), *begin, *end;
    if (!k || k->is == KEPT_NOTHING || c->repeated)
        return false;
    *result = (call){.state = k->state};
    if (k->is == KEPT_SET) {
        find_set(c, record, k, result);
        return true;
    }
    find_both(c, record, k, result, &begin, &end);
    if (begin) {
        result->caller = begin->begin.caller;
        result->depth = begin->begin.depth;
    }
    if (end)
        find_times(c, end, result);
    return true;
}

uint32_t calls_function(const calls *c, uint32_t record)
{
    const kept *k = kept_at(c, record);
    return k && k->is == KEPT_BEGIN ? k->begin.function : 0;
}

uint32_t calls_left(const calls *c, uint32_t record)
{
    const kept *k = kept_at(c, record);
    return k && k->is == KEPT_SET && !c->repeated ? (uint32_t)times_of(c, &k->end).self : 0;
}

/* The index of the first call that the end in `record` closed, and how many there are. */
static guint closed_by(const calls *c, uint32_t record, guint *count)
{
    guint n = c->closed->len;
    *count = 0;
    if (n == 0)
        return 0;
    guint from = c->last.closed, to = c->last.record == record ? n : from;
    if (calls_known(c)) {
        from = (guint)BINARY_SEARCH(n, i, closed_at(c, i)->end < record);
        to = (guint)BINARY_SEARCH(n, i, closed_at(c, i)->end <= record);
    }
    *count = to - from;
    return from;
}

uint32_t calls_closed_count(const calls *c, uint32_t record)
{
    guint count;
    closed_by(c, record, &count);
    return count;
}

bool calls_closed(const calls *c, uint32_t record, uint32_t i, call *result, uint32_t *function)
{
    guint count, from = closed_by(c, record, &count);
    if (i >= count)
        return false;
    *result = call_closed(closed_at(c, from + i));
    *function = closed_at(c, from + i)->function;
    return true;
}
