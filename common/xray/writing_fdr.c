/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saving records of flight data recorder logs. What must stand before a record so that it means the same again - its
 * buffer's first records, its CPU, a counter - is put there where it has been left out, and nothing else is: records
 * that follow each other as in their file go out as they stand, and a whole log is the same byte by byte. */
#include "writing.h"

/* How far the first records of a buffer have come; a buffer has all up to its own. */
typedef enum phase {
    PHASE_NONE,
    PHASE_EXTENTS,
    PHASE_NEW_BUFFER,
    PHASE_WALL_CLOCK,
    PHASE_PROCESS,
    PHASE_CPU,
    PHASE_RECORDS,
} phase;

#define NO_PIECE UINT32_MAX
typedef struct piece {
    uint64_t at, length; /* in the spool */
    uint32_t next;
} piece;

/* A buffer that is being made, or bytes outside of any. */
typedef struct buffer {
    uint64_t origin;             /* where it stood in its file */
    uint64_t begin, end;         /* first record in it, end of the last one, in that file */
    uint64_t trace, last_origin; /* which file and buffer the last record comes from */
    uint64_t extent;             /* bytes after the extents, as they said */
    uint64_t length;             /* bytes after the extents now */
    uint64_t tsc;                /* running counter, where `counted` */
    uint64_t time_tsc;           /* of the last record */
    uint64_t late_at, late_tsc;  /* see keep_late_cpu() */
    uint32_t number, thread, process;
    uint32_t first_piece, last_piece;
    uint16_t cpu;
    uint8_t phase;
    bool has_cpu, counted, has_process;
    bool outside;
    bool has_extents;
    bool changed;  /* not as in its file */
    bool closed;   /* nothing can follow but what continues it */
    bool is_short; /* the file has less of it than its extents say */
    bool ended;    /* version 1: has its end-of-buffer record */
    bool late_wanted, late_known;
    uint8_t extents[XRAY_METADATA_LENGTH];
    GByteArray *tail; /* bytes that no piece has yet */
} buffer;

typedef struct thread_key {
    uint32_t process, thread, known;
} thread_key;

typedef struct fdr_writer {
    xray_copy copy;
    GPtrArray *buffers;  /* of buffer */
    GHashTable *current; /* thread_key -> buffer */
    buffer *last;        /* of the record before */
    GArray *pieces;      /* of piece */
    bool exact;          /* a whole log: out it goes as it came */
} fdr_writer;

static guint key_hash(gconstpointer p)
{
    const thread_key *k = p;
    return k->process * 2654435761u ^ k->thread * 40503u ^ k->known;
}

static gboolean key_equal(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(thread_key)) == 0;
}

static void buffer_free(gpointer p)
{
    buffer *b = p;
    if (b->tail)
        g_byte_array_free(b->tail, TRUE);
    g_free(b);
}

static void *fdr_begin(void)
{
    fdr_writer *w = g_new0(fdr_writer, 1);
    xray_copy_init(&w->copy);
    w->buffers = g_ptr_array_new_with_free_func(buffer_free);
    w->current = g_hash_table_new_full(key_hash, key_equal, g_free, NULL);
    w->pieces = g_array_new(FALSE, FALSE, sizeof(piece));
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

/* --- bytes of a buffer
 * ------------------------------------------------------------------------------------------------ */

static bool flush(fdr_writer *w, sink *out, buffer *b)
{
    piece p = {.length = b->tail->len, .next = NO_PIECE};
    if (p.length == 0)
        return true;
    if (!xray_copy_keep(&w->copy, out, b->tail, &p.at))
        return false;
    if (b->last_piece == NO_PIECE)
        b->first_piece = w->pieces->len;
    else
        g_array_index(w->pieces, piece, b->last_piece).next = w->pieces->len;
    b->last_piece = w->pieces->len;
    g_array_append_val(w->pieces, p);
    return true;
}

static void append(buffer *b, const uint8_t *data, size_t length)
{
    g_byte_array_append(b->tail, data, (guint)length);
    b->length += length;
}

/* Another thread's turn to use the memory. */
static bool finish_buffer(fdr_writer *w, sink *out, buffer *b)
{
    if (!b || !b->tail)
        return true;
    bool good = flush(w, out, b);
    g_byte_array_free(b->tail, TRUE);
    b->tail = NULL;
    return good;
}

static void begin_metadata(const fdr_writer *w, uint8_t kind, uint8_t made[XRAY_METADATA_LENGTH])
{
    uint8_t metadata = (uint8_t)(kind - XRAY_NEW_BUFFER);
    memset(made, 0, XRAY_METADATA_LENGTH);
    made[0] = (uint8_t)(w->copy.log.big_endian ? 0x80 | metadata : metadata << 1 | 1);
}

/* --- records that were left out
 * --------------------------------------------------------------------------------------- */

static void set_counter(buffer *b, uint64_t tsc)
{
    b->tsc = tsc;
    b->counted = true;
}

static void make_wrap(const fdr_writer *w, buffer *b, uint64_t tsc)
{
    uint8_t made[XRAY_METADATA_LENGTH];
    begin_metadata(w, XRAY_TSC_WRAP, made);
    xray_put_number(made + 1, tsc, 8, w->copy.log.big_endian);
    append(b, made, sizeof made);
    set_counter(b, tsc);
    b->changed = true;
}

/* Where the buffer's counter begins. First records that are there keep their time by it; no buffer may begin before the
 * one that gives the log its clock, as readers take the lowest counter for that. */
static uint64_t first_counter(const fdr_writer *w, const buffer *b, uint64_t tsc)
{
    return MAX(b->end > b->begin ? b->time_tsc : tsc, w->copy.log.base_tsc);
}

static void make_cpu(const fdr_writer *w, buffer *b, uint16_t cpu, uint64_t tsc)
{
    uint8_t made[XRAY_METADATA_LENGTH];
    uint64_t first = b->counted ? tsc : first_counter(w, b, tsc);
    begin_metadata(w, XRAY_NEW_CPU, made);
    xray_put_number(made + 1, cpu, 2, w->copy.log.big_endian);
    xray_put_number(made + 3, first, 8, w->copy.log.big_endian);
    append(b, made, sizeof made);
    b->cpu = cpu;
    b->has_cpu = true;
    set_counter(b, first);
    b->changed = true;
}

static void make_wall_clock(const fdr_writer *w, buffer *b, uint64_t tsc)
{
    uint8_t made[XRAY_METADATA_LENGTH];
    int64_t seconds;
    int32_t nanoseconds;
    xray_clock_time(&w->copy.log, first_counter(w, b, tsc), &seconds, &nanoseconds);
    begin_metadata(w, XRAY_WALL_CLOCK, made);
    xray_put_number(made + 1, (uint64_t)MAX(seconds, 0), 8, w->copy.log.big_endian);
    xray_put_number(made + 9, (uint64_t)nanoseconds / 1000, 4, w->copy.log.big_endian);
    append(b, made, sizeof made);
    b->changed = true;
}

static void make_id(const fdr_writer *w, buffer *b, uint8_t kind, uint32_t id)
{
    uint8_t made[XRAY_METADATA_LENGTH];
    begin_metadata(w, kind, made);
    xray_put_number(made + 1, id, 4, w->copy.log.big_endian);
    append(b, made, sizeof made);
    b->changed = true;
}

/* What stands before a record of phase `next`, as far as it is not there. */
static void make_preamble(const fdr_writer *w, buffer *b, const record_context *c, phase next)
{
    const xray_context *x = &c->xray;
    if (b->phase < PHASE_NEW_BUFFER && next > PHASE_NEW_BUFFER)
        make_id(w, b, XRAY_NEW_BUFFER, x->thread);
    if (b->phase < PHASE_WALL_CLOCK && next > PHASE_WALL_CLOCK)
        make_wall_clock(w, b, x->time_tsc);
    if (b->phase < PHASE_PROCESS && next > PHASE_PROCESS && w->copy.log.version >= 3 && (x->known & XRAY_KNOWN_PROCESS))
        make_id(w, b, XRAY_PROCESS_ID, x->process);
    if (b->phase < PHASE_CPU && next > PHASE_CPU && (x->known & XRAY_KNOWN_TSC))
        make_cpu(w, b, x->cpu, x->time_tsc);
    b->phase = (uint8_t)MAX(b->phase, (uint8_t)(next - 1));
}

/* Runtimes of version 1 leave the CPU record out of later buffers of a thread on the same CPU: counters go on from the
 * buffer before. In a log that is not the same any more it has to be there. */
static void keep_late_cpu(buffer *b, const xray_context *x, uint64_t delta)
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

/* --- counters
 * --------------------------------------------------------------------------------------------------------- */

static bool other_cpu(const buffer *b, const xray_context *x)
{
    return (x->known & XRAY_KNOWN_CPU) && b->has_cpu && x->cpu != b->cpu;
}

/* The 32 bits of a record that count on from the record before; `own` as they stand. */
static void set_delta(const fdr_writer *w, buffer *b, const record_context *c, uint8_t *at, bool is_signed)
{
    const xray_context *x = &c->xray;
    cursor bytes = {at, 4, w->copy.log.big_endian};
    uint32_t bits = cursor_u32(&bytes, 0);
    uint64_t own = is_signed ? (uint64_t)(int64_t)(int32_t)bits : bits;
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
        make_cpu(w, b, x->cpu, x->tsc);
    else if (delta > (w->copy.log.version >= 4 ? INT32_MAX : UINT32_MAX))
        make_wrap(w, b, x->tsc);
    xray_put_number(at, x->tsc - b->tsc, 4, w->copy.log.big_endian);
    b->changed = true;
}

/* Makes the buffer's CPU and counter such that the record means what it did. `bytes`: its own, to be changed. */
static void set_clock(const fdr_writer *w, buffer *b, const record_context *c, uint8_t *bytes)
{
    const xray_context *x = &c->xray;
    bool old_event = xray_is_event(c->kind) && w->copy.log.version < 5;
    if (xray_is_function(c->kind)) {
        set_delta(w, b, c, bytes + 4, false);
    } else if (xray_is_event(c->kind) && !old_event) {
        set_delta(w, b, c, bytes + 5, true);
    } else if (old_event && c->kind == XRAY_CUSTOM_EVENT && w->copy.log.version == 4) {
        return; /* has a CPU of its own too */
    } else if (c->kind != XRAY_NEW_CPU && b->counted) {
        if (other_cpu(b, x))
            make_cpu(w, b, x->cpu, x->time_tsc);
        else if (!old_event && c->kind != XRAY_TSC_WRAP && (x->known & XRAY_KNOWN_TSC) && x->tsc != b->tsc)
            make_wrap(w, b, x->tsc);
    } else if (old_event && !b->late_wanted) {
        b->late_wanted = true;
        b->late_at = b->length;
    }
}

/* After the record the counter is what its context says. */
static void follow(const fdr_writer *w, buffer *b, const record_context *c)
{
    const xray_context *x = &c->xray;
    if (c->kind == XRAY_NEW_CPU) {
        b->cpu = x->cpu;
        b->has_cpu = true;
    }
    if (c->kind == XRAY_NEW_CPU || c->kind == XRAY_TSC_WRAP ||
        ((xray_is_function(c->kind) || (xray_is_event(c->kind) && w->copy.log.version >= 5)) &&
         (x->known & XRAY_KNOWN_TSC)))
        set_counter(b, x->tsc);
    b->time_tsc = x->time_tsc;
    b->thread = x->thread;
    b->process = x->process;
    b->has_process = x->known & XRAY_KNOWN_PROCESS;
    b->is_short = x->known & XRAY_BUFFER_SHORT || c->flags & CONTEXT_TRUNCATED;
}

/* --- which buffer a record goes to
 * ------------------------------------------------------------------------------------ */

static phase phase_of(uint8_t kind)
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

/* Directly after what the buffer has. */
static bool follows(const buffer *b, const record_context *c)
{
    return b && b->tail && b->end == c->offset && b->trace == c->trace && b->last_origin == c->xray.buffer;
}

static thread_key key_of(const record_context *c)
{
    uint32_t known = c->xray.known & (XRAY_KNOWN_THREAD | XRAY_KNOWN_PROCESS);
    return (thread_key){known & XRAY_KNOWN_PROCESS ? c->xray.process : 0,
                        known & XRAY_KNOWN_THREAD ? c->xray.thread : 0, known};
}

static buffer *new_buffer(fdr_writer *w, const record_context *c)
{
    buffer *b = g_new0(buffer, 1);
    b->number = w->buffers->len;
    b->outside = c->xray.buffer == 0;
    b->origin = b->outside ? c->offset : c->xray.buffer;
    b->begin = b->end = c->offset;
    b->trace = c->trace;
    b->last_origin = c->xray.buffer;
    b->first_piece = b->last_piece = NO_PIECE;
    b->tail = g_byte_array_new();
    b->changed = b->begin != b->origin;
    if (!b->outside && (c->kind != XRAY_BUFFER_EXTENTS || w->copy.log.version < 2))
        b->phase = PHASE_EXTENTS;
    g_ptr_array_add(w->buffers, b);
    return b;
}

/* What can only be saved together with the record before it. */
static const char *needs_before(const record_context *c)
{
    if (c->kind == XRAY_CALL_ARGUMENT)
        return "A call argument goes with the entry before it: save both (xray.kind in {1, 4, 22}).";
    if (c->kind == KIND_PADDING)
        return "Padding goes with the end of its buffer: save all of it or none (xray.kind != 253).";
    if (c->kind == KIND_UNKNOWN && c->fault == FAULT_SKIPPED)
        return "These bytes are no record: they mean something only with the bytes before them (xray.kind < 253).";
    return NULL;
}

/* Whether a record may stand in a buffer after others that it did not follow: of the same buffer, or of the same thread
 * in another file, which is a part of the same log. */
static bool fits(const buffer *b, const record_context *c)
{
    phase next = phase_of(c->kind);
    if (!b || !b->tail || b->outside || b->closed || c->xray.buffer == 0)
        return false;
    if (b->trace != c->trace)
        return next >= PHASE_CPU;
    return b->last_origin == c->xray.buffer && c->offset >= b->end && (next > b->phase || next >= PHASE_CPU);
}

/* The buffer of the record, with all that must stand before it. NULL: refused, or the sink has failed. */
static buffer *buffer_for(fdr_writer *w, sink *out, const record_context *c, char **reason)
{
    thread_key key = key_of(c);
    buffer *b = g_hash_table_lookup(w->current, &key);
    /* records that say whose the buffer is may change that */
    bool names = c->kind == XRAY_NEW_BUFFER || c->kind == XRAY_PROCESS_ID;
    if (names && !follows(b, c) && follows(w->last, c))
        b = w->last;
    else if (!follows(b, c)) {
        const char *why = needs_before(c);
        if (why) {
            *reason = g_strdup(why);
            return NULL;
        }
        if (!fits(b, c)) {
            if (!finish_buffer(w, out, b))
                return NULL;
            b = new_buffer(w, c);
        } else
            b->changed = true;
        if (!b->outside && b->changed)
            make_preamble(w, b, c, phase_of(c->kind));
    }
    if (g_hash_table_lookup(w->current, &key) != b)
        g_hash_table_replace(w->current, g_memdup2(&key, sizeof key), b);
    return b;
}

static bool fdr_record(void *state, sink *out, const write_record *r, char **reason)
{
    fdr_writer *w = state;
    const record_context *c = r->context;
    uint8_t head[XRAY_METADATA_LENGTH] = {0};
    if (!xray_copy_accept(&w->copy, XRAY_TYPE_FDR, r, reason))
        return false;
    if (c->kind == XRAY_HEADER)
        return true;
    buffer *b = buffer_for(w, out, c, reason);
    if (!b)
        return false;
    w->last = b;
    if (c->kind == XRAY_BUFFER_EXTENTS && w->copy.log.version >= 2) {
        cursor bytes = {r->data, r->length, w->copy.log.big_endian};
        memcpy(b->extents, r->data, MIN(r->length, sizeof b->extents));
        b->has_extents = true;
        b->extent = cursor_u64(&bytes, 1);
    } else {
        size_t fixed = MIN(r->length, sizeof head);
        memcpy(head, r->data, fixed);
        if (!b->outside)
            set_clock(w, b, c, head);
        append(b, head, fixed);
        append(b, r->data + fixed, r->length - fixed);
    }
    follow(w, b, c);
    b->phase = MAX(b->phase, (uint8_t)MIN(phase_of(c->kind), PHASE_RECORDS));
    b->end = c->offset + c->length;
    b->trace = c->trace;
    b->last_origin = c->xray.buffer;
    b->ended |= c->kind == XRAY_END_OF_BUFFER;
    b->closed |= c->kind >= KIND_PADDING && c->fault != FAULT_XRAY_BAD_ACTION;
    return b->tail->len < XRAY_PIECE || flush(w, out, b);
}

/* --- the log
 * ---------------------------------------------------------------------------------------------------------- */

/* Up to the end that its extents, or version 1's size, give it. */
static bool is_whole(const fdr_writer *w, const buffer *b)
{
    const xray_log *log = &w->copy.log;
    if (b->outside || b->is_short)
        return true;
    if (log->version < 2)
        return b->end - b->origin >= log->buffer_size;
    return b->has_extents && b->end - b->origin - XRAY_METADATA_LENGTH >= b->extent;
}

/* All records of a file, none changed: each one stands where it stood. */
static bool is_exact(const fdr_writer *w, const GPtrArray *order)
{
    uint64_t at = XRAY_HEADER_LENGTH;
    for (guint i = 0; i < order->len; i++) {
        const buffer *b = g_ptr_array_index(order, i);
        if (b->changed || b->begin != at || (i + 1 == order->len && !is_whole(w, b)))
            return false;
        at = b->end;
    }
    return w->copy.has_header;
}

static int compare_origins(gconstpointer a, gconstpointer b)
{
    const buffer *x = *(buffer *const *)a, *y = *(buffer *const *)b;
    if (x->origin != y->origin)
        return x->origin < y->origin ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* A buffer that ends within its first records is no valid one: the rest of them. */
static bool complete(fdr_writer *w, sink *out, buffer *b)
{
    bool partial = b->phase > PHASE_EXTENTS && b->phase < PHASE_CPU && !b->closed;
    if (b->outside || !partial || (!b->changed && !b->is_short && is_whole(w, b)))
        return true;
    record_context c = {.xray = {.thread = b->thread, .process = b->process, .time_tsc = b->time_tsc}};
    c.xray.known = (uint8_t)(XRAY_KNOWN_TSC | (b->has_process ? XRAY_KNOWN_PROCESS : 0));
    b->tail = g_byte_array_new();
    make_preamble(w, b, &c, PHASE_RECORDS);
    return finish_buffer(w, out, b);
}

static uint64_t body_length(const fdr_writer *w, const buffer *b)
{
    return b->length + (!w->exact && b->late_known ? XRAY_METADATA_LENGTH : 0);
}

/* All but the extents. */
static bool put_body(const fdr_writer *w, sink *out, const buffer *b)
{
    bool late = !w->exact && b->late_known;
    uint64_t done = 0;
    for (uint32_t i = b->first_piece; i != NO_PIECE;) {
        const piece *p = &g_array_index(w->pieces, piece, i);
        uint64_t before = late && b->late_at - done < p->length ? b->late_at - done : p->length;
        if (!xray_copy_put(&w->copy, out, p->at, before))
            return false;
        if (before < p->length) {
            uint8_t made[XRAY_METADATA_LENGTH];
            begin_metadata(w, XRAY_NEW_CPU, made);
            xray_put_number(made + 1, b->cpu, 2, w->copy.log.big_endian);
            xray_put_number(made + 3, b->late_tsc, 8, w->copy.log.big_endian);
            if (!sink_put(out, made, sizeof made) || !xray_copy_put(&w->copy, out, p->at + before, p->length - before))
                return false;
            late = false;
        }
        done += p->length;
        i = p->next;
    }
    return true;
}

/* The first bytes of a buffer, to see them as a reader will. */
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

static xray_preamble preamble_of(const fdr_writer *w, const buffer *b)
{
    head_sink head = {.base = {.put = head_put}};
    xray_preamble p;
    window bytes;
    put_body(w, &head.base, b);
    source *s = source_memory_new(head.bytes, head.length);
    window_init(&bytes, s);
    xray_preamble_read(&bytes, &w->copy.log, 0, head.length, &p);
    window_clear(&bytes);
    source_close(s);
    return p;
}

/* Readers take the clock from the buffer with the lowest counter; where that would be another one than it was, a buffer
 * without records before the others says what it was. */
static bool add_clock(fdr_writer *w, sink *out, GPtrArray *order)
{
    xray_log log = w->copy.log;
    xray_preamble first = {0};
    for (guint i = 0; i < order->len; i++) {
        const buffer *b = g_ptr_array_index(order, i);
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
    record_context c = {.xray = {.thread = first.thread, .process = first.process, .time_tsc = w->copy.log.base_tsc}};
    c.xray.known = (uint8_t)((first.known & XRAY_KNOWN_PROCESS) | XRAY_KNOWN_TSC);
    buffer *b = new_buffer(w, &(record_context){.xray = {.buffer = XRAY_HEADER_LENGTH}});
    make_preamble(w, b, &c, PHASE_RECORDS);
    g_ptr_array_insert(order, 0, b);
    return finish_buffer(w, out, b);
}

/* Version 1: all buffers have one size, a marker ends the records, and the rest is padding. */
static bool put_padding(const fdr_writer *w, sink *out, const buffer *b, uint64_t size, bool last)
{
    static const uint8_t zeros[4096];
    uint8_t made[XRAY_METADATA_LENGTH];
    uint64_t length = body_length(w, b);
    if (b->outside || (last && b->closed))
        return true;
    if (!b->ended && !b->closed) {
        begin_metadata(w, XRAY_END_OF_BUFFER, made);
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

static bool put_buffer(const fdr_writer *w, sink *out, buffer *b)
{
    if (w->copy.log.version >= 2 && !b->outside) {
        if (!b->has_extents)
            begin_metadata(w, XRAY_BUFFER_EXTENTS, b->extents);
        if (!w->exact)
            xray_put_number(b->extents + 1, body_length(w, b), 8, w->copy.log.big_endian);
        if (!sink_put(out, b->extents, sizeof b->extents))
            return false;
    }
    return put_body(w, out, b);
}

/* Version 1: the size of the header, unless a buffer has outgrown it, or it is far more than all need. */
static uint64_t fixed_size(const fdr_writer *w)
{
    uint64_t need = XRAY_METADATA_LENGTH, size = w->copy.log.buffer_size;
    for (guint i = 0; i < w->buffers->len; i++) {
        const buffer *b = g_ptr_array_index(w->buffers, i);
        need = MAX(need, body_length(w, b) + (b->ended || b->closed ? 0 : XRAY_METADATA_LENGTH));
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
        xray_put_number(header + 16, size, 8, w->copy.log.big_endian);
    if (!sink_put(out, header, sizeof header))
        return false;
    for (guint i = 0; i < order->len; i++) {
        buffer *b = g_ptr_array_index(order, i);
        if (!put_buffer(w, out, b) || (fixed && !put_padding(w, out, b, size, i + 1 == order->len)))
            return false;
    }
    return true;
}

static bool fdr_finish(void *state, sink *out)
{
    fdr_writer *w = state;
    if (!w->copy.begun)
        return true;
    GPtrArray *order = g_ptr_array_sized_new(w->buffers->len);
    bool good = true;
    for (guint i = 0; good && i < w->buffers->len; i++) {
        buffer *b = g_ptr_array_index(w->buffers, i);
        g_ptr_array_add(order, b);
        good = finish_buffer(w, out, b);
    }
    g_ptr_array_sort(order, compare_origins);
    w->exact = is_exact(w, order);
    for (guint i = 0; good && !w->exact && i < order->len; i++)
        good = complete(w, out, g_ptr_array_index(order, i));
    good = good && (w->exact || add_clock(w, out, order)) && put_log(w, out, order);
    g_ptr_array_free(order, TRUE);
    return good;
}

const write_ops xray_fdr_write = {fdr_begin, fdr_record, fdr_finish, fdr_end};
