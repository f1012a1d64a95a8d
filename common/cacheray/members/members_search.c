/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names found so far in a search; shared by all sources of types. */
#include "cacheray/members/members_source.h"

#include "util/text.h"

void member_search_found(member_search *s)
{
    if (s->names++ >= MEMBERS_NAMES_MAX || text_among(s->found->str, s->path->str, s->path->len))
        return;
    if (s->found->len)
        g_string_append_c(s->found, '|');
    g_string_append(s->found, s->path->str);
}

/* A cut path stays longer than what is shown, so that it is marked as cut. */
#define PATH_MAX_BYTES (TEXT_MAX + 4u)

gsize member_search_enter(member_search *s, const char *name)
{
    gsize length = s->path->len;
    size_t room = PATH_MAX_BYTES - MIN(length, PATH_MAX_BYTES);
    if (name && *name && room) {
        if (length)
            g_string_append_c(s->path, '.');
        g_string_append_len(s->path, name, (gssize)text_fitting(name, strnlen(name, room + 1), room));
    }
    return length;
}

char *member_plain_name(const char *name)
{
    GString *plain = g_string_new(NULL);
    unsigned depth = 0;
    for (const char *c = name; *c; c++) {
        if (*c == '<')
            depth++;
        if (depth == 0)
            g_string_append_c(plain, *c);
        if (*c == '>' && depth)
            depth--;
    }
    return g_string_free(plain, FALSE);
}
