/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Matches begins and ends. */
#include "analysis/calls_kept.h"
#include "analysis/calls_open.h"
#include "analysis/calls_switching.h"
#include "analysis/calls_unwinding.h"
#include "containers/hash.h"

calls *calls_new(unsigned options)
{
    calls *c = g_new0(calls, 1);
    hash_map_init(&c->numbers);
    c->stacks = g_ptr_array_new_with_free_func(open_free);
    c->losses = g_hash_table_new_full(hash_pointer, NULL, NULL, g_free);
    c->keep = options & CALLS_KEEP;
    c->unwind = options & CALLS_UNWIND;
    if (c->unwind)
        callers_init(&c->callers);
    frames_init(&c->kept, sizeof(kept));
    c->long_times = g_array_new(FALSE, FALSE, sizeof(long_times));
    c->absences = g_array_new(FALSE, FALSE, sizeof(kept_paused));
    c->long_pauses = g_array_new(FALSE, FALSE, sizeof(long_times));
    c->closed = g_array_new(FALSE, FALSE, sizeof(closed_call));
    c->anchors = g_array_new(FALSE, FALSE, sizeof(anchor));
    return c;
}

void calls_free(calls *c)
{
    if (!c)
        return;
    hash_map_clear(&c->numbers);
    g_ptr_array_free(c->stacks, TRUE);
    g_hash_table_destroy(c->losses);
    frames_clear(&c->kept);
    g_array_free(c->long_times, TRUE);
    g_array_free(c->absences, TRUE);
    g_array_free(c->long_pauses, TRUE);
    g_array_free(c->closed, TRUE);
    g_array_free(c->anchors, TRUE);
    if (c->unwind)
        callers_clear(&c->callers);
    g_free(c);
}

void calls_paused(calls *c, uint64_t ticks)
{
    c->away = ticks;
}

void calls_record(calls *c, uint32_t record)
{
    c->repeated |= record <= c->last_record;
    c->last_record = record;
}

void calls_begin(calls *c, uint64_t key, uint32_t record, uint32_t function, uint64_t ticks, bool clocked, call *result)
{
    call_stack *s = open_get(c, key);
    guint depth = s->depth;
    open_call other, *o = &other;
    if (G_LIKELY(!s->groups))
        o = open_push(s, function);
    *o = (open_call){.ticks = ticks, .away = c->away, .record = record, .function = function, .clocked = clocked};
    callees_begin(&o->callees, ticks, record);
    o->unwound = c->unwound ? unwinding_follow(c, record) : NULL;
    *result = (call){.begin = record, .depth = depth, .state = CALL_UNMATCHED};
    result->caller = depth ? open_at(s, depth - 1)->record : 0;
    if (G_UNLIKELY(s->groups))
        switching_begin(s, o, result);
    if (c->keep)
        kept_add_begin(c, s, function, result);
}

static void end_open(calls *c, call_stack *s, uint32_t function, uint64_t ticks, bool clocked, call *result)
{
    const uint32_t record = result->end;
    const guint depth = open_index(s, function);
    if (depth == s->depth)
        return;
    unwinding_close_above(c, s, depth, record);
    open_call *o = open_at(s, depth);
    unwinding_close_left(c, s, o->record, record);
    c->last.function = function;
    *result = (call){.begin = o->record, .end = record, .depth = depth};
    result->caller = depth ? open_at(s, depth - 1)->record : 0;
    open_measure(o, ticks, c->away, clocked, result);
    result->state |= o->unattributed ? CALL_UNATTRIBUTED : 0;
    open_add_ended(s, depth, o, result);
    unwinding_end_callee(c, s, depth, result, clocked ? ticks : o->callees.last.ticks);
    open_pop(s);
}

void calls_end(calls *c, uint64_t key, uint32_t record, uint32_t function, uint64_t ticks, bool clocked, call *result)
{
    call_stack *s = open_get(c, key);
    if (!c->keep)
        g_array_set_size(c->closed, 0);
    c->last.record = record;
    c->last.closed = c->closed->len;
    *result = (call){.end = record, .state = CALL_UNMATCHED};
    if (G_UNLIKELY(s->groups))
        switching_end(c, s, function, ticks, clocked, result);
    else
        end_open(c, s, function, ticks, clocked, result);
    if (!c->keep)
        return;
    kept *begin = result->begin ? kept_at(c, result->begin) : NULL;
    if (begin) {
        begin->begin.end = record;
        begin->state = 0;
    }
    kept_add_end(c, record, KEPT_END, result, result->self);
}

static void hold(const calls *c, call_stack *s, uint32_t record, uint32_t function, uint64_t ticks, bool clocked)
{
    *open_push(s, function) = (open_call){
        .ticks = ticks, .away = c->away, .record = record, .function = function, .clocked = clocked};
}

void calls_begin_implicit(calls *c, uint64_t key, uint32_t record, uint32_t function, uint64_t ticks)
{
    hold(c, open_get(c, key), record, function, ticks, true);
}

void calls_set(calls *c, uint64_t key, uint32_t record, uint32_t function, uint64_t ticks, bool clocked, call *result,
               uint32_t *left)
{
    call_stack *s = open_get(c, key);
    *result = (call){.end = record};
    *left = 0;
    if (s->depth) {
        const open_call *o = open_at(s, 0);
        result->begin = o->record;
        *left = o->function;
        open_measure(o, ticks, c->away, clocked, result);
        result->state &= (uint8_t)~CALL_SELF;
        open_pop(s);
    }
    hold(c, s, record, function, ticks, clocked);
    if (c->keep)
        kept_add_end(c, record, KEPT_SET, result, *left);
}

static bool within(calls *c, uint64_t key, uint32_t record, uint8_t state, call *result)
{
    const call_stack *s = open_find(c, key);
    guint depth = s ? s->depth : 0;
    if (depth == 0)
        return false;
    *result = (call){.begin = open_at(s, depth - 1)->record, .depth = depth - 1, .state = state};
    result->caller = depth > 1 ? open_at(s, depth - 2)->record : 0;
    if (c->keep)
        kept_add_end(c, record, KEPT_END, result, 0);
    return true;
}

bool calls_inside(calls *c, uint64_t key, uint32_t record, uint64_t ticks, bool clocked, bool sure, call *result)
{
    call_stack *s = open_find(c, key);
    if (s && s->depth) {
        open_call *o = open_at(s, s->depth - 1);
        callees *inner = &o->callees;
        inner->last = (callees_last){clocked ? ticks : inner->last.ticks, record};
        if (sure)
            inner->sure = (callees_sure){inner->last.ticks, o->within, record};
    }
    return within(c, key, record, CALL_INSIDE, result);
}

void calls_around(calls *c, uint64_t key, uint32_t record)
{
    call unused;
    if (c->keep)
        within(c, key, record, CALL_AROUND, &unused);
}
