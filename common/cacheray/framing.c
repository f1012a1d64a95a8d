/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From bytes to records: how long is the record here, and what is to be done where the bytes are none. In a sound trace
 * a record follows the other without a gap. Traces of several threads or of a fork are damaged by their writer: fields
 * of different records are mixed, records are cut and overwritten. The rules (docs/cacheray.md, "Damage"):
 *   - a record that passes the checks is a record, whatever follows it, but for a name that swallows sound records;
 *   - one that fails a check is kept, marked, if the framing goes on after it (kept);
 *   - all else is a stretch without records, up to the next place where two records in a row pass (sound);
 *   - a record that the end of the file cuts is reported as cut, unless sound records stand within it.
 * Knows nothing of what a record means. */
#include "plausible.h"

/* How far the bytes after a stretch or an odd record are looked at; a longer name is not followed there. */
#define LOOKAHEAD RECORD_STRETCH_MAX
/* Bytes held while damage is judged: a stretch and what follows it. */
#define SIGHT_LENGTH (RECORD_STRETCH_MAX + LOOKAHEAD)
/* Records that fail a check and are followed by sound ones are kept: so many whatever the fault is, more if it is mild.
 * Longer runs are not looked through for each of their records. */
#define ODD_RUN_TRUSTED 2
#define ODD_RUN_MAX 16
/* Bytes in which no sound records are looked for as long as sound ones follow: the fixed parts of two annotations. */
#define LENGTH_TRUSTED (2 * CACHERAY_FIXED_MAX)
/* Records by which two places are compared. */
#define RUN_COMPARED 32
/* So many records more must pass without a failure at one of them before the other is given up. */
#define LEAD_REFUTES 5
/* How far behind a sound place another one may contradict it. */
#define RIVALS_WITHIN 256
/* So many sound places in a name are no chance: they are not looked at one by one. */
#define RIVALS_MAX 32

/* The bytes from the record under judgement on. Its length depends on the file alone, never on what a window happens to
 * hold, so that the same record is judged alike whenever it is read. */
typedef struct sight {
    cursor c;
    cacheray_layout layout;
    bool end; /* the file ends with these bytes */
} sight;

typedef enum frame_class {
    FRAME_END,     /* nothing: the file ends here */
    FRAME_CUT,     /* the file ends inside the fixed part */
    FRAME_UNFIT,   /* the name does not fit in the file */
    FRAME_FAR,     /* reaches beyond the sight */
    FRAME_INVALID, /* no such tag */
    FRAME_ODD,     /* whole, but fails a check */
    FRAME_GOOD,
} frame_class;

typedef struct frame {
    frame_class class;
    uint8_t kind;
    fault fault;
    uint64_t length; /* as its fields say */
} frame;

static sight look(walk *w, cacheray_layout l, size_t need)
{
    sight s = {.c = {.big_endian = cacheray_big_endian(l)}, .layout = l};
    s.c.length = window_ahead(&w->window, w->state.offset, need, &s.c.data);
    s.end = s.c.length < need && !w->window.error;
    return s;
}

static frame frame_at(const sight *s, size_t at)
{
    if (at >= s->c.length)
        return (frame){.class = s->end && at == s->c.length ? FRAME_END : FRAME_FAR};
    unsigned pointer = cacheray_pointer(s->layout);
    uint8_t kind = s->c.data[at] & CACHERAY_KIND_MASK;
    if (kind >= CACHERAY_KINDS)
        return (frame){.class = FRAME_INVALID};
    frame f = {.kind = kind, .length = cacheray_fixed_length(kind, pointer)};
    if (!cursor_has(&s->c, at, f.length)) {
        f.class = s->end ? FRAME_CUT : FRAME_FAR;
        return f;
    }
    f.fault = cacheray_judge_whole(&s->c, at, kind, pointer, &f.length);
    if (!cursor_has(&s->c, at, f.length))
        f.class = s->end ? FRAME_UNFIT : FRAME_FAR;
    else
        f.class = f.fault ? FRAME_ODD : FRAME_GOOD;
    return f;
}

/* What must follow a record that passes before the place is believed. */
typedef enum { BEFORE_RECORD, BEFORE_RECORD_OR_END } followed;

/* Whether records begin here for sure: one passes, and so does the next, or the file ends with the first. */
static bool sound(const sight *s, size_t at, followed by)
{
    frame f = frame_at(s, at);
    if (f.class != FRAME_GOOD)
        return false;
    frame_class next = frame_at(s, at + (size_t)f.length).class;
    return next == FRAME_GOOD || (next == FRAME_END && by == BEFORE_RECORD_OR_END);
}

/* The first place in [from, to) where the fixed part of a record passes, or `to`; made for speed like step_as(). */
CACHERAY_INLINE size_t next_passing_as(const sight *s, size_t from, size_t to, bool big_endian, unsigned pointer)
{
    cursor c = {s->c.data, s->c.length, big_endian};
    for (; from < to; from++) {
        uint8_t kind = c.data[from] & CACHERAY_KIND_MASK;
        if (kind < CACHERAY_KINDS && cursor_has(&c, from, cacheray_fixed_length(kind, pointer)) &&
            !cacheray_judge(&c, from, pointer))
            break;
    }
    return from;
}

static size_t next_passing(const sight *s, size_t from, size_t to)
{
    switch (s->layout) {
    case CACHERAY_BE64:
        return next_passing_as(s, from, to, true, 8);
    case CACHERAY_LE32:
        return next_passing_as(s, from, to, false, 4);
    case CACHERAY_BE32:
        return next_passing_as(s, from, to, true, 4);
    default:
        return next_passing_as(s, from, to, false, 8);
    }
}

/* The first sound place in [from, to), or `to`. */
static size_t next_sound(const sight *s, size_t from, size_t to, followed by)
{
    while ((from = next_passing(s, from, to)) < to && !sound(s, from, by))
        from++;
    return from;
}

/* How a place reads on: the neighbourhoods (64 KiB) of those of its next records that pass, how often they change. */
typedef struct reading {
    unsigned passed, jumps;
    unsigned leading; /* those that pass before the first that does not */
    uint64_t near[RUN_COMPARED];
} reading;

static reading read_on(const sight *s, size_t at)
{
    reading r = {0};
    unsigned pointer = cacheray_pointer(s->layout);
    for (unsigned i = 0; i < RUN_COMPARED; i++) {
        frame f = frame_at(s, at);
        if (f.class < FRAME_ODD)
            break;
        if (f.class == FRAME_GOOD) {
            uint64_t near = cacheray_address(&s->c, at, pointer) >> 16;
            r.jumps += r.passed > 0 && near != r.near[r.passed - 1];
            r.leading += r.leading == i;
            r.near[r.passed++] = near;
        }
        at += (size_t)f.length;
    }
    return r;
}

static bool reads_better(const reading *a, const reading *b)
{
    return a->passed != b->passed ? a->passed > b->passed : a->jumps < b->jumps;
}

/* The same for the beginnings alone. */
static bool leads_longer(const reading *a, const reading *b)
{
    return a->leading != b->leading ? a->leading > b->leading : a->jumps < b->jumps;
}

/* Whether the records that a reading begins with lie where those of the other do. */
static bool familiar(const reading *r, const reading *with)
{
    for (unsigned i = 0; i < r->leading; i++)
        for (unsigned k = 0; k < with->passed; k++)
            if (r->near[i] == with->near[k])
                return true;
    return false;
}

/* The first of the records from `at` on that begins at `to` or later; NOWHERE when the framing is lost before. */
#define NOWHERE SIZE_MAX
static size_t follow(const sight *s, size_t at, size_t to)
{
    for (unsigned odd = 0; at < to;) {
        frame f = frame_at(s, at);
        odd = f.class == FRAME_ODD ? odd + 1 : 0;
        if (f.class < FRAME_ODD || odd > ODD_RUN_TRUSTED)
            return NOWHERE;
        at += (size_t)f.length;
    }
    return at;
}

/* Whether the reading at `at` is refuted by that at `by`: they contradict each other, and the other one passes more
 * checks and has none of the addresses that this one begins with. With addresses of 32 bits the bytes around an address
 * often make a record that is shifted by one or two, and so do many that follow; with 64 bits they do not. */
static bool refuted(const sight *s, size_t at, size_t by)
{
    size_t later = MAX(at, by), there = follow(s, MIN(at, by), later);
    if (there == NOWHERE || there == later)
        return false;
    reading mine = read_on(s, at == later ? at : there), other = read_on(s, by == later ? by : there);
    if (mine.passed > 0 && cacheray_pointer(s->layout) == 8)
        return false;
    reading begin = read_on(s, at);
    return other.leading >= begin.leading + LEAD_REFUTES && reads_better(&other, &mine) && !familiar(&begin, &other);
}

/* Where records begin again in [from, to), or `to`: the first sound place, unless one within its first record reads on
 * without a failure for longer, or a later one refutes it. */
static size_t next_begin(const sight *s, size_t from, size_t to)
{
    size_t first = next_sound(s, from, to, BEFORE_RECORD_OR_END), best = first;
    size_t near = first + cacheray_fixed_length(CACHERAY_READ, cacheray_pointer(s->layout));
    size_t end = MIN(to, first + RIVALS_WITHIN);
    for (size_t rival = first; (rival = next_sound(s, rival + 1, end, BEFORE_RECORD_OR_END)) < end;) {
        if (follow(s, best, rival) == rival)
            continue;
        reading other = read_on(s, rival), mine = read_on(s, best);
        if (rival < near ? leads_longer(&other, &mine) : refuted(s, best, rival))
            best = rival;
    }
    return best;
}

/* Whether what stands here is a record that the end of the file cuts, and nothing else. One record that passes says
 * little here: the end of a cut name is an end of the file at every byte. */
static bool cut_at(const sight *s, size_t at, frame_class class)
{
    return class == FRAME_CUT ||
           (class == FRAME_UNFIT && next_sound(s, at + 1, s->c.length, BEFORE_RECORD) == s->c.length);
}

/* Whether the framing goes on at the end of an odd record: two records in a row pass or the file ends first. */
static bool goes_on(const sight *s, size_t at)
{
    for (int passed = 0; passed < 2; passed++) {
        frame f = frame_at(s, at);
        if (f.class == FRAME_END || cut_at(s, at, f.class))
            return true;
        if (f.class != FRAME_GOOD)
            return false;
        at += (size_t)f.length;
    }
    return true;
}

/* Checks that fail in what other runtimes may well write; an impossible address (it is judged before the rest) speaks
 * of bytes that are no record. */
static bool mild(fault f)
{
    return f != FAULT_CACHERAY_ADDRESS;
}

/* Whether sound records are lost if the framing goes on at `at`: those before it, or those that refute what is there.
 */
static bool hides_records(const sight *s, size_t at, bool before)
{
    size_t end = MIN(at + cacheray_fixed_length(CACHERAY_READ, cacheray_pointer(s->layout)), s->c.length);
    unsigned rivals = 0;
    for (size_t rival = 0; (rival = next_sound(s, rival + 1, end, BEFORE_RECORD)) < end;)
        if (++rivals > RIVALS_MAX || refuted(s, at, rival) || (before && rival < at && !refuted(s, rival, at)))
            return true;
    return false;
}

/* Whether the odd record that the sight begins with is kept: the framing goes on after it or after one more, or after a
 * longer run of mild faults. But mixed fields happen to be framed somehow: no sound records may be hidden among them.
 */
static bool kept(const sight *s, const frame *first)
{
    size_t at = (size_t)first->length;
    bool all_mild = mild(first->fault);
    unsigned run = 1;
    for (; run < ODD_RUN_MAX && !goes_on(s, at); run++) {
        frame f = frame_at(s, at);
        all_mild = all_mild && mild(f.fault);
        if (f.class < FRAME_ODD || (run >= ODD_RUN_TRUSTED && !all_mild))
            return false;
        at += (size_t)f.length;
    }
    return !hides_records(s, at, run > ODD_RUN_TRUSTED || at > LENGTH_TRUSTED);
}

/* Whether the length of an annotation that passes is wrong: sound records stand within its name, and none after it. */
static bool swallows(const sight *s, const frame *f)
{
    if (f->class == FRAME_FAR)
        return next_sound(s, 1, LOOKAHEAD, BEFORE_RECORD) < LOOKAHEAD;
    size_t at = (size_t)f->length;
    return at > LENGTH_TRUSTED && !sound(s, at, BEFORE_RECORD_OR_END) && hides_records(s, at, true);
}

/* Whether sound records stand somewhere after the first byte of a record whose name does not fit in the file. A name of
 * more than WINDOW_MAX / 2 bytes is no name, whatever it holds. */
static bool sound_in_rest(walk *w, const sight *s)
{
    size_t done = 1;
    for (sight t = *s;; t = look(w, s->layout, 2 * t.c.length)) {
        size_t safe = t.end ? t.c.length : t.c.length - LOOKAHEAD;
        if (next_sound(&t, done, safe, BEFORE_RECORD) < safe)
            return true;
        if (t.end || w->window.error)
            return false;
        if (t.c.length >= WINDOW_MAX / 2)
            return true;
        done = safe;
    }
}

void cacheray_time(walk *w)
{
    const uint32_t second = 1000000000;
    uint64_t number = cacheray_context_of(&w->record.context)->number;
    w->record.seconds = (int64_t)(number / second);
    w->record.nanoseconds = (int32_t)(number % second);
}

static inline step_result give(walk *w, uint8_t kind, uint64_t length)
{
    record *r = walk_begin_record(w, kind, length);
    uint64_t number = w->state.number + 1;
    cacheray_context_of(&r->context)->number = number;
    r->order = number;
    r->phase = 0;
    return STEP_RECORD;
}

static step_result give_cut(walk *w, uint64_t length)
{
    give(w, KIND_CUT, length);
    w->record.context.flags |= CONTEXT_TRUNCATED;
    w->record.context.fault = FAULT_CUT_BY_FILE;
    return STEP_RECORD;
}

static step_result give_odd(walk *w, const sight *s, const frame *f)
{
    static const uint8_t field_of[FAULT_CACHERAY_END] = {
        [FAULT_CACHERAY_SIZE] = CACHERAY_FIELD_SIZE,         [FAULT_CACHERAY_ADDRESS] = CACHERAY_FIELD_ADDRESS,
        [FAULT_CACHERAY_ALIGNMENT] = CACHERAY_FIELD_ADDRESS, [FAULT_CACHERAY_THREAD] = CACHERAY_FIELD_THREAD,
        [FAULT_CACHERAY_REGION] = CACHERAY_FIELD_ELEM_SIZE,  [FAULT_CACHERAY_NAME] = CACHERAY_FIELD_NAME_LENGTH,
        [FAULT_CACHERAY_FLAGS] = CACHERAY_FIELD_TYPE,
    };
    give(w, f->kind, f->length);
    record_context *c = &w->record.context;
    c->fault = (uint8_t)f->fault;
    c->fault_at = cacheray_field_at(s->layout, f->kind, field_of[f->fault]);
    if (f->fault == FAULT_CACHERAY_SIZE)
        c->fault_value = cursor_u8(&s->c, c->fault_at);
    return STEP_RECORD;
}

/* A stretch without records. One of full length may go on: the next step looks for itself. */
static step_result give_unknown(walk *w, size_t length)
{
    cacheray_state_of(&w->state)->skipping = length == RECORD_STRETCH_MAX;
    give(w, KIND_UNKNOWN, length);
    w->record.context.fault = FAULT_SKIPPED;
    return STEP_RECORD;
}

/* Whether all of a record is there, however long. Looking for its end may have moved what is seen. */
static bool fits(walk *w, sight *s, const frame *f)
{
    if (f->class != FRAME_FAR || f->fault)
        return f->class == FRAME_GOOD;
    bool all = window_available(&w->window, w->state.offset, f->length) == f->length;
    *s = look(w, s->layout, SIGHT_LENGTH);
    return all;
}

/* What the usual case of cacheray_step() does not cover. */
static step_result step_with_care(walk *w, cacheray_layout l)
{
    sight s = look(w, l, SIGHT_LENGTH);
    if (w->window.error)
        return STEP_BAD;
    if (s.c.length == 0)
        return STEP_END;
    size_t most = MIN(s.c.length, RECORD_STRETCH_MAX);
    size_t stretch = cacheray_state_of(&w->state)->skipping ? next_begin(&s, 0, most) : 0;
    if (stretch > 0)
        return give_unknown(w, stretch);
    cacheray_state_of(&w->state)->skipping = false;
    frame f = frame_at(&s, 0);
    bool whole = fits(w, &s, &f);
    if (w->window.error)
        return STEP_BAD;
    if (whole && !swallows(&s, &f))
        return give(w, f.kind, f.length);
    if (f.class == FRAME_ODD && kept(&s, &f))
        return give_odd(w, &s, &f);
    if (cut_at(&s, 0, f.class))
        return give_cut(w, s.c.length);
    if (f.class == FRAME_FAR && !f.fault && !whole) {
        bool damage = sound_in_rest(w, &s);
        if (!damage && !w->window.error)
            return give_cut(w, window_available(&w->window, w->state.offset, f.length));
        s = look(w, l, SIGHT_LENGTH);
    }
    return w->window.error ? STEP_BAD : give_unknown(w, next_begin(&s, 1, most));
}

/* The record here if nothing is wrong with it, looked at closely otherwise. */
static __attribute__((noinline)) step_result step_any(walk *w, cacheray_layout l)
{
    const uint8_t *data;
    unsigned pointer = cacheray_pointer(l);
    size_t got = window_at(&w->window, w->state.offset, CACHERAY_FIXED_MAX, &data);
    uint8_t kind = got < CACHERAY_FIXED_MAX ? CACHERAY_KINDS : data[0] & CACHERAY_KIND_MASK;
    cursor c = {data, got, cacheray_big_endian(l)};
    if (kind >= CACHERAY_KINDS || cacheray_state_of(&w->state)->skipping || cacheray_judge(&c, 0, pointer))
        return step_with_care(w, l);
    uint64_t length = cacheray_length(&c, 0, kind, pointer);
    if (length > LENGTH_TRUSTED || window_available(&w->window, w->state.offset, length) < length)
        return step_with_care(w, l);
    return give(w, kind, length);
}

/* Most records are accesses that pass, and all their bytes are at hand; `big_endian` and `pointer` are constants where
 * it is called. Nothing else is called here, so nothing has to be saved. */
CACHERAY_INLINE step_result step_as(walk *w, cacheray_layout l, bool big_endian, unsigned pointer)
{
    size_t length = cacheray_fixed_length(CACHERAY_READ, pointer);
    const uint8_t *data;
    if (!window_holds(&w->window, w->state.offset, length, &data) || cacheray_state_of(&w->state)->skipping)
        return step_any(w, l);
    uint8_t kind = data[0] & CACHERAY_KIND_MASK;
    cursor c = {data, length, big_endian};
    if (kind > CACHERAY_WRITE || cacheray_judge_access(&c, 0, pointer))
        return step_any(w, l);
    return give(w, kind, length);
}

step_result cacheray_step(walk *w)
{
    switch ((cacheray_layout)cacheray_context_of(&w->record.context)->layout) {
    case CACHERAY_BE64:
        return step_as(w, CACHERAY_BE64, true, 8);
    case CACHERAY_LE32:
        return step_as(w, CACHERAY_LE32, false, 4);
    case CACHERAY_BE32:
        return step_as(w, CACHERAY_BE32, true, 4);
    default:
        return step_as(w, CACHERAY_LE64, false, 8);
    }
}

void cacheray_enter(const trace *t, const stream_range *range, stream_state *state)
{
    (void)t;
    (void)range;
    cacheray_state_of(state)->skipping = false;
}
