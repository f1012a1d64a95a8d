/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "util/text.h"

#include <glib.h>
#include <string.h>

#define ELLIPSIS "\xe2\x80\xa6"

size_t text_fitting(const char *text, size_t length, size_t room)
{
    if (length <= room)
        return length;
    size_t at = room;
    while (at + 3 > room && at > 0 && ((guint8)text[at] & 0xc0) == 0x80)
        at--;
    return ((guint8)text[at] & 0xc0) == 0x80 ? room : at;
}

/* The length in bytes of the character at `at`, 1 if it is invalid. *unsafe: it is a control character, separates lines or
 * paragraphs, or changes the text direction. */
static size_t character_length(const char *at, ptrdiff_t left, bool *unsafe)
{
    gunichar c = (guint8)*at < 0x80 ? (guint8)*at : g_utf8_get_char_validated(at, left); /* greater than any character if
                                                                                          * invalid */
    *unsafe = c < ' ' || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
              (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
    return c > 0x10ffff ? 1 : (size_t)(g_utf8_next_char(at) - at);
}

bool text_is_safe(const char *utf8, size_t length)
{
    bool unsafe = false;
    for (size_t at = 0; at < length && !unsafe;)
        at += character_length(utf8 + at, (ptrdiff_t)(length - at), &unsafe);
    return !unsafe;
}

char *text_sanitize(char *utf8)
{
    bool unsafe;
    for (char *at = utf8; *at;) {
        size_t n = character_length(at, -1, &unsafe);
        if (unsafe)
            memset(at, '?', n);
        at += n;
    }
    return utf8;
}

char *text_show_all(const char *text)
{
    return text_sanitize(g_utf8_make_valid(text, -1));
}

/* Eight bytes at once: one that is not printable ASCII has the highest bit, or gets it by subtracting a blank or adding 1.
 */
size_t text_plain(const char *text)
{
    static const uint64_t each = UINT64_C(0x0101010101010101);
    const size_t length = strlen(text);
    uint64_t eight, all = 0;
    size_t at = 0;
    for (; at + sizeof eight <= length; at += sizeof eight) {
        memcpy(&eight, text + at, sizeof eight);
        all |= eight | (eight - each * ' ') | (eight + each);
    }
    bool plain = !(all & each * 0x80);
    for (; plain && at < length; at++)
        plain = text[at] >= ' ' && text[at] <= '~';
    return plain ? length : 0;
}

void text_append_shown(GString *to, const char *text)
{
    const size_t plain = text_plain(text);
    g_autofree char *safe = plain ? NULL : text_show_all(text); /* most texts need no copy */
    g_string_append_len(to, safe ? safe : text, safe ? -1 : (gssize)plain);
}

char *text_show(const char *bytes, ptrdiff_t length)
{
    return text_show_within(bytes, length, TEXT_MAX);
}

char *text_show_within(const char *bytes, ptrdiff_t length, size_t most)
{
    size_t all = length < 0 ? strnlen(bytes, most + 1) : strnlen(bytes, (size_t)length);
    if (all == strlen(TEXT_OTHERS) && memcmp(bytes, TEXT_OTHERS, all) == 0)
        return g_strdup("\"" TEXT_OTHERS "\"");
    if (all <= most)
        return text_sanitize(g_utf8_make_valid(bytes, (gssize)all));
    g_autofree char *valid = g_utf8_make_valid(bytes, (gssize)text_fitting(bytes, all, most - strlen(ELLIPSIS)));
    return text_sanitize(g_strconcat(valid, ELLIPSIS, NULL));
}

char *text_escape(const char *bytes, size_t length)
{
    static const char from_bell[] = "abtnvfr";
    GString *text = g_string_new(NULL);
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)bytes[i];
        const bool long_one = length - i >= 3;
        if (long_one && memcmp(bytes + i, "\xe2\x80\xa8", 3) == 0)
            i += 2, g_string_append(text, "\\u2028");
        else if (long_one && memcmp(bytes + i, "\xe2\x80\xa9", 3) == 0)
            i += 2, g_string_append(text, "\\u2029");
        else if (c >= '\a' && c <= '\r')
            g_string_append_printf(text, "\\%c", from_bell[c - '\a']);
        else if (c < ' ' || c == 0x7f)
            g_string_append_printf(text, "\\%03o", c);
        else
            g_string_append_c(text, (char)c);
    }
    return g_string_free(text, FALSE);
}

bool text_take_word(const char **list, const char *word)
{
    const size_t n = strlen(word);
    if (strncmp(*list, word, n) != 0 || ((*list)[n] != ',' && (*list)[n] != '\0'))
        return false;
    *list += n + ((*list)[n] == ',');
    return true;
}

char *text_without(const char *name, const char *const *suffixes)
{
    while (*suffixes && !g_str_has_suffix(name, *suffixes))
        suffixes++;
    return g_strndup(name, strlen(name) - (*suffixes ? strlen(*suffixes) : 0));
}

char *text_unpacked(const char *name)
{
    static const char *const suffixes[] = {".gz", ".zst", ".lz4", NULL};
    return text_without(name, suffixes);
}

void text_append_digits(GString *text, uint64_t number, unsigned base)
{
    enum { ROOM = 24 };
    char digits[ROOM], *end = digits + ROOM, *at = text_digits(end, number, base);
    const size_t length = (size_t)(end - at);
    if (text->allocated_len - text->len <= ROOM) {
        g_string_append_len(text, at, (gssize)length);
        return;
    }
    memcpy(text->str + text->len, at, length);
    text->len += length;
    text->str[text->len] = '\0';
}

/* Returns where the digits begin that end at `end`. */
static char *write_grouped(char *end, uint64_t number)
{
    for (unsigned n = 0; n == 0 || number; n++, number /= 10) {
        if (n && n % 3 == 0)
            *--end = ',';
        *--end = (char)('0' + number % 10);
    }
    return end;
}

void text_append_grouped(GString *text, uint64_t number)
{
    char digits[32], *end = digits + sizeof digits, *at = write_grouped(end, number);
    g_string_append_len(text, at, end - at);
}

/* Called for every record of a list, so it does not format. */
const char *text_time(char text[TEXT_TIME], uint64_t ns)
{
    static const char *const units[] = {" ns", " us", " ms", " s"};
    unsigned unit = 0, decimals = 0;
    uint64_t value = ns; /* shown: of the unit, or tenths or hundredths of it */
    if (ns >= 1000) {
        uint64_t thousandths = ns;
        for (unit = 1; thousandths >= 999500 && unit + 1 < G_N_ELEMENTS(units); unit++)
            thousandths = thousandths / 1000 + (thousandths % 1000 >= 500);
        decimals = thousandths < 9995 ? 2 : thousandths < 99950 ? 1 : 0;
        static const unsigned steps[] = {1000, 100, 10};
        const unsigned step = steps[decimals];
        value = thousandths / step + (thousandths % step >= step / 2);
    }
    char *at = text + TEXT_TIME;
    *--at = '\0';
    const size_t n = strlen(units[unit]);
    at = (char *)memcpy(at - n, units[unit], n);
    for (unsigned i = 0; i < decimals; i++, value /= 10)
        *--at = (char)('0' + value % 10);
    if (decimals)
        *--at = '.';
    return write_grouped(at, value);
}

/* One such sign is enough. */
static void append_ellipsis(GString *text)
{
    if (!g_str_has_suffix(text->str, ELLIPSIS))
        g_string_append(text, ELLIPSIS);
}

void text_append_end(GString *text, const char *utf8, size_t width)
{
    const glong length = g_utf8_strlen(utf8, -1), left = length - (glong)width + 1;
    const char *end = g_utf8_offset_to_pointer(utf8, CLAMP(left, 0, length));
    append_ellipsis(text);
    g_string_append(text, strncmp(end, ELLIPSIS, strlen(ELLIPSIS)) ? end : end + strlen(ELLIPSIS));
}

void text_append_cut(GString *text, const char *utf8, size_t width)
{
    const glong before = (glong)(width / 2);
    g_string_append_len(text, utf8, g_utf8_offset_to_pointer(utf8, before) - utf8);
    text_append_end(text, utf8, width - (size_t)before);
}
