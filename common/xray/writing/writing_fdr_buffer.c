/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A buffer being built: its bytes, and records added in place of those left out. The caller decides where they are
 * needed. */
#include "xray/writing/writing_fdr_buffer.h"

/* --- the bytes of a buffer --------------------------------------------------------------------------------------------- */

fdr_buffer *fdr_buffer_new(fdr_writer *w, const record_context *c)
{
    fdr_buffer *b = g_new0(fdr_buffer, 1);
    b->number = w->buffers->len;
    b->outside = xray_context_of(c)->buffer == 0;
    b->origin = b->outside ? c->offset : xray_context_of(c)->buffer;
    b->begin = b->end = c->offset;
    b->trace = c->trace;
    b->last_origin = xray_context_of(c)->buffer;
    b->first_piece = b->last_piece = NO_PIECE;
    b->tail = g_byte_array_new();
    b->changed = b->begin != b->origin;
    if (!b->outside && (c->kind != XRAY_BUFFER_EXTENTS || w->copy.log.version < 2))
        b->phase = PHASE_EXTENTS;
    g_ptr_array_add(w->buffers, b);
    return b;
}

void fdr_buffer_free(gpointer p)
{
    fdr_buffer *b = p;
    if (b->tail)
        g_byte_array_free(b->tail, TRUE);
    g_free(b);
}

bool fdr_buffer_flush(fdr_writer *w, sink *out, fdr_buffer *b)
{
    fdr_piece p = {.length = b->tail->len, .next = NO_PIECE};
    if (p.length == 0)
        return true;
    if (!xray_copy_keep(&w->copy, out, b->tail, &p.at))
        return false;
    if (b->last_piece == NO_PIECE)
        b->first_piece = w->pieces->len;
    else
        g_array_index(w->pieces, fdr_piece, b->last_piece).next = w->pieces->len;
    b->last_piece = w->pieces->len;
    g_array_append_val(w->pieces, p);
    return true;
}

void fdr_buffer_append(fdr_buffer *b, const uint8_t *data, size_t length)
{
    g_byte_array_append(b->tail, data, (guint)length);
    b->length += length;
}

bool fdr_buffer_finish(fdr_writer *w, sink *out, fdr_buffer *b)
{
    if (!b || !b->tail)
        return true;
    bool good = fdr_buffer_flush(w, out, b);
    g_byte_array_free(b->tail, TRUE);
    b->tail = NULL;
    return good;
}

/* --- added records ----------------------------------------------------------------------------------------------------- */

void fdr_set_counter(fdr_buffer *b, uint64_t tsc)
{
    b->tsc = tsc;
    b->counted = true;
}

/* Appends a metadata record. */
static void xray_writing_fdr_buffer_make(const fdr_writer *w, fdr_buffer *b, uint8_t kind,
                                         const uint64_t values[XRAY_FIELD_COUNT])
{
    uint8_t made[XRAY_METADATA_LENGTH];
    xray_make(&w->copy.log, kind, values, made);
    fdr_buffer_append(b, made, sizeof made);
    b->changed = true;
}

void fdr_make_wrap(const fdr_writer *w, fdr_buffer *b, uint64_t tsc)
{
    xray_writing_fdr_buffer_make(w, b, XRAY_TSC_WRAP, XRAY_VALUES([XRAY_FIELD_TSC] = tsc));
    fdr_set_counter(b, tsc);
}

/* The first counter of a buffer. If some of its first records are there, it must keep their time. It must not be lower
 * than that of the buffer from which the log has its clock, if it needs one: readers use the lowest counter for that. */
static uint64_t first_counter(const fdr_writer *w, const fdr_buffer *b, uint64_t tsc)
{
    const uint64_t first = b->end > b->begin ? b->time_tsc : tsc;
    return xray_clock_has_date(&w->copy.log) ? first : MAX(first, w->copy.log.base_tsc);
}

void fdr_make_cpu(const fdr_writer *w, fdr_buffer *b, uint16_t cpu, uint64_t tsc)
{
    uint64_t first = b->counted ? tsc : first_counter(w, b, tsc);
    xray_writing_fdr_buffer_make(w, b, XRAY_NEW_CPU, XRAY_VALUES([XRAY_FIELD_CPU] = cpu, [XRAY_FIELD_TSC] = first));
    b->cpu = cpu;
    b->has_cpu = true;
    fdr_set_counter(b, first);
}

static void make_wall_clock(const fdr_writer *w, fdr_buffer *b, uint64_t tsc)
{
    int64_t seconds;
    int32_t nanoseconds;
    xray_clock_from_marker(&w->copy.log, first_counter(w, b, tsc), &seconds, &nanoseconds);
    xray_writing_fdr_buffer_make(
        w, b, XRAY_WALL_CLOCK,
        XRAY_VALUES([XRAY_FIELD_WALL_SECONDS] = (uint64_t)MAX(seconds, 0), [XRAY_FIELD_WALL_MICROSECONDS] =
                                                                               (uint64_t)nanoseconds / 1000));
}

void fdr_make_preamble(const fdr_writer *w, fdr_buffer *b, const record_context *c, fdr_phase next)
{
    const xray_context *x = xray_context_of(c);
    if (b->phase < PHASE_NEW_BUFFER && next > PHASE_NEW_BUFFER)
        xray_writing_fdr_buffer_make(w, b, XRAY_NEW_BUFFER, XRAY_VALUES([XRAY_FIELD_THREAD] = x->thread));
    if (b->phase < PHASE_WALL_CLOCK && next > PHASE_WALL_CLOCK)
        make_wall_clock(w, b, x->time_tsc);
    if (b->phase < PHASE_PROCESS && next > PHASE_PROCESS && (x->known & XRAY_KNOWN_PROCESS))
        xray_writing_fdr_buffer_make(w, b, XRAY_PROCESS_ID, XRAY_VALUES([XRAY_FIELD_PROCESS] = x->process));
    if (b->phase < PHASE_CPU && next > PHASE_CPU && (x->known & XRAY_KNOWN_TSC))
        fdr_make_cpu(w, b, x->cpu, x->time_tsc);
    b->phase = (uint8_t)MAX(b->phase, (uint8_t)(next - 1));
}
