/* SPDX-License-Identifier: GPL-2.0-or-later */
/* XRay profiles: recognition and framing (docs/formats/xray.md, "Profiles"). A file header, then blocks of one thread each
 * with the paths of calls and their sums, in the order of the file. All records have the time of the header. */
#include "util/fail.h"
#include "xray/layouts.h"

#define PROFILE_MAGIC UINT64_C(0x7872617970726f66)
#define NANOSECONDS 1000000000u

static uint64_t profile_value(const cursor *c, enum xray_field field)
{
    return xray_value(c, XRAY_LAYOUT_PROFILE_HEADER, field);
}

bool xray_profile_header(xray_log *log, const uint8_t *head, size_t length)
{
    for (int big = 0; big <= 1; big++) {
        const cursor c = {head, length, big};
        if (!cursor_has(&c, 0, XRAY_HEADER_LENGTH) || profile_value(&c, XRAY_FIELD_PROFILE_MAGIC) != PROFILE_MAGIC)
            continue;
        const uint64_t started = profile_value(&c, XRAY_FIELD_PROFILE_STARTED);
        *log = (xray_log){.type = XRAY_TYPE_PROFILE,
                          .big_endian = big,
                          .profile_version = profile_value(&c, XRAY_FIELD_PROFILE_VERSION),
                          .frequency = xray_chosen_frequency(&xray_profile_frequency_setting),
                          .process = (uint32_t)xray_value(
                              &c, big ? XRAY_LAYOUT_PROFILE_HEADER_BE : XRAY_LAYOUT_PROFILE_HEADER_LE, XRAY_FIELD_PROCESS),
                          .base_seconds = (int64_t)(started / NANOSECONDS),
                          .base_nanoseconds = (int32_t)(started % NANOSECONDS)};
        return true;
    }
    return false;
}

bool xray_profile_probe(const probe *p)
{
    xray_log log;
    return xray_profile_header(&log, p->head, p->length);
}

void xray_profile_comment(const xray_log *log, GString *comment)
{
    g_string_append(comment,
                    "A profile: sums of calls by path. Times are calendar dates, and all are that of its beginning. ");
    if (log->frequency)
        g_string_append_printf(comment, "Sums are those of a counter at %" G_GUINT64_FORMAT " ticks per second.",
                               log->frequency);
    else
        g_string_append(comment, "Sums are ticks of a counter whose speed the file does not have (xray.profile_frequency).");
}

/* LLVM's runtime (14 to 22) does not write which of its limits were reached. These are what its defaults leave room for: the
 * paths of a thread, and blocks. */
#define DEFAULT_PATHS 85u
#define DEFAULT_BLOCKS 32u

void xray_profile_missing(const xray_log *log, GString *text)
{
    if (log->full_blocks)
        g_string_append_printf(
            text,
            " Calls may be missing: the profile has %u paths of %u %s, as many as LLVM's runtime keeps by default. "
            "Set a larger per_thread_allocator_max.",
            DEFAULT_PATHS, log->full_blocks, log->full_blocks == 1 ? "thread" : "threads");
    if (log->buffers == DEFAULT_BLOCKS)
        g_string_append_printf(
            text,
            " Threads may be missing: the profile has %u blocks, as many as LLVM's runtime keeps by default. Set a "
            "larger buffers_max.",
            DEFAULT_BLOCKS);
}

void xray_profile_time(walk *w)
{
    const xray_log *log = w->trace->detail;
    w->record.seconds = log->base_seconds;
    w->record.nanoseconds = log->base_nanoseconds;
}

/* --- framing ----------------------------------------------------------------------------------------------------------- */

static step_result give(walk *w, uint8_t kind, uint64_t length, fault f, uint64_t value)
{
    const xray_state *s = xray_state_of(&w->state);
    record *r = walk_begin_record(w, kind, length);
    xray_context *x = xray_context_of(&r->context);
    r->phase = kind == XRAY_HEADER ? 0 : 1;
    r->order = w->state.offset; /* threads stay in the order of the file */
    x->thread = s->thread;
    x->buffer = s->buffer;
    x->known = (uint8_t)((x->known & XRAY_KNOWN_PROCESS) | (s->known & XRAY_KNOWN_THREAD));
    if (f == FAULT_CUT_BY_FILE)
        r->context.flags |= CONTEXT_TRUNCATED;
    if (f != FAULT_NONE)
        record_set_fault(r, f, value, 0);
    return STEP_RECORD;
}

typedef struct block_head {
    uint64_t size, thread;
    uint32_t number;
} block_head;

static block_head read_block(const cursor *c)
{
    const uint64_t high = cursor_uint(c, c->big_endian ? 8 : 12, 4);
    const enum xray_layout_id lead = c->big_endian ? XRAY_LAYOUT_PROFILE_BLOCK_BE : XRAY_LAYOUT_PROFILE_BLOCK_LE;
    return (block_head){.size = xray_value(c, XRAY_LAYOUT_PROFILE_BLOCK, XRAY_FIELD_PROFILE_SIZE),
                        .number = (uint32_t)xray_value(c, XRAY_LAYOUT_PROFILE_BLOCK, XRAY_FIELD_PROFILE_BLOCK),
                        .thread = high << 32 | xray_value(c, lead, XRAY_FIELD_THREAD)};
}

static bool is_block(const block_head *b)
{
    return b->size >= XRAY_METADATA_LENGTH && b->size % 4 == 0 && b->thread <= UINT32_MAX;
}

static bool begins_block(const cursor *c, size_t at, uint32_t number)
{
    const cursor rest = {c->data + at, c->length - at, c->big_endian};
    const block_head b = read_block(&rest);
    return rest.length >= XRAY_METADATA_LENGTH && is_block(&b) && b.thread != 0 && b.number == number;
}

/* The end of the path at `at`; 0: it does not end within the bytes. */
static size_t path_end(const cursor *c, size_t at)
{
    while (cursor_has(c, at, 4) && cursor_uint(c, at, 4))
        at += 4;
    return cursor_has(c, at, XRAY_PATH_LENGTH_MIN) ? at + XRAY_PATH_LENGTH_MIN : 0;
}

/* Returns whether the size of the block at the walk's offset leads to the next block; or to any block or the end of the
 * file, while paths fill it exactly. Larger blocks than a window holds need only be in the file; runtimes write at most a
 * few hundred KiB. */
static bool block_fits(walk *w, const block_head *b, bool big_endian)
{
    if (!is_block(b))
        return false;
    if (b->size > RECORD_FRAME_MAX)
        return window_available(&w->window, w->state.offset, b->size) == b->size;
    cursor c = {.big_endian = big_endian};
    c.length = window_at(&w->window, w->state.offset, (size_t)b->size + XRAY_METADATA_LENGTH, &c.data);
    if (c.length < b->size)
        return false;
    if (begins_block(&c, (size_t)b->size, b->number + 1))
        return true;
    const cursor next = {c.data + b->size, c.length - (size_t)b->size, big_endian};
    const block_head after = read_block(&next);
    if (next.length == XRAY_METADATA_LENGTH && !is_block(&after))
        return false;
    size_t at = XRAY_METADATA_LENGTH;
    for (c.length = (size_t)b->size; at && at < c.length;)
        at = path_end(&c, at);
    return at != 0;
}

/* Without a size to rely on, returns whether the block that is due begins here. */
static bool is_next_block(walk *w, bool big_endian)
{
    cursor c = {.big_endian = big_endian};
    c.length = window_at(&w->window, w->state.offset, XRAY_METADATA_LENGTH, &c.data);
    return begins_block(&c, 0, xray_state_of(&w->state)->argument_index);
}

/* No more bytes are looked at in vain than are before the offset, and a window. */
static bool block_is_tried(walk *w)
{
    return xray_state_of(&w->state)->tsc <= w->state.offset + RECORD_FRAME_MAX;
}

static step_result step_block(walk *w, bool big_endian)
{
    xray_state *s = xray_state_of(&w->state);
    cursor c = {.big_endian = big_endian};
    c.length = window_at(&w->window, w->state.offset, XRAY_METADATA_LENGTH, &c.data);
    if (c.length < XRAY_METADATA_LENGTH)
        return c.length == 0 ? STEP_END : give(w, KIND_CUT, c.length, FAULT_CUT_BY_FILE, 0);
    const block_head b = read_block(&c);
    const bool fits = block_is_tried(w) && block_fits(w, &b, big_endian);
    s->tsc += fits || s->tsc == UINT64_MAX ? 0 : MIN(b.size, (uint64_t)RECORD_FRAME_MAX);
    s->buffer = w->state.offset;
    s->buffer_end = fits ? w->state.offset + b.size : UINT64_MAX;
    s->skipping = !fits;
    s->argument_index = b.number + 1;
    s->thread = (uint32_t)b.thread;
    s->known |= XRAY_KNOWN_THREAD;
    return give(w, XRAY_PROFILE_BLOCK, XRAY_METADATA_LENGTH, fits ? FAULT_NONE : FAULT_XRAY_BLOCK_SIZE, b.size);
}

bool xray_profile_is_full(walk *w)
{
    const xray_state *s = xray_state_of(&w->state);
    const uint64_t size = s->buffer_end - w->state.offset, most = DEFAULT_PATHS * (XRAY_PATH_LENGTH_MIN + 4 * DEFAULT_PATHS);
    if (s->skipping || size < DEFAULT_PATHS * XRAY_PATH_LENGTH_MIN || size > most)
        return false;
    cursor c = {.big_endian = ((const xray_log *)w->trace->detail)->big_endian};
    c.length = window_at(&w->window, w->state.offset, (size_t)size, &c.data);
    unsigned paths = 0;
    for (size_t at = 0; at < c.length && (at = path_end(&c, at)) != 0;)
        paths++;
    return paths == DEFAULT_PATHS;
}

/* Looks for the end of the path in at most `most` bytes. *length: of the path; 0 if it does not end there. Returns how many
 * bytes there are. */
static size_t find_path_end(walk *w, size_t most, bool big_endian, size_t *length)
{
    size_t there = 0;
    *length = 0;
    for (size_t want = MIN(most, (size_t)4096); there < most; want = MIN(most, want * 2)) {
        cursor c = {.big_endian = big_endian};
        c.length = there = window_at(&w->window, w->state.offset, want, &c.data);
        *length = path_end(&c, 0);
        if (*length || there < want)
            break;
    }
    return there;
}

static step_result step_path(walk *w, bool big_endian)
{
    const uint64_t room = xray_state_of(&w->state)->buffer_end - w->state.offset;
    const size_t most = (size_t)MIN(room, (uint64_t)RECORD_FRAME_MAX);
    size_t length, there = find_path_end(w, most, big_endian, &length);
    if (there == 0)
        return STEP_END;
    if (length)
        return give(w, XRAY_PROFILE_PATH, length, length == XRAY_PATH_LENGTH_MIN ? FAULT_XRAY_EMPTY_PATH : FAULT_NONE, 0);
    if (there < most)
        return give(w, KIND_CUT, there, FAULT_CUT_BY_FILE, 0);
    if (there == room)
        return give(w, KIND_CUT, there, FAULT_XRAY_CUT_BY_BUFFER, there);
    return give(w, KIND_UNKNOWN, MIN(there, (size_t)RECORD_UNKNOWN_MAX), FAULT_SKIPPED, 0);
}

step_result xray_profile_step(walk *w)
{
    const bool big_endian = ((const xray_log *)w->trace->detail)->big_endian;
    const xray_state *s = xray_state_of(&w->state);
    if (w->state.offset == 0)
        return give(w, XRAY_HEADER, XRAY_HEADER_LENGTH, FAULT_NONE, 0);
    if (w->state.offset >= s->buffer_end || (s->skipping && is_next_block(w, big_endian)))
        return step_block(w, big_endian);
    return step_path(w, big_endian);
}
