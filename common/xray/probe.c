/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recognising an XRay log: there is no magic number, so header and first record must fit together (docs/xray.md,
 * "Recognition"). */
#include "xray.h"

#define FREQUENCY_MIN UINT64_C(100000)
#define FREQUENCY_MAX UINT64_C(100000000000)
#define BUFFER_SIZE_MIN UINT64_C(64)
#define BUFFER_SIZE_MAX (UINT64_C(1) << 32)
#define VERSION_MAX 255 /* that is believed */

/* The header of a version in a range, of either byte order. */
static bool read_header(xray_log *log, const uint8_t *head, size_t length, uint16_t type, unsigned first, unsigned last)
{
    for (int big = 0; big <= 1; big++) {
        cursor c = {head, length, big};
        if (!cursor_has(&c, 0, XRAY_HEADER_LENGTH))
            return false;
        uint16_t version = cursor_u16(&c, 0);
        if (cursor_u16(&c, 2) != type || version < first || version > last)
            continue;
        *log = (xray_log){.version = version,
                          .type = type,
                          .big_endian = big,
                          .frequency = cursor_u64(&c, 8),
                          .buffer_size = cursor_u64(&c, 16),
                          .flags = (uint8_t)(big ? head[4] >> 7 | (head[4] >> 5 & 2) : head[4] & 3)};
        return true;
    }
    return false;
}

static unsigned last_version(uint16_t type)
{
    return type == XRAY_TYPE_FDR ? 5 : 3;
}

bool xray_header_read(xray_log *log, const uint8_t *head, size_t length, uint16_t type)
{
    return read_header(log, head, length, type, 1, last_version(type));
}

/* Runtimes always set both; the other bits are rubbish. */
static bool has_both_flags(const xray_log *log, const uint8_t *head)
{
    uint8_t both = log->big_endian ? 0xc0 : 0x03;
    return (head[4] & both) == both;
}

bool xray_header_unknown(xray_log *log, const uint8_t *head, size_t length, uint16_t type)
{
    return read_header(log, head, length, type, last_version(type) + 1, VERSION_MAX) && has_both_flags(log, head) &&
           log->frequency >= FREQUENCY_MIN && log->frequency <= FREQUENCY_MAX &&
           (type == XRAY_TYPE_BASIC || (log->buffer_size >= BUFFER_SIZE_MIN && log->buffer_size <= BUFFER_SIZE_MAX));
}

/* Claimed only to say that the version is not known: a header alone, or before what begins as a metadata record does. */
static bool is_unknown_fdr(const probe *p)
{
    xray_log log;
    if (!xray_header_unknown(&log, p->head, p->length, XRAY_TYPE_FDR))
        return false;
    if (p->length == XRAY_HEADER_LENGTH)
        return p->whole;
    return p->head[XRAY_HEADER_LENGTH] & (log.big_endian ? 0x80 : 0x01);
}

bool xray_fdr_probe(const probe *p)
{
    xray_log log;
    if (!xray_header_read(&log, p->head, p->length, XRAY_TYPE_FDR))
        return is_unknown_fdr(p);
    if (p->length == XRAY_HEADER_LENGTH)
        return p->whole && has_both_flags(&log, p->head);
    uint8_t first = p->head[XRAY_HEADER_LENGTH];
    if (log.version >= 2)
        return first == (log.big_endian ? 0x87 : 0x0f);
    return first == (log.big_endian ? 0x80 : 0x01);
}

static bool is_function(const cursor *c, size_t at)
{
    return cursor_u16(c, at) == 0 && cursor_u8(c, at + 3) <= 3 && cursor_u64(c, at + 8) != 0 && cursor_u32(c, at + 16) != 0;
}

/* The same: a header alone, or before a record of a function. */
static bool is_unknown_basic(const probe *p)
{
    xray_log log;
    if (!xray_header_unknown(&log, p->head, p->length, XRAY_TYPE_BASIC))
        return false;
    cursor c = {p->head, p->length, log.big_endian};
    if (p->length == XRAY_HEADER_LENGTH)
        return p->whole;
    return cursor_has(&c, XRAY_HEADER_LENGTH, XRAY_BASIC_LENGTH) && is_function(&c, XRAY_HEADER_LENGTH);
}

bool xray_basic_probe(const probe *p)
{
    xray_log log;
    if (!xray_header_read(&log, p->head, p->length, XRAY_TYPE_BASIC))
        return is_unknown_basic(p);
    if (!has_both_flags(&log, p->head))
        return false;
    if (p->length == XRAY_HEADER_LENGTH)
        return p->whole && log.frequency >= FREQUENCY_MIN && log.frequency <= FREQUENCY_MAX;
    cursor c = {p->head + XRAY_HEADER_LENGTH, p->length - XRAY_HEADER_LENGTH, log.big_endian};
    uint16_t type = cursor_u16(&c, 0);
    if (!cursor_has(&c, 0, 2) || type > 1)
        return false;
    if (type == 1) /* an argument of a call that was written before: nothing more to check */
        return cursor_has(&c, 0, XRAY_BASIC_LENGTH) && cursor_u32(&c, 8) != 0;
    if (cursor_has(&c, 0, 20))
        return is_function(&c, 0);
    /* cut inside its first record: judged by the header alone */
    return p->whole && cursor_u8(&c, 3) <= 3 && log.frequency >= FREQUENCY_MIN && log.frequency <= FREQUENCY_MAX;
}
