/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LEB128 numbers, as DWARF has them: seven bits in each byte, the lowest first. Knows nothing of what they mean. */
#ifndef WIRETRACE_PROGRAM_LEB_H
#define WIRETRACE_PROGRAM_LEB_H

#include "util/cursor.h"

/* Reads the number at *at, which is moved after it; bits from the 65th on are left out. False: it does not end, and *at is
 * the end. */
static inline bool leb_read(const cursor *c, size_t *at, bool is_signed, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; *at < c->length;) {
        uint8_t byte = c->data[(*at)++];
        if (shift < 64)
            *value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
        if (byte & 0x80)
            continue;
        if (is_signed && byte & 0x40 && shift < 64)
            *value |= UINT64_MAX << shift;
        return true;
    }
    return false;
}

#endif
