/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text.h"

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

/* Bytes of a character that is not tame; 0 where it is. A NUL may follow any byte. */
static unsigned wild(const guint8 *c)
{
    if (*c < ' ' || *c == 0x7f)
        return 1;
    if (*c == 0xc2) /* U+0080 to U+009F */
        return c[1] >= 0x80 && c[1] < 0xa0 ? 2 : 0;
    if (*c == 0xd8) /* U+061C */
        return c[1] == 0x9c ? 2 : 0;
    if (*c != 0xe2)
        return 0;
    bool marks = c[1] == 0x80 && ((c[2] >= 0x8e && c[2] <= 0x8f) || (c[2] >= 0xaa && c[2] <= 0xae)); /* 200E, 200F, 202A-E */
    bool isolates = c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9;                                    /* U+2066 to U+2069 */
    return marks || isolates ? 3 : 0;
}

bool text_is_tame(const char *utf8, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        guint8 c[3];
        const char *at = utf8 + i;
        if ((guint8)*at >= ' ' && (guint8)*at < 0x7f)
            continue;
        for (size_t k = 0; k < sizeof c; k++)
            c[k] = i + k < length ? (guint8)at[k] : 0;
        if (wild(c))
            return false;
    }
    return true;
}

char *text_tame(char *utf8)
{
    for (guint8 *c = (guint8 *)utf8; *c;) {
        unsigned n = wild(c);
        memset(c, '?', n);
        c += n ? n : 1;
    }
    return utf8;
}

char *text_show(const char *bytes, ptrdiff_t length)
{
    size_t all = length < 0 ? strnlen(bytes, TEXT_MAX + 1) : strnlen(bytes, (size_t)length);
    if (all <= TEXT_MAX)
        return text_tame(g_utf8_make_valid(bytes, (gssize)all));
    char *valid = g_utf8_make_valid(bytes, (gssize)text_fitting(bytes, all, TEXT_MAX - strlen(ELLIPSIS)));
    char *marked = g_strconcat(valid, ELLIPSIS, NULL);
    g_free(valid);
    return text_tame(marked);
}
