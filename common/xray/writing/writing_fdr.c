/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saving records of flight data recorder logs. Whatever a record depends on (the first records of its buffer, its CPU, a
 * counter) is added if it was left out, and nothing else is changed: consecutive records are written as they are, and a
 * complete log is reproduced byte for byte. */
#include "xray/writing/writing_fdr_log.h"

#include "util/fail.h"

static void *fdr_begin(void)
{
    fdr_writer *w = g_new0(fdr_writer, 1);
    xray_copy_init(&w->copy);
    w->buffers = g_ptr_array_new_with_free_func(fdr_buffer_free);
    w->current = g_hash_table_new_full(hash_pair_of, hash_pair_equal, g_free, NULL);
    w->pieces = g_array_new(FALSE, FALSE, sizeof(fdr_piece));
    return w;
}

static void fdr_end(void *state)
{
    fdr_writer *w = state;
    g_ptr_array_free(w->buffers, TRUE);
    g_hash_table_destroy(w->current);
    g_array_free(w->pieces, TRUE);
    xray_copy_clear(&w->copy);
    g_free(w);
}

/* --- counters ---------------------------------------------------------------------------------------------------------- */

/* Runtimes of version 1 omit the CPU record in later buffers of a thread on the same CPU: the counter continues from the
 * previous buffer. If the log is changed, that record must be added. */
static void keep_late_cpu(fdr_buffer *b, const xray_context *x, uint64_t delta)
{
    if (!b->late_wanted)
        b->late_at = b->length;
    b->late_wanted = true;
    if (b->late_known)
        return;
    b->late_known = true;
    b->late_tsc = x->tsc - delta;
    b->cpu = x->cpu;
    b->has_cpu = true;
}

static bool other_cpu(const fdr_buffer *b, const xray_context *x)
{
    return (x->known & XRAY_KNOWN_CPU) && b->has_cpu && x->cpu != b->cpu;
}

/* Updates the 32-bit delta to the previous counter, at `row`, if that has changed. */
static void set_delta(const fdr_writer *w, fdr_buffer *b, const record_context *c, uint8_t *bytes, const layout_row *row)
{
    const xray_context *x = xray_context_of(c);
    cursor there = {bytes, XRAY_METADATA_LENGTH, w->copy.log.big_endian};
    uint64_t own = layout_value(row, &there);
    if (!(x->known & XRAY_KNOWN_TSC))
        return;
    if (!b->counted) {
        keep_late_cpu(b, x, own);
        return;
    }
    uint64_t delta = x->tsc - b->tsc;
    if (delta == own && !other_cpu(b, x))
        return;
    if (other_cpu(b, x))
        fdr_make_cpu(w, b, x->cpu, x->tsc);
    else if (delta > (w->copy.log.version >= 4 ? INT32_MAX : UINT32_MAX))
        fdr_make_wrap(w, b, x->tsc);
    cursor_put(bytes + row->offset, x->tsc - b->tsc, row->width, w->copy.log.big_endian);
    b->changed = true;
}

/* Adds what is needed for the record to keep its CPU and counter. `bytes`: of the record, may be changed. */
static void xray_writing_fdr_set_clock(const fdr_writer *w, fdr_buffer *b, const record_context *c, uint8_t *bytes)
{
    const xray_context *x = xray_context_of(c);
    bool old_event = xray_is_event(c->kind) && w->copy.log.version < 5;
    if (xray_is_function(c->kind)) {
        set_delta(w, b, c, bytes, xray_row(XRAY_LAYOUT_FUNCTION, XRAY_FIELD_TSC_DELTA));
    } else if (xray_is_event(c->kind) && !old_event) {
        set_delta(w, b, c, bytes, xray_row(XRAY_LAYOUT_CUSTOM_V5, XRAY_FIELD_EVENT_DELTA));
    } else if (old_event && c->kind == XRAY_CUSTOM_EVENT && w->copy.log.version == 4) {
        return; /* this record has its own CPU, too */
    } else if (c->kind != XRAY_NEW_CPU && b->counted) {
        if (other_cpu(b, x))
            fdr_make_cpu(w, b, x->cpu, x->time_tsc);
        else if (!old_event && c->kind != XRAY_TSC_WRAP && (x->known & XRAY_KNOWN_TSC) && x->tsc != b->tsc)
            fdr_make_wrap(w, b, x->tsc);
    } else if (old_event && !b->late_wanted) {
        b->late_wanted = true;
        b->late_at = b->length;
    }
}

/* Updates the buffer's counter, thread and flags after a record. */
static void take_over(const fdr_writer *w, fdr_buffer *b, const record_context *c)
{
    const xray_context *x = xray_context_of(c);
    if (c->kind == XRAY_NEW_CPU) {
        b->cpu = x->cpu;
        b->has_cpu = true;
    }
    if (c->kind == XRAY_NEW_CPU || c->kind == XRAY_TSC_WRAP ||
        ((xray_is_function(c->kind) || (xray_is_event(c->kind) && w->copy.log.version >= 5)) && (x->known & XRAY_KNOWN_TSC)))
        fdr_set_counter(b, x->tsc);
    b->time_tsc = x->time_tsc;
    b->thread = x->thread;
    b->process = x->process;
    b->has_thread = x->known & XRAY_KNOWN_THREAD;
    b->has_process = x->known & XRAY_KNOWN_PROCESS;
    b->is_cut = c->flags & CONTEXT_TRUNCATED;
    b->is_short = x->known & XRAY_BUFFER_SHORT || b->is_cut;
}

/* --- the buffer of a record -------------------------------------------------------------------------------------------- */

static fdr_phase phase_of(uint8_t kind)
{
    switch (kind) {
    case XRAY_BUFFER_EXTENTS:
        return PHASE_EXTENTS;
    case XRAY_NEW_BUFFER:
        return PHASE_NEW_BUFFER;
    case XRAY_WALL_CLOCK:
        return PHASE_WALL_CLOCK;
    case XRAY_PROCESS_ID:
        return PHASE_PROCESS;
    case XRAY_NEW_CPU:
        return PHASE_CPU;
    default:
        return PHASE_RECORDS;
    }
}

/* Returns whether the record directly follows the last one in the buffer. */
static bool xray_writing_fdr_follows(const fdr_buffer *b, const record_context *c)
{
    return b && b->tail && b->end == c->offset && b->trace == c->trace && b->last_origin == xray_context_of(c)->buffer;
}

/* Returns whether a record can be saved without the record before it. */
static bool needs_none_before(const record_context *c, GError **error)
{
    if (c->kind == XRAY_CALL_ARGUMENT)
        return fail_with(error, "A call argument belongs to the entry before it: save both (xray.kind in {1, 4, 22}).");
    if (c->kind == KIND_PADDING)
        return fail_with(error, "Padding belongs to the end of its buffer: save all of it or none (xray.kind != 253).");
    if (c->kind == KIND_UNKNOWN && c->fault == FAULT_SKIPPED)
        return fail_with(
            error, "These bytes are not a record: they have a meaning only after the bytes before them (xray.kind < 253).");
    return true;
}

/* Returns whether a record may be added to a buffer after records that it did not follow: it is of the same buffer, or of
 * the same thread in another file with a part of the same log. */
static bool xray_writing_fdr_fits(const fdr_buffer *b, const record_context *c)
{
    fdr_phase next = phase_of(c->kind);
    if (!b || !b->tail || b->outside || b->closed || xray_context_of(c)->buffer == 0)
        return false;
    if (b->trace != c->trace)
        return next >= PHASE_CPU;
    return b->last_origin == xray_context_of(c)->buffer && c->offset >= b->end && (next > b->phase || next >= PHASE_CPU);
}

/* The buffer for a record, after adding what must come first. NULL: refused, or the sink has failed. */
static fdr_buffer *buffer_for(fdr_writer *w, sink *out, const record_context *c, GError **error)
{
    const xray_context *x = xray_context_of(c);
    const hash_pair key = xray_thread_key(x->known, x->process, x->thread);
    fdr_buffer *b = g_hash_table_lookup(w->current, &key);
    /* these records may change which thread the buffer belongs to */
    bool names = c->kind == XRAY_NEW_BUFFER || c->kind == XRAY_PROCESS_ID;
    if (names && !xray_writing_fdr_follows(b, c) && xray_writing_fdr_follows(w->last, c))
        b = w->last;
    else if (!xray_writing_fdr_follows(b, c)) {
        if (!needs_none_before(c, error))
            return NULL;
        if (!xray_writing_fdr_fits(b, c)) {
            if (!fdr_buffer_finish(w, out, b))
                return NULL;
            b = fdr_buffer_new(w, c);
        } else
            b->changed = true;
        if (!b->outside && b->changed)
            fdr_make_preamble(w, b, c, phase_of(c->kind));
    }
    if (g_hash_table_lookup(w->current, &key) != b)
        g_hash_table_replace(w->current, g_memdup2(&key, sizeof key), b);
    return b;
}

static bool fdr_record(void *state, sink *out, const write_record *r, GError **error)
{
    fdr_writer *w = state;
    const record_context *c = r->context;
    uint8_t head[XRAY_METADATA_LENGTH] = {0};
    if (!xray_copy_accept(&w->copy, XRAY_TYPE_FDR, r, error))
        return false;
    if (c->kind == XRAY_HEADER)
        return true;
    if ((c->flags & CONTEXT_TRUNCATED) && !xray_copy_cut(&w->copy, error))
        return false;
    fdr_buffer *b = buffer_for(w, out, c, error);
    if (!b)
        return false;
    w->last = b;
    w->several |= c->trace != w->copy.like.trace;
    if (c->kind == XRAY_BUFFER_EXTENTS && w->copy.log.version >= 2) {
        cursor bytes = {r->data, r->length, w->copy.log.big_endian};
        memcpy(b->extents, r->data, MIN(r->length, sizeof b->extents));
        b->has_extents = true;
        b->extent = xray_value(&bytes, XRAY_LAYOUT_BUFFER_EXTENTS, XRAY_FIELD_EXTENT);
    } else {
        size_t fixed = MIN(r->length, sizeof head);
        memcpy(head, r->data, fixed);
        if (!b->outside)
            xray_writing_fdr_set_clock(w, b, c, head);
        fdr_buffer_append(b, head, fixed);
        fdr_buffer_append(b, r->data + fixed, r->length - fixed);
    }
    take_over(w, b, c);
    b->phase = MAX(b->phase, (uint8_t)MIN(phase_of(c->kind), PHASE_RECORDS));
    b->end = c->offset + c->length;
    b->trace = c->trace;
    b->last_origin = xray_context_of(c)->buffer;
    b->ended |= c->kind == XRAY_END_OF_BUFFER;
    b->closed |= c->kind >= KIND_PADDING && c->fault != FAULT_XRAY_BAD_ACTION;
    return b->tail->len < XRAY_PIECE || fdr_buffer_flush(w, out, b);
}

static bool fdr_finish(void *state, sink *out)
{
    fdr_writer *w = state;
    return !w->copy.begun || fdr_log_write(w, out);
}

const write_ops xray_fdr_write = {fdr_begin, fdr_record, fdr_finish, fdr_end};
