/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A name as people read it, and what it consists of. Who makes it also reports that, and nobody reads it out of the text
 * again. */
#ifndef WIRETRACE_UTIL_SHOWN_NAME_H
#define WIRETRACE_UTIL_SHOWN_NAME_H

#include <glib.h>
#include <stdint.h>
#include <string.h>

#define SHOWN_NAME_ARROW " → "

/* A remark stays where a name is cut, if there is room: a number that distinguishes it, ` #3`, or other words, ` (thread
 * 3)`, ` [unwound]`. */
typedef struct shown_name {
    const char *text;             /* all of it; NULL: there is none */
    uint32_t first;               /* bytes of the first of two names with SHOWN_NAME_ARROW between them; 0: it is one */
    uint8_t remark, other_remark; /* bytes at the end of the name, and of the second one, that are a remark */
    uint16_t plain; /* bytes of the text, if it is known that it is printed as it is, also as CSV; 0: not known */
} shown_name;

/* A name without a remark, or any other text. */
static inline shown_name shown_name_of(const char *text)
{
    return (shown_name){.text = text};
}

/* Two names with an arrow between them. Free its text with g_free(). */
static inline shown_name shown_name_pair(const shown_name *one, const shown_name *other)
{
    return (shown_name){.text = g_strconcat(one->text, SHOWN_NAME_ARROW, other->text, NULL),
                        .first = (uint32_t)strlen(one->text),
                        .remark = one->remark,
                        .other_remark = other->remark};
}

#endif
