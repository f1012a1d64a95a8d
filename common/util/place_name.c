/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "util/place_name.h"

#include <string.h>

static const char before_caller[] = " < ";

/* An element of the region may follow. */
static bool is_end(const char *rest, const char *end)
{
    return rest == end || (*rest == '[' && *end == '\0');
}

/* Returns whether this is an offset, `+0x1c`, up to the end of the frame. */
static bool is_offset(const char *rest, const char *end, uint64_t *offset)
{
    static const char plus[] = "+0x";
    if (!g_str_has_prefix(rest, plus))
        return false;
    const char *digits = rest + strlen(plus);
    const size_t length = strspn(digits, "0123456789abcdef");
    *offset = g_ascii_strtoull(digits, NULL, 16);
    return length && is_end(digits + length, end);
}

/* Returns whether this is a line, ` (site.cpp:8)`, up to the end of the frame. */
static bool is_line(const char *rest, const char *end)
{
    const char *colon = g_strrstr_len(rest, end - rest, ":");
    size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
    return colon && colon > rest + strlen(" (") && digits && colon[1 + digits] == ')' && is_end(colon + 2 + digits, end);
}

static bool frame_read(const char *name, bool in_function, place_name *p)
{
    const char *next = strstr(name, before_caller), *plus, *line;
    *p = (place_name){.name = name, .end = next ? next : name + strlen(name), .in_function = in_function};
    const ptrdiff_t length = p->end - name;
    if ((plus = g_strrstr_len(name, length, "+0x")) && plus > name && is_offset(plus, p->end, &p->offset))
        p->rest = plus;
    else if ((line = g_strrstr_len(name, length, " (")) && line > name && is_line(line, p->end))
        p->rest = line;
    if (p->rest) {
        p->length = (size_t)(p->rest - name);
        p->rest_length = (size_t)(p->end - p->rest);
    }
    return p->rest != NULL;
}

bool place_name_caller(const place_name *p, place_name *caller)
{
    if (*p->end == '\0')
        return false;
    const char *name = p->end + strlen(before_caller);
    const bool in_file = g_str_has_prefix(name, "at ");
    return frame_read(name + (in_file ? strlen("at ") : 0), !in_file, caller);
}

bool place_name_read(const char *text, place_name *p)
{
    const char *blank = strchr(text, ' ');
    if (!blank || blank == text || strcspn(text, "<(:.") < (size_t)(blank - text))
        return false;
    const bool in_function = g_str_has_prefix(blank, " in ");
    if ((!in_function && !g_str_has_prefix(blank, " at ")) || !frame_read(blank + strlen(" in "), in_function, p))
        return false;
    for (place_name caller = *p; *caller.end;)
        if (!place_name_caller(&caller, &caller))
            return false;
    return true;
}

static void frame_show(GString *to, const place_name *p, bool first, place_show *show, void *data)
{
    place_shown s = show(data, p);
    const bool in_function = p->in_function || s.name;
    g_string_append(to, !in_function ? "at " : first ? "in " : "");
    if (s.name)
        g_string_append(to, s.name);
    else
        g_string_append_len(to, p->name, (gssize)p->length);
    if (s.line)
        g_string_append_printf(to, " (%s)", s.line);
    else if (!s.name || p->in_function) /* the offset is that in the file */
        g_string_append_len(to, p->rest, (gssize)p->rest_length);
    g_free(s.name);
    g_free(s.line);
}

char *place_name_show(const char *text, place_show *show, void *data)
{
    place_name p;
    GString *shown = g_string_new_len(text, strchr(text, ' ') + 1 - text);
    if (!place_name_read(text, &p)) {
        g_string_free(shown, TRUE);
        return g_strdup(text);
    }
    frame_show(shown, &p, true, show, data);
    while (place_name_caller(&p, &p)) {
        g_string_append(shown, before_caller);
        frame_show(shown, &p, false, show, data);
    }
    return g_string_free(shown, FALSE);
}
