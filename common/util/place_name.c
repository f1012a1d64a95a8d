/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "util/place_name.h"

#include <string.h>

/* An element of the region may follow. */
static bool is_end(const char *rest)
{
    return *rest == '\0' || *rest == '[';
}

/* Returns whether this is an offset, `+0x1c`, up to the end of the text. */
static bool is_offset(const char *rest, uint64_t *offset)
{
    static const char plus[] = "+0x";
    if (!g_str_has_prefix(rest, plus))
        return false;
    const char *digits = rest + strlen(plus);
    const size_t length = strspn(digits, "0123456789abcdef");
    *offset = g_ascii_strtoull(digits, NULL, 16);
    return length && is_end(digits + length);
}

/* Returns whether this is a line, ` (site.cpp:8)`, up to the end of the text. */
static bool is_line(const char *rest)
{
    const char *colon = strrchr(rest, ':');
    size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
    return colon && colon > rest + strlen(" (") && digits && colon[1 + digits] == ')' && is_end(colon + 2 + digits);
}

bool place_name_read(const char *text, place_name *p)
{
    const char *blank = strchr(text, ' '), *plus, *line;
    if (!blank || blank == text || strcspn(text, "<(:.") < (size_t)(blank - text))
        return false;
    *p = (place_name){.name = blank + strlen(" in "), .in_function = g_str_has_prefix(blank, " in ")};
    if (!p->in_function && !g_str_has_prefix(blank, " at "))
        return false;
    if ((plus = g_strrstr(p->name, "+0x")) && plus > p->name && is_offset(plus, &p->offset))
        p->rest = plus;
    else if ((line = g_strrstr(p->name, " (")) && line > p->name && is_line(line))
        p->rest = line;
    if (p->rest)
        p->length = (size_t)(p->rest - p->name);
    return p->rest != NULL;
}

char *place_name_show(const char *text, const place_name *p, const char *readable, const char *line)
{
    GString *shown = g_string_new_len(text, p->name - text);
    if (readable)
        g_string_append(shown, readable);
    else
        g_string_append_len(shown, p->name, (gssize)p->length);
    if (line)
        g_string_append_printf(shown, " (%s)", line);
    else
        g_string_append(shown, p->rest);
    return g_string_free(shown, FALSE);
}
