/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/events/describe.h"

#include <glib.h>
#include <string.h>

#include "ovni/events/layout.h"
#include "util/text.h"

/* At most this many characters of a string are shown. */
#define LABEL_SHOWN 64
/* At most this many values of a repeated argument are shown. */
#define VALUES_SHOWN 16

uint64_t ovni_declared_payload(const cursor *bytes)
{
    uint8_t flags = cursor_u8(bytes, 0);
    return flags & OVNI_FLAG_JUMBO ? ovni_jumbo_data_at(bytes, 0) : ovni_payload_size(flags);
}

const ovni_event *ovni_event_of(ovni_era era, const cursor *bytes)
{
    return cursor_has(bytes, 0, 4) ? ovni_event_find(era, ovni_mcv(bytes), ovni_declared_payload(bytes)) : NULL;
}

void ovni_arguments_init(ovni_arguments *a, const ovni_event *event, const cursor *bytes)
{
    *a = (ovni_arguments){.event = event, .bytes = bytes};
    a->at = ovni_payload_at(cursor_u8(bytes, 0));
    uint64_t end = a->at + ovni_declared_payload(bytes);
    a->end = (uint32_t)MIN(end, MIN(bytes->length, (size_t)UINT32_MAX));
}

static unsigned ovni_describe_width_of(uint8_t type)
{
    return type == OVNI_I32 || type == OVNI_U32 ? 4 : 8;
}

static bool next_string(ovni_arguments *a, ovni_value *v)
{
    uint32_t room = a->end > a->at ? a->end - a->at : 0;
    const uint8_t *nul = room ? memchr(a->bytes->data + a->at, 0, room) : NULL;
    v->width = nul ? (uint32_t)(nul - (a->bytes->data + a->at)) : room;
    a->at = a->end;
    return true;
}

bool ovni_arguments_next(ovni_arguments *a, ovni_value *v)
{
    if (!a->event || a->next == OVNI_ARGUMENTS_MAX || a->missing)
        return false;
    const ovni_argument *argument = &a->event->arguments[a->next];
    bool repeat = argument->type == OVNI_REPEAT;
    if (argument->type == OVNI_NO_ARGUMENT)
        return false;
    if (repeat)
        argument--;
    *v = (ovni_value){.id = argument->id, .type = argument->type, .offset = a->at};
    a->next += !repeat;
    if (argument->type == OVNI_STR)
        return next_string(a, v);
    v->width = ovni_describe_width_of(argument->type);
    if (a->at > a->end || v->width > a->end - a->at) {
        a->missing = !repeat;
        a->next = OVNI_ARGUMENTS_MAX;
        return false;
    }
    v->number = cursor_uint(a->bytes, a->at, v->width);
    if (argument->type == OVNI_I32)
        v->number = (uint64_t)(int64_t)(int32_t)(uint32_t)v->number;
    a->at += v->width;
    return true;
}

/* A text that drops what does not fit, but never cuts a character. */
typedef struct {
    char *text;
    size_t length, size;
} writer;

static void put(writer *w, const char *bytes, size_t length)
{
    if (w->length + length < w->size) {
        memcpy(w->text + w->length, bytes, length);
        w->length += length;
    } else {
        w->size = w->length + 1; /* from here on nothing fits, not even shorter text */
    }
}

static void put_words(writer *w, const char *bytes, size_t length)
{
    put(w, bytes, MIN(length, w->size - w->length - 1));
}

/* Writes a value in the notation of ovnidump: tags, which are addresses, are hexadecimal. */
static void ovni_describe_put_number(writer *w, const ovni_value *v)
{
    char digits[24], *end = digits + sizeof digits;
    const bool negative = (v->type == OVNI_I32 || v->type == OVNI_I64) && (int64_t)v->number < 0;
    char *at = text_digits(end, negative ? 0 - v->number : v->number, v->id == OVNI_TAG ? 16 : 10);
    if (v->id == OVNI_TAG)
        at = memcpy(at - 2, "0x", 2);
    if (negative)
        *--at = '-';
    put(w, at, (size_t)(end - at));
}

/* Escapes one character of a string if necessary. Returns how many bytes it had. */
static size_t put_character(writer *w, const char *s, size_t left)
{
    static const char hex[] = "0123456789abcdef";
    gunichar c = g_utf8_get_char_validated(s, (gssize)MIN(left, 6));
    if (c == (gunichar)-1 || c == (gunichar)-2 || c == 0) {
        uint8_t byte = (uint8_t)*s;
        char escape[4] = {'\\', 'x', hex[byte >> 4], hex[byte & 15]};
        put(w, escape, sizeof escape);
        return 1;
    }
    size_t length = (size_t)(g_utf8_next_char(s) - s);
    if (c == '\n' || c == '\t' || c == '\r') {
        char escape[2] = {'\\', c == '\n' ? 'n' : c == '\t' ? 't' : 'r'};
        put(w, escape, sizeof escape);
    } else if (g_unichar_isprint(c) && text_is_safe(s, length)) {
        put(w, s, length);
    } else { /* control and format characters could, for example, reverse the direction of the text, separators break a line
              */
        char escape[16] = "";
        int size = g_snprintf(escape, sizeof escape, "\\u{%x}", c);
        put(w, escape, (size_t)size);
    }
    return length;
}

static void put_string(writer *w, const char *s, size_t length)
{
    size_t at = 0, shown = 0;
    put(w, "\"", 1);
    for (; at < length && shown < LABEL_SHOWN; shown++)
        at += put_character(w, s + at, length - at);
    if (at < length)
        put(w, "...", 3);
    put(w, "\"", 1);
}

static void put_value(writer *w, const cursor *bytes, const ovni_value *v, const char *label)
{
    if (v->type == OVNI_STR) {
        put_string(w, (const char *)bytes->data + v->offset, v->width);
        return;
    }
    ovni_describe_put_number(w, v);
    if (label) {
        put(w, " ", 1);
        put_string(w, label, strlen(label));
    }
}

/* All values of the argument that a placeholder names. */
static void put_argument(writer *w, const ovni_event *event, const cursor *bytes, const ovni_labels *labels,
                         const char *name, size_t length)
{
    ovni_arguments a;
    ovni_value v;
    unsigned found = 0;
    ovni_arguments_init(&a, event, bytes);
    while (ovni_arguments_next(&a, &v)) {
        const char *n = ovni_argument_name(v.id);
        if (strncmp(n, name, length) || n[length])
            continue;
        if (found)
            put(w, ", ", 2);
        if (found++ == VALUES_SHOWN) {
            put(w, "...", 3);
            return;
        }
        put_value(w, bytes, &v, labels ? labels->of[v.id] : NULL);
    }
    if (!found)
        put(w, "?", 1);
}

size_t ovni_describe(const ovni_event *event, const cursor *bytes, const ovni_labels *labels, char *text, size_t size)
{
    writer w = {text, 0, size};
    if (!size)
        return 0;
    for (const char *s = event->text; *s;) {
        const char *hole = strchr(s, '{');
        const char *end = hole ? strchr(hole, '}') : NULL;
        put_words(&w, s, end ? (size_t)(hole - s) : strlen(s));
        if (!end)
            break;
        put_argument(&w, event, bytes, labels, hole + 1, (size_t)(end - hole - 1));
        s = end + 1;
    }
    text[w.length] = 0;
    return w.length;
}
