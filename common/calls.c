/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calls.h"

#include <glib.h>

#include "frames.h"
#include "hash.h"
#include "sorted.h"

/* A call that has begun but not ended. */
typedef struct open_call {
    uint64_t ticks;
    uint64_t within; /* ticks of calls inside that have ended */
    uint64_t away, away_within;
    uint32_t record, function;
    bool clocked, unsure;
} open_call;

typedef struct call_stack {
    GArray *open; /* of open_call, the innermost last */
    /* How many open calls each function has. Created when, on a deep stack, an end first does not match the innermost
     * call: from then on a stray end does not search the whole stack. */
    GHashTable *counts;
    const uint32_t *losses; /* shared by all stacks with the same upper half of the number */
    uint32_t seen;          /* how many of these losses have been applied to the open calls */
    uint64_t ticks;         /* the latest time of calls_clock() */
    GArray *anchors;        /* of uint32_t: kept begin records at depth CALLS_STACK_OUTER - 1, ascending; NULL: none */
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

_Static_assert(sizeof(kept) == 17, "17 bytes per record");

/* How long the owner of a call was away. Kept apart and for few records, as most formats have no such clock. If `all` is
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

/* A call closed by the end of an outer one. If these are kept, begin.end of its begin record is the index of this, from
 * 1. */
typedef struct closed_call {
    uint64_t duration, self;
    uint32_t begin, end, caller, depth, function;
    uint8_t state;
} closed_call;

_Static_assert(sizeof(closed_call) <= 48, "48 bytes per call that was closed");

/* The latest end. */
typedef struct last_end {
    uint32_t record, depth, function;
    guint closed; /* index of the first call that it closed besides its own */
} last_end;

struct calls {
    GHashTable *stacks; /* uint64_t -> call_stack */
    GHashTable *losses; /* upper half of a stack number -> uint32_t */
    bool keep, time_closed;
    bool repeated; /* a record number came twice: kept results are no longer valid */
    uint32_t last_record;
    frames kept;           /* of kept */
    GArray *long_times;    /* of long_times: those that do not fit into a kept_end */
    GArray *absences;      /* of kept_away, by record */
    GArray *long_absences; /* of long_times: those that do not fit into a kept_away */
    uint64_t away;         /* latest value of calls_away() */
    GArray *closed;        /* of closed_call, innermost first; when they are not kept, those of the last end */
    last_end last;
    uint64_t last_key; /* cache: consecutive records often belong to one thread */
    call_stack *last_stack;
};

#define COUNT_FROM 64u /* depth from which a mismatch creates the counts */

static void free_stack(gpointer p)
{
    call_stack *s = p;
    g_array_free(s->open, TRUE);
    if (s->anchors)
        g_array_free(s->anchors, TRUE);
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
    c->time_closed = options & CALLS_TIME_CLOSED;
    frames_init(&c->kept, sizeof(kept));
    c->long_times = g_array_new(FALSE, FALSE, sizeof(long_times));
    c->absences = g_array_new(FALSE, FALSE, sizeof(kept_away));
    c->long_absences = g_array_new(FALSE, FALSE, sizeof(long_times));
    c->closed = g_array_new(FALSE, FALSE, sizeof(closed_call));
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
    long_times t = {result->duration, self};
    if (MAX(t.duration, t.self) >= KEPT_LONG) {
        g_array_append_val(c->long_times, t);
        t = (long_times){KEPT_LONG, c->long_times->len - 1};
    }
    k->end = (kept_end){t.duration & KEPT_LONG, t.self & KEPT_LONG, result->begin};
    k->state = result->state & 0x3fu;
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
                  .duration = k->duration,
                  .self = k->self,
                  .state = k->state};
}

bool calls_find(const calls *c, uint32_t record, call *result)
{
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
        result->state = end->state;
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
    guint n = c->closed->len, from = c->last.closed, to = c->last.record == record ? n : from;
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
    count(s, open_at(s, s->open->len - 1)->function, -1);
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

static void keep_closed(calls *c, const call *k, uint32_t function)
{
    closed_call over = {k->duration, k->self, k->begin, k->end, k->caller, k->depth, function, k->state};
    g_array_append_val(c->closed, over);
}

/* Closes what is open above a call that ends now. */
static void close_above(calls *c, call_stack *s, guint depth, uint32_t record, uint64_t ticks, bool clocked)
{
    while (s->open->len > depth + 1) {
        guint at = s->open->len - 1;
        const open_call *o = open_at(s, at);
        call k = {.begin = o->record, .caller = open_at(s, at - 1)->record, .depth = at, .state = CALL_CLOSED};
        if (c->time_closed) {
            k.end = record;
            measure(o, ticks, c->away, clocked, &k);
            keep_closed(c, &k, o->function);
        } else {
            k.state |= CALL_UNMATCHED;
        }
        kept *begin = c->keep ? kept_at(c, o->record) : NULL;
        if (begin) {
            begin->state = k.state & 0x3fu;
            begin->begin.end = c->time_closed ? c->closed->len : 0;
        }
        add_call(s, at, o, &k);
        pop(s);
    }
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

static void keep_begin(calls *c, call_stack *s, uint32_t function, const call *result)
{
    kept *k = frames_keep(&c->kept, result->begin);
    k->begin = (kept_begin){.caller = result->caller, .depth = result->depth, .function = function};
    k->state = CALL_UNMATCHED;
    k->is = KEPT_BEGIN;
    if (result->depth != CALLS_STACK_OUTER - 1)
        return;
    if (!s->anchors)
        s->anchors = g_array_new(FALSE, FALSE, sizeof result->begin);
    g_array_append_val(s->anchors, result->begin);
}

void calls_begin(calls *c, uint64_t key, uint32_t record, uint32_t function, uint64_t ticks, bool clocked, call *result)
{
    call_stack *s = stack_of(c, key);
    guint depth = s->open->len;
    open_call o = {.ticks = ticks, .away = c->away, .record = record, .function = function, .clocked = clocked};
    *result = (call){.begin = record, .depth = depth, .state = CALL_UNMATCHED};
    result->caller = depth ? open_at(s, depth - 1)->record : 0;
    g_array_append_val(s->open, o);
    count(s, function, 1);
    if (c->keep)
        keep_begin(c, s, function, result);
}

void calls_end(calls *c, uint64_t key, uint32_t record, uint32_t function, uint64_t ticks, bool clocked, call *result)
{
    call_stack *s = stack_of(c, key);
    guint depth = find_open(s, function);
    *result = (call){.end = record, .state = CALL_UNMATCHED};
    c->last.record = record;
    if (!c->keep)
        g_array_set_size(c->closed, 0);
    c->last.closed = c->closed->len;
    if (depth < s->open->len) {
        close_above(c, s, depth, record, ticks, clocked);
        const open_call *o = open_at(s, depth);
        c->last.depth = depth;
        c->last.function = function;
        *result = (call){.begin = o->record, .end = record, .depth = depth};
        result->caller = depth ? open_at(s, depth - 1)->record : 0;
        measure(o, ticks, c->away, clocked, result);
        add_call(s, depth, o, result);
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

bool calls_inside(calls *c, uint64_t key, uint32_t record, call *result)
{
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

/* From the innermost outwards, since the self time of a call depends on those inside it. */
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

/* Stores the functions of `n` calls, from the one that begins in `record` outwards, backwards from functions[end - 1]. */
static void kept_outwards(const calls *c, uint32_t record, unsigned n, uint32_t *functions, unsigned end)
{
    for (; n-- > 0; record = kept_at(c, record)->begin.caller)
        functions[--end] = calls_function(c, record);
}

/* The enclosing call at depth CALLS_STACK_OUTER - 1: the last one that began before `record`. */
static uint32_t anchor_of(const call_stack *s, uint32_t record)
{
    size_t before = SORTED_COUNT(s->anchors->len, i, g_array_index(s->anchors, uint32_t, i) <= record);
    return g_array_index(s->anchors, uint32_t, before - 1);
}

static unsigned kept_stack(const calls *c, const call_stack *s, const call *known, uint32_t functions[CALLS_STACK_MAX],
                           uint32_t *left_out)
{
    uint32_t total = known->depth + 1;
    if (total <= CALLS_STACK_MAX) {
        kept_outwards(c, known->begin, total, functions, total);
        return total;
    }
    *left_out = total - CALLS_STACK_MAX;
    kept_outwards(c, anchor_of(s, known->begin), CALLS_STACK_OUTER, functions, CALLS_STACK_OUTER);
    kept_outwards(c, known->begin, CALLS_STACK_MAX - CALLS_STACK_OUTER, functions, CALLS_STACK_MAX);
    return CALLS_STACK_MAX;
}

/* The function at a depth of the stack as it was before the latest end. */
static uint32_t ended_at(const calls *c, guint depth)
{
    guint i = c->last.depth + c->closed->len - depth; /* the last closed call is the outermost */
    return i < c->closed->len ? closed_at(c, i)->function : c->last.function;
}

/* Uses the open calls, and those just ended. */
static unsigned open_stack(const calls *c, const call_stack *s, const call *known, uint32_t own,
                           uint32_t functions[CALLS_STACK_MAX], uint32_t *left_out)
{
    uint32_t total = known->depth + 1;
    unsigned n = MIN(total, CALLS_STACK_MAX);
    *left_out = total - n;
    for (unsigned i = 0; i < n; i++) {
        guint at = i < CALLS_STACK_OUTER ? i : i + *left_out;
        functions[i] = at < s->open->len ? open_at(s, at)->function : ended_at(c, at);
    }
    functions[n - 1] = own;
    return n;
}

unsigned calls_stack(calls *c, uint64_t key, const call *known, uint32_t own, uint32_t functions[CALLS_STACK_MAX],
                     uint32_t *left_out)
{
    *left_out = 0;
    functions[0] = own;
    const call_stack *s = find_stack(c, key);
    if (known->begin == 0 || !s)
        return 1;
    if (calls_known(c))
        return kept_stack(c, s, known, functions, left_out);
    return open_stack(c, s, known, own, functions, left_out);
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
