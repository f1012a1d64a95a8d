/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the tests of Cacheray: makes records as a runtime does, in any layout, and reads them. */
#ifndef WIRETRACE_TEST_CACHERAY_H
#define WIRETRACE_TEST_CACHERAY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib.h>

#include "cacheray/cacheray.h"
#include "core/formats.h"
#include "made_bytes.h"

/* A plausible heap address in a layout. */
static inline uint64_t heap(cacheray_layout l)
{
    return cacheray_pointer(l) == 8 ? UINT64_C(0x55713d40e530) : UINT64_C(0x08d3fdc0);
}

static inline void put_value(GByteArray *b, cacheray_layout l, uint64_t value, unsigned width)
{
    put_number(b, value, width, cacheray_big_endian(l));
}

static inline void put_access(GByteArray *b, cacheray_layout l, uint8_t tag, uint64_t address, uint8_t size, uint64_t thread)
{
    put_value(b, l, tag, 1);
    put_value(b, l, address, cacheray_pointer(l));
    put_value(b, l, size, 1);
    put_value(b, l, thread, 8);
}

static inline void put_add(GByteArray *b, cacheray_layout l, uint64_t address, uint32_t elem_size, uint32_t elem_count,
                           const char *name, uint32_t length)
{
    put_value(b, l, CACHERAY_RTTA_ADD, 1);
    put_value(b, l, address, cacheray_pointer(l));
    put_value(b, l, 0, 8);
    put_value(b, l, elem_size, 4);
    put_value(b, l, elem_count, 4);
    put_value(b, l, length, 4);
    g_byte_array_append(b, (const guint8 *)name, (guint)strlen(name));
}

static inline void put_remove(GByteArray *b, cacheray_layout l, uint64_t address)
{
    put_value(b, l, CACHERAY_RTTA_REMOVE, 1);
    put_value(b, l, address, cacheray_pointer(l));
    put_value(b, l, 0, 8);
}

/* Appends `count` reads with no faults. */
static inline void put_valid(GByteArray *b, cacheray_layout l, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        put_access(b, l, CACHERAY_READ, heap(l) + 8u * (i % 1000), 8, 0);
}

/* Opens these bytes in a layout; CACHERAY_LAYOUTS: the one that is detected. */
static inline trace *open_bytes(source *s, cacheray_layout l)
{
    trace_input in = {.path = "test.trace", .sequential = s, .random = s, .seekable = true};
    g_setenv(CACHERAY_LAYOUT_VARIABLE, l == CACHERAY_LAYOUTS ? "auto" : cacheray_layout_names[l], TRUE);
    trace *t = trace_open(&cacheray_format, &in, NULL);
    assert_non_null(t);
    return t;
}

/* All records of a source, which must tile it up to `length`. */
static inline GArray *walk_source(source *s, cacheray_layout l, uint64_t length)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(record));
    trace *t = open_bytes(s, l);
    uint64_t at = 0;
    for (walk *w; (w = trace_next(t));) {
        assert_int_equal(w->record.context.offset, at);
        assert_true(w->record.context.length > 0);
        at += w->record.context.length;
        g_array_append_val(all, w->record);
    }
    assert_int_equal(t->merge.error, 0);
    assert_int_equal(at, length);
    trace_close(t);
    return all;
}

static inline GArray *walk_bytes_of(const GByteArray *b, size_t length, cacheray_layout l)
{
    source *s = source_memory_new(b->data, length);
    GArray *all = walk_source(s, l, length);
    source_close(s);
    return all;
}

static inline const record_context *context(const GArray *all, unsigned i)
{
    assert_true(i < all->len);
    return &g_array_index(all, record, i).context;
}

#endif
