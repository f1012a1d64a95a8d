/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening an XRay log: finds out which parts of the file belong to which thread, their order, and the clock
 * (docs/formats/xray.md, "Order"). The step that reads records is used here as well. Buffers are skipped if another one
 * begins exactly at the end of their extents, so for a file of 1 GB only the preambles are read. */
#include "xray/buffers.h"
#include "xray/layouts.h"

#include <stdlib.h>

#include "containers/hash.h"
#include "util/fail.h"
#include "util/text.h"

/* The maximum number of streams; any further threads share the last one. Stream 0 is the file itself: its header and
 * unknown bytes. */
#define STREAMS_MAX (TRACE_INTERFACES_MAX - 1)

typedef struct indexer {
    trace *t;
    xray_log *log;
    GArray *segments;    /* of xray_segment */
    GHashTable *streams; /* xray_thread_key() -> stream number */
    GArray *last_tsc;    /* basic mode: the last counter of each stream */
    uint64_t tsc;        /* of the last record in file order */
    xray_preamble first; /* the best one for the clock, see xray_clock_prefers() */
    bool any;
    uint64_t next_buffer; /* version 1: offset of the next buffer */
    uint64_t searched;    /* up to this offset no buffer begins inside one that was too long */
} indexer;

/* A number as part of a stream name, or "?". */
static char *name_part(bool known, uint32_t value)
{
    return known ? g_strdup_printf("%u", value) : g_strdup("?");
}

/* Notes a process that has written buffers or records. */
static void note_process(xray_log *log, uint32_t process)
{
    if (log->type == XRAY_TYPE_PROFILE)
        return;
    if (!log->writers.known)
        log->writers.first = process;
    else if (process != log->writers.first)
        log->writers.other = process;
    log->writers.known = true;
}

/* The number of a thread's stream, which is created on first use. */
static uint32_t xray_index_stream_of(indexer *x, uint8_t known, uint32_t process, uint32_t thread)
{
    const hash_pair key = xray_thread_key(known, process, thread);
    gpointer found;
    if (g_hash_table_lookup_extended(x->streams, &key, NULL, &found))
        return GPOINTER_TO_UINT(found);
    if (x->t->streams->len >= STREAMS_MAX) {
        x->log->too_many_threads = true;
        return STREAMS_MAX - 1;
    }
    if (known & XRAY_KNOWN_PROCESS)
        note_process(x->log, process);
    g_autofree char *first = name_part(known & XRAY_KNOWN_PROCESS, process);
    g_autofree char *second = name_part(known & XRAY_KNOWN_THREAD, thread);
    g_autofree char *name = g_strconcat(first, "/", second, NULL);
    uint32_t number = trace_add_stream(x->t, name)->number;
    g_hash_table_insert(x->streams, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(number));
    return number;
}

static xray_segment *last_segment(indexer *x)
{
    return x->segments->len ? &g_array_index(x->segments, xray_segment, x->segments->len - 1) : NULL;
}

static void begin_segment(indexer *x, uint32_t number, uint64_t begin, uint64_t tsc, bool counted)
{
    xray_segment *before = last_segment(x);
    if (before)
        before->range.end = begin;
    xray_segment s = {.range = {.begin = begin, .end = UINT64_MAX}, .stream = number, .counted = counted};
    xray_seed_of(&s.range)->tsc = tsc;
    xray_seed_of(&s.range)->counted = counted;
    g_array_append_val(x->segments, s);
}

/* Begins a segment that belongs to the file; adjacent ones are joined. */
static void file_segment(indexer *x, uint64_t begin)
{
    xray_segment *before = last_segment(x);
    if (!before || before->stream != 0)
        begin_segment(x, 0, begin, x->tsc, false);
}

/* The wall-clock marker in microseconds; 0 if there is none that can be used. */
static uint64_t wall_of(const xray_preamble *p)
{
    return p->wall && p->wall_seconds <= XRAY_WALL_MAX ? p->wall_seconds * 1000000 + p->wall_microseconds : 0;
}

static void buffer_segment(indexer *x, uint64_t begin, const xray_preamble *p)
{
    bool counted = p->known & XRAY_KNOWN_TSC;
    if (!(p->known & XRAY_KNOWN_THREAD) && !counted) { /* an empty buffer: nothing says whose it is */
        file_segment(x, begin);
        return;
    }
    begin_segment(x, xray_index_stream_of(x, p->known, p->process, p->thread), begin, counted ? p->tsc : x->tsc, counted);
    last_segment(x)->wall = counted ? 0 : wall_of(p);
    if (!x->any ? counted : xray_clock_prefers(&x->first, p)) {
        x->first = *p;
        x->any = true;
    }
}

/* Returns whether the rest of a buffer can be skipped: the next buffer, or the end of the file, is exactly at the end of its
 * extents, and they are not larger than a buffer. */
static bool can_hop(walk *w, const indexer *x, uint64_t end)
{
    const uint8_t *data;
    if (x->log->version < 2)
        return end < w->window.source->size;
    if (end == w->window.source->size)
        return true;
    if (end > w->window.source->size || end - w->state.offset > x->log->buffer_size)
        return false;
    g_auto(window) at;
    window_init(&at, w->window.source);
    at.limit = end + 1;
    return window_at(&at, end, 1, &data) == 1 && data[0] == xray_metadata_byte(XRAY_BUFFER_EXTENTS, x->log->big_endian);
}

/* Returns whether a buffer begins at `at` with the records that all runtimes write. */
static bool buffer_begins(const xray_log *log, const cursor *c, size_t at)
{
    static const uint8_t kinds[] = {XRAY_BUFFER_EXTENTS, XRAY_NEW_BUFFER, XRAY_WALL_CLOCK};
    for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++, at += XRAY_METADATA_LENGTH) {
        if (!cursor_has(c, at, 1) || c->data[at] != xray_metadata_byte(kinds[i], log->big_endian))
            return false;
    }
    return true;
}

/* If bytes are missing from a buffer, its extents reach into the next one, which would be lost as well. So if no buffer
 * begins at the end of the extents, the buffer is ended where another one begins inside. Nested buffers are searched only
 * once. */
static void shorten_buffer(walk *w, indexer *x)
{
    uint64_t begin = w->record.context.offset + XRAY_METADATA_LENGTH, end = xray_state_of(&w->state)->buffer_end;
    if (x->log->version < 2 || end >= w->window.source->size || end - begin > RECORD_UNKNOWN_MAX)
        return;
    g_auto(window) own;
    cursor c = {.big_endian = x->log->big_endian};
    uint64_t from = MIN(MAX(begin, x->searched), end);
    size_t length = (size_t)(end - from);
    window_init(&own, w->window.source);
    own.limit = end + 3 * XRAY_METADATA_LENGTH;
    c.length = window_at(&own, from, length + 3 * XRAY_METADATA_LENGTH, &c.data);
    if (!cursor_has(&c, length, 1) || c.data[length] != xray_metadata_byte(XRAY_BUFFER_EXTENTS, c.big_endian)) {
        size_t at = 0;
        while (at < length && !buffer_begins(x->log, &c, at))
            at++;
        xray_state_of(&w->state)->buffer_end = from + at;
        x->searched = MAX(x->searched, from + at);
    }
    window_clear(&own);
}

static void index_block(walk *w, indexer *x)
{
    const xray_state *s = xray_state_of(&w->state);
    begin_segment(x, xray_index_stream_of(x, s->known | XRAY_KNOWN_PROCESS, x->log->process, s->thread),
                  w->record.context.offset, s->skipping ? UINT64_MAX : 0, false);
    x->log->buffers++;
    x->log->full_blocks += xray_profile_is_full(w);
    if (!s->skipping)
        w->state.offset = s->buffer_end;
}

/* `first`: the offset of the record that begins its preamble. */
static void index_buffer(walk *w, indexer *x, uint64_t first)
{
    const record_context *c = &w->record.context;
    const xray_state *s = xray_state_of(&w->state);
    xray_preamble p;
    x->log->missing = xray_context_of(c)->about_buffer;
    xray_preamble_read(&w->window, x->log, first, s->buffer_end, &p);
    buffer_segment(x, c->offset, &p);
    bool hop = can_hop(w, x, s->buffer_end);
    if (!hop)
        shorten_buffer(w, x);
    x->next_buffer = s->buffer_end;
    if (!(p.known & XRAY_KNOWN_TSC))
        return;
    x->tsc = p.tsc;
    if (hop)
        w->state.offset = s->buffer_end;
}

static void index_record(walk *w, void *data)
{
    indexer *x = data;
    const record_context *c = &w->record.context;
    const xray_state *s = xray_state_of(&w->state);
    const bool fixed = x->log->version < 2; /* buffers have one size */
    if (c->kind == XRAY_PROFILE_BLOCK)
        index_block(w, x);
    if (x->log->type == XRAY_TYPE_PROFILE)
        return;
    if (fixed && c->offset >= x->next_buffer)
        index_buffer(w, x, c->offset);
    else if (!fixed && c->kind == XRAY_BUFFER_EXTENTS)
        index_buffer(w, x, c->offset + XRAY_METADATA_LENGTH);
    else if (c->offset >= s->buffer_end)
        file_segment(x, c->offset);
    else if (xray_context_of(c)->known & XRAY_KNOWN_TSC)
        x->tsc = w->record.order;
}

static int compare_segments(const void *a, const void *b)
{
    const xray_segment *x = a, *y = b;
    if (x->stream != y->stream)
        return x->stream < y->stream ? -1 : 1;
    if (xray_seed_of(&x->range)->tsc != xray_seed_of(&y->range)->tsc)
        return xray_seed_of(&x->range)->tsc < xray_seed_of(&y->range)->tsc ? -1 : 1;
    return x->range.begin < y->range.begin ? -1 : 1;
}

static int compare_file_order(const void *a, const void *b)
{
    const xray_segment *x = a, *y = b;
    if (x->stream != y->stream)
        return x->stream < y->stream ? -1 : 1;
    return x->range.begin < y->range.begin ? -1 : 1;
}

/* Runtimes of version 1 omitted the CPU record in later buffers if the thread stayed on its CPU: the counter continues
 * from the thread's previous buffer. */
static void carry_counters(trace *t, source *file, GArray *segments)
{
    for (guint i = 1; i < segments->len; i++) {
        xray_segment *s = &g_array_index(segments, xray_segment, i);
        const xray_segment *before = s - 1;
        if (s->counted || s->stream == 0 || before->stream != s->stream)
            continue;
        xray_state state = xray_buffers_read(t, file, &before->range, NULL, NULL);
        xray_seed_of(&s->range)->tsc = state.tsc;
        xray_seed_of(&s->range)->cpu = state.cpu;
        xray_seed_of(&s->range)->known = state.known & (XRAY_KNOWN_TSC | XRAY_KNOWN_CPU);
    }
}

/* Gives the segments to their streams. Also sets the lowest merge key of each stream, if it is known: the first record of
 * a thread has the time of its buffer or its own. */
static void hand_over(trace *t, const xray_log *log, GArray *segments)
{
    for (guint i = 0; i < segments->len; i++) {
        const xray_segment *s = &g_array_index(segments, xray_segment, i);
        stream *to = trace_stream(t, s->stream);
        if (to->ranges->len == 0 && s->stream && (log->type == XRAY_TYPE_BASIC || log->version >= 2)) {
            to->first_phase = 1;
            to->first_order = log->type == XRAY_TYPE_BASIC ? s->first : xray_seed_of(&s->range)->tsc;
        }
        stream_add_range(to, &s->range);
    }
}

/* Estimates the counters of buffers that have none from their wall-clock markers. */
static void estimate_counters(indexer *x)
{
    double wall = (double)wall_of(&x->first), frequency = (double)x->log->frequency;
    for (guint i = 0; i < x->segments->len; i++) {
        xray_segment *s = &g_array_index(x->segments, xray_segment, i);
        double tsc = (double)x->first.tsc + ((double)s->wall - wall) / 1e6 * frequency;
        if (s->wall && wall > 0 && frequency > 0 && tsc > 0 && tsc < 1.8e19)
            xray_seed_of(&s->range)->tsc = (uint64_t)tsc;
    }
}

/* Segments before the first counter of the file get the time of its header. */
static void time_beginning(indexer *x)
{
    for (guint i = 0; i < x->segments->len; i++) {
        xray_segment *s = &g_array_index(x->segments, xray_segment, i);
        if (!s->counted && xray_seed_of(&s->range)->tsc == 0)
            xray_seed_of(&s->range)->tsc = x->first.tsc;
    }
}

/* --- who wrote it, and what is missing -----------------------------------------------------------------------------------
 */

/* Smaller numbers at the end of a name are rather those of copies. */
#define PROCESS_IN_NAME_MIN 100u

/* The process that a log is named after, xray-log.NAME.PID or, of several logs of one process, xray-log.NAME.PID.N; 0: none,
 * or one of these numbers is `process`. */
static uint32_t process_in_name(const char *path, uint32_t process)
{
    g_autofree char *base = g_path_get_basename(path), *name = text_unpacked(base);
    uint32_t found = 0;
    for (char *dot; g_str_has_prefix(name, "xray-log.") && (dot = strrchr(name, '.')); *dot = '\0') {
        guint64 number;
        if (!g_ascii_string_to_unsigned(dot + 1, 10, 1, UINT32_MAX, &number, NULL))
            break;
        if (number == process)
            return 0;
        found = !found && number >= PROCESS_IN_NAME_MIN ? (uint32_t)number : found;
    }
    return found;
}

/* A child of fork has the buffers of its parent, and writes them into its own log, too. And a thread may have the id of
 * another one. */
void xray_writers_append(const xray_log *log, GString *text)
{
    const xray_writers *w = &log->writers;
    if (w->other)
        g_string_append_printf(
            text,
            " This log has buffers of several processes, such as %u and %u: a child of fork also writes what it "
            "has inherited. What was before the fork is in the log of its parent, too.",
            w->first, w->other);
    else if (w->named)
        g_string_append_printf(
            text,
            " All buffers of this log are of process %u, but it is named after process %u. If that is a child of "
            "fork, it has written what it inherited, and all of it with the ids of its parent.",
            w->first, w->named);
    if (log->reused)
        g_string_append_printf(
            text, " Threads have the ids of others that had ended (%u buffers): calls that were open then never end.",
            g_hash_table_size(log->reused));
}

void xray_missing_append(const xray_log *log, GString *text)
{
    if (log->type == XRAY_TYPE_PROFILE)
        xray_profile_missing(log, text);
    if (log->overwritten)
        g_string_append_printf(text,
                               " The log begins in the middle: its %u buffers of %" G_GUINT64_FORMAT
                               " bytes were too few, so the oldest records of %u %s were overwritten. Depths, and calls "
                               "from before, are unknown. Set a larger buffer_max or buffer_size.",
                               log->buffers, log->buffer_size, log->overwritten,
                               log->overwritten == 1 ? "thread" : "threads");
    if (log->late)
        g_string_append_printf(
            text,
            " The log seems to begin in the middle: %u of its %u buffers are of threads that ended before "
            "others whose buffers precede theirs. Whole threads from before are then missing. Set a larger "
            "buffer_max.",
            log->late, log->buffers);
}

static void set_streams(trace *t, const trace_input *in, const xray_log *log)
{
    for (uint32_t i = 0; i < t->streams->len; i++) {
        stream *s = trace_stream(t, i);
        s->sequential = in->sequential;
        s->random = in->random;
        s->base.flags = log->big_endian ? CONTEXT_BIG_ENDIAN : 0;
        *xray_context_of(&s->base) = (xray_context){.version = log->version,
                                                    .type = log->type,
                                                    .known = log->type == XRAY_TYPE_PROFILE ? XRAY_KNOWN_PROCESS : 0,
                                                    .process = log->process,
                                                    .frequency = log->frequency,
                                                    .buffer_size = log->buffer_size,
                                                    .flags = (uint8_t)(log->flags | xray_context_of(&s->base)->flags),
                                                    .base_tsc = log->base_tsc,
                                                    .base_seconds = log->base_seconds,
                                                    .base_nanoseconds = log->base_nanoseconds};
    }
}

/* Reads the header and makes stream 0. */
static xray_log *open_log(trace *t, const trace_input *in, uint16_t type, GError **error)
{
    xray_log *log = g_new0(xray_log, 1);
    const uint8_t *head;
    g_auto(window) w;
    window_init(&w, in->sequential);
    w.limit = XRAY_HEADER_LENGTH;
    size_t there = window_at(&w, 0, XRAY_HEADER_LENGTH, &head);
    t->detail = log;
    if (!xray_header_read(log, head, there, type))
        return xray_header_unknown(log, head, there, type)
                   ? fail_null(error, "version %u of XRay logs is not known", log->version)
                   : fail_null(error, "the file header of the log cannot be read");
    if (type == XRAY_TYPE_PROFILE && log->profile_version != XRAY_PROFILE_VERSION)
        return fail_null(error, "version 0x%" G_GINT64_MODIFIER "x of XRay profiles is not known", log->profile_version);
    log->in_file_order = !in->seekable;
    stream *file = trace_add_stream(t, "file");
    file->framing = true;
    file->description = g_strdup(in->path ? in->path : "standard input");
    return log;
}

static indexer *indexer_new(trace *t, xray_log *log)
{
    indexer *x = g_new0(indexer, 1);
    x->t = t;
    x->log = log;
    x->segments = g_array_new(FALSE, FALSE, sizeof(xray_segment));
    x->streams = g_hash_table_new_full(hash_pair_of, hash_pair_equal, g_free, NULL);
    x->last_tsc = g_array_new(FALSE, TRUE, sizeof(uint64_t));
    x->next_buffer = XRAY_HEADER_LENGTH;
    return x;
}

static void indexer_free(indexer *x)
{
    g_array_free(x->segments, TRUE);
    g_hash_table_destroy(x->streams);
    g_array_free(x->last_tsc, TRUE);
    g_free(x);
}

/* Input that cannot seek: one stream in file order; the clock is that of the first buffer or record. */
static void open_in_file_order(trace *t, const trace_input *in, xray_log *log)
{
    stream_range all = {.begin = 0, .end = UINT64_MAX};
    const uint8_t *data;
    stream_add_range(trace_stream(t, 0), &all);
    if (log->type == XRAY_TYPE_PROFILE)
        return;
    g_auto(window) w;
    window_init(&w, in->sequential);
    w.limit = PROBE_LENGTH / 8; /* was read to recognise the file, so it is still available */
    size_t there = window_at(&w, 0, PROBE_LENGTH / 8, &data);
    if (log->type == XRAY_TYPE_FDR) {
        xray_preamble p;
        uint64_t first = XRAY_HEADER_LENGTH + (log->version >= 2 ? XRAY_METADATA_LENGTH : 0);
        xray_preamble_read(&w, log, first, there > first ? there : first, &p);
        xray_clock_set(log, p.wall && p.known & XRAY_KNOWN_TSC, p.tsc, p.wall_seconds, p.wall_microseconds);
    } else {
        cursor c = {data, there, log->big_endian};
        uint64_t tsc = xray_value_at(&c, XRAY_HEADER_LENGTH, XRAY_LAYOUT_BASIC_FUNCTION_V1, XRAY_FIELD_TSC);
        xray_clock_set(log, false, tsc, 0, 0);
    }
}

static void index_fdr(trace *t, const trace_input *in, indexer *x)
{
    xray_buffers_read(t, in->sequential, &(stream_range){.begin = XRAY_HEADER_LENGTH, .end = UINT64_MAX}, index_record, x);
    xray_clock_set(x->log, x->first.wall, x->first.tsc, x->first.wall_seconds, x->first.wall_microseconds);
    estimate_counters(x);
    time_beginning(x);
    g_array_sort(x->segments, compare_segments);
    xray_buffers_find_repeats(x->log, in->sequential, x->segments);
    xray_buffers_find_overwritten(t, x->log, in->sequential, x->segments);
    xray_buffers_find_reused(x->log, in->sequential, x->segments);
    if (x->log->version == 1)
        carry_counters(t, in->sequential, x->segments);
}

static void index_profile(trace *t, const trace_input *in, indexer *x)
{
    xray_buffers_read(t, in->sequential, &(stream_range){.begin = XRAY_HEADER_LENGTH, .end = UINT64_MAX}, index_record, x);
    g_array_sort(x->segments, compare_file_order);
}

/* Basic mode: consecutive records of one thread. Each thread appends in its own order, so file order is kept within a
 * thread. These records are not read with the step, as gigabytes of them may be indexed before the first is shown. */
typedef struct run {
    xray_basic_record first; /* identifies the thread */
    uint64_t offset, last_tsc;
    bool counted; /* last_tsc is valid */
} run;

static void xray_index_end_run(indexer *x, const run *r)
{
    const xray_basic_record *f = &r->first;
    uint32_t number = f->kind == KIND_UNKNOWN ? 0 : xray_index_stream_of(x, f->known, f->process, f->thread);
    if (x->last_tsc->len < x->t->streams->len)
        g_array_set_size(x->last_tsc, x->t->streams->len);
    uint64_t *last = &g_array_index(x->last_tsc, uint64_t, number);
    if (last_segment(x)->stream != number) {
        begin_segment(x, number, r->offset, number && *last ? *last : x->tsc, false);
        last_segment(x)->first = f->tsc;
    }
    if (r->counted)
        *last = x->tsc = r->last_tsc;
}

static bool same_thread(const xray_basic_record *a, const xray_basic_record *b)
{
    return a->thread == b->thread && a->process == b->process && (a->kind == KIND_UNKNOWN) == (b->kind == KIND_UNKNOWN);
}

static void index_basic_block(indexer *x, run *r, uint64_t offset, const uint8_t *data, size_t length)
{
    for (; length > 0; offset += XRAY_BASIC_LENGTH, data += XRAY_BASIC_LENGTH, length -= XRAY_BASIC_LENGTH) {
        xray_basic_record one;
        cursor c = {data, MIN(length, (size_t)XRAY_BASIC_LENGTH), x->log->big_endian};
        xray_basic_read(x->log, &c, &one);
        if (r->offset == 0 || !same_thread(&one, &r->first)) {
            if (r->offset)
                xray_index_end_run(x, r);
            *r = (run){.first = one, .offset = offset};
        }
        if (xray_is_function(one.kind)) {
            r->counted = true;
            r->last_tsc = one.tsc;
            if (!x->any || one.tsc < x->first.tsc)
                x->first.tsc = one.tsc;
            x->any = true;
        }
        if (length < XRAY_BASIC_LENGTH)
            break;
    }
}

static void index_basic(trace *t, const trace_input *in, indexer *x)
{
    enum { BLOCK = 8192 * XRAY_BASIC_LENGTH };
    const uint8_t *data;
    run r = {.offset = 0};
    g_auto(window) w;
    (void)t;
    window_init(&w, in->sequential);
    for (uint64_t offset = XRAY_HEADER_LENGTH;; offset += BLOCK) {
        size_t there = window_at(&w, offset, BLOCK, &data);
        index_basic_block(x, &r, offset, data, there);
        if (there < BLOCK)
            break;
    }
    if (r.offset)
        xray_index_end_run(x, &r);
    xray_clock_set(x->log, false, x->first.tsc, 0, 0);
    time_beginning(x);
    g_array_sort(x->segments, compare_file_order);
}

static bool open_xray(trace *t, const trace_input *in, uint16_t type, GError **error)
{
    xray_log *log = open_log(t, in, type, error);
    if (!log)
        return false;
    if (in->seekable) {
        indexer *x = indexer_new(t, log);
        file_segment(x, 0);
        (type == XRAY_TYPE_FDR ? index_fdr : type == XRAY_TYPE_BASIC ? index_basic : index_profile)(t, in, x);
        hand_over(t, log, x->segments);
        indexer_free(x);
    } else {
        open_in_file_order(t, in, log);
    }
    if (in->path && log->writers.known)
        log->writers.named = process_in_name(in->path, log->writers.first);
    set_streams(t, in, log);
    (type == XRAY_TYPE_PROFILE ? xray_profile_comment : xray_clock_comment)(log, t->comment);
    xray_missing_append(log, t->comment);
    xray_missing_append(log, t->warnings);
    xray_writers_append(log, t->comment);
    xray_writers_append(log, t->warnings);
    return true;
}

bool xray_fdr_open(trace *t, const trace_input *in, GError **error)
{
    return open_xray(t, in, XRAY_TYPE_FDR, error);
}

bool xray_basic_open(trace *t, const trace_input *in, GError **error)
{
    return open_xray(t, in, XRAY_TYPE_BASIC, error);
}

bool xray_profile_open(trace *t, const trace_input *in, GError **error)
{
    return open_xray(t, in, XRAY_TYPE_PROFILE, error);
}

bool xray_range_begins(const trace *t, const stream_range *range, int64_t *seconds, int32_t *nanoseconds)
{
    const xray_seed *seed = xray_seed_of(range);
    if (seed->counted)
        xray_clock_time(t->detail, seed->tsc, seconds, nanoseconds);
    return seed->counted;
}

void xray_close(trace *t)
{
    xray_log *log = t->detail;
    if (log && log->repeats)
        g_hash_table_destroy(log->repeats);
    if (log && log->reused)
        g_hash_table_destroy(log->reused);
    g_free(log);
}
