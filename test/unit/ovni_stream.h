/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds ovni streams in memory, event by event, in either byte order. */
#ifndef TEST_OVNI_STREAM_H
#define TEST_OVNI_STREAM_H

#include "made_bytes.h"
#include "ovni/events/layout.h"

static inline void put_header(GByteArray *b, uint32_t version, bool big_endian)
{
    g_byte_array_append(b, (const uint8_t *)"ovni", 4);
    put_number(b, version, 4, big_endian);
}

static inline void put_counted_bytes(GByteArray *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        put_number(b, i, 1, false);
}

/* The payload counts its bytes; that of a jumbo event is left to put_jumbo(). */
static inline void put_event(GByteArray *b, uint8_t flags, const char *mcv, uint64_t clock, bool big_endian)
{
    g_byte_array_append(b, &flags, 1);
    g_byte_array_append(b, (const uint8_t *)mcv, 3);
    put_number(b, clock, 8, big_endian);
    if (!(flags & OVNI_FLAG_JUMBO))
        put_counted_bytes(b, ovni_payload_size(flags));
}

static inline void put_jumbo(GByteArray *b, uint8_t flags, const char *mcv, uint64_t clock, uint32_t size, bool big_endian)
{
    put_event(b, flags, mcv, clock, big_endian);
    put_number(b, size, 4, big_endian);
    put_counted_bytes(b, size);
}

#endif
