/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What holds for names that come from a file: how long they may be, and which characters of them are shown. */
#ifndef WIRETRACE_TEXT_H
#define WIRETRACE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes of a name that many records show: a type, a label, a title that one record gives to others, a function or member of
 * the program. A name of a megabyte and many small records would take the time of their product. */
#define TEXT_MAX 4096u

/* Bytes of a text that fit into so many; never half a UTF-8 character. */
static inline size_t text_fitting(const char *text, size_t length, size_t room)
{
    if (length <= room)
        return length;
    size_t at = room;
    while (at + 3 > room && at > 0 && ((uint8_t)text[at] & 0xc0) == 0x80)
        at--;
    return ((uint8_t)text[at] & 0xc0) == 0x80 ? room : at;
}

/* Bytes of a name that can be shown. */
static inline ptrdiff_t text_shown(const char *text)
{
    return (ptrdiff_t)text_fitting(text, strnlen(text, TEXT_MAX + 1), TEXT_MAX);
}

/* Control characters, with which a name from a file could steer a terminal, become question marks. */
static inline char *text_tame(char *utf8)
{
    for (uint8_t *c = (uint8_t *)utf8; *c; c++) {
        bool second = *c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0; /* U+0080 to U+009F */
        if (second)
            c[1] = '?';
        if (second || *c < ' ' || *c == 0x7f)
            *c = '?';
    }
    return utf8;
}

#endif
