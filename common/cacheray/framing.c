/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From bytes to records: how long is the record here, and what is to be done where the bytes are none. In a sound trace
 * a record follows the other without a gap. Traces of several threads or of a fork are damaged by their writer: fields
 * of different records are mixed, records are cut and overwritten. The rules (docs/formats/cacheray.md, "Damage"):
 *   - a record that passes the checks is a record, whatever follows it, but for a name that swallows sound records;
 *   - one that fails a check is kept, marked, if the framing goes on after it (kept);
 *   - all else is a stretch without records, up to the next place where two records in a row pass (sound);
 *   - a record that the end of the file cuts is reported as cut, unless sound records stand within it.
 * Knows nothing of what a record means. */
#include "plausible.h"
#include "resync.h"

/* Records that fail a check and are followed by sound ones are kept: so many whatever the fault is, more if it is mild.
 * Longer runs are not looked through for each of their records. */
#define ODD_RUN_TRUSTED 2
/* Bytes in which no sound records are looked for as long as sound ones follow: the fixed parts of two annotations. */
#define LENGTH_TRUSTED (2 * CACHERAY_FIXED_MAX)
/* How far behind a sound place another one may contradict it. */
#define RIVALS_WITHIN 256

/* --- the judgement of one record ---------------------------------------------------------------------------------- */

/* With addresses of 32 bits the bytes around an address often make a record that is shifted by one or two, and so do
 * many that follow; with 64 bits they do not. */
static void prepare(resync_window *s, const walk *w)
{
    s->layout = cacheray_context_of(&w->record.context)->layout;
    uint8_t pointer = cacheray_pointer((cacheray_layout)s->layout);
    s->telling = pointer == 8;
    s->usual = (uint8_t)cacheray_fixed_length(CACHERAY_READ, pointer);
    s->rivals = RIVALS_WITHIN;
}

static resync_frame judge(const resync_window *s, uint64_t at)
{
    unsigned pointer = cacheray_pointer((cacheray_layout)s->layout);
    if (at >= s->c.length)
        return (resync_frame){.class = resync_class_of_part(s, at)};
    uint8_t kind = s->c.data[at] & CACHERAY_KIND_MASK;
    if (kind >= CACHERAY_KINDS)
        return (resync_frame){.class = RESYNC_INVALID};
    if (!cursor_has(&s->c, at, cacheray_fixed_length(kind, pointer)))
        return (resync_frame){.class = resync_class_of_part(s, at)};
    resync_frame f = {.kind = kind};
    f.fault = cacheray_judge_whole(&s->c, (size_t)at, kind, pointer, &f.length);
    f.mark = (int64_t)(cacheray_address(&s->c, (size_t)at, pointer) >> 16);
    f.class = resync_class_of(s, at, f.length, f.fault == FAULT_NONE);
    return f;
}

static bool confirmed(const resync_window *s, const resync_frame *f, const resync_frame *next, bool alone)
{
    (void)s;
    (void)f;
    return next->class == RESYNC_GOOD || (alone && next->class == RESYNC_END);
}

/* The first place in [from, to) where the fixed part of a record passes, or `to`. */
static size_t next_passing(const resync_window *s, size_t from, size_t to)
{
    const unsigned pointer = cacheray_pointer((cacheray_layout)s->layout);
    for (; from < to; from++) {
        uint8_t kind = s->c.data[from] & CACHERAY_KIND_MASK;
        if (kind < CACHERAY_KINDS && cursor_has(&s->c, from, cacheray_fixed_length(kind, pointer)) &&
            !cacheray_judge(&s->c, from, pointer))
            break;
    }
    return from;
}

static const resync_format judgement = {prepare, judge, next_passing, confirmed};

/* --- records that fail, are cut, or hide others ------------------------------------------------------------------- */

/* Whether what stands here is a record that the end of the file cuts, and nothing else. One record that passes says
 * little here: the end of a cut name is an end of the file at every byte. */
static bool cut_at(const resync_window *s, size_t at, resync_class class)
{
    return class == RESYNC_CUT || (class == RESYNC_UNFIT && resync_next_sound(s, at + 1, s->c.length, false) == s->c.length);
}

/* Whether the framing goes on at the end of an odd record: two records in a row pass or the file ends first. */
static bool goes_on(const resync_window *s, size_t at)
{
    for (int passed = 0; passed < 2; passed++) {
        resync_frame f = judge(s, at);
        if (f.class == RESYNC_END || cut_at(s, at, f.class))
            return true;
        if (f.class != RESYNC_GOOD)
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

/* Whether the odd record that the window begins with is kept: the framing goes on after it or after one more, or after a
 * longer run of mild faults. But mixed fields happen to be framed somehow: no sound records may be hidden among them.
 */
static bool kept(const resync_window *s, const resync_frame *first)
{
    size_t at = (size_t)first->length;
    bool all_mild = mild(first->fault);
    unsigned run = 1;
    for (; run < RESYNC_ODD_MAX && !goes_on(s, at); run++) {
        resync_frame f = judge(s, at);
        all_mild = all_mild && mild(f.fault);
        if (f.class < RESYNC_ODD || (run >= ODD_RUN_TRUSTED && !all_mild))
            return false;
        at += (size_t)f.length;
    }
    return !resync_hides(s, at, run > ODD_RUN_TRUSTED || at > LENGTH_TRUSTED);
}

/* Whether the length of an annotation that passes is wrong: sound records stand within its name, and none after it. */
static bool swallows(const resync_window *s, const resync_frame *f)
{
    if (f->class == RESYNC_FAR)
        return resync_next_sound(s, 1, RESYNC_LOOKAHEAD, false) < RESYNC_LOOKAHEAD;
    size_t at = (size_t)f->length;
    return at > LENGTH_TRUSTED && !resync_sound(s, at, true) && resync_hides(s, at, true);
}

/* A microsecond for each record: graphs of Wireshark 4.0 have nothing below a millisecond. */
void cacheray_time(walk *w)
{
    const uint32_t second = 1000000, nanoseconds = 1000;
    uint64_t number = cacheray_context_of(&w->record.context)->number;
    w->record.seconds = (int64_t)(number / second);
    w->record.nanoseconds = (int32_t)(number % second * nanoseconds);
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

static step_result give_odd(walk *w, const resync_window *s, const resync_frame *f)
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
    c->fault_at = cacheray_field_at((cacheray_layout)s->layout, f->kind, field_of[f->fault]);
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
static bool fits(walk *w, resync_window *s, const resync_frame *f)
{
    if (f->class != RESYNC_FAR || f->fault)
        return f->class == RESYNC_GOOD;
    bool all = window_available(&w->window, w->state.offset, f->length) == f->length;
    *s = resync_look(w, &judgement, RESYNC_WINDOW);
    return all;
}

/* What the usual case of cacheray_step() does not cover. */
static step_result step_with_care(walk *w)
{
    resync_window s = resync_look(w, &judgement, RESYNC_WINDOW);
    if (w->window.error)
        return STEP_BAD;
    if (s.c.length == 0)
        return STEP_END;
    size_t most = MIN(s.c.length, RECORD_STRETCH_MAX);
    size_t stretch = cacheray_state_of(&w->state)->skipping ? resync_next_begin(&s, 0, most) : 0;
    if (stretch > 0)
        return give_unknown(w, stretch);
    cacheray_state_of(&w->state)->skipping = false;
    resync_frame f = judge(&s, 0);
    bool whole = fits(w, &s, &f);
    if (w->window.error)
        return STEP_BAD;
    if (whole && !swallows(&s, &f))
        return give(w, f.kind, f.length);
    if (f.class == RESYNC_ODD && kept(&s, &f))
        return give_odd(w, &s, &f);
    if (cut_at(&s, 0, f.class))
        return give_cut(w, s.c.length);
    if (f.class == RESYNC_FAR && !f.fault && !whole) {
        /* a name of which so much was looked through is no name, whatever it holds */
        bool damage = resync_in_rest(w, &judgement, false) != RESYNC_NONE;
        if (!damage && !w->window.error)
            return give_cut(w, window_available(&w->window, w->state.offset, f.length));
        s = resync_look(w, &judgement, RESYNC_WINDOW);
    }
    return w->window.error ? STEP_BAD : give_unknown(w, resync_next_begin(&s, 1, most));
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
        return step_with_care(w);
    uint64_t length = cacheray_length(&c, 0, kind, pointer);
    if (length > LENGTH_TRUSTED || window_available(&w->window, w->state.offset, length) < length)
        return step_with_care(w);
    return give(w, kind, length);
}

/* Most records are accesses that pass, and all their bytes are at hand. Nothing else is called here, so nothing has to be
 * saved. */
step_result cacheray_step(walk *w)
{
    const cacheray_layout l = (cacheray_layout)cacheray_context_of(&w->record.context)->layout;
    const unsigned pointer = cacheray_pointer(l);
    const size_t length = cacheray_fixed_length(CACHERAY_READ, pointer);
    const uint8_t *data;
    if (!window_holds(&w->window, w->state.offset, length, &data) || cacheray_state_of(&w->state)->skipping)
        return step_any(w, l);
    uint8_t kind = data[0] & CACHERAY_KIND_MASK;
    cursor c = {data, length, cacheray_big_endian(l)};
    if (kind > CACHERAY_WRITE || cacheray_judge_access(&c, 0, pointer))
        return step_any(w, l);
    return give(w, kind, length);
}
