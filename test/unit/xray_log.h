/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds XRay logs in memory, record by record, in either byte order. */
#ifndef TEST_XRAY_LOG_H
#define TEST_XRAY_LOG_H

#include <glib.h>
#include <string.h>

#include "core/formats.h"
#include "made_bytes.h"
#include "xray/xray.h"

typedef struct builder {
    GByteArray *bytes;
    bool big;
} builder;

static inline void put(builder *b, uint64_t value, unsigned width)
{
    put_number(b->bytes, value, width, b->big);
}

static inline void put_garbage(builder *b, unsigned n)
{
    put_repeated(b->bytes, 0xaa, n);
}

/* A file header; with frequency 10^9 ticks are nanoseconds. */
static inline builder log_begin(uint16_t version, uint16_t type, bool big, uint64_t buffer_size)
{
    builder b = {g_byte_array_new(), big};
    put(&b, version, 2);
    put(&b, type, 2);
    put(&b, big ? 0xc0 : 3, 1);
    put_garbage(&b, 3);
    put(&b, 1000000000, 8);
    put(&b, buffer_size, 8);
    put(&b, 0, 8);
    return b;
}

static inline void put_metadata(builder *b, uint8_t kind)
{
    put(b, b->big ? 0x80u | kind : (unsigned)kind << 1 | 1, 1);
}

static inline void put_function(builder *b, unsigned action, uint32_t id, uint32_t delta)
{
    put(b, b->big ? (uint32_t)action << 28 | id : id << 4 | (uint32_t)action << 1, 4);
    put(b, delta, 4);
}

static inline void put_extents(builder *b, uint64_t size)
{
    put_metadata(b, 7);
    put(b, size, 8);
    put_garbage(b, 7);
}

static inline void put_new_buffer(builder *b, uint32_t thread)
{
    put_metadata(b, 0);
    put(b, thread, 4);
    put_garbage(b, 11);
}

static inline void put_wall(builder *b, uint64_t seconds, uint32_t microseconds)
{
    put_metadata(b, 4);
    put(b, seconds, 8);
    put(b, microseconds, 4);
    put_garbage(b, 3);
}

static inline void put_process(builder *b, uint32_t process)
{
    put_metadata(b, 9);
    put(b, process, 4);
    put_garbage(b, 11);
}

static inline void put_cpu(builder *b, uint16_t cpu, uint64_t tsc)
{
    put_metadata(b, 2);
    put(b, cpu, 2);
    put(b, tsc, 8);
    put_garbage(b, 5);
}

static inline void put_wrap(builder *b, uint64_t tsc)
{
    put_metadata(b, 3);
    put(b, tsc, 8);
    put_garbage(b, 7);
}

static inline void put_argument(builder *b, uint64_t value)
{
    put_metadata(b, 6);
    put(b, value, 8);
    put_garbage(b, 7);
}

static inline void put_end_of_buffer(builder *b)
{
    put_metadata(b, 1);
    put_garbage(b, 15);
}

/* The four records that begin a buffer since version 3; 64 bytes. */
static inline void put_preamble(builder *b, uint32_t thread, uint32_t process, uint16_t cpu, uint64_t tsc)
{
    put_new_buffer(b, thread);
    put_wall(b, 100 + tsc / 1000000000, (uint32_t)(tsc % 1000000000 / 1000));
    put_process(b, process);
    put_cpu(b, cpu, tsc);
}
#define PREAMBLE 64u

/* An event of version 5; `type` < 0: a custom event. */
static inline void put_event_v5(builder *b, int type, int32_t delta, const char *payload)
{
    put_metadata(b, type < 0 ? 5 : 8);
    put(b, strlen(payload), 4);
    put(b, (uint32_t)delta, 4);
    if (type >= 0)
        put(b, (uint64_t)type, 2);
    put_garbage(b, type < 0 ? 7 : 5);
    g_byte_array_append(b->bytes, (const uint8_t *)payload, (guint)strlen(payload));
}

/* Basic mode. */
static inline void put_basic_function(builder *b, uint8_t cpu, uint8_t action, uint32_t id, uint64_t tsc, uint32_t thread,
                                      uint32_t process)
{
    put(b, 0, 2);
    put(b, cpu, 1);
    put(b, action, 1);
    put(b, id, 4);
    put(b, tsc, 8);
    put(b, thread, 4);
    put(b, process, 4);
    put_garbage(b, 8);
}

static inline void put_basic_argument(builder *b, uint32_t id, uint32_t thread, uint32_t process, uint64_t value)
{
    put(b, 1, 2);
    put_garbage(b, 2);
    put(b, id, 4);
    put(b, thread, 4);
    put(b, process, 4);
    put(b, value, 8);
    put_garbage(b, 8);
}

/* Profiles. */
static inline builder profile_begin(bool big, uint64_t started, uint64_t process)
{
    builder b = {g_byte_array_new(), big};
    put(&b, UINT64_C(0x7872617970726f66), 8);
    put(&b, 0x20180424, 8);
    put(&b, started, 8);
    put(&b, process, 8);
    return b;
}

static inline void put_block(builder *b, uint32_t size, uint32_t number, uint64_t thread)
{
    put(b, size, 4);
    put(b, number, 4);
    put(b, thread, 8);
}

/* Functions from the innermost to the outermost; 24 bytes and 4 for each more. */
static inline void put_path(builder *b, unsigned n, const uint32_t *functions, uint64_t count, uint64_t ticks)
{
    for (unsigned i = 0; i < n; i++)
        put(b, functions[i], 4);
    put(b, 0, 4);
    put(b, count, 8);
    put(b, ticks, 8);
}

/* Opens what was built. Keep the builder until the trace is closed. */
typedef struct opened {
    trace *trace;
    source *source;
} opened;

static inline opened log_open_named(const builder *b, const char *name, size_t length, bool seekable)
{
    opened o;
    trace_input in = {.path = name, .seekable = seekable};
    probe p = {b->bytes->data, MIN(length, PROBE_LENGTH), length <= PROBE_LENGTH, "log"};
    format_id id = xray_profile_probe(&p) ? FORMAT_xray_profile : xray_fdr_probe(&p) ? FORMAT_xray_fdr : FORMAT_xray_basic;
    o.source = source_memory_new(b->bytes->data, length);
    in.sequential = in.random = o.source;
    o.trace = trace_open(formats[id], &in, NULL);
    return o;
}

static inline opened log_open_as(const builder *b, size_t length, bool seekable)
{
    return log_open_named(b, "log", length, seekable);
}

static inline opened log_open(const builder *b, size_t length)
{
    return log_open_as(b, length, true);
}

static inline void log_close(opened *o)
{
    trace_close(o->trace);
    source_close(o->source);
}

static inline void log_free(builder *b)
{
    g_byte_array_free(b->bytes, TRUE);
}

/* A buffer with a record for each letter: `a` enters a function, `A` is its exit, `.A` a tail exit, `2` the beginning of a
 * buffer of thread 2 inside it, `!` an event. */
static inline void put_letters(builder *b, uint32_t thread, uint64_t tsc, const char *letters)
{
    const guint at = b->bytes->len;
    put_extents(b, 0);
    put_preamble(b, thread, 5, 1, tsc);
    for (; *letters; letters++)
        if (*letters == '!')
            put_event_v5(b, -1, 1, "event");
        else if (g_ascii_isdigit(*letters))
            put_new_buffer(b, (uint32_t)(*letters - '0'));
        else if (*letters == '.')
            put_function(b, 2, (uint32_t)g_ascii_tolower(*++letters), 3);
        else
            put_function(b, g_ascii_isupper(*letters), (uint32_t)g_ascii_tolower(*letters), 3);
    builder size = {g_byte_array_new(), b->big};
    put(&size, b->bytes->len - at - XRAY_METADATA_LENGTH, 8);
    memcpy(b->bytes->data + at + 1, size.bytes->data, 8);
    log_free(&size);
}

/* Two buffers of thread 1 and one of thread 2. */
static inline builder log_of_calls(bool big, const char *first, const char *second, const char *other)
{
    builder b = log_begin(5, XRAY_TYPE_FDR, big, 0);
    put_letters(&b, 1, 1000, first);
    put_letters(&b, 2, 1001, other);
    put_letters(&b, 1, 2000, second);
    return b;
}

#endif
