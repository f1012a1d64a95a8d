/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/calls_unwinding.h"

#include "analysis/calls_kept.h"
#include "analysis/calls_open.h"
#include "containers/binary_search.h"

#define OUTSIDE_MAX 64u /* so many calls further out are looked at, and the one that ends */

/* The open calls from `ending` to `at` - 1, which may have made a call inside `at`. */
typedef struct outside {
    const calls *calls;
    const call_stack *stack;
    guint ending, at;
} outside;

static bool outside_knows(void *data, uint32_t function)
{
    const outside *o = data;
    for (guint i = o->at; i-- > o->ending && o->at - i <= OUTSIDE_MAX;)
        if (callers_know(&o->calls->callers, open_at(o->stack, i)->function, function))
            return true;
    return o->at - o->ending > OUTSIDE_MAX &&
           callers_know(&o->calls->callers, open_at(o->stack, o->ending)->function, function);
}

/* Adds a call, or several of one function, that has ended to what the enclosing call has called. */
static void add_callee(const calls *c, call_stack *s, guint depth, const callee *k)
{
    if (c->unwind && depth)
        callees_add(&open_at(s, depth - 1)->callees, &c->callers, open_at(s, depth - 1)->function, k);
}

void unwinding_end_callee(calls *c, call_stack *s, guint depth, const call *k, uint64_t ticks)
{
    open_call *o = open_at(s, depth);
    if (!c->unwind || c->unwound)
        return;
    callees_learn(&o->callees, &c->callers, o->function);
    open_call *outer = depth ? open_at(s, depth - 1) : NULL;
    const callees_last last = {ticks, k->end};
    if (outer && callees_add_known(&outer->callees, &c->callers, outer->function, o->function, last))
        return;
    add_callee(c, s, depth, &(callee){.function = o->function, .last = {ticks, k->end}, .ticks = open_ticks(o, k)});
}

/* Sets the times of a call without an end. */
static void open_measure_left(const open_call *o, const callees_sure *sure, call *k)
{
    open_call until = *o;
    until.within = sure->within;
    k->sure = sure->record;
    k->until = sure->ticks;
    open_measure(&until, sure->ticks, o->away, true, k);
}

/* Ends the innermost call, which has no end of its own, at the last record inside it. What was called after that is moved to
 * the call outside. `ending`: the depth of the call that the record `k->end` ends. */
static void unwind(calls *c, call_stack *s, guint ending, call *k)
{
    const guint at = s->depth - 1;
    open_call *o = open_at(s, at), *outer = open_at(s, at - 1);
    outside from = {c, s, ending, at};
    const guint split = callees_split(&o->callees, outside_knows, &from), n = callees_count(&o->callees);
    callee moved[CALLEES_MAX];
    for (guint i = split; i < n; i++) {
        moved[i] = *callees_at(&o->callees, i);
        o->within -= moved[i].ticks;
    }
    callees_cut(&o->callees, split);
    if (callees_unsure(&o->callees))
        o->unattributed = true;
    if (o->unattributed)
        k->state |= CALL_UNATTRIBUTED;
    outer->unattributed |= o->unattributed;
    k->last = o->callees.last.record;
    open_measure_left(o, &o->callees.sure, k);
    callee ended = {.function = o->function, .last = o->callees.last, .sure = o->callees.sure, .ticks = open_ticks(o, k)};
    ended.sure.within = outer->within + k->duration;
    open_add_times(s, at, ended.ticks, 0);
    add_callee(c, s, at, &ended);
    for (guint i = split; i < n; i++) {
        open_add_times(s, at, moved[i].ticks, 0);
        moved[i].sure.within = outer->within;
        add_callee(c, s, at, &moved[i]);
    }
}

void unwinding_close_above(calls *c, call_stack *s, guint depth, uint32_t record)
{
    while (s->depth > depth + 1) {
        guint at = s->depth - 1;
        const open_call *o = open_at(s, at);
        call k = {.begin = o->record, .caller = open_at(s, at - 1)->record, .depth = at, .state = CALL_CLOSED};
        if (c->unwind) {
            k.end = record;
            unwind(c, s, depth, &k);
            kept_add_closed(c->closed, &k, o->function);
            c->unsettled = c->keep && (!c->unsettled || c->unsettled > k.last) ? k.last + 1 : c->unsettled;
        } else {
            k.state |= CALL_UNMATCHED;
            open_add_ended(s, at, o, &k);
        }
        kept *begin = c->keep ? kept_at(c, o->record) : NULL;
        if (begin) {
            begin->state = k.state & 0x3fu;
            begin->begin.end = c->unwind ? c->closed->len : 0;
        }
        open_pop(s);
    }
}

/* Leaves the innermost call, as an earlier pass has found out that it had ended. */
static void calls_unwinding_leave(call_stack *s)
{
    const guint at = s->depth - 1;
    const open_call *o = open_at(s, at);
    const calls_unwound *known = o->unwound;
    call k = {.begin = o->record, .depth = at, .last = known->last};
    k.caller = at ? open_at(s, at - 1)->record : 0;
    k.state = known->state & (CALL_CLOSED | CALL_UNATTRIBUTED);
    open_measure_left(o, &(callees_sure){known->until, known->within, known->sure}, &k);
    if (!s->left)
        s->left = g_array_new(FALSE, FALSE, sizeof(closed_call));
    kept_add_closed(s->left, &k, o->function);
    open_add_ended(s, at, o, &k);
    if (at && k.state & CALL_UNATTRIBUTED)
        open_at(s, at - 1)->unattributed = true;
    open_pop(s);
}

void calls_unwind_to(calls *c, uint64_t key, uint32_t record)
{
    call_stack *s = c->unwound && c->unwound->len ? open_find(c, key) : NULL;
    const open_call *o;
    while (s && s->depth && (o = open_at(s, s->depth - 1))->unwound && o->unwound->last < record)
        calls_unwinding_leave(s);
}

static int calls_unwinding_compare_begins(gconstpointer a, gconstpointer b)
{
    const closed_call *x = a, *y = b;
    return (x->begin < y->begin) - (x->begin > y->begin);
}

void unwinding_close_left(calls *c, call_stack *s, uint32_t begin, uint32_t record)
{
    const guint before = c->closed->len;
    for (; s->left && s->left->len; g_array_set_size(s->left, s->left->len - 1)) {
        closed_call *k = &g_array_index(s->left, closed_call, s->left->len - 1);
        if (k->begin < begin)
            break;
        k->end = record;
        g_array_append_val(c->closed, *k);
    }
    if (c->closed->len != before)
        g_array_sort(c->closed, calls_unwinding_compare_begins);
}

const calls_unwound *unwinding_follow(calls *c, uint32_t record)
{
    const calls_unwound *all = (const calls_unwound *)(const void *)c->unwound->data;
    while (c->next_unwound < c->unwound->len && all[c->next_unwound].begin < record)
        c->next_unwound++;
    return c->next_unwound < c->unwound->len && all[c->next_unwound].begin == record ? &all[c->next_unwound] : NULL;
}

static const calls_unwound *find_unwound(const GArray *all, uint32_t begin)
{
    const calls_unwound *first = (const calls_unwound *)(const void *)all->data;
    const size_t i = BINARY_SEARCH(all->len, k, first[k].begin < begin);
    return i < all->len && first[i].begin == begin ? &first[i] : NULL;
}

bool calls_find_unwound(const calls *c, uint32_t begin, calls_unwound *found)
{
    const calls_unwound *known = c->unwound ? find_unwound(c->unwound, begin) : NULL;
    const kept *k = kept_at(c, begin);
    if (known) {
        *found = *known;
    } else if (k && k->is == KEPT_BEGIN && k->state & CALL_CLOSED && k->begin.end && !c->repeated) {
        const closed_call *one = closed_at(c, k->begin.end - 1);
        *found = (calls_unwound){one->begin, one->last, one->sure, one->until, one->duration - one->self, one->state};
    } else {
        return false;
    }
    return true;
}

bool calls_is_unwound(const calls *c, uint32_t begin)
{
    calls_unwound unused;
    if (calls_find_unwound(c, begin, &unused))
        return true;
    guint i = c->last.closed;
    while (i < c->closed->len && closed_at(c, i)->begin > begin)
        i++;
    return i < c->closed->len && closed_at(c, i)->begin == begin;
}

void calls_follow(calls *c, const GArray *all)
{
    c->unwound = all;
}
