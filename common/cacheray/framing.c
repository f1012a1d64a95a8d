/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads one record: how long it is, and what to do if the bytes are not one. In a valid trace records follow each other
 * without gaps. Traces of several threads, or after a fork, are damaged by their writer: fields of different records are
 * mixed, records are cut off and overwritten. The rules (docs/formats/cacheray.md, "Damage"):
 *   - a record that passes all checks is a record, whatever follows, unless its name contains valid records;
 *   - a record that fails a check is kept, marked, if records continue after it: see kept(). An access to the first page is
 *     what a program ends with that uses a null pointer, and is not marked as damage;
 *   - zeros where a record should begin are padding: places that nobody has written;
 *   - an access of no bytes did not happen, which is not a fault;
 *   - all other bytes are unknown, up to the next place where two records in a row pass;
 *   - a record cut off by the end of the file is a cut record, unless it contains valid records.
 * Knows nothing of what a record means. */
#include "cacheray/plausible.h"
#include "core/resync.h"

/* Odd records followed by valid ones are kept: this many in a row whatever the fault is, more if it is is_minor. Longer runs
 * are not examined again for each of their records. */
#define ODD_RUN_TRUSTED 2
/* Up to this length, records followed by valid ones are not searched for hidden records: the fixed parts of two
 * annotations. */
#define LENGTH_TRUSTED (2 * CACHERAY_FIXED_MAX)
/* How far after a valid position another one may contradict it, in bytes. */
#define RIVALS_WITHIN 256

/* --- checking one record ----------------------------------------------------------------------------------------------- */

/* With 32-bit addresses, the bytes around an address often form another record that is shifted by one or two, and so do
 * those that follow. With 64-bit addresses they do not. */
static void cacheray_framing_prepare(resync_window *s, const walk *w)
{
    s->layout = cacheray_context_of(&w->record.context)->layout;
    uint8_t pointer = cacheray_pointer((cacheray_layout)s->layout);
    s->conclusive = pointer == 8;
    s->usual_size = (uint8_t)cacheray_fixed_length(CACHERAY_READ, pointer);
    s->rivals = RIVALS_WITHIN;
}

/* resync_candidate.traits */
#define MISSING 1         /* an access that did not happen */
#define MISSING_CERTAIN 2 /* and not only zeros: its address passes */

static resync_candidate cacheray_framing_check(const resync_window *s, uint64_t at)
{
    unsigned pointer = cacheray_pointer((cacheray_layout)s->layout);
    if (at >= s->c.length)
        return (resync_candidate){.class = resync_class_of_part(s, at)};
    uint8_t kind = s->c.data[at] & CACHERAY_KIND_MASK;
    if (kind >= CACHERAY_KINDS)
        return (resync_candidate){.class = RESYNC_INVALID};
    if (!cursor_has(&s->c, at, cacheray_fixed_length(kind, pointer)))
        return (resync_candidate){.class = resync_class_of_part(s, at)};
    resync_candidate f = {.kind = kind};
    f.fault = cacheray_check_record(&s->c, (size_t)at, kind, pointer, &f.length);
    f.mark = (int64_t)(cacheray_address(&s->c, (size_t)at, pointer) >> 16);
    f.class = resync_class_of(s, at, f.length, f.fault == FAULT_NONE);
    if (!f.fault || !cacheray_access_missing(&s->c, (size_t)at, kind, pointer))
        return f;
    f.traits = f.fault == FAULT_CACHERAY_SIZE ? MISSING | MISSING_CERTAIN : MISSING;
    f.fault = FAULT_CACHERAY_SIZE;
    return f;
}

static bool cacheray_framing_confirmed(const resync_window *s, const resync_candidate *f, const resync_candidate *next,
                                       bool alone)
{
    (void)s;
    (void)f;
    return next->class == RESYNC_GOOD || next->traits & MISSING_CERTAIN || (alone && next->class == RESYNC_END);
}

/* The first offset in [from, to) where the fixed part of a record passes, or `to`. */
static size_t cacheray_framing_next_passing(const resync_window *s, size_t from, size_t to)
{
    const unsigned pointer = cacheray_pointer((cacheray_layout)s->layout);
    for (; from < to; from++) {
        uint8_t kind = s->c.data[from] & CACHERAY_KIND_MASK;
        if (kind < CACHERAY_KINDS && cursor_has(&s->c, from, cacheray_fixed_length(kind, pointer)) &&
            !cacheray_check(&s->c, from, pointer))
            break;
    }
    return from;
}

static const resync_format checks = {cacheray_framing_prepare, cacheray_framing_check, cacheray_framing_next_passing,
                                     cacheray_framing_confirmed};

/* --- odd and cut records, and records that hide others ----------------------------------------------------------------- */

/* Returns whether this is a record cut off by the end of the file, and nothing else. A single record that passes inside it
 * proves little: at every byte of a cut name, the file ends after what may be a record. */
static bool cut_at(const resync_window *s, size_t at, resync_class class)
{
    return class == RESYNC_CUT || (class == RESYNC_UNFIT && resync_next_valid(s, at + 1, s->c.length, false) == s->c.length);
}

/* Returns whether there are zeros that are not a record. */
static bool is_unwritten(const resync_window *s, size_t at)
{
    return cacheray_zeros(&s->c, at) >= cacheray_zeros_min(cacheray_pointer((cacheray_layout)s->layout));
}

/* Returns whether records continue after an odd one: two in a row pass, or one and zeros, or the file ends. */
static bool cacheray_framing_continues_trace(const resync_window *s, size_t at)
{
    for (int passed = 0; passed < 2; passed++) {
        resync_candidate f = cacheray_framing_check(s, at);
        if (f.class == RESYNC_END || cut_at(s, at, f.class) || (passed > 0 && is_unwritten(s, at)))
            return true;
        if (f.class != RESYNC_GOOD && (f.class != RESYNC_ODD || !(f.traits & MISSING_CERTAIN)))
            return false;
        at += (size_t)f.length;
    }
    return true;
}

/* Returns whether other runtimes might legitimately write what fails this check. Not an impossible address, which is checked
 * first: such bytes are not a record. */
static bool is_minor(fault f)
{
    return f != FAULT_CACHERAY_ADDRESS;
}

/* Returns whether the odd record at the start of the window is kept: records continue after it or after one more, or after a
 * longer run of is_minor faults. As mixed fields may look like records by chance, no valid records may be hidden among them.
 */
static bool kept(const resync_window *s, const resync_candidate *first)
{
    size_t at = (size_t)first->length;
    bool all_minor = is_minor(first->fault);
    unsigned run = 1;
    for (; run < RESYNC_ODD_MAX && !cacheray_framing_continues_trace(s, at); run++) {
        resync_candidate f = cacheray_framing_check(s, at);
        all_minor = all_minor && is_minor(f.fault);
        if (f.class < RESYNC_ODD || (run >= ODD_RUN_TRUSTED && !all_minor))
            return false;
        at += (size_t)f.length;
    }
    return !resync_hides(s, at, run > ODD_RUN_TRUSTED || at > LENGTH_TRUSTED);
}

/* Returns whether the length of a record that passes is wrong: there are valid records inside its name, and none after it.
 */
static bool hides_records(const resync_window *s, const resync_candidate *f)
{
    if (f->class == RESYNC_FAR)
        return resync_next_valid(s, 1, RESYNC_LOOKAHEAD, false) < RESYNC_LOOKAHEAD;
    size_t at = (size_t)f->length;
    return at > LENGTH_TRUSTED && !resync_valid(s, at, true) && resync_hides(s, at, true);
}

/* One microsecond per record: graphs in Wireshark 4.0 have a resolution of a millisecond. */
void cacheray_time(walk *w)
{
    const uint32_t second = 1000000, nanoseconds = 1000;
    uint64_t number = cacheray_context_of(&w->record.context)->number;
    w->record.seconds = (int64_t)(number / second);
    w->record.nanoseconds = (int32_t)(number % second * nanoseconds);
}

static inline step_result cacheray_framing_give(walk *w, uint8_t kind, uint64_t length)
{
    record *r = walk_begin_record(w, kind, length);
    uint64_t number = w->state.number + 1;
    cacheray_context_of(&r->context)->number = number;
    r->order = number;
    r->phase = 0;
    return STEP_RECORD;
}

static step_result emit_cut(walk *w, uint64_t length)
{
    cacheray_framing_give(w, KIND_CUT, length);
    w->record.context.flags |= CONTEXT_TRUNCATED;
    w->record.context.fault = FAULT_CUT_BY_FILE;
    return STEP_RECORD;
}

static step_result emit_odd(walk *w, const resync_window *s, const resync_candidate *f)
{
    static const uint8_t field_of[FAULT_CACHERAY_END] = {
        [FAULT_CACHERAY_SIZE] = CACHERAY_FIELD_SIZE,         [FAULT_CACHERAY_ADDRESS] = CACHERAY_FIELD_ADDRESS,
        [FAULT_CACHERAY_ALIGNMENT] = CACHERAY_FIELD_ADDRESS, [FAULT_CACHERAY_THREAD] = CACHERAY_FIELD_THREAD,
        [FAULT_CACHERAY_REGION] = CACHERAY_FIELD_ELEM_SIZE,  [FAULT_CACHERAY_NAME] = CACHERAY_FIELD_NAME_LENGTH,
        [FAULT_CACHERAY_FLAGS] = CACHERAY_FIELD_TYPE,
    };
    cacheray_framing_give(w, f->kind, f->length);
    record_context *c = &w->record.context;
    if (f->traits)
        return STEP_RECORD;
    c->fault = (uint8_t)f->fault;
    c->fault_at = cacheray_field_at((cacheray_layout)s->layout, f->kind, field_of[f->fault]);
    if (f->fault == FAULT_CACHERAY_SIZE)
        c->fault_value = cursor_u8(&s->c, c->fault_at);
    return STEP_RECORD;
}

/* A record for unknown bytes or padding. If it has the maximum length, the next step goes on searching. */
static step_result emit_skipped(walk *w, uint8_t kind, size_t length)
{
    cacheray_state_of(&w->state)->skipping = length == RECORD_UNKNOWN_MAX ? kind : 0;
    cacheray_framing_give(w, kind, length);
    w->record.context.fault = kind == KIND_UNKNOWN ? FAULT_SKIPPED : FAULT_NONE;
    return STEP_RECORD;
}

/* Bytes of padding here, at most RECORD_UNKNOWN_MAX. The record after it may begin with zeros, too: a tag and upper bytes of
 * an address. */
static size_t padding(const resync_window *s, uint8_t skipping)
{
    if (skipping == KIND_UNKNOWN || (!skipping && !is_unwritten(s, 0)))
        return 0;
    const uint8_t pointer = cacheray_pointer((cacheray_layout)s->layout);
    size_t zeros = cacheray_zeros(&s->c, 0), first = zeros > pointer ? zeros - pointer : 0;
    size_t end = zeros < s->c.length ? resync_next_begin(s, first, zeros + 1) : zeros;
    if (end > zeros) /* if zeros follow again, nothing confirms the record */
        end = cacheray_framing_next_passing(s, first, zeros);
    return MIN(end, RECORD_UNKNOWN_MAX);
}

/* Returns whether a record is complete, whatever its length. Looking for its end may move the window, so *s is made again.
 */
static bool cacheray_framing_fits(walk *w, resync_window *s, const resync_candidate *f)
{
    if (f->class != RESYNC_FAR || f->fault)
        return f->class == RESYNC_GOOD;
    bool all = window_available(&w->window, w->state.offset, f->length) == f->length;
    *s = resync_look(w, &checks, RESYNC_WINDOW);
    return all;
}

/* Everything that the fast paths do not handle. */
static step_result step_with_care(walk *w)
{
    resync_window s = resync_look(w, &checks, RESYNC_WINDOW);
    if (w->window.error)
        return STEP_BAD;
    if (s.c.length == 0)
        return STEP_END;
    size_t most = MIN(s.c.length, RECORD_UNKNOWN_MAX);
    const uint8_t skipping = cacheray_state_of(&w->state)->skipping;
    size_t unused = padding(&s, skipping), unknown = skipping == KIND_UNKNOWN ? resync_next_begin(&s, 0, most) : 0;
    if (unused + unknown > 0)
        return emit_skipped(w, unused ? KIND_PADDING : KIND_UNKNOWN, unused + unknown);
    cacheray_state_of(&w->state)->skipping = 0;
    resync_candidate f = cacheray_framing_check(&s, 0);
    bool whole = cacheray_framing_fits(w, &s, &f);
    if (w->window.error)
        return STEP_BAD;
    if (whole && !hides_records(&s, &f))
        return cacheray_framing_give(w, f.kind, f.length);
    if (f.class == RESYNC_ODD && kept(&s, &f))
        return cacheray_access_low(&s.c, 0, f.kind, cacheray_pointer((cacheray_layout)s.layout))
                   ? cacheray_framing_give(w, f.kind, f.length)
                   : emit_odd(w, &s, &f);
    if (cut_at(&s, 0, f.class))
        return emit_cut(w, s.c.length);
    if (f.class == RESYNC_FAR && !f.fault && !whole) {
        /* a name that long is damage, even if nothing was found in it */
        bool damage = resync_in_rest(w, &checks, false) != RESYNC_NONE;
        if (!damage && !w->window.error)
            return emit_cut(w, window_available(&w->window, w->state.offset, f.length));
        s = resync_look(w, &checks, RESYNC_WINDOW);
    }
    return w->window.error ? STEP_BAD : emit_skipped(w, KIND_UNKNOWN, resync_next_begin(&s, 1, most));
}

/* A record with nothing suspicious about it; all others go to step_with_care(). */
static __attribute__((noinline)) step_result cacheray_framing_step_any(walk *w, cacheray_layout l)
{
    const uint8_t *data;
    unsigned pointer = cacheray_pointer(l);
    size_t got = window_at(&w->window, w->state.offset, CACHERAY_FIXED_MAX, &data);
    uint8_t kind = got < CACHERAY_FIXED_MAX ? CACHERAY_KINDS : data[0] & CACHERAY_KIND_MASK;
    cursor c = {data, got, cacheray_big_endian(l)};
    if (kind >= CACHERAY_KINDS || cacheray_state_of(&w->state)->skipping || cacheray_check(&c, 0, pointer))
        return step_with_care(w);
    uint64_t length = cacheray_length(&c, 0, kind, pointer);
    if (length > LENGTH_TRUSTED || window_available(&w->window, w->state.offset, length) < length)
        return step_with_care(w);
    return cacheray_framing_give(w, kind, length);
}

/* The fast path, for most records: an access that passes all checks, with its bytes in the window. Calls nothing but
 * inline functions, so no registers need saving. */
step_result cacheray_step(walk *w)
{
    const cacheray_layout l = (cacheray_layout)cacheray_context_of(&w->record.context)->layout;
    const unsigned pointer = cacheray_pointer(l);
    const size_t length = cacheray_fixed_length(CACHERAY_READ, pointer);
    const uint8_t *data;
    if (!window_holds(&w->window, w->state.offset, length, &data) || cacheray_state_of(&w->state)->skipping)
        return cacheray_framing_step_any(w, l);
    uint8_t kind = data[0] & CACHERAY_KIND_MASK;
    cursor c = {data, length, cacheray_big_endian(l)};
    if (kind > CACHERAY_WRITE || cacheray_check_access(&c, 0, pointer))
        return cacheray_framing_step_any(w, l);
    return cacheray_framing_give(w, kind, length);
}
