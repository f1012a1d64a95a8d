/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/calls.h"

#include <glib.h>

#include "analysis/callees.h"
#include "containers/frame_store.h"
#include "containers/hash.h"
#include "containers/binary_search.h"

/* A call that has begun but not ended. */
typedef struct open_call {
    uint64_t ticks;
    uint64_t within; /* ticks of calls inside that have ended */
    uint64_t away, away_within;
    uint32_t record, function;
    bool clocked, unsure;
    bool unattributed;            /* CALL_UNATTRIBUTED */
    callees callees;              /* with CALLS_UNWIND */
    const calls_unwound *unwound; /* calls_follow(): how it ended; NULL: it has an end */
} open_call;

typedef struct call_stack {
    GArray *open; /* of open_call, the innermost last */
    /* How many open calls each function has. Created when, on a deep stack, an end first does not match the innermost
     * call: from then on a stray end does not search the whole stack. */
    GHashTable *counts;
    const uint32_t *losses; /* shared by all stacks with the same upper half of the number */
    uint32_t seen;          /* how many of these losses have been applied to the open calls */
    uint64_t ticks;         /* the latest time of calls_clock() */
    GArray
        *left; /* of closed_call: calls_reach() has left them, and the end that closes them is still to come; NULL: none */
} call_stack;

#define PACKED __attribute__((packed))

/* What is kept per record. 48 bits hold days of nanoseconds. */
typedef struct kept_begin {
    uint32_t end, caller, depth, function;
} kept_begin;

typedef struct PACKED kept_end {
    uint64_t duration : 48, self : 48; /* if `duration` is KEPT_LONG, `self` is an index in calls.long_times */
    uint32_t begin;
} kept_end;

typedef struct PACKED kept {
    union {
        kept_begin begin;
        kept_end end;
    };
    unsigned state : 6; /* CALL_* */
    unsigned is : 2;    /* KEPT_* */
} kept;
/* KEPT_SET: an end whose `self` is the function of the value that ended. */
enum { KEPT_NOTHING, KEPT_BEGIN, KEPT_END, KEPT_SET };
#define KEPT_UNATTRIBUTED CALL_CLOSED /* of an end: stands for the bit that does not fit */

_Static_assert(sizeof(kept) == 17, "17 bytes per record");

/* How long the owner of a call was paused. Stored separately and for few records, as most formats have no such clock. If `all` is
 * AWAY_LONG, `self` is an index in calls.long_absences. */
typedef struct PACKED kept_away {
    uint64_t all : 28, self : 28;
    uint32_t record;
} kept_away;

_Static_assert(sizeof(kept_away) == 11, "11 bytes per record that ends where somebody was away");

#define AWAY_LONG ((UINT32_C(1) << 28) - 1)

#define KEPT_LONG ((UINT64_C(1) << 48) - 1)

typedef struct long_times {
    uint64_t duration, self;
} long_times;

/* A call that has no end of its own. If these are kept, begin.end of its begin record is the index of this, from 1. */
typedef struct closed_call {
    uint64_t duration, self, until;
    uint32_t begin, last, end, caller, depth, function;
    uint8_t state;
} closed_call;

_Static_assert(sizeof(closed_call) <= 56, "56 bytes per call that was closed");

/* The enclosing call at depth CALLS_STACK_OUTER - 1 of a kept begin whose depth is a multiple of that. */
typedef struct anchor {
    uint32_t record, outer;
} anchor;

/* The latest end. */
typedef struct last_end {
    uint32_t record, function;
    guint closed; /* index of the first call that it closed in addition to its own */
} last_end;

struct calls {
    GHashTable *stacks; /* uint64_t -> call_stack */
    GHashTable *losses; /* upper half of a stack number -> uint32_t */
    bool keep, unwind;
    callers callers;       /* with CALLS_UNWIND */
    const GArray *unwound; /* calls_follow(); NULL: nothing is known in advance */
    guint next_unwound;
    bool repeated; /* a record number came twice: kept results are no longer valid */
    uint32_t last_record, last_kept;
    frames kept;           /* of kept */
    GArray *long_times;    /* of long_times: those that do not fit into a kept_end */
    GArray *absences;      /* of kept_away, by record */
    GArray *long_absences; /* of long_times: those that do not fit into a kept_away */
    uint64_t away;         /* latest value of calls_away() */
    GArray *anchors;       /* of anchor, by record */
    uint32_t unsettled;    /* callers and depths of kept records from this one on may be out of date; 0: none are */
    GArray *closed;        /* of closed_call, innermost first; when they are not kept, those of the last end */
    last_end last;
    uint64_t last_key; /* cache: consecutive records often belong to one thread */
    call_stack *last_stack;
};

#define COUNT_FROM 64u /* depth from which a mismatch creates the counts */

static void free_stack(gpointer p)
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

calls *calls_new(unsigned options)
{
    calls *c = g_new0(calls, 1);
    c->stacks = g_hash_table_new_full(hash_number, g_int64_equal, g_free, free_stack);
    c->losses = g_hash_table_new_full(hash_pointer, NULL, NULL, g_free);
    c->keep = options & CALLS_KEEP;
    c->unwind = options & CALLS_UNWIND;
    if (c->unwind)
        callers_init(&c->callers);
    frames_init(&c->kept, sizeof(kept));
    c->long_times = g_array_new(FALSE, FALSE, sizeof(long_times));
    c->absences = g_array_new(FALSE, FALSE, sizeof(kept_away));
    c->long_absences = g_array_new(FALSE, FALSE, sizeof(long_times));
    c->closed = g_array_new(FALSE, FALSE, sizeof(closed_call));
    c->anchors = g_array_new(FALSE, FALSE, sizeof(anchor));
    return c;
}

void calls_free(calls *c)
{
    if (!c)
        return;
    g_hash_table_destroy(c->stacks);
    g_hash_table_destroy(c->losses);
    frames_clear(&c->kept);
    g_array_free(c->long_times, TRUE);
    g_array_free(c->absences, TRUE);
    g_array_free(c->long_absences, TRUE);
    g_array_free(c->closed, TRUE);
    g_array_free(c->anchors, TRUE);
    if (c->unwind)
        callers_clear(&c->callers);
    g_free(c);
}

bool calls_kept(const calls *c)
{
    return c->keep;
}

bool calls_known(const calls *c)
{
    return c->keep && !c->repeated;
}

/* --- kept results ------------------------------------------------------------------------------------------------------ */

static kept *kept_at(const calls *c, uint32_t record)
{
    return frames_find(&c->kept, record);
}

static void keep_away(calls *c, uint32_t record, const call *result)
{
    long_times t = {result->away, result->self_away};
    GArray *all = c->absences;
    if (all->len && g_array_index(all, kept_away, all->len - 1).record >= record)
        g_array_set_size(all, all->len - 1); /* the record ends something else as well */
    if (t.duration == 0 && t.self == 0)
        return;
    if (MAX(t.duration, t.self) >= AWAY_LONG) {
        g_array_append_val(c->long_absences, t);
        t = (long_times){AWAY_LONG, c->long_absences->len - 1};
    }
    const kept_away k = {t.duration & AWAY_LONG, t.self & AWAY_LONG, record};
    g_array_append_val(all, k);
}

static void find_away(const calls *c, uint32_t record, call *result)
{
    const GArray *all = c->absences;
    const size_t n = SORTED_COUNT(all->len, i, g_array_index(all, kept_away, i).record < record);
    const kept_away *k = n < all->len ? &g_array_index(all, kept_away, n) : NULL;
    long_times t = k && k->record == record ? (long_times){k->all, k->self} : (long_times){0};
    if (t.duration == AWAY_LONG)
        t = g_array_index(c->long_absences, long_times, t.self);
    result->away = t.duration;
    result->self_away = t.self;
}

/* Keeps an end or a record within a call: `is` is KEPT_END or KEPT_SET. */
static void keep_end(calls *c, uint32_t record, unsigned is, const call *result, uint64_t self)
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
    keep_away(c, record, result);
}

static long_times times_of(const calls *c, const kept_end *end)
{
    if (end->duration == KEPT_LONG)
        return g_array_index(c->long_times, long_times, end->self);
    return (long_times){end->duration, end->self};
}

static const closed_call *closed_at(const calls *c, uint64_t i)
{
    return &g_array_index(c->closed, closed_call, i);
}

static call call_closed(const closed_call *k)
{
    return (call){.begin = k->begin,
                  .end = k->end,
                  .caller = k->caller,
                  .depth = k->depth,
                  .last = k->last,
                  .until = k->until,
                  .duration = k->duration,
                  .self = k->self,
                  .state = k->state};
}

static bool is_anchored(uint32_t depth)
{
    return depth && depth % CALLS_STACK_OUTER == 0;
}

static void keep_anchor(calls *c, uint32_t record, uint32_t outer)
{
    const anchor a = {record, outer};
    g_array_append_val(c->anchors, a);
}

/* The call around a kept begin, `up` calls further out. */
static uint32_t caller_of(const calls *c, uint32_t record, uint32_t up)
{
    while (up--)
        record = kept_at(c, record)->begin.caller;
    return record;
}

/* The call at depth CALLS_STACK_OUTER - 1 around a kept begin that is deeper. */
static uint32_t outer_of(const calls *c, uint32_t record)
{
    record = caller_of(c, record, kept_at(c, record)->begin.depth % CALLS_STACK_OUTER);
    return g_array_index(c->anchors, anchor,
                         SORTED_COUNT(c->anchors->len, i, g_array_index(c->anchors, anchor, i).record < record))
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
    if (is_anchored(depth))
        keep_anchor(c, record, depth == CALLS_STACK_OUTER ? caller : outer_of(c, caller_of(c, record, CALLS_STACK_OUTER)));
}

/* Moves kept records out of calls that had ended, and sets the depth of what is inside them again. */
static void settle(calls *c)
{
    const uint32_t from = c->unsettled;
    if (!from || c->repeated)
        return;
    c->unsettled = 0;
    g_array_set_size(c->anchors,
                     (guint)SORTED_COUNT(c->anchors->len, i, g_array_index(c->anchors, anchor, i).record < from));
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

bool calls_find(calls *c, uint32_t record, call *result)
{
    settle(c);
    const kept *k = kept_at(c, record);
    if (!k || k->is == KEPT_NOTHING || c->repeated)
        return false;
    *result = (call){.state = k->state};
    if (k->is == KEPT_SET) {
        *result = (call){.begin = k->end.begin, .end = record, .state = k->state};
        result->duration = times_of(c, &k->end).duration;
        find_away(c, record, result);
        return true;
    }
    const kept *begin = k, *end = NULL;
    result->begin = record;
    if (k->is == KEPT_BEGIN && k->state & CALL_CLOSED) {
        if (k->begin.end) /* otherwise its times are unknown */
            *result = call_closed(closed_at(c, k->begin.end - 1));
    } else if (k->is == KEPT_END) {
        bool inside = k->state & CALL_INSIDE;
        result->begin = k->end.begin;
        begin = k->end.begin ? kept_at(c, k->end.begin) : NULL;
        result->end = inside ? 0 : record;
        end = inside ? NULL : k;
    } else if (k->begin.end) {
        result->end = k->begin.end;
        end = kept_at(c, k->begin.end);
    }
    if (begin) {
        result->caller = begin->begin.caller;
        result->depth = begin->begin.depth;
    }
    if (end) {
        result->duration = times_of(c, &end->end).duration;
        result->self = times_of(c, &end->end).self;
        result->state = end->state & (uint8_t)~KEPT_UNATTRIBUTED;
        result->state |= end->state & KEPT_UNATTRIBUTED ? CALL_UNATTRIBUTED : 0;
        find_away(c, result->end, result);
    }
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
        from = (guint)SORTED_COUNT(n, i, closed_at(c, i)->end < record);
        to = (guint)SORTED_COUNT(n, i, closed_at(c, i)->end <= record);
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

/* --- stacks ------------------------------------------------------------------------------------------------------------ */

static call_stack *find_stack(calls *c, uint64_t key)
{
    if (!c->last_stack || c->last_key != key) {
        c->last_stack = g_hash_table_lookup(c->stacks, &key);
        c->last_key = key;
    }
    return c->last_stack;
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

static void lose(call_stack *s)
{
    for (guint i = s->open->len; i-- > 0 && !g_array_index(s->open, open_call, i).unsure;)
        g_array_index(s->open, open_call, i).unsure = true; /* calls below an unsure one are unsure already */
}

static call_stack *stack_of(calls *c, uint64_t key)
{
    call_stack *s = find_stack(c, key);
    if (!s) {
        s = g_new0(call_stack, 1);
        s->open = g_array_new(FALSE, FALSE, sizeof(open_call));
        s->losses = losses_of(c, (uint32_t)(key >> 32));
        s->seen = *s->losses;
        g_hash_table_insert(c->stacks, g_memdup2(&key, sizeof key), s);
        c->last_stack = s;
    }
    if (s->seen != *s->losses) {
        lose(s);
        s->seen = *s->losses;
    }
    return s;
}

static open_call *open_at(const call_stack *s, guint i)
{
    return &g_array_index(s->open, open_call, i);
}

static void count(call_stack *s, uint32_t function, int by)
{
    gpointer key = GUINT_TO_POINTER(function);
    if (s->counts)
        g_hash_table_insert(s->counts, key, GINT_TO_POINTER(GPOINTER_TO_INT(g_hash_table_lookup(s->counts, key)) + by));
}

static void count_all(call_stack *s)
{
    s->counts = g_hash_table_new(hash_pointer, NULL);
    for (guint i = 0; i < s->open->len; i++)
        count(s, open_at(s, i)->function, 1);
}

/* The index of the innermost open call of a function, or the number of open calls. */
static guint find_open(call_stack *s, uint32_t function)
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

/* Adds to the enclosing call the time of a call inside it, and how long the owner was away. */
static void add_within(call_stack *s, guint depth, uint64_t ticks, uint64_t away)
{
    if (depth == 0)
        return;
    open_at(s, depth - 1)->within += ticks;
    open_at(s, depth - 1)->away_within += away;
}

/* Adds the times of a call `k` that has ended to the enclosing call; if they are unknown, those of the calls inside it. */
static void add_call(call_stack *s, guint depth, const open_call *o, const call *k)
{
    bool timed = k->state & CALL_TIMED;
    add_within(s, depth, timed ? k->duration : o->within, timed ? k->away : o->away_within);
}

/* Removes the innermost call. */
static void pop(call_stack *s)
{
    open_call *o = open_at(s, s->open->len - 1);
    count(s, o->function, -1);
    callees_clear(&o->callees);
    g_array_set_size(s->open, s->open->len - 1);
}

/* Sets the times of a call that ends now. `away`: as in calls_away(). */
static void measure(const open_call *o, uint64_t ticks, uint64_t away, bool clocked, call *result)
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
        result->self_away = MIN(result->away - MIN(result->away, o->away_within), result->self);
        result->state |= CALL_SELF;
    }
}

static void keep_closed(GArray *to, const call *k, uint32_t function)
{
    closed_call over = {k->duration, k->self, k->until, k->begin, k->last, k->end, k->caller, k->depth, function, k->state};
    g_array_append_val(to, over);
}

/* --- calls without an end ---------------------------------------------------------------------------------------------- */

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

/* Ends the innermost call, which has no end of its own, at the last record inside it. What was called after that is moved to the call
 * outside. `ending`: the depth of the call that the record `k->end` ends. */
static void unwind(calls *c, call_stack *s, guint ending, call *k)
{
    const guint at = s->open->len - 1;
    open_call *o = open_at(s, at);
    outside from = {c, s, ending, at};
    const guint split = callees_split(&o->callees, outside_knows, &from), n = callees_count(&o->callees);
    callee moved[CALLEES_MAX];
    for (guint i = split; i < n; i++) {
        moved[i] = *callees_at(&o->callees, i);
        o->within -= moved[i].ticks;
    }
    callees_cut(&o->callees, split);
    if (callees_unsure(&o->callees, outside_knows, &from))
        o->unattributed = true;
    if (o->unattributed)
        k->state |= CALL_UNATTRIBUTED;
    open_at(s, at - 1)->unattributed |= o->unattributed;
    k->last = o->callees.last.record;
    k->until = o->callees.last.ticks;
    measure(o, k->until, o->away, true, k);
    const uint64_t ticks = k->state & CALL_TIMED ? k->duration : o->within;
    add_within(s, at, ticks, 0);
    add_callee(c, s, at, &(callee){.function = o->function, .last = o->callees.last, .ticks = ticks, .unwound = true});
    for (guint i = split; i < n; i++) {
        add_within(s, at, moved[i].ticks, 0);
        add_callee(c, s, at, &moved[i]);
    }
}

/* Closes what is open above a call that ends now. */
static void close_above(calls *c, call_stack *s, guint depth, uint32_t record)
{
    while (s->open->len > depth + 1) {
        guint at = s->open->len - 1;
        const open_call *o = open_at(s, at);
        call k = {.begin = o->record, .caller = open_at(s, at - 1)->record, .depth = at, .state = CALL_CLOSED};
        if (c->unwind) {
            k.end = record;
            unwind(c, s, depth, &k);
            keep_closed(c->closed, &k, o->function);
            c->unsettled = c->keep && (!c->unsettled || c->unsettled > k.last) ? k.last + 1 : c->unsettled;
        } else {
            k.state |= CALL_UNMATCHED;
            add_call(s, at, o, &k);
        }
        kept *begin = c->keep ? kept_at(c, o->record) : NULL;
        if (begin) {
            begin->state = k.state & 0x3fu;
            begin->begin.end = c->unwind ? c->closed->len : 0;
        }
        pop(s);
    }
}

/* Begins a new list of calls that a record has closed. */
static void note_end(calls *c, uint32_t record)
{
    c->last.record = record;
    if (!c->keep)
        g_array_set_size(c->closed, 0);
    c->last.closed = c->closed->len;
}

/* Leaves the innermost call, as an earlier pass has found out that it had ended. */
static void leave(call_stack *s)
{
    const guint at = s->open->len - 1;
    const open_call *o = open_at(s, at);
    call k = {.begin = o->record, .depth = at, .last = o->unwound->last, .until = o->unwound->until};
    k.caller = at ? open_at(s, at - 1)->record : 0;
    k.state = o->unwound->state & (CALL_CLOSED | CALL_UNATTRIBUTED);
    measure(o, k.until, o->away, true, &k);
    if (!s->left)
        s->left = g_array_new(FALSE, FALSE, sizeof(closed_call));
    keep_closed(s->left, &k, o->function);
    add_call(s, at, o, &k);
    if (at && k.state & CALL_UNATTRIBUTED)
        open_at(s, at - 1)->unattributed = true;
    pop(s);
}

void calls_reach(calls *c, uint64_t key, uint32_t record)
{
    call_stack *s = c->unwound && c->unwound->len ? find_stack(c, key) : NULL;
    const open_call *o;
    while (s && s->open->len && (o = open_at(s, s->open->len - 1))->unwound && o->unwound->last < record)
        leave(s);
}

static int compare_begins(gconstpointer a, gconstpointer b)
{
    const closed_call *x = a, *y = b;
    return (x->begin < y->begin) - (x->begin > y->begin);
}

/* Closes the calls that were left inside a call that ends now. */
static void close_left(calls *c, call_stack *s, uint32_t begin, uint32_t record)
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
        g_array_sort(c->closed, compare_begins);
}

static const calls_unwound *follow_begin(calls *c, uint32_t record)
{
    const calls_unwound *all = (const calls_unwound *)(const void *)c->unwound->data;
    while (c->next_unwound < c->unwound->len && all[c->next_unwound].begin < record)
        c->next_unwound++;
    return c->next_unwound < c->unwound->len && all[c->next_unwound].begin == record ? &all[c->next_unwound] : NULL;
}

static const calls_unwound *find_unwound(const GArray *all, uint32_t begin)
{
    const calls_unwound *first = (const calls_unwound *)(const void *)all->data;
    const size_t i = SORTED_COUNT(all->len, k, first[k].begin < begin);
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
        *found = (calls_unwound){one->begin, one->last, one->until, one->state};
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
    GHashTableIter stacks;
    gpointer s;
    c->unwound = all;
    g_hash_table_iter_init(&stacks, c->stacks);
    while (g_hash_table_iter_next(&stacks, NULL, &s))
        for (guint i = 0; i < ((call_stack *)s)->open->len; i++)
            open_at(s, i)->unwound = find_unwound(all, open_at(s, i)->record);
}

void calls_away(calls *c, uint64_t ticks)
{
    c->away = ticks;
}

void calls_record(calls *c, uint32_t record)
{
    c->repeated |= record <= c->last_record;
    c->last_record = record;
}

static void keep_begin(calls *c, const call_stack *s, uint32_t function, const call *result)
{
    kept *k = frames_keep(&c->kept, result->begin);
    c->last_kept = result->begin;
    k->begin = (kept_begin){.caller = result->caller, .depth = result->depth, .function = function};
    k->state = CALL_UNMATCHED;
    k->is = KEPT_BEGIN;
    if (is_anchored(result->depth))
        keep_anchor(c, result->begin, open_at(s, CALLS_STACK_OUTER - 1)->record);
}

void calls_begin(calls *c, uint64_t key, uint32_t record, uint32_t function, uint64_t ticks, bool clocked, call *result)
{
    call_stack *s = stack_of(c, key);
    guint depth = s->open->len;
    open_call o = {.ticks = ticks, .away = c->away, .record = record, .function = function, .clocked = clocked};
    o.callees.last = (callees_last){ticks, record};
    o.unwound = c->unwound ? follow_begin(c, record) : NULL;
    *result = (call){.begin = record, .depth = depth, .state = CALL_UNMATCHED};
    result->caller = depth ? open_at(s, depth - 1)->record : 0;
    g_array_append_val(s->open, o);
    count(s, function, 1);
    if (c->keep)
        keep_begin(c, s, function, result);
}

/* A call has ended properly: what it has called is sure. */
static void end_callee(calls *c, call_stack *s, guint depth, const call *k, uint64_t ticks)
{
    open_call *o = open_at(s, depth);
    if (!c->unwind || c->unwound)
        return;
    callees_learn(&o->callees, &c->callers, o->function);
    open_call *outer = depth ? open_at(s, depth - 1) : NULL;
    const callees_last last = {ticks, k->end};
    if (outer && callees_add_known(&outer->callees, &c->callers, outer->function, o->function, last))
        return;
    add_callee(c, s, depth,
               &(callee){.function = o->function,
                         .last = {ticks, k->end},
                         .ticks = k->state & CALL_TIMED ? k->duration : o->within});
}

void calls_end(calls *c, uint64_t key, uint32_t record, uint32_t function, uint64_t ticks, bool clocked, call *result)
{
    call_stack *s = stack_of(c, key);
    note_end(c, record);
    guint depth = find_open(s, function);
    *result = (call){.end = record, .state = CALL_UNMATCHED};
    if (depth < s->open->len) {
        close_above(c, s, depth, record);
        open_call *o = open_at(s, depth);
        close_left(c, s, o->record, record);
        c->last.function = function;
        *result = (call){.begin = o->record, .end = record, .depth = depth};
        result->caller = depth ? open_at(s, depth - 1)->record : 0;
        measure(o, ticks, c->away, clocked, result);
        result->state |= o->unattributed ? CALL_UNATTRIBUTED : 0;
        add_call(s, depth, o, result);
        end_callee(c, s, depth, result, clocked ? ticks : o->callees.last.ticks);
        pop(s);
    }
    if (!c->keep)
        return;
    kept *begin = result->begin ? kept_at(c, result->begin) : NULL;
    if (begin) {
        begin->begin.end = record;
        begin->state = 0;
    }
    keep_end(c, record, KEPT_END, result, result->self);
}

static void hold(const calls *c, call_stack *s, open_call *o)
{
    o->away = c->away;
    g_array_append_val(s->open, *o);
}

void calls_hold(calls *c, uint64_t key, uint32_t record, uint32_t function, uint64_t ticks)
{
    hold(c, stack_of(c, key), &(open_call){.ticks = ticks, .record = record, .function = function, .clocked = true});
}

void calls_set(calls *c, uint64_t key, uint32_t record, uint32_t function, uint64_t ticks, bool clocked, call *result,
               uint32_t *left)
{
    call_stack *s = stack_of(c, key);
    *result = (call){.end = record};
    *left = 0;
    if (s->open->len) {
        const open_call *o = open_at(s, 0);
        result->begin = o->record;
        *left = o->function;
        measure(o, ticks, c->away, clocked, result);
        result->state &= (uint8_t)~CALL_SELF;
        pop(s);
    }
    hold(c, s, &(open_call){.ticks = ticks, .record = record, .function = function, .clocked = clocked});
    if (c->keep)
        keep_end(c, record, KEPT_SET, result, *left);
}

void calls_lost(calls *c, uint64_t key)
{
    call_stack *s = find_stack(c, key);
    if (s)
        lose(s);
}

void calls_lost_all(calls *c, uint32_t upper)
{
    ++*losses_of(c, upper);
}

void calls_clock(calls *c, uint64_t key, uint64_t ticks)
{
    call_stack *s = stack_of(c, key);
    if (ticks < s->ticks)
        lose(s);
    s->ticks = ticks;
}

static bool within(calls *c, uint64_t key, uint32_t record, uint8_t state, call *result)
{
    const call_stack *s = find_stack(c, key);
    guint depth = s ? s->open->len : 0;
    if (depth == 0)
        return false;
    *result = (call){.begin = open_at(s, depth - 1)->record, .depth = depth - 1, .state = state};
    result->caller = depth > 1 ? open_at(s, depth - 2)->record : 0;
    if (c->keep)
        keep_end(c, record, KEPT_END, result, 0);
    return true;
}

bool calls_inside(calls *c, uint64_t key, uint32_t record, uint64_t ticks, bool clocked, call *result)
{
    call_stack *s = find_stack(c, key);
    if (s && s->open->len) {
        callees_last *last = &open_at(s, s->open->len - 1)->callees.last;
        *last = (callees_last){clocked ? ticks : last->ticks, record};
    }
    return within(c, key, record, CALL_INSIDE, result);
}

void calls_around(calls *c, uint64_t key, uint32_t record)
{
    call unused;
    if (c->keep)
        within(c, key, record, CALL_AROUND, &unused);
}

uint32_t calls_open(calls *c, uint64_t key, uint32_t *function)
{
    const call_stack *s = find_stack(c, key);
    if (!s || s->open->len == 0)
        return 0;
    const open_call *o = open_at(s, s->open->len - 1);
    *function = o->function;
    return o->record;
}

static int compare_keys(gconstpointer a, gconstpointer b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* From the innermost to the outermost, since the self time of a call depends on those inside it. */
static void visit_open(const call_stack *s, uint64_t key, calls_when when, calls_visitor visitor, void *data)
{
    g_autofree call *all = g_new0(call, s->open->len);
    uint64_t within = 0, away_within = 0;
    for (guint i = s->open->len; i-- > 0;) {
        calls_end_at at;
        open_call o = *open_at(s, i);
        call *k = &all[i];
        *k = (call){.begin = o.record, .depth = i, .caller = i ? open_at(s, i - 1)->record : 0, .state = CALL_UNMATCHED};
        o.within += within;
        o.away_within += away_within;
        if (when(data, key, o.function, &at))
            measure(&o, at.ticks, at.away, o.clocked, k);
        within = k->state & CALL_TIMED ? k->duration : o.within;
        away_within = k->state & CALL_TIMED ? k->away : o.away_within;
    }
    for (guint i = 0; i < s->open->len; i++)
        visitor(data, key, open_at(s, i)->function, &all[i]);
}

void calls_each_open(calls *c, calls_when when, calls_visitor visitor, void *data)
{
    GList *keys = g_list_sort(g_hash_table_get_keys(c->stacks), compare_keys);
    for (const GList *k = keys; k; k = k->next) {
        uint64_t key = *(const uint64_t *)k->data;
        visit_open(stack_of(c, key), key, when, visitor, data);
    }
    g_list_free(keys);
}

/* --- call stacks ---------------------------------------------------------------------------------------------------------- */

/* What calls_stack() fills in. */
typedef struct shown_stack {
    uint32_t *functions;
    bool *unwound; /* or NULL */
} shown_stack;

static void show_function(const shown_stack *to, unsigned at, uint32_t function, bool unwound)
{
    to->functions[at] = function;
    if (to->unwound)
        to->unwound[at] = unwound;
}

/* Stores `n` calls, from the one that begins in `record` to the outermost, backwards from `end` - 1. */
static void kept_outwards(const calls *c, uint32_t record, unsigned n, const shown_stack *to, unsigned end)
{
    for (; n-- > 0; record = kept_at(c, record)->begin.caller)
        show_function(to, --end, calls_function(c, record), kept_at(c, record)->state & CALL_CLOSED);
}

static unsigned kept_stack(const calls *c, const call *known, const shown_stack *to, uint32_t *left_out)
{
    uint32_t total = known->depth + 1;
    if (total <= CALLS_STACK_MAX) {
        kept_outwards(c, known->begin, total, to, total);
        return total;
    }
    *left_out = total - CALLS_STACK_MAX;
    kept_outwards(c, outer_of(c, known->begin), CALLS_STACK_OUTER, to, CALLS_STACK_OUTER);
    kept_outwards(c, known->begin, CALLS_STACK_MAX - CALLS_STACK_OUTER, to, CALLS_STACK_MAX);
    return CALLS_STACK_MAX;
}

/* The index of a call that the latest end has closed. */
static guint closed_index(const calls *c, const call *known)
{
    const guint from = c->last.closed;
    return from + (guint)SORTED_COUNT(c->closed->len - from, i, closed_at(c, from + i)->begin > known->begin);
}

/* The call at a depth around such a call; NULL: it is the one that has ended. They are sorted from the latest begin to the first, so those
 * between a call and one around it are deeper than that. */
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

/* Uses the open calls, and those just closed. */
static unsigned open_stack(const calls *c, const call_stack *s, const call *known, uint32_t own, const shown_stack *to,
                           uint32_t *left_out)
{
    const unsigned n = MIN(known->depth, CALLS_STACK_MAX - 1) + 1;
    const guint index = known->state & CALL_CLOSED ? closed_index(c, known) : 0;
    *left_out = known->depth + 1 - n;
    for (unsigned i = 0; i < n; i++) {
        guint at = i < CALLS_STACK_OUTER ? i : i + *left_out;
        if (at < s->open->len)
            show_function(to, i, open_at(s, at)->function, open_at(s, at)->unwound);
        else
            show_function(to, i, ended_at(c, index, known->depth, at), closed_around(c, index, known->depth, at));
    }
    show_function(to, n - 1, own, known->state & CALL_CLOSED);
    return n;
}

bool calls_caller(calls *c, uint64_t key, const call *known, uint32_t *function)
{
    const call_stack *s = find_stack(c, key);
    if (known->caller == 0 || !s)
        return false;
    if (calls_known(c)) {
        *function = calls_function(c, known->caller);
        return true;
    }
    const uint32_t at = known->depth - 1;
    const guint index = known->state & CALL_CLOSED ? closed_index(c, known) : 0;
    *function = at < s->open->len ? open_at(s, at)->function : ended_at(c, index, known->depth, at);
    return true;
}

unsigned calls_stack(calls *c, uint64_t key, const call *known, uint32_t own, uint32_t functions[CALLS_STACK_MAX],
                     bool unwound[CALLS_STACK_MAX], uint32_t *left_out)
{
    const shown_stack to = {functions, unwound};
    *left_out = 0;
    show_function(&to, 0, own, known->state & CALL_CLOSED);
    const call_stack *s = find_stack(c, key);
    if (known->begin == 0 || !s)
        return 1;
    if (calls_known(c))
        return kept_stack(c, known, &to, left_out);
    return open_stack(c, s, known, own, &to, left_out);
}

/* How many calls are open up to the one that begins in `record`, looked for from the innermost. */
static uint32_t open_until(const call_stack *s, uint32_t record)
{
    guint n = s->open->len;
    while (n > 0 && open_at(s, n - 1)->record != record)
        n--;
    return n;
}

unsigned calls_within(calls *c, uint64_t key, uint32_t innermost, uint32_t *records, unsigned most, uint32_t *left_out)
{
    settle(c);
    const kept *k = c->keep ? kept_at(c, innermost) : NULL;
    const call_stack *s = c->keep ? NULL : find_stack(c, key);
    uint32_t total = k && k->is == KEPT_BEGIN && !c->repeated ? k->begin.depth + 1 : s ? open_until(s, innermost) : 0;
    unsigned n = MIN(total, most);
    *left_out = total - n;
    for (unsigned i = n; i-- > 0;) {
        records[i] = s ? open_at(s, i + *left_out)->record : innermost;
        innermost = s ? 0 : kept_at(c, innermost)->begin.caller;
    }
    return n;
}
