/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/callees.h"

void callers_init(callers *all)
{
    hash_map_init(&all->pairs);
}

void callers_clear(callers *all)
{
    hash_map_clear(&all->pairs);
}

static uint64_t callees_pair_of(uint32_t caller, uint32_t function)
{
    return (uint64_t)caller << 32 | function;
}

bool callers_know(const callers *all, uint32_t caller, uint32_t function)
{
    return hash_map_find(&all->pairs, callees_pair_of(caller, function)) != 0;
}

guint callees_count(const callees *c)
{
    return c->unknown ? c->unknown->len : 0;
}

const callee *callees_at(const callees *c, guint i)
{
    return &g_array_index(c->unknown, callee, i);
}

/* The index of a function in the list, or its length. */
static guint callees_find(const callees *c, uint32_t function)
{
    const guint n = callees_count(c);
    for (guint i = n; i-- > 0;)
        if (callees_at(c, i)->function == function)
            return i;
    return n;
}

/* What came before it is the call's own as well, also what came again after it. */
static void callees_insert_known(callees *c, const callee *k)
{
    c->known = k->function;
    c->has_known = true;
    c->own = callees_count(c);
}

static void add_again(callees *c, guint at, const callee *k)
{
    callee *before = &g_array_index(c->unknown, callee, at);
    before->ticks += k->ticks;
    before->last = k->last;
    before->sure = k->sure;
    for (guint i = at + 1; i < c->unknown->len; i++)
        g_array_index(c->unknown, callee, i).joined = true;
}

static void add_unknown(callees *c, const callee *k)
{
    callee added = *k;
    added.before = c->last;
    added.sure_before = c->sure;
    if (!c->unknown)
        c->unknown = g_array_new(FALSE, FALSE, sizeof added);
    g_array_append_val(c->unknown, added);
}

void callees_add(callees *c, const callers *all, uint32_t caller, const callee *k)
{
    const guint n = callees_count(c);
    const bool known = (c->has_known && c->known == k->function) || callers_know(all, caller, k->function);
    const guint at = known ? 0 : callees_find(c, k->function);
    if (known || at < c->own)
        callees_insert_known(c, k);
    else if (at < n)
        add_again(c, at, k);
    else if (n == CALLEES_MAX)
        c->too_many = true;
    else
        add_unknown(c, k);
    if (k->joined && c->own == n && !known && at == n)
        callees_insert_known(c, k);
    if (k->last.record > c->last.record)
        c->last = k->last;
    if (k->sure.record > c->sure.record)
        c->sure = k->sure;
}

void callees_learn(callees *c, callers *all, uint32_t caller)
{
    for (guint i = 0; i < callees_count(c); i++)
        hash_map_add(&all->pairs, callees_pair_of(caller, callees_at(c, i)->function));
    callees_clear(c);
}

void callees_clear(callees *c)
{
    if (c->unknown)
        g_array_free(c->unknown, TRUE);
    c->unknown = NULL;
}

guint callees_split(const callees *c, callees_outside outside, void *data)
{
    guint split = callees_count(c);
    for (guint i = split; !c->too_many && i-- > c->own && outside(data, callees_at(c, i)->function);)
        if (!callees_at(c, i)->joined)
            split = i;
    return split;
}

void callees_cut(callees *c, guint split)
{
    if (split == callees_count(c))
        return;
    c->last = callees_at(c, split)->before;
    c->sure = callees_at(c, split)->sure_before;
    g_array_set_size(c->unknown, split);
}

bool callees_unsure(const callees *c)
{
    return c->too_many || c->last.record > c->sure.record;
}
