/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/calls_switching.h"

#include "analysis/calls_open.h"
#include "containers/hash.h"

/* The open calls of a function. */
typedef struct group {
    open_call only;
    uint32_t open; /* how many there are */
    bool mixed;    /* there have been several since there was none: it is not known which are left */
} group;

void calls_switch(calls *c, GHashTable *stacks)
{
    c->switching = g_hash_table_size(stacks) ? stacks : NULL; /* else nothing is asked for each record */
}

bool calls_switches(calls *c, uint64_t key)
{
    const call_stack *s = c && c->switching ? open_find(c, key) : NULL;
    return s && s->groups;
}

void switching_begin(call_stack *s, const open_call *o, call *result)
{
    group *g = g_hash_table_lookup(s->groups, GUINT_TO_POINTER(o->function));
    if (!g)
        g_hash_table_insert(s->groups, GUINT_TO_POINTER(o->function), g = g_new0(group, 1));
    g->mixed = g->open > 0;
    g->open++;
    g->only = *o;
    s->latest = o->record;
    *result = (call){.begin = o->record, .state = CALL_UNMATCHED | CALL_UNSURE};
}

void switching_end(const calls *c, call_stack *s, uint32_t function, uint64_t ticks, bool clocked, call *result)
{
    group *g = g_hash_table_lookup(s->groups, GUINT_TO_POINTER(function));
    const uint32_t latest = s->latest;
    s->latest = result->end;
    result->state |= CALL_UNSURE;
    if (!g || !g->open || --g->open || g->mixed)
        return;
    result->begin = g->only.record;
    result->state = CALL_UNSURE | CALL_UNATTRIBUTED;
    open_measure(&g->only, ticks, c->away, clocked, result);
    if (latest != result->begin) /* what else has run is not known */
        result->state &= (uint8_t)~CALL_SELF;
}
