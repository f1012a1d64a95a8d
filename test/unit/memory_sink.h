/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is saved, in memory. */
#ifndef TEST_MEMORY_SINK_H
#define TEST_MEMORY_SINK_H

#include <glib.h>

#include "core/writing.h"

typedef struct memory_sink {
    sink base;
    GByteArray *bytes;
    guint room; /* afterwards it fails */
} memory_sink;

static inline bool memory_put(sink *s, const void *data, size_t length)
{
    memory_sink *m = (memory_sink *)s;
    if (m->bytes->len + length > m->room)
        return false;
    g_byte_array_append(m->bytes, data, (guint)length);
    return true;
}

static inline memory_sink memory_sink_new(guint room)
{
    return (memory_sink){{.put = memory_put}, g_byte_array_new(), room};
}

#endif
