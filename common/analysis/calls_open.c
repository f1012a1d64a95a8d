/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/calls_open.h"

#include <stdlib.h>

#include "containers/hash.h"

#define COUNT_FROM 64u /* depth from which a mismatch creates the counts */

void open_free(gpointer p)
{
    call_stack *s = p;
    for (guint i = 0; i < s->open->len; i++)
        callees_clear(&g_array_index(s->open, open_call, i).callees);
    g_array_free(s->open, TRUE);
    if (s->left)
        g_array_free(s->left, TRUE);
    if (s->counts)
        g_hash_table_destroy(s->counts);
    g_free(s);
}

call_stack *open_find(calls *c, uint64_t key)
{
    if (c->last_stack && c->last_stack->key == key)
        return c->last_stack;
    const uint32_t number = hash_map_find(&c->numbers, key);
    if (number)
        c->last_stack = g_ptr_array_index(c->stacks, number - 1);
    return number ? c->last_stack : NULL;
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
    for (guint i = s->open->len; i-- > 0 && !g_array_index(s->open, open_call, i).unsure;)
        g_array_index(s->open, open_call, i).unsure = true; /* calls below an unsure one are unsure already */
}

call_stack *open_get(calls *c, uint64_t key)
{
    call_stack *s = open_find(c, key);
    if (!s) {
        s = g_new0(call_stack, 1);
        s->key = key;
        s->open = g_array_new(FALSE, FALSE, sizeof(open_call));
        s->losses = losses_of(c, (uint32_t)(key >> 32));
        s->seen = *s->losses;
        hash_map_add(&c->numbers, key);
        g_ptr_array_add(c->stacks, s);
        c->last_stack = s;
    }
    if (s->seen != *s->losses) {
        open_lose(s);
        s->seen = *s->losses;
    }
    return s;
}

void open_count(call_stack *s, uint32_t function, int by)
{
    gpointer key = GUINT_TO_POINTER(function);
    if (s->counts)
        g_hash_table_insert(s->counts, key, GINT_TO_POINTER(GPOINTER_TO_INT(g_hash_table_lookup(s->counts, key)) + by));
}

static void count_all(call_stack *s)
{
    s->counts = g_hash_table_new(hash_pointer, NULL);
    for (guint i = 0; i < s->open->len; i++)
        open_count(s, open_at(s, i)->function, 1);
}

guint open_index(call_stack *s, uint32_t function)
{
    guint n = s->open->len;
    if (n && open_at(s, n - 1)->function == function)
        return n - 1;
    if (n >= COUNT_FROM && !s->counts)
        count_all(s);
    if (s->counts && GPOINTER_TO_INT(g_hash_table_lookup(s->counts, GUINT_TO_POINTER(function))) == 0)
        return n;
    for (guint i = n; i-- > 0;)
        if (open_at(s, i)->function == function)
            return i;
    return n;
}

void open_add_times(call_stack *s, guint depth, uint64_t ticks, uint64_t away)
{
    if (depth == 0)
        return;
    open_at(s, depth - 1)->within += ticks;
    open_at(s, depth - 1)->paused_within += away;
}

void open_add_ended(call_stack *s, guint depth, const open_call *o, const call *k)
{
    bool timed = k->state & CALL_TIMED;
    open_add_times(s, depth, timed ? k->duration : o->within, timed ? k->away : o->paused_within);
}

void open_pop(call_stack *s)
{
    open_call *o = open_at(s, s->open->len - 1);
    open_count(s, o->function, -1);
    callees_clear(&o->callees);
    g_array_set_size(s->open, s->open->len - 1);
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
    if (!s || s->open->len == 0)
        return 0;
    const open_call *o = open_at(s, s->open->len - 1);
    *function = o->function;
    return o->record;
}

static int compare_keys(gconstpointer a, gconstpointer b)
{
    const call_stack *x = *(call_stack *const *)a, *y = *(call_stack *const *)b;
    return (x->key > y->key) - (x->key < y->key);
}

/* From the innermost to the outermost, since the self time of a call depends on those inside it. */
static void visit_open(const call_stack *s, uint64_t key, calls_when when, calls_visitor visitor, void *data)
{
    g_autofree call *all = g_new0(call, s->open->len);
    uint64_t within = 0, paused_within = 0;
    for (guint i = s->open->len; i-- > 0;) {
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
    for (guint i = 0; i < s->open->len; i++)
        visitor(data, key, open_at(s, i)->function, &all[i]);
}

void calls_each_open(calls *c, calls_when when, calls_visitor visitor, void *data)
{
    g_autofree call_stack **sorted = g_memdup2(c->stacks->pdata, c->stacks->len * sizeof *sorted);
    if (sorted)
        qsort(sorted, c->stacks->len, sizeof *sorted, compare_keys);
    for (guint i = 0; i < c->stacks->len; i++)
        visit_open(open_get(c, sorted[i]->key), sorted[i]->key, when, visitor, data);
}
