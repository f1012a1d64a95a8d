/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "exported.h"

#include "cacheray/cacheray.h"
#include "cursor.h"
#include "formats.h"
#include "ovni/events.h"
#include "ovni/layout.h"
#include "xray/xray.h"

/* Wireshark's tags (its wsutil/exported_pdu_tlvs.h). */
enum { TAG_END = 0, TAG_DISSECTOR = 12, TAG_HEAD = 4 };

static const uint8_t magic[4] = {'W', 'T', 'r', 'c'};

/* --- the numbers -------------------------------------------------------------------------------------------------------- */

typedef struct number_row {
    uint16_t member; /* offset in record_context */
    uint8_t width;   /* bytes, there and here */
} number_row;

#define ROW(member) {offsetof(record_context, member), sizeof ((record_context *)0)->member}

/* The order is that of the file. New rows go to the end of a table: who knows fewer reads what he knows. */
static const number_row common_rows[] = {
    ROW(kind), ROW(flags), ROW(stream), ROW(offset), ROW(length), ROW(fault_value), ROW(fault_at), ROW(trace),
};
static const number_row xray_rows[] = {
    ROW(xray.tsc),  ROW(xray.frequency), ROW(xray.thread), ROW(xray.process), ROW(xray.argument_index),
    ROW(xray.version), ROW(xray.type),   ROW(xray.cpu),    ROW(xray.known),   ROW(xray.previous),
    ROW(xray.time_tsc), ROW(xray.buffer), ROW(xray.buffer_size), ROW(xray.base_tsc), ROW(xray.base_seconds),
    ROW(xray.base_nanoseconds), ROW(xray.flags),
};
static const number_row cacheray_rows[] = {ROW(cacheray.number), ROW(cacheray.layout)};
static const number_row ovni_rows[] = {
    ROW(ovni.clock_offset), ROW(ovni.process), ROW(ovni.thread), ROW(ovni.rank), ROW(ovni.app), ROW(ovni.era),
    ROW(ovni.known),
};
typedef struct number_table {
    const number_row *rows;
    size_t count;
} number_table;

#define TABLE(array) {array, sizeof(array) / sizeof *(array)}

static const number_table common_table = TABLE(common_rows);

static number_table table_of(uint8_t number)
{
    static const number_table xray = TABLE(xray_rows), cacheray = TABLE(cacheray_rows), ovni = TABLE(ovni_rows);
    switch ((format_id)number) {
    case FORMAT_XRAY_FDR:
    case FORMAT_XRAY_BASIC:
        return xray;
    case FORMAT_CACHERAY:
        return cacheray;
    default:
        return ovni;
    }
}

static void append_uint(GByteArray *out, uint64_t value, unsigned width)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < width; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    g_byte_array_append(out, bytes, width);
}

static void append_numbers(GByteArray *out, const number_table *t, const record_context *c)
{
    for (size_t i = 0; i < t->count; i++) {
        const uint8_t *member = (const uint8_t *)c + t->rows[i].member;
        const cursor host = {member, t->rows[i].width, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__};
        append_uint(out, cursor_uint(&host, 0, t->rows[i].width), t->rows[i].width);
    }
}

/* Returns where the next table begins. Numbers that are not there stay 0. */
static size_t read_numbers(const cursor *numbers, size_t at, const number_table *t, record_context *c)
{
    for (size_t i = 0; i < t->count; i++) {
        uint64_t value = cursor_uint(numbers, at, t->rows[i].width);
        uint8_t *member = (uint8_t *)c + t->rows[i].member;
        for (unsigned b = 0; b < t->rows[i].width; b++) {
            unsigned place = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? t->rows[i].width - 1u - b : b;
            member[place] = (uint8_t)(value >> 8 * b);
        }
        at += t->rows[i].width;
    }
    return at;
}

/* --- writing ------------------------------------------------------------------------------------------------------------- */

void exported_append_tags(GByteArray *out, const char *protocol)
{
    size_t length = strlen(protocol), padded = (length + 3) & ~(size_t)3;
    const uint8_t head[] = {0, TAG_DISSECTOR, 0, (uint8_t)padded}, zeros[TAG_HEAD] = {0};
    g_byte_array_append(out, head, sizeof head);
    g_byte_array_append(out, (const uint8_t *)protocol, (guint)length);
    g_byte_array_append(out, zeros, (guint)(padded - length));
    g_byte_array_append(out, zeros, TAG_HEAD); /* the end */
}

static void append_text(GByteArray *out, const char *text)
{
    size_t length = text ? MIN(strlen(text), EXPORTED_TEXT_MAX) : 0;
    append_uint(out, length, 2);
    g_byte_array_append(out, (const uint8_t *)text, (guint)length);
}

static void set_length(GByteArray *out, size_t at, size_t length)
{
    out->data[at] = (uint8_t)length;
    out->data[at + 1] = (uint8_t)(length >> 8);
}

/* Paths of this machine, which describe the streams of other formats than ovni, stay here. */
static const char *loom_of(uint8_t number, const char *description)
{
    return number == FORMAT_OVNI || number == FORMAT_OVNI_TRACE ? description : NULL;
}

void exported_append(GByteArray *out, const record_context *c, const char *name, const char *description)
{
    record_context plain = *c;
    const number_table own = table_of(c->format);
    plain.flags &= CONTEXT_BIG_ENDIAN | CONTEXT_TRUNCATED; /* the others are of the open file, not of the record */
    exported_append_tags(out, formats[c->format].protocol);
    size_t begin = out->len;
    g_byte_array_append(out, magic, sizeof magic);
    append_uint(out, EXPORTED_VERSION, 1);
    append_uint(out, c->format, 1);
    append_uint(out, 0, 4); /* the two lengths, below */
    append_numbers(out, &common_table, &plain);
    append_numbers(out, &own, &plain);
    size_t texts = out->len;
    append_text(out, name);
    append_text(out, loom_of(c->format, description));
    append_text(out, c->fault == FAULT_NONE ? NULL : fault_name((fault)c->fault));
    set_length(out, begin + 6, texts - begin - EXPORTED_HEAD);
    set_length(out, begin + 8, out->len - texts);
}

/* --- reading ------------------------------------------------------------------------------------------------------------- */

/* The next of the texts; empty when there is no more. False when it is longer than what is left. */
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
    if (!read_text(texts, &at, &e->stream) || !read_text(texts, &at, &e->loom) || !read_text(texts, &at, &name))
        return false;
    /* a fault of a later version is a fault all the same: FAULT_COUNT has words too */
    e->context.fault = (uint8_t)(name.length ? fault_named(name.data, name.length) : FAULT_NONE);
    return true;
}

/* Bytes that a record of this kind has at least; UINT64_MAX for a number that is no kind. */
static uint64_t least_of_xray(const record_context *c)
{
    bool basic = c->xray.type == XRAY_TYPE_BASIC;
    if (!xray_kind_name(c->kind) || c->xray.type > XRAY_TYPE_FDR)
        return UINT64_MAX;
    if (c->kind >= KIND_PADDING)
        return 0;
    if (c->kind == XRAY_HEADER)
        return XRAY_HEADER_LENGTH;
    if (basic)
        return XRAY_BASIC_LENGTH;
    return xray_is_function(c->kind) ? XRAY_FUNCTION_LENGTH : XRAY_METADATA_LENGTH;
}

static uint64_t least_of_cacheray(const record_context *c)
{
    if (c->cacheray.layout >= CACHERAY_LAYOUTS)
        return UINT64_MAX;
    if (c->kind == KIND_CUT || c->kind == KIND_UNKNOWN)
        return 0;
    return c->kind < CACHERAY_KINDS ? cacheray_layout_of((cacheray_layout)c->cacheray.layout, c->kind)->length
                                    : UINT64_MAX;
}

static uint64_t least_of_ovni(const record_context *c)
{
    if (c->ovni.era >= OVNI_ERA_COUNT)
        return UINT64_MAX;
    switch (c->kind) {
    case OVNI_HEADER:
        return OVNI_HEADER_SIZE;
    case OVNI_EVENT:
        return OVNI_EVENT_SIZE;
    case OVNI_JUMBO:
        return OVNI_JUMBO_SIZE;
    case OVNI_METADATA:
    case OVNI_MISSING:
    case KIND_CUT:
    case KIND_UNKNOWN:
        return 0;
    default:
        return UINT64_MAX;
    }
}

static uint64_t least_of(const record_context *c)
{
    switch ((format_id)c->format) {
    case FORMAT_XRAY_FDR:
    case FORMAT_XRAY_BASIC:
        return least_of_xray(c);
    case FORMAT_CACHERAY:
        return least_of_cacheray(c);
    default:
        return least_of_ovni(c);
    }
}

/* What is wrong with a context before `present` bytes of record, or NULL. */
static const char *problem_of(const record_context *c, uint64_t present)
{
    const uint64_t end = UINT64_C(1) << TRACE_OFFSET_BITS;
    uint64_t least = least_of(c);
    if (least == UINT64_MAX)
        return "its kind is unknown";
    if (c->flags & ~(CONTEXT_BIG_ENDIAN | CONTEXT_TRUNCATED))
        return "its flags are unknown";
    if (c->offset > end || c->length > end)
        return "its place in the trace is impossible";
    if (present > c->length)
        return "there are more bytes than the record has";
    if (present < least)
        return "its record has been shortened";
    return NULL;
}

bool exported_read(const uint8_t *data, size_t length, const char *protocol, exported *e, const char **reason)
{
    const cursor all = {data, length, false};
    *e = (exported){.context = {.format = cursor_u8(&all, 5)}};
    size_t numbers = cursor_u16(&all, 6), texts = cursor_u16(&all, 8);
    e->length = EXPORTED_HEAD + numbers + texts;
    if (length < EXPORTED_HEAD || memcmp(data, magic, sizeof magic) != 0)
        *reason = "it does not begin with a context";
    else if (cursor_u8(&all, 4) != EXPORTED_VERSION)
        *reason = "its context has a version that is unknown here";
    else if (e->context.format >= FORMAT_COUNT || strcmp(formats[e->context.format].protocol, protocol) != 0)
        *reason = "its format is another one";
    else if (!cursor_has(&all, EXPORTED_HEAD, numbers + texts))
        *reason = "its context is cut";
    else
        *reason = NULL;
    if (*reason)
        return false;
    const cursor n = {data + EXPORTED_HEAD, numbers, false}, t = {data + EXPORTED_HEAD + numbers, texts, false};
    const number_table own = table_of(e->context.format);
    read_numbers(&n, read_numbers(&n, 0, &common_table, &e->context), &own, &e->context);
    *reason = read_texts(&t, e) ? problem_of(&e->context, length - e->length) : "a text of its context is cut";
    return *reason == NULL;
}

/* The bytes after the tags, if the tags name the dissector; else 0. */
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

bool exported_read_packet(const uint8_t *data, size_t length, const char *protocol, exported *e, const char **reason)
{
    const cursor c = {data, length, true};
    size_t tags = skip_tags(&c, protocol);
    if (tags == 0) {
        *reason = "its tags do not name the dissector of this format";
        return false;
    }
    if (!exported_read(data + tags, length - tags, protocol, e, reason))
        return false;
    e->length += tags;
    return true;
}
