/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xray/buffers.h"

#include "xray/layouts.h"

xray_state xray_buffers_read(trace *t, source *file, const stream_range *range, void (*visit)(walk *w, void *data),
                             void *data)
{
    stream *s = stream_new(t->format, 0, "");
    s->sequential = file;
    stream_add_range(s, range);
    walk w;
    walk_init(&w, t, s, false);
    w.checkpoint_at = UINT64_MAX;
    while (walk_next(&w) == STEP_RECORD)
        if (visit)
            visit(&w, data);
    walk_clear(&w);
    stream_free(s);
    return *xray_state_of(&w.state);
}

/* --- buffers that are in the log twice --------------------------------------------------------------------------------- */

/* A digest of the bytes of a range, g_malloc'ed; NULL if they cannot be read. */
static char *digest_of(source *file, const stream_range *range)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    const uint8_t *data;
    uint64_t at = range->begin, end = MIN(range->end, file->size);
    size_t there = 1;
    g_auto(window) w;
    window_init(&w, file);
    w.limit = end;
    for (; at < end && there > 0; at += there) {
        there = window_at(&w, at, (size_t)MIN(end - at, (uint64_t)RECORD_UNKNOWN_MAX), &data);
        g_checksum_update(sum, data, (gssize)there);
    }
    return at >= end && there > 0 ? g_strdup(g_checksum_get_string(sum)) : NULL;
}

static void note_repeat(xray_log *log, uint64_t again, uint64_t first)
{
    if (!log->repeats)
        log->repeats = g_hash_table_new_full(hash_number, g_int64_equal, g_free, g_free);
    g_hash_table_insert(log->repeats, g_memdup2(&again, sizeof again), g_memdup2(&first, sizeof first));
}

/* Compares segments that begin with the same counter; they are in file order. */
static void compare_buffers(xray_log *log, source *file, const xray_segment *segments, guint count)
{
    g_autoptr(GHashTable) seen = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
    for (guint i = 0; i < count; i++) {
        g_autofree char *digest = digest_of(file, &segments[i].range);
        const xray_segment *first = digest ? g_hash_table_lookup(seen, digest) : NULL;
        if (first)
            note_repeat(log, segments[i].range.begin, first->range.begin);
        else if (digest)
            g_hash_table_insert(seen, g_steal_pointer(&digest), (gpointer)&segments[i]);
    }
}

/* If a thread still uses its buffer when the log is written, the runtime writes the last buffer of another thread twice,
 * byte for byte. To find these, only buffers of the same thread with the same first counter are compared. `segments` must
 * be sorted. */
void xray_buffers_find_repeats(xray_log *log, source *file, const GArray *segments)
{
    for (guint from = 0, to; from < segments->len; from = to) {
        const xray_segment *s = &g_array_index(segments, xray_segment, from);
        for (to = from + 1; to < segments->len && s->counted && s->stream; to++) {
            const xray_segment *next = s + (to - from);
            if (!next->counted || next->stream != s->stream ||
                xray_seed_of(&next->range)->tsc != xray_seed_of(&s->range)->tsc)
                break;
        }
        if (to > from + 1)
            compare_buffers(log, file, s, to - from);
    }
}

/* --- threads with the id of one that has ended ------------------------------------------------------------------------- */

enum { ROOM_MIN = 64 }; /* bytes; more is left in a buffer only where its thread has ended, or a large event followed */

/* Returns whether a buffer, or only what it begins with, has events: one may not have fitted the buffer before, and typed
 * ones let a buffer seem shorter than it was (docs/formats/xray.md). */
static bool has_events(const xray_log *log, source *file, const stream_range *range, bool all)
{
    const uint8_t events[] = {xray_metadata_byte(XRAY_CUSTOM_EVENT, log->big_endian),
                              xray_metadata_byte(XRAY_TYPED_EVENT, log->big_endian)};
    g_auto(window) w;
    const uint8_t *data;
    window_init(&w, file);
    for (uint64_t at = range->begin; at < range->end && window_at(&w, at, 1, &data) == 1;) {
        if (*data == events[0] || *data == events[1])
            return true;
        const bool metadata = xray_begins_metadata(*data, log->big_endian);
        if (!metadata && !all)
            return false;
        at += metadata ? XRAY_METADATA_LENGTH : XRAY_FUNCTION_LENGTH;
    }
    return false;
}

/* A thread begins its next buffer when one is full. If it was not, the thread has ended, and the system has given its id to
 * another one. `segments` must be sorted. */
void xray_buffers_find_reused(xray_log *log, source *file, const GArray *segments)
{
    for (guint i = 1; i < segments->len && log->buffer_size; i++) {
        const xray_segment *last = &g_array_index(segments, xray_segment, i - 1), *s = last + 1;
        if (s->stream == 0 || s->stream != last->stream || !last->counted || !s->counted ||
            last->range.end - last->range.begin + ROOM_MIN > log->buffer_size || has_events(log, file, &last->range, true) ||
            has_events(log, file, &s->range, false))
            continue;
        if (!log->reused)
            log->reused = g_hash_table_new_full(hash_number, g_int64_equal, g_free, NULL);
        g_hash_table_add(log->reused, g_memdup2(&s->range.begin, sizeof s->range.begin));
    }
}

/* --- buffers that were overwritten --------------------------------------------------------------------------------- */

/* The runtime's defaults. */
#define RING_SIZE 16384u
#define RING_BUFFERS 100u

static int compare_begins(gconstpointer a, gconstpointer b)
{
    const xray_segment *x = *(xray_segment *const *)a, *y = *(xray_segment *const *)b;
    return (x->range.begin > y->range.begin) - (x->range.begin < y->range.begin);
}

static uint64_t tsc_of(const xray_segment *s)
{
    return xray_seed_of(&s->range)->tsc;
}

/* Returns whether a segment is the last buffer of its thread. The others were released when the next one began. */
static bool is_last(const GArray *segments, const xray_segment *s)
{
    const xray_segment *end = &g_array_index(segments, xray_segment, 0) + segments->len;
    return s + 1 == end || s[1].stream != s->stream;
}

/* The counter at which the oldest buffer of the log was released, if older ones were overwritten; 0: none were. */
static uint64_t oldest_release(const xray_log *log, const GArray *segments, const GPtrArray *by_offset)
{
    uint64_t latest = 0, oldest = UINT64_MAX, first = UINT64_MAX;
    for (guint i = 0; i < by_offset->len; i++) {
        const xray_segment *s = g_ptr_array_index(by_offset, i);
        const uint64_t released = is_last(segments, s) ? UINT64_MAX : tsc_of(s + 1);
        if (released <= latest)
            oldest = MIN(oldest, released);
        first = MIN(first, released);
        latest = MAX(latest, tsc_of(s));
    }
    if (oldest < UINT64_MAX)
        return oldest;
    return log->buffers == RING_BUFFERS && log->buffer_size == RING_SIZE ? first : 0;
}

enum { LATE_MIN = 8 }; /* buffers; threads that only wait in the end look the same, but they are few, or not in turn */

/* Last buffers whose records all precede the beginning of one that precedes them in the file. */
typedef struct late_buffers {
    unsigned count, in_turn, disordered; /* in turn: one of the others had ended before; disordered: it should follow them */
    uint64_t earliest_end, latest_begin;
} late_buffers;

static void add_late(late_buffers *late, uint64_t begin, uint64_t end)
{
    late->count++;
    late->in_turn += begin > late->earliest_end;
    late->disordered += end < late->latest_begin;
    late->earliest_end = MIN(late->earliest_end, end);
    late->latest_begin = MAX(late->latest_begin, begin);
}

/* A thread that ends releases its last buffer, which leaves no record. If the log begins in the middle, and all of its
 * threads were short, there are no other buffers: then those that come last in the file ended one after another, before
 * others that precede them. */
static void find_late(trace *t, xray_log *log, source *file, const GArray *segments, const GPtrArray *by_offset)
{
    late_buffers late = {.earliest_end = UINT64_MAX};
    uint64_t latest = 0;
    for (guint i = 0; i < by_offset->len; i++) {
        const xray_segment *s = g_ptr_array_index(by_offset, i);
        if (tsc_of(s) < latest && is_last(segments, s)) {
            const uint64_t end = xray_buffers_read(t, file, &s->range, NULL, NULL).tsc;
            if (end < latest)
                add_late(&late, tsc_of(s), end);
        }
        latest = MAX(latest, tsc_of(s));
    }
    if (late.count >= LATE_MIN && late.in_turn >= late.count / 2 && late.disordered <= late.count / LATE_MIN)
        log->late = late.count;
}

/* Buffers are in the file in the order in which threads have released them, until the ring has gone round: then newer ones
 * come first, and the oldest are gone. So if a buffer was released before one that precedes it had begun, some were
 * overwritten. If the ring has gone round exactly, it only shows that all of the default number are in use. A thread has
 * lost its first buffers if the first one in the log had begun when the oldest was released; threads that began later are
 * complete. `segments` must be sorted. */
void xray_buffers_find_overwritten(trace *t, xray_log *log, source *file, GArray *segments)
{
    g_autoptr(GPtrArray) by_offset = g_ptr_array_new();
    for (guint i = 0; i < segments->len; i++) {
        xray_segment *s = &g_array_index(segments, xray_segment, i);
        log->buffers += s->stream != 0;
        if (s->stream && s->counted && !(log->repeats && g_hash_table_contains(log->repeats, &s->range.begin)))
            g_ptr_array_add(by_offset, s);
    }
    g_ptr_array_sort(by_offset, compare_begins);
    const uint64_t oldest = oldest_release(log, segments, by_offset);
    for (guint i = 0; i < segments->len && oldest; i++) {
        const xray_segment *s = &g_array_index(segments, xray_segment, i);
        if (s->stream == 0 || (i > 0 && s[-1].stream == s->stream) || tsc_of(s) > oldest)
            continue;
        log->overwritten++;
        xray_context_of(&trace_stream(t, s->stream)->base)->flags = XRAY_OVERWRITTEN;
    }
    xray_context_of(&trace_stream(t, 0)->base)->flags = log->overwritten ? XRAY_OVERWRITTEN : 0;
    if (!oldest)
        find_late(t, log, file, segments, by_offset);
}
