/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recognising an XRay log. There is no magic number, so header and first record must fit together (docs/formats/xray.md,
 * "Recognition"). */
#include "xray/layouts.h"

#define FREQUENCY_MIN UINT64_C(100000)
#define FREQUENCY_MAX UINT64_C(100000000000)
#define BUFFER_SIZE_MIN UINT64_C(64)
#define BUFFER_SIZE_MAX (UINT64_C(1) << 32)
#define VERSION_MAX 255 /* higher numbers are not versions */

/* 1 constant TSC, 2 nonstop TSC, as in xray_log.flags. */
static uint8_t read_flags(const cursor *c)
{
    const enum xray_layout_id lead = c->big_endian ? XRAY_LAYOUT_LEAD_HEADER_BE : XRAY_LAYOUT_LEAD_HEADER_LE;
    return (uint8_t)(xray_value(c, lead, XRAY_FIELD_CONSTANT_TSC) | xray_value(c, lead, XRAY_FIELD_NONSTOP_TSC) << 1);
}

/* Reads a header with a version from `first` to `last`, in either byte order. */
static bool read_header(xray_log *log, const uint8_t *head, size_t length, uint16_t type, unsigned first, unsigned last)
{
    for (int big = 0; big <= 1; big++) {
        cursor c = {head, length, big};
        if (!cursor_has(&c, 0, XRAY_HEADER_LENGTH))
            return false;
        uint16_t version = (uint16_t)xray_value(&c, XRAY_LAYOUT_HEADER, XRAY_FIELD_VERSION);
        if (xray_value(&c, XRAY_LAYOUT_HEADER, XRAY_FIELD_TYPE) != type || version < first || version > last)
            continue;
        *log = (xray_log){.version = version,
                          .type = type,
                          .big_endian = big,
                          .frequency = xray_value(&c, XRAY_LAYOUT_HEADER, XRAY_FIELD_FREQUENCY),
                          .buffer_size = xray_value(&c, XRAY_LAYOUT_HEADER, XRAY_FIELD_BUFFER_SIZE),
                          .flags = read_flags(&c)};
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
    return type == XRAY_TYPE_PROFILE ? xray_profile_header(log, head, length)
                                     : read_header(log, head, length, type, 1, last_version(type));
}

/* Runtimes always set both; the other bits are uninitialised. */
static bool has_both_flags(const xray_log *log)
{
    return log->flags == 3;
}

bool xray_header_unknown(xray_log *log, const uint8_t *head, size_t length, uint16_t type)
{
    return read_header(log, head, length, type, last_version(type) + 1, VERSION_MAX) && has_both_flags(log) &&
           log->frequency >= FREQUENCY_MIN && log->frequency <= FREQUENCY_MAX &&
           (type == XRAY_TYPE_BASIC || (log->buffer_size >= BUFFER_SIZE_MIN && log->buffer_size <= BUFFER_SIZE_MAX));
}

/* Files of unknown versions are claimed only to report the version: if there is only a header, or what follows begins
 * like a metadata record. */
static bool is_unknown_fdr(const probe *p)
{
    xray_log log;
    if (!xray_header_unknown(&log, p->head, p->length, XRAY_TYPE_FDR))
        return false;
    if (p->length == XRAY_HEADER_LENGTH)
        return p->whole;
    return xray_begins_metadata(p->head[XRAY_HEADER_LENGTH], log.big_endian);
}

bool xray_fdr_probe(const probe *p)
{
    xray_log log;
    if (!xray_header_read(&log, p->head, p->length, XRAY_TYPE_FDR))
        return is_unknown_fdr(p);
    if (p->length == XRAY_HEADER_LENGTH)
        return p->whole && has_both_flags(&log);
    uint8_t first = p->head[XRAY_HEADER_LENGTH];
    return first == xray_metadata_byte(log.version >= 2 ? XRAY_BUFFER_EXTENTS : XRAY_NEW_BUFFER, log.big_endian);
}

static bool is_function(const cursor *c, size_t at)
{
    return xray_value_at(c, at, XRAY_LAYOUT_BASIC, XRAY_FIELD_TYPE) == 0 &&
           xray_value_at(c, at, XRAY_LAYOUT_BASIC, XRAY_FIELD_ACTION) <= 3 &&
           xray_value_at(c, at, XRAY_LAYOUT_BASIC_FUNCTION_V1, XRAY_FIELD_TSC) != 0 &&
           xray_value_at(c, at, XRAY_LAYOUT_BASIC_FUNCTION_V1, XRAY_FIELD_THREAD) != 0;
}

/* The same for basic mode: only a header, or a header and a function record. */
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
    if (!has_both_flags(&log))
        return false;
    if (p->length == XRAY_HEADER_LENGTH)
        return p->whole && log.frequency >= FREQUENCY_MIN && log.frequency <= FREQUENCY_MAX;
    cursor c = {p->head + XRAY_HEADER_LENGTH, p->length - XRAY_HEADER_LENGTH, log.big_endian};
    const layout_row *type = xray_row(XRAY_LAYOUT_BASIC, XRAY_FIELD_TYPE);
    if (!layout_present(type, &c) || layout_value(type, &c) > 1)
        return false;
    if (layout_value(type, &c) == 1) /* the argument of a call written earlier: there is nothing more to check */
        return cursor_has(&c, 0, XRAY_BASIC_LENGTH) && xray_value(&c, XRAY_LAYOUT_BASIC_ARGUMENT_V1, XRAY_FIELD_THREAD) != 0;
    if (layout_present(xray_row(XRAY_LAYOUT_BASIC_FUNCTION_V1, XRAY_FIELD_THREAD), &c))
        return is_function(&c, 0);
    /* the first record is cut off: only the header can be checked */
    return p->whole && xray_value(&c, XRAY_LAYOUT_BASIC, XRAY_FIELD_ACTION) <= 3 && log.frequency >= FREQUENCY_MIN &&
           log.frequency <= FREQUENCY_MAX;
}
