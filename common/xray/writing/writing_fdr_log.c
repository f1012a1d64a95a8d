/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing the log at the end: unchanged if nothing is missing, otherwise with extents, clock, padding and header that fit
 * what is there. */
#include "xray/writing/writing_fdr_log.h"

/* Returns whether a buffer is complete, according to its extents or the buffer size of version 1. */
static bool is_whole(const fdr_writer *w, const fdr_buffer *b)
{
    const xray_log *log = &w->copy.log;
    if (b->outside || b->is_short)
        return true;
    if (log->version < 2)
        return b->end - b->origin >= log->buffer_size;
    return b->has_extents && b->end - b->origin - XRAY_METADATA_LENGTH >= b->extent;
}

/* Returns whether all records of a file are there, unchanged and at the same offset. */
static bool is_exact(const fdr_writer *w, const GPtrArray *order)
{
    uint64_t at = XRAY_HEADER_LENGTH;
    for (guint i = 0; i < order->len; i++) {
        const fdr_buffer *b = g_ptr_array_index(order, i);
        if (b->changed || b->begin != at || (i + 1 == order->len && !is_whole(w, b)))
            return false;
        at = b->end;
    }
    return w->copy.has_header;
}

/* Sorts buffers in file order. With parts from several files, in order of arrival instead, since readers keep that order
 * for buffers of a thread that begin with the same counter. What is cut off by the end of a file goes to the end. */
static int compare_places(gconstpointer a, gconstpointer b, gpointer writer)
{
    const fdr_buffer *x = *(fdr_buffer *const *)a, *y = *(fdr_buffer *const *)b;
    if (x->is_cut != y->is_cut)
        return x->is_cut ? 1 : -1;
    if (x->origin != y->origin && !((const fdr_writer *)writer)->several)
        return x->origin < y->origin ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* Adds the missing first records of a buffer, as a buffer that ends within them is invalid, and so are extents alone. An
 * empty buffer needs none. */
static bool complete(fdr_writer *w, sink *out, fdr_buffer *b)
{
    bool alone = b->phase == PHASE_EXTENTS && b->has_thread && b->extent;
    bool partial = (alone || b->phase > PHASE_EXTENTS) && b->phase < PHASE_CPU && !b->closed;
    if (b->outside || !partial || (!b->changed && !b->is_short && is_whole(w, b)))
        return true;
    record_context c = {0};
    *xray_context_of(&c) = (xray_context){.thread = b->thread,
                                          .process = b->process,
                                          .time_tsc = b->time_tsc,
                                          .known = (uint8_t)(XRAY_KNOWN_TSC | (b->has_process ? XRAY_KNOWN_PROCESS : 0))};
    b->tail = g_byte_array_new();
    fdr_make_preamble(w, b, &c, PHASE_RECORDS);
    return fdr_buffer_finish(w, out, b);
}

static uint64_t body_length(const fdr_writer *w, const fdr_buffer *b)
{
    return b->length + (!w->exact && b->late_known ? XRAY_METADATA_LENGTH : 0);
}

/* Writes everything but the extents. */
static bool put_body(const fdr_writer *w, sink *out, const fdr_buffer *b)
{
    bool late = !w->exact && b->late_known;
    uint64_t done = 0;
    for (uint32_t i = b->first_piece; i != NO_PIECE;) {
        const fdr_piece *p = &g_array_index(w->pieces, fdr_piece, i);
        uint64_t before = late && b->late_at - done < p->length ? b->late_at - done : p->length;
        if (!xray_copy_put(&w->copy, out, p->at, before))
            return false;
        if (before < p->length) {
            uint8_t made[XRAY_METADATA_LENGTH];
            xray_make(&w->copy.log, XRAY_NEW_CPU, XRAY_VALUES([XRAY_FIELD_CPU] = b->cpu, [XRAY_FIELD_TSC] = b->late_tsc),
                      made);
            if (!sink_put(out, made, sizeof made) || !xray_copy_put(&w->copy, out, p->at + before, p->length - before))
                return false;
            late = false;
        }
        done += p->length;
        i = p->next;
    }
    return true;
}

/* Captures the first bytes of a buffer, to see them as a reader will. */
typedef struct head_sink {
    sink base;
    size_t length;
    uint8_t bytes[8 * XRAY_METADATA_LENGTH];
} head_sink;

static bool head_put(sink *s, const void *data, size_t length)
{
    head_sink *h = (head_sink *)s;
    size_t n = MIN(length, sizeof h->bytes - h->length);
    memcpy(h->bytes + h->length, data, n);
    h->length += n;
    return h->length < sizeof h->bytes;
}

static xray_preamble preamble_of(const fdr_writer *w, const fdr_buffer *b)
{
    head_sink head = {.base = {.put = head_put}};
    xray_preamble p;
    g_auto(window) bytes;
    put_body(w, &head.base, b);
    source *s = source_memory_new(head.bytes, head.length);
    window_init(&bytes, s);
    xray_preamble_read(&bytes, &w->copy.log, 0, head.length, &p);
    source_close(s);
    return p;
}

/* Readers take the clock from the buffer with the lowest counter. If that would change the clock, adds an empty buffer
 * with the original one at the beginning. */
static bool add_clock(fdr_writer *w, sink *out, GPtrArray *order)
{
    xray_log log = w->copy.log;
    xray_preamble first = {0};
    if (xray_clock_has_date(&log))
        return true;
    for (guint i = 0; i < order->len; i++) {
        const fdr_buffer *b = g_ptr_array_index(order, i);
        if (b->outside)
            continue;
        xray_preamble p = preamble_of(w, b);
        if (first.known & XRAY_KNOWN_TSC ? xray_clock_prefers(&first, &p) : p.known & XRAY_KNOWN_TSC)
            first = p;
    }
    xray_clock_set(&log, first.wall, first.tsc, first.wall_seconds, first.wall_microseconds);
    if (!(first.known & XRAY_KNOWN_TSC) ||
        (log.base_tsc == w->copy.log.base_tsc && log.base_seconds == w->copy.log.base_seconds &&
         log.base_nanoseconds == w->copy.log.base_nanoseconds))
        return true;
    record_context c = {0}, at_begin = {0};
    *xray_context_of(&c) = (xray_context){.thread = first.thread,
                                          .process = first.process,
                                          .time_tsc = w->copy.log.base_tsc,
                                          .known = (uint8_t)((first.known & XRAY_KNOWN_PROCESS) | XRAY_KNOWN_TSC)};
    xray_context_of(&at_begin)->buffer = XRAY_HEADER_LENGTH;
    fdr_buffer *b = fdr_buffer_new(w, &at_begin);
    fdr_make_preamble(w, b, &c, PHASE_RECORDS);
    g_ptr_array_insert(order, 0, b);
    return fdr_buffer_finish(w, out, b);
}

/* Version 1: all buffers have the same size; a marker ends the records, and the rest is padding. */
static bool put_padding(const fdr_writer *w, sink *out, const fdr_buffer *b, uint64_t size, bool last)
{
    static const uint8_t zeros[4096];
    uint8_t made[XRAY_METADATA_LENGTH];
    uint64_t length = body_length(w, b);
    if (b->outside || (last && b->closed))
        return true;
    if (!b->ended && !b->closed) {
        xray_make(&w->copy.log, XRAY_END_OF_BUFFER, XRAY_VALUES(0), made);
        if (!sink_put(out, made, sizeof made))
            return false;
        length += sizeof made;
    }
    while (length < size) {
        size_t n = (size_t)MIN(size - length, sizeof zeros);
        if (!sink_put(out, zeros, n))
            return false;
        length += n;
    }
    return true;
}

/* The last record, if it was cut off by the end of the file, stays so: the extents promise more. */
static bool put_buffer(const fdr_writer *w, sink *out, fdr_buffer *b)
{
    if (w->copy.log.version >= 2 && !b->outside) {
        if (!b->has_extents)
            xray_make(&w->copy.log, XRAY_BUFFER_EXTENTS, XRAY_VALUES(0), b->extents);
        if (!w->exact)
            xray_put(b->extents, XRAY_LAYOUT_BUFFER_EXTENTS, XRAY_FIELD_EXTENT, body_length(w, b) + (b->is_cut ? 1 : 0),
                     w->copy.log.big_endian);
        if (!sink_put(out, b->extents, sizeof b->extents))
            return false;
    }
    return put_body(w, out, b);
}

/* Version 1: the size in the header, unless a buffer is larger (a cut one extends beyond the file) or it is much more
 * than needed. */
static uint64_t fixed_size(const fdr_writer *w)
{
    uint64_t need = XRAY_METADATA_LENGTH, size = w->copy.log.buffer_size;
    for (guint i = 0; i < w->buffers->len; i++) {
        const fdr_buffer *b = g_ptr_array_index(w->buffers, i);
        need = MAX(need, body_length(w, b) + (b->ended || b->closed ? b->is_cut : XRAY_METADATA_LENGTH));
    }
    return size < need || size > MAX(need, UINT64_C(1) << 20) ? need : size;
}

static bool put_log(fdr_writer *w, sink *out, const GPtrArray *order)
{
    uint8_t header[XRAY_HEADER_LENGTH];
    bool fixed = w->copy.log.version < 2 && !w->exact;
    uint64_t size = fixed ? fixed_size(w) : 0;
    xray_copy_header(&w->copy, header);
    if (fixed)
        xray_put(header, XRAY_LAYOUT_HEADER, XRAY_FIELD_BUFFER_SIZE, size, w->copy.log.big_endian);
    if (!sink_put(out, header, sizeof header))
        return false;
    for (guint i = 0; i < order->len; i++) {
        fdr_buffer *b = g_ptr_array_index(order, i);
        bool last = i + 1 == order->len;
        if (!put_buffer(w, out, b) || (fixed && !put_padding(w, out, b, size, last)))
            return false;
    }
    return true;
}

bool fdr_log_write(fdr_writer *w, sink *out)
{
    g_autoptr(GPtrArray) order = g_ptr_array_sized_new(w->buffers->len);
    bool good = true;
    for (guint i = 0; good && i < w->buffers->len; i++) {
        fdr_buffer *b = g_ptr_array_index(w->buffers, i);
        g_ptr_array_add(order, b);
        good = fdr_buffer_finish(w, out, b);
    }
    g_ptr_array_sort_with_data(order, compare_places, w);
    w->exact = is_exact(w, order);
    for (guint i = 0; good && !w->exact && i < order->len; i++)
        good = complete(w, out, g_ptr_array_index(order, i));
    return good && (w->exact || add_clock(w, out, order)) && put_log(w, out, order);
}
