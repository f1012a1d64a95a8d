/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names found so far in a search; shared by all sources of types. */
#include "cacheray/members/members_source.h"

#include <string.h>

#include "util/text.h"

void member_search_init(member_search *s)
{
    *s = (member_search){0};
    for (unsigned i = 0; i < MEMBER_NAMINGS; i++)
        s->as[i] = (member_naming){.path = g_string_new(NULL),
                                   .found = g_string_new(NULL),
                                   .paths = g_array_new(FALSE, FALSE, sizeof(members_path))};
}

void member_search_clear(member_search *s)
{
    for (unsigned i = 0; i < MEMBER_NAMINGS; i++) {
        g_string_free(s->as[i].path, TRUE);
        g_string_free(s->as[i].found, TRUE);
        g_array_free(s->as[i].paths, TRUE);
    }
}

/* --- what is found ----------------------------------------------------------------------------------------------------- */

static bool is_found(const member_naming *n, const char *text, size_t length)
{
    for (guint i = 0; i < n->paths->len; i++) {
        const members_path *p = &g_array_index(n->paths, members_path, i);
        if (p->length == length && memcmp(n->found->str + p->at, text, length) == 0)
            return true;
    }
    return false;
}

static void add_path(member_naming *n, const char *separator, const char *text, members_path path)
{
    if (n->found->len)
        g_string_append(n->found, separator);
    path.at = (uint32_t)n->found->len;
    g_string_append_len(n->found, text, (gssize)path.length);
    g_array_append_val(n->paths, path);
}

void member_search_found(member_search *s)
{
    const GString *path = s->as[MEMBER_NUMBERED].path;
    if (s->names++ >= MEMBERS_NAMES_MAX || !path->len || is_found(&s->as[MEMBER_NUMBERED], path->str, path->len))
        return;
    for (unsigned i = 0; i < MEMBER_NAMINGS; i++) {
        member_naming *n = &s->as[i];
        add_path(n, "|", n->path->str, (members_path){.length = (uint32_t)n->path->len, .own = n->own, .top = n->top});
    }
}

void member_search_nothing(member_search *s)
{
    for (unsigned i = 0; i < MEMBER_NAMINGS; i++) {
        g_string_truncate(s->as[i].found, 0);
        g_array_set_size(s->as[i].paths, 0);
    }
}

void member_search_join(member_search *s, const members_name *name)
{
    for (uint32_t i = 0; i < MIN(name->count, name->all->count); i++) {
        const members_path *p = &name->paths[i], *q = &name->all->paths[i];
        if (is_found(&s->as[MEMBER_NUMBERED], name->text + p->at, p->length))
            continue;
        add_path(&s->as[MEMBER_NUMBERED], ", ", name->text + p->at, *p);
        add_path(&s->as[MEMBER_OF_ALL], ", ", name->all->text + q->at, *q);
    }
}

void member_search_list(member_search *s, const char *text, const char *of_all)
{
    add_path(&s->as[MEMBER_NUMBERED], ", ", text, (members_path){.length = (uint32_t)strlen(text)});
    add_path(&s->as[MEMBER_OF_ALL], ", ", of_all, (members_path){.length = (uint32_t)strlen(of_all)});
}

members_name *member_search_name(const member_search *s, member_numbering which)
{
    const member_naming *n = &s->as[which];
    g_autofree char *shown = text_show(n->found->str, -1); /* cut, if it is long */
    const size_t length = strlen(shown), paths = n->paths->len * sizeof(members_path);
    members_name *name = g_malloc0(sizeof *name + paths + length + 1);
    name->text = memcpy((char *)name->paths + paths, shown, length + 1);
    name->all = name;
    for (guint i = 0; i < n->paths->len; i++) {
        members_path p = g_array_index(n->paths, members_path, i);
        if (p.at >= length)
            break;
        p.length = MIN(p.length, (uint32_t)length - p.at);
        p.own = MIN(p.own, p.length);
        p.top = MIN(p.top, p.length);
        name->paths[name->count++] = p;
    }
    return name;
}

/* --- the current path -------------------------------------------------------------------------------------------------- */

/* A cut path stays longer than what is shown, so that it is marked as cut. */
#define PATH_MAX_BYTES (TEXT_MAX + 4u)

member_mark member_search_enter(member_search *s, const char *name)
{
    const size_t length = s->as[MEMBER_NUMBERED].path->len, room = PATH_MAX_BYTES - MIN(length, PATH_MAX_BYTES);
    const member_mark mark = {{length, s->as[MEMBER_OF_ALL].path->len}, s->inside};
    if (!name || !*name || !room)
        return mark;
    g_autofree char *piece = g_strndup(name, text_fitting(name, strnlen(name, room + 1), room));
    s->inside += length > 0;
    for (unsigned i = 0; i < MEMBER_NAMINGS; i++) {
        member_naming *n = &s->as[i];
        if (length)
            g_string_append_c(n->path, '.');
        text_append_shown(n->path, piece);
        if (!length)
            n->own = n->top = (uint32_t)n->path->len;
    }
    return mark;
}

void member_search_element(member_search *s, uint64_t number)
{
    g_string_append_printf(s->as[MEMBER_NUMBERED].path, "[%" G_GUINT64_FORMAT "]", number);
    g_string_append(s->as[MEMBER_OF_ALL].path, "[]");
    for (unsigned i = 0; !s->inside && i < MEMBER_NAMINGS; i++)
        s->as[i].top = (uint32_t)s->as[i].path->len;
}

void member_search_leave(member_search *s, member_mark mark)
{
    s->inside = mark.inside;
    for (unsigned i = 0; i < MEMBER_NAMINGS; i++) {
        g_string_truncate(s->as[i].path, mark.lengths[i]);
        if (!mark.lengths[i])
            s->as[i].own = s->as[i].top = 0;
    }
}

void member_search_padding(member_search *s, const char *text)
{
    const member_mark mark = member_search_enter(s, text);
    for (unsigned i = 0; i < MEMBER_NAMINGS; i++)
        s->as[i].own = 0;
    member_search_found(s);
    member_search_leave(s, mark);
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
