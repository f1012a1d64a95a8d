/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcapng.h"

#include <string.h>

/* Blocks and options of pcapng, in the byte order of this machine. */
enum { SECTION = 0x0a0d0d0a, INTERFACE = 1, PACKET = 6, ORDER_MARK = 0x1a2b3c4d };
enum { OPTION_END = 0, SECTION_PROGRAM = 4, INTERFACE_NAME = 2, INTERFACE_DESCRIPTION = 3, INTERFACE_RESOLUTION = 9 };
enum { NANOSECONDS = 9 };

static size_t padding(size_t length)
{
    return -length & 3;
}

static void put_option(GByteArray *to, uint16_t code, const void *value, size_t length)
{
    const uint16_t head[] = {code, (uint16_t)length};
    const uint8_t zeros[4] = {0};
    g_byte_array_append(to, (const uint8_t *)head, sizeof head);
    g_byte_array_append(to, value, (guint)length);
    g_byte_array_append(to, zeros, (guint)padding(length));
}

static void put_text(GByteArray *to, uint16_t code, const char *text)
{
    if (text && *text)
        put_option(to, code, text, MIN(strlen(text), 4096));
}

/* Type and length, the parts, the length again. */
static bool put_block(FILE *out, uint32_t type, const void *fixed, size_t fixed_length, const GByteArray *options)
{
    const uint32_t length = (uint32_t)(12 + fixed_length + options->len), head[] = {type, length};
    return fwrite(head, sizeof head, 1, out) == 1 && fwrite(fixed, fixed_length, 1, out) == 1 &&
           (!options->len || fwrite(options->data, options->len, 1, out) == 1) &&
           fwrite(&length, sizeof length, 1, out) == 1;
}

bool pcapng_begin(FILE *out, const char *program)
{
    const struct {
        uint32_t order;
        uint16_t major, minor;
        int64_t length;
    } fixed = {ORDER_MARK, 1, 0, -1};
    g_autoptr(GByteArray) options = g_byte_array_new();
    put_text(options, SECTION_PROGRAM, program);
    put_option(options, OPTION_END, "", 0);
    return put_block(out, SECTION, &fixed, sizeof fixed, options);
}

bool pcapng_interface(FILE *out, const char *name, const char *description)
{
    const struct {
        uint16_t link_type, reserved;
        uint32_t limit;
    } fixed = {PCAPNG_LINK_TYPE, 0, 0};
    const uint8_t resolution = NANOSECONDS;
    g_autoptr(GByteArray) options = g_byte_array_new();
    put_text(options, INTERFACE_NAME, name);
    put_text(options, INTERFACE_DESCRIPTION, description);
    put_option(options, INTERFACE_RESOLUTION, &resolution, 1);
    put_option(options, OPTION_END, "", 0);
    return put_block(out, INTERFACE, &fixed, sizeof fixed, options);
}

static bool put_bytes(FILE *out, const uint8_t *bytes, size_t length)
{
    return length == 0 || fwrite(bytes, length, 1, out) == 1;
}

bool pcapng_put(FILE *out, const pcapng_packet *p)
{
    const uint8_t zeros[4] = {0};
    const size_t captured = p->before_length + p->length, padded = captured + padding(captured);
    const uint32_t length = (uint32_t)(32 + padded);
    const uint32_t head[] = {PACKET,
                             length,
                             p->interface,
                             (uint32_t)(p->time >> 32),
                             (uint32_t)p->time,
                             (uint32_t)captured,
                             (uint32_t)MIN(p->before_length + p->whole, (uint64_t)G_MAXINT32)};
    return fwrite(head, sizeof head, 1, out) == 1 && put_bytes(out, p->before, p->before_length) &&
           put_bytes(out, p->data, p->length) && put_bytes(out, zeros, padded - captured) &&
           fwrite(&length, sizeof length, 1, out) == 1;
}
