/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/exported.h"

#include "util/cursor.h"
#include "core/formats.h"
#include "util/fail.h"

/* Wireshark's tags, from its wsutil/exported_pdu_tlvs.h; TAG_HEAD is the size of tag and length. */
enum { TAG_END = 0, TAG_DISSECTOR = 12, TAG_HEAD = 4 };

#define HOST_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

static const uint8_t magic[4] = {'W', 'T', 'r', 'c'};

/* The other flags belong to the open file. */
#define FLAGS_OF_RECORD (CONTEXT_BIG_ENDIAN | CONTEXT_TRUNCATED | CONTEXT_TIME_CUT)

/* --- the numbers ------------------------------------------------------------------------------------------------------- */

/* Rows are in file order. Add new ones at the end, so that older versions can still read those they know. */
static const format_number common_numbers[] = {
    FORMAT_NUMBER(record_context, kind),     FORMAT_NUMBER(record_context, flags),
    FORMAT_NUMBER(record_context, stream),   FORMAT_NUMBER(record_context, offset),
    FORMAT_NUMBER(record_context, length),   FORMAT_NUMBER(record_context, fault_value),
    FORMAT_NUMBER(record_context, fault_at), FORMAT_NUMBER(record_context, trace),
};

static void append_uint(GByteArray *out, uint64_t value, unsigned width)
{
    uint8_t bytes[8];
    cursor_put(bytes, value, width, false);
    g_byte_array_append(out, bytes, width);
}

static void append_numbers(GByteArray *out, const format_number *numbers, unsigned count, const void *of)
{
    for (const format_number *n = numbers; n < numbers + count; n++) {
        const cursor host = {(const uint8_t *)of + n->at, n->width, HOST_BIG_ENDIAN};
        append_uint(out, cursor_uint(&host, 0, n->width), n->width);
    }
}

/* Returns the offset after them. Numbers that are missing stay 0. */
static size_t read_numbers(const cursor *in, size_t at, const format_number *numbers, unsigned count, void *of)
{
    for (const format_number *n = numbers; n < numbers + count; n++) {
        cursor_put((uint8_t *)of + n->at, cursor_uint(in, at, n->width), n->width, HOST_BIG_ENDIAN);
        at += n->width;
    }
    return at;
}

/* --- writing ----------------------------------------------------------------------------------------------------------- */

void exported_append_tags(GByteArray *out, const char *protocol)
{
    size_t length = strlen(protocol), padded = (length + 3) & ~(size_t)3;
    const uint8_t head[] = {0, TAG_DISSECTOR, 0, (uint8_t)padded}, zeros[TAG_HEAD] = {0};
    g_byte_array_append(out, head, sizeof head);
    g_byte_array_append(out, (const uint8_t *)protocol, (guint)length);
    g_byte_array_append(out, zeros, (guint)(padded - length));
    g_byte_array_append(out, zeros, TAG_HEAD); /* TAG_END */
}

static void exported_append_text(GByteArray *out, const char *text)
{
    size_t length = text ? MIN(strlen(text), EXPORTED_TEXT_MAX) : 0;
    append_uint(out, length, 2);
    g_byte_array_append(out, (const uint8_t *)text, (guint)length);
}

void exported_append(GByteArray *out, const record_context *c, const char *name, const char *description)
{
    record_context plain = *c;
    const format *f = formats[c->format];
    plain.flags &= FLAGS_OF_RECORD;
    exported_append_tags(out, f->protocol);
    size_t begin = out->len;
    g_byte_array_append(out, magic, sizeof magic);
    append_uint(out, EXPORTED_VERSION, 1);
    append_uint(out, c->format, 1);
    append_uint(out, 0, 4); /* two lengths, filled in below */
    append_numbers(out, common_numbers, G_N_ELEMENTS(common_numbers), &plain);
    append_numbers(out, f->numbers, f->number_count, plain.own);
    size_t texts = out->len;
    exported_append_text(out, name);
    exported_append_text(out, f->describes_streams ? description : NULL);
    exported_append_text(out, c->fault == FAULT_NONE ? NULL : fault_name(f->faults, c->fault));
    cursor_put(out->data + begin + 6, texts - begin - EXPORTED_HEAD, 2, false);
    cursor_put(out->data + begin + 8, out->len - texts, 2, false);
}

/* --- reading ----------------------------------------------------------------------------------------------------------- */

/* Reads the next text; empty if there are no more. False if it is longer than what is left. */
static bool read_text(const cursor *texts, size_t *at, exported_text *text)
{
    *text = (exported_text){NULL, 0};
    if (*at == texts->length)
        return true;
    size_t length = cursor_u16(texts, *at);
    if (!cursor_has(texts, *at, 2) || !cursor_has(texts, *at + 2, length))
        return false;
    *text = (exported_text){(const char *)texts->data + *at + 2, length};
    *at += 2 + length;
    return true;
}

static bool read_texts(const cursor *texts, exported *e)
{
    size_t at = 0;
    exported_text name;
    if (!read_text(texts, &at, &e->stream) || !read_text(texts, &at, &e->description) || !read_text(texts, &at, &name))
        return false;
    /* the fault of a later version becomes FAULT_UNKNOWN, which is still a fault */
    e->context.fault = name.length ? fault_named(formats[e->context.format]->faults, name.data, name.length) : FAULT_NONE;
    return true;
}

/* Checks a context that is followed by `present` bytes of record. */
static bool exported_check(const record_context *c, uint64_t present, GError **error)
{
    const uint64_t end = UINT64_C(1) << TRACE_OFFSET_BITS;
    uint64_t least = formats[c->format]->min_length(c);
    if (least == UINT64_MAX)
        return fail_with(error, "its kind is unknown");
    if (c->flags & ~FLAGS_OF_RECORD)
        return fail_with(error, "its flags are unknown");
    if (c->offset > end || c->length > end)
        return fail_with(error, "its position in the trace is invalid");
    if (present > c->length)
        return fail_with(error, "there are more bytes than the record has");
    if (present < least)
        return fail_with(error, "its record has been shortened");
    return true;
}

bool exported_read(const uint8_t *data, size_t length, const char *protocol, exported *e, GError **error)
{
    const cursor all = {data, length, false};
    *e = (exported){.context = {.format = cursor_u8(&all, 5)}};
    size_t numbers = cursor_u16(&all, 6), texts = cursor_u16(&all, 8);
    e->length = EXPORTED_HEAD + numbers + texts;
    if (length < EXPORTED_HEAD || memcmp(data, magic, sizeof magic) != 0)
        return fail_with(error, "it does not begin with a context");
    if (cursor_u8(&all, 4) != EXPORTED_VERSION)
        return fail_with(error, "its context has an unknown version");
    if (e->context.format >= FORMAT_COUNT || strcmp(formats[e->context.format]->protocol, protocol) != 0)
        return fail_with(error, "it is of another format");
    if (!cursor_has(&all, EXPORTED_HEAD, numbers + texts))
        return fail_with(error, "its context is cut");
    const cursor n = {data + EXPORTED_HEAD, numbers, false}, t = {data + EXPORTED_HEAD + numbers, texts, false};
    const format *f = formats[e->context.format];
    size_t own = read_numbers(&n, 0, common_numbers, G_N_ELEMENTS(common_numbers), &e->context);
    read_numbers(&n, own, f->numbers, f->number_count, e->context.own);
    if (!read_texts(&t, e))
        return fail_with(error, "a text of its context is cut");
    return exported_check(&e->context, length - e->length, error);
}

/* The offset after the tags if they name the dissector, else 0. */
static size_t skip_tags(const cursor *c, const char *protocol)
{
    size_t at = 0, expected = strlen(protocol);
    bool named = false;
    while (cursor_has(c, at, TAG_HEAD)) {
        unsigned tag = cursor_u16(c, at);
        size_t length = cursor_u16(c, at + 2);
        at += TAG_HEAD;
        if (!cursor_has(c, at, length))
            return 0;
        if (tag == TAG_DISSECTOR) {
            const char *name = (const char *)c->data + at;
            named = strnlen(name, length) == expected && memcmp(name, protocol, expected) == 0;
        }
        at += length;
        if (tag == TAG_END)
            return named ? at : 0;
    }
    return 0;
}

bool exported_read_packet(const uint8_t *data, size_t length, const char *protocol, exported *e, GError **error)
{
    const cursor c = {data, length, true};
    size_t tags = skip_tags(&c, protocol);
    if (tags == 0)
        return fail_with(error, "its tags do not name the dissector of this format");
    if (!exported_read(data + tags, length - tags, protocol, e, error))
        return false;
    e->length += tags;
    return true;
}
