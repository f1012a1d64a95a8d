/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The search for the next run of valid records: candidates, and what confirms or refutes them. Knows no format. */
#include "core/resync.h"

/* How many records of two readings are compared. */
#define RUN_COMPARED 32
/* One of two readings is given up only if the other has this many more records that pass without a failure. */
#define LEAD_REFUTES 5
/* This many valid positions inside one record cannot be a coincidence, so no more are examined. */
#define RIVALS_MAX 32
/* How many odd records in a row are followed from one place to another. */
#define ODD_FOLLOWED 2

resync_window resync_look(walk *w, const resync_format *rules, size_t need)
{
    resync_window s = {.format = rules, .c = {.big_endian = (w->record.context.flags & CONTEXT_BIG_ENDIAN) != 0}};
    s.c.length = window_ahead(&w->window, w->state.offset, need, &s.c.data);
    s.end = s.c.length < need && !w->window.error;
    rules->prepare(&s, w);
    return s;
}

bool resync_valid(const resync_window *s, uint64_t at, bool alone)
{
    resync_candidate f = s->format->check(s, at);
    if (f.class != RESYNC_GOOD)
        return false;
    resync_candidate next = s->format->check(s, at + f.length);
    return s->format->confirmed(s, &f, &next, alone);
}

size_t resync_next_valid(const resync_window *s, size_t from, size_t to, bool alone)
{
    while ((from = s->format->next_passing(s, from, to)) < to && !resync_valid(s, from, alone))
        from++;
    return from;
}

/* --- places that contradict each other --------------------------------------------------------------------------------- */

/* The records from a place on: the marks of those that pass, and how often the mark changes. */
typedef struct reading {
    unsigned passed, jumps;
    unsigned leading; /* how many pass before the first that does not */
    int64_t marks[RUN_COMPARED];
} reading;

static reading read_on(const resync_window *s, uint64_t at)
{
    reading r = {0};
    for (unsigned i = 0; i < RUN_COMPARED; i++) {
        resync_candidate f = s->format->check(s, at);
        if (f.class < RESYNC_ODD)
            break;
        if (f.class == RESYNC_GOOD) {
            r.jumps += r.passed > 0 && f.mark != r.marks[r.passed - 1];
            r.leading += r.leading == i;
            r.marks[r.passed++] = f.mark;
        }
        at += f.length;
    }
    return r;
}

/* Returns whether reading `a` is better than `b`, when of_a and of_b of their records count. */
static bool resync_better(const reading *a, unsigned of_a, const reading *b, unsigned of_b)
{
    return of_a != of_b ? of_a > of_b : a->jumps < b->jumps;
}

/* Returns whether a mark of the leading records of a reading occurs in the other one. */
static bool is_similar(const reading *r, const reading *with)
{
    for (unsigned i = 0; i < r->leading; i++)
        for (unsigned k = 0; k < with->passed; k++)
            if (r->marks[i] == with->marks[k])
                return true;
    return false;
}

/* Follows the records from `at` and returns the first offset that is `to` or later; NOWHERE if they break off before. */
#define NOWHERE UINT64_MAX
static uint64_t next_from(const resync_window *s, uint64_t at, uint64_t to)
{
    for (unsigned odd = 0; at < to;) {
        resync_candidate f = s->format->check(s, at);
        odd = f.class == RESYNC_ODD ? odd + 1 : 0;
        if (f.class < RESYNC_ODD || odd > ODD_FOLLOWED)
            return NOWHERE;
        at += f.length;
    }
    return at;
}

/* Returns whether the reading at `at` is refuted by the one at `by`: they contradict each other, and the other one passes
 * more checks and shares no marks with the beginning of this one. */
static bool refuted(const resync_window *s, size_t at, size_t by)
{
    uint64_t later = MAX(at, by), there = next_from(s, MIN(at, by), later);
    if (there == NOWHERE || there == later)
        return false;
    reading mine = read_on(s, at == later ? at : there), other = read_on(s, by == later ? by : there);
    if (mine.passed > 0 && s->conclusive)
        return false;
    reading begin = read_on(s, at);
    return other.leading >= begin.leading + LEAD_REFUTES && resync_better(&other, other.passed, &mine, mine.passed) &&
           !is_similar(&begin, &other);
}

size_t resync_next_begin(const resync_window *s, size_t from, size_t to)
{
    size_t first = resync_next_valid(s, from, to, true), best = first, end = MIN(to, first + s->rivals);
    for (size_t rival = first; (rival = resync_next_valid(s, rival + 1, end, true)) < end;) {
        if (next_from(s, best, rival) == rival)
            continue;
        reading other = read_on(s, rival), mine = read_on(s, best);
        bool near = rival < first + s->usual_size;
        if (near ? resync_better(&other, other.leading, &mine, mine.leading) : refuted(s, best, rival))
            best = rival;
    }
    return best;
}

bool resync_hides(const resync_window *s, size_t at, bool before)
{
    size_t end = MIN(at + s->usual_size, s->c.length);
    unsigned rivals = 0;
    for (size_t rival = 0; (rival = resync_next_valid(s, rival + 1, end, false)) < end;)
        if (++rivals > RIVALS_MAX || refuted(s, at, rival) || (before && rival < at && !refuted(s, rival, at)))
            return true;
    return false;
}

/* --- the rest of the file ---------------------------------------------------------------------------------------------- */

resync_rest resync_in_rest(walk *w, const resync_format *rules, bool alone)
{
    size_t done = 1;
    for (size_t need = RESYNC_WINDOW;; need *= 2) {
        resync_window s = resync_look(w, rules, need);
        if (w->window.error)
            return RESYNC_NONE;
        size_t safe = s.end ? s.c.length : s.c.length - RESYNC_LOOKAHEAD;
        if (resync_next_valid(&s, done, safe, alone) < safe)
            return RESYNC_FOUND;
        if (s.end || need >= WINDOW_MAX / 2)
            return s.end ? RESYNC_NONE : RESYNC_TOO_FAR;
        done = safe;
    }
}
