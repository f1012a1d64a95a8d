/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/calls_open.h"

#include <stdlib.h>

#include "containers/hash.h"

#define COUNT_FROM 64u /* depth from which a mismatch creates the counts */

void open_free(gpointer p)
{
    call_stack *s = p;
    for (guint i = 0; i < s->depth; i++)
        callees_clear(&open_at(s, i)->callees);
    g_free(s->open);
    if (s->left)
        g_array_free(s->left, TRUE);
    if (s->counts)
        g_hash_table_destroy(s->counts);
    if (s->groups)
        g_hash_table_destroy(s->groups);
    g_free(s);
}

call_stack *open_look_up(calls *c, uint64_t key)
{
    const uint32_t number = hash_map_find(&c->numbers, key);
    return number ? *open_latest(c, key) = g_ptr_array_index(c->stacks, number - 1) : NULL;
}

static uint32_t *losses_of(calls *c, uint32_t upper)
{
    uint32_t *losses = g_hash_table_lookup(c->losses, GUINT_TO_POINTER(upper));
    if (!losses) {
        losses = g_new0(uint32_t, 1);
        g_hash_table_insert(c->losses, GUINT_TO_POINTER(upper), losses);
    }
    return losses;
}

void open_lose(call_stack *s)
{
    for (guint i = s->depth; i-- > 0 && !open_at(s, i)->unsure;)
        open_at(s, i)->unsure = true; /* calls below an unsure one are unsure already */
    if (s->groups)
        g_hash_table_remove_all(s->groups);
}

call_stack *open_make(calls *c, uint64_t key)
{
    call_stack *s = open_find(c, key);
    if (!s) {
        s = g_new0(call_stack, 1);
        s->key = key;
        s->losses = losses_of(c, (uint32_t)(key >> 32));
        s->seen = *s->losses;
        hash_map_add(&c->numbers, key);
        g_ptr_array_add(c->stacks, s);
        if (c->switching && g_hash_table_contains(c->switching, &key))
            s->groups = g_hash_table_new_full(hash_pointer, NULL, NULL, g_free);
    }
    if (s->seen != *s->losses) {
        open_lose(s);
        s->seen = *s->losses;
    }
    return s;
}

/* Counts the open calls of a function, one more or less (`by`), once somebody has asked for these counts. */
static void open_count(call_stack *s, uint32_t function, int by)
{
    gpointer key = GUINT_TO_POINTER(function);
    if (s->counts)
        g_hash_table_insert(s->counts, key, GINT_TO_POINTER(GPOINTER_TO_INT(g_hash_table_lookup(s->counts, key)) + by));
}

static void calls_open_count_all(call_stack *s)
{
    s->counts = g_hash_table_new(hash_pointer, NULL);
    for (guint i = 0; i < s->depth; i++)
        open_count(s, open_at(s, i)->function, 1);
}

guint open_index(call_stack *s, uint32_t function)
{
    guint n = s->depth;
    if (n && open_at(s, n - 1)->function == function)
        return n - 1;
    if (n >= COUNT_FROM && !s->counts)
        calls_open_count_all(s);
    if (s->counts && GPOINTER_TO_INT(g_hash_table_lookup(s->counts, GUINT_TO_POINTER(function))) == 0)
        return n;
    for (guint i = n; i-- > 0;)
        if (open_at(s, i)->function == function)
            return i;
    return n;
}

open_call *open_push(call_stack *s, uint32_t function)
{
    if (s->depth == s->room) {
        s->room = MAX(2 * s->room, 1); /* there are traces of very many threads */
        s->open = g_renew(open_call, s->open, s->room);
    }
    open_count(s, function, 1);
    return &s->open[s->depth++];
}

void open_pop(call_stack *s)
{
    open_call *o = open_at(s, s->depth - 1);
    open_count(s, o->function, -1);
    callees_clear(&o->callees);
    s->depth--;
}

void open_measure(const open_call *o, uint64_t ticks, uint64_t away, bool clocked, call *result)
{
    if (o->unsure)
        result->state |= CALL_UNSURE;
    if (!clocked || !o->clocked || ticks < o->ticks)
        return;
    result->duration = ticks - o->ticks;
    result->away = away >= o->away ? MIN(away - o->away, result->duration) : 0;
    result->state |= CALL_TIMED;
    if (o->within <= result->duration) {
        result->self = result->duration - o->within;
        result->self_paused = MIN(result->away - MIN(result->away, o->paused_within), result->self);
        result->state |= CALL_SELF;
    }
}

void calls_lost(calls *c, uint64_t key)
{
    call_stack *s = open_find(c, key);
    if (s)
        open_lose(s);
}

void calls_forget(calls *c, uint64_t key)
{
    call_stack *s = open_find(c, key);
    while (s && s->depth)
        open_pop(s);
    if (s && s->groups)
        g_hash_table_remove_all(s->groups);
    if (s && s->left)
        g_array_set_size(s->left, 0);
}

void calls_expect_gap(calls *c, uint64_t key)
{
    open_get(c, key)->gap = true;
}

void calls_reach_gap(calls *c, uint64_t key)
{
    call_stack *s = open_find(c, key);
    if (s && s->gap) {
        open_lose(s);
        s->gap = false;
    }
}

void calls_lost_all(calls *c, uint32_t upper)
{
    ++*losses_of(c, upper);
}

void calls_clock(calls *c, uint64_t key, uint64_t ticks)
{
    call_stack *s = open_get(c, key);
    if (ticks < s->ticks)
        open_lose(s);
    s->ticks = ticks;
}

uint32_t calls_open(calls *c, uint64_t key, uint32_t *function)
{
    const call_stack *s = open_find(c, key);
    if (!s || s->depth == 0)
        return 0;
    const open_call *o = open_at(s, s->depth - 1);
    *function = o->function;
    return o->record;
}

static int calls_open_compare_keys(gconstpointer a, gconstpointer b)
{
    const call_stack *x = *(call_stack *const *)a, *y = *(call_stack *const *)b;
    return (x->key > y->key) - (x->key < y->key);
}

/* Visits open calls from the innermost to the outermost, since the self time of a call depends on those inside it. */
static void visit_open(const call_stack *s, uint64_t key, calls_when when, calls_visitor visitor, void *data)
{
    g_autofree call *all = g_new0(call, s->depth);
    uint64_t within = 0, paused_within = 0;
    for (guint i = s->depth; i-- > 0;) {
        calls_end_at at;
        open_call o = *open_at(s, i);
        call *k = &all[i];
        *k = (call){.begin = o.record, .depth = i, .caller = i ? open_at(s, i - 1)->record : 0, .state = CALL_UNMATCHED};
        o.within += within;
        o.paused_within += paused_within;
        if (when(data, key, o.function, &at))
            open_measure(&o, at.ticks, at.away, o.clocked, k);
        within = k->state & CALL_TIMED ? k->duration : o.within;
        paused_within = k->state & CALL_TIMED ? k->away : o.paused_within;
    }
    for (guint i = 0; i < s->depth; i++)
        visitor(data, key, open_at(s, i)->function, &all[i]);
}

void calls_each_open(calls *c, calls_when when, calls_visitor visitor, void *data)
{
    g_autofree call_stack **sorted = g_memdup2(c->stacks->pdata, c->stacks->len * sizeof *sorted);
    if (sorted)
        qsort(sorted, c->stacks->len, sizeof *sorted, calls_open_compare_keys);
    for (guint i = 0; i < c->stacks->len; i++)
        visit_open(open_get(c, sorted[i]->key), sorted[i]->key, when, visitor, data);
}
