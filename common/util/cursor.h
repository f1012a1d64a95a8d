/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The only access to the raw bytes of a trace. The byte order is chosen when the cursor is made. Nothing reads past the
 * end: a number that does not fit reads as 0, so call cursor_has() first wherever 0 would be wrong. Knows nothing of
 * records or files. */
#ifndef WIRETRACE_UTIL_CURSOR_H
#define WIRETRACE_UTIL_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The bytes are borrowed and must outlive the cursor. */
typedef struct cursor {
    const uint8_t *data;
    size_t length;
    bool big_endian;
} cursor;

/* Returns whether there are `width` bytes at `at`; written so that no sum can overflow. */
static inline bool cursor_has(const cursor *c, uint64_t at, uint64_t width)
{
    return at <= c->length && width <= c->length - at;
}

/* Reads an unsigned number of 1, 2, 4 or 8 bytes; 0 for any other width, or if it does not fit. */
static inline uint64_t cursor_uint(const cursor *c, size_t at, unsigned width)
{
    const bool swapped = c->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    if (!cursor_has(c, at, width))
        return 0;
    switch (width) {
    case 1:
        return c->data[at];
    case 2:
        memcpy(&two, c->data + at, sizeof two);
        return swapped ? __builtin_bswap16(two) : two;
    case 4:
        memcpy(&four, c->data + at, sizeof four);
        return swapped ? __builtin_bswap32(four) : four;
    case 8:
        memcpy(&eight, c->data + at, sizeof eight);
        return swapped ? __builtin_bswap64(eight) : eight;
    default:
        return 0;
    }
}

static inline uint8_t cursor_u8(const cursor *c, size_t at)
{
    return (uint8_t)cursor_uint(c, at, 1);
}

static inline uint16_t cursor_u16(const cursor *c, size_t at)
{
    return (uint16_t)cursor_uint(c, at, 2);
}

static inline uint32_t cursor_u32(const cursor *c, size_t at)
{
    return (uint32_t)cursor_uint(c, at, 4);
}

static inline uint64_t cursor_u64(const cursor *c, size_t at)
{
    return cursor_uint(c, at, 8);
}

/* Writes a number of `width` bytes, at most 8. There must be room. */
static inline void cursor_put(uint8_t *at, uint64_t value, unsigned width, bool big_endian)
{
    for (unsigned i = 0; i < width; i++)
        at[i] = (uint8_t)(value >> 8 * (big_endian ? width - 1 - i : i));
}

#endif
