/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists the calls around a call, from what is kept or from the open calls. */
#include "analysis/calls_kept.h"
#include "analysis/calls_open.h"
#include "containers/binary_search.h"

/* What calls_stack() fills in. */
typedef struct shown_stack {
    uint32_t *functions;
    uint8_t *marks; /* or NULL */
    uint32_t begin; /* of the innermost call */
} shown_stack;

/* `sure`: the last record that is surely inside the call if it has no end; 0: it has one. */
static void show_function(const shown_stack *to, unsigned at, uint32_t function, uint32_t sure)
{
    to->functions[at] = function;
    if (to->marks)
        to->marks[at] = !sure ? CALL_HAS_END : to->begin > sure ? CALL_MAY_HAVE_ENDED : CALL_HAS_NO_END;
}

static uint32_t sure_of_open(const open_call *o)
{
    return o->unwound ? o->unwound->sure : 0;
}

static uint32_t sure_of_kept(const calls *c, const kept *begin)
{
    return !(begin->state & CALL_CLOSED) ? 0 : begin->begin.end ? closed_at(c, begin->begin.end - 1)->sure : UINT32_MAX;
}

/* Stores `n` calls, from the one that begins in `record` to the outermost, backwards from `end` - 1. */
static void kept_from(const calls *c, uint32_t record, unsigned n, const shown_stack *to, unsigned end)
{
    for (; n-- > 0; record = kept_at(c, record)->begin.caller)
        show_function(to, --end, calls_function(c, record), sure_of_kept(c, kept_at(c, record)));
}

static unsigned kept_stack(const calls *c, const call *known, const shown_stack *to, uint32_t *left_out)
{
    uint32_t total = known->depth + 1;
    if (total <= CALLS_STACK_MAX) {
        kept_from(c, known->begin, total, to, total);
        return total;
    }
    *left_out = total - CALLS_STACK_MAX;
    kept_from(c, kept_outer(c, known->begin), CALLS_STACK_OUTER, to, CALLS_STACK_OUTER);
    kept_from(c, known->begin, CALLS_STACK_MAX - CALLS_STACK_OUTER, to, CALLS_STACK_MAX);
    return CALLS_STACK_MAX;
}

/* The index of a call that the latest end has closed. */
static guint closed_index(const calls *c, const call *known)
{
    const guint from = c->last.closed;
    return from + (guint)BINARY_SEARCH(c->closed->len - from, i, closed_at(c, from + i)->begin > known->begin);
}

/* The call at a depth around such a call; NULL: it is the one that has ended. They are sorted from the latest begin to the
 * first, so those between a call and one around it are deeper than that. */
static const closed_call *closed_around(const calls *c, guint i, uint32_t from, uint32_t depth)
{
    for (i += from - depth; i < c->closed->len && closed_at(c, i)->depth > depth;)
        i++;
    return i < c->closed->len ? closed_at(c, i) : NULL;
}

static uint32_t ended_at(const calls *c, guint i, uint32_t from, uint32_t depth)
{
    const closed_call *k = closed_around(c, i, from, depth);
    return k ? k->function : c->last.function;
}

static void show_ended(const calls *c, const shown_stack *to, unsigned at, const closed_call *k)
{
    show_function(to, at, k ? k->function : c->last.function, k ? k->sure : 0);
}

/* Uses the open calls, and those just closed. */
static unsigned open_stack(const calls *c, const call_stack *s, const call *known, uint32_t own, const shown_stack *to,
                           uint32_t *left_out)
{
    const unsigned n = MIN(known->depth, CALLS_STACK_MAX - 1) + 1;
    const guint index = known->state & CALL_CLOSED ? closed_index(c, known) : 0;
    *left_out = known->depth + 1 - n;
    const unsigned plain = *left_out ? 0 : MIN(n, s->depth);
    for (unsigned i = 0; i < plain; i++)
        show_function(to, i, open_at(s, i)->function, sure_of_open(open_at(s, i)));
    for (unsigned i = plain; i < n; i++) {
        guint at = i < CALLS_STACK_OUTER ? i : i + *left_out;
        if (at < s->depth)
            show_function(to, i, open_at(s, at)->function, sure_of_open(open_at(s, at)));
        else
            show_ended(c, to, i, closed_around(c, index, known->depth, at));
    }
    show_function(to, n - 1, own, known->state & CALL_CLOSED ? UINT32_MAX : 0);
    return n;
}

bool calls_caller(calls *c, uint64_t key, const call *known, uint32_t *function)
{
    const call_stack *s = open_find(c, key);
    if (known->caller == 0 || !s)
        return false;
    if (calls_known(c)) {
        *function = calls_function(c, known->caller);
        return true;
    }
    const uint32_t at = known->depth - 1;
    const guint index = known->state & CALL_CLOSED ? closed_index(c, known) : 0;
    *function = at < s->depth ? open_at(s, at)->function : ended_at(c, index, known->depth, at);
    return true;
}

unsigned calls_stack(calls *c, uint64_t key, const call *known, uint32_t own, uint32_t functions[CALLS_STACK_MAX],
                     uint8_t marks[CALLS_STACK_MAX], uint32_t *left_out)
{
    const shown_stack to = {functions, marks, known->begin};
    *left_out = 0;
    const call_stack *s = open_find(c, key);
    if (known->begin == 0 || !s) {
        show_function(&to, 0, own, known->state & CALL_CLOSED ? UINT32_MAX : 0);
        return 1;
    }
    if (calls_known(c))
        return kept_stack(c, known, &to, left_out);
    return open_stack(c, s, known, own, &to, left_out);
}

/* How many calls are open up to the one that begins in `record`, looked for from the innermost. */
static uint32_t open_until(const call_stack *s, uint32_t record)
{
    guint n = s->depth;
    while (n > 0 && open_at(s, n - 1)->record != record)
        n--;
    return n;
}

unsigned calls_within(calls *c, uint64_t key, uint32_t innermost, uint32_t *records, unsigned most, uint32_t *left_out)
{
    kept_settle(c);
    const kept *k = c->keep ? kept_at(c, innermost) : NULL;
    const call_stack *s = c->keep ? NULL : open_find(c, key);
    uint32_t total = k && k->is == KEPT_BEGIN && !c->repeated ? k->begin.depth + 1 : s ? open_until(s, innermost) : 0;
    unsigned n = MIN(total, most);
    *left_out = total - n;
    for (unsigned i = n; i-- > 0;) {
        records[i] = s ? open_at(s, i + *left_out)->record : innermost;
        innermost = s ? 0 : kept_at(c, innermost)->begin.caller;
    }
    return n;
}
