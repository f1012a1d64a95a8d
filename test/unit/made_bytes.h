/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes of records that tests make: numbers in either byte order. */
#ifndef TEST_MADE_BYTES_H
#define TEST_MADE_BYTES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline void put_number(GByteArray *b, uint64_t value, unsigned width, bool big_endian)
{
    for (unsigned i = 0; i < width; i++) {
        uint8_t byte = (uint8_t)(value >> 8 * (big_endian ? width - 1 - i : i));
        g_byte_array_append(b, &byte, 1);
    }
}

static inline void put_repeated(GByteArray *b, uint8_t byte, size_t count)
{
    g_byte_array_set_size(b, b->len + (guint)count);
    memset(b->data + b->len - count, byte, count);
}

#endif
