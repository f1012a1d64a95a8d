/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long a name may be that one record gives to others: a type, a label, a title. It is shown with each of them, so
 * that a record of a megabyte followed by small ones would take the time of their product. */
#ifndef WIRETRACE_TEXT_H
#define WIRETRACE_TEXT_H

#include <stddef.h>
#include <stdint.h>

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

#endif
