/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of what is counted of members: the member of an access, as a search would find it. */
#ifndef WIRETRACE_TEST_ACCESS_MEMBER_H
#define WIRETRACE_TEST_ACCESS_MEMBER_H

#include <glib.h>
#include <string.h>

#include "cacheray/analysis.h"
#include "cacheray/members/members_source.h"

/* `pairs[1].second`: what is between dots is a member. */
static inline void access_member_find(member_search *s, const char *path)
{
    const member_mark before = member_search_enter(s, NULL);
    g_auto(GStrv) within = g_strsplit(path, ".", -1);
    for (char **one = within; *one; one++) {
        g_auto(GStrv) parts = g_strsplit(*one, "[", -1);
        member_search_enter(s, *parts);
        for (char **element = parts + 1; *parts && *element; element++)
            member_search_element(s, g_ascii_strtoull(*element, NULL, 10));
    }
    member_search_found(s);
    member_search_leave(s, before);
}

/* What was found; it lasts. The search is cleared. */
static inline void access_member_found(cacheray_tapped *v, member_search *s)
{
    static GPtrArray *all;
    if (!all)
        all = g_ptr_array_new();
    members_name *name = member_search_name(s, MEMBER_NUMBERED);
    members_covered_one *one = g_new(members_covered_one, 1);
    name->all = member_search_name(s, MEMBER_OF_ALL);
    *one = (members_covered_one){name, v->size};
    g_ptr_array_add(all, (gpointer)(uintptr_t)name->all);
    g_ptr_array_add(all, name);
    g_ptr_array_add(all, one);
    v->member = name->text;
    v->covered = (members_cover){name->text, one, 1};
    member_search_clear(s);
}

/* A member, or several with '|' between. NULL: none. */
static inline void access_member(cacheray_tapped *v, const char *text)
{
    member_search s;
    if (!text)
        return;
    member_search_init(&s);
    g_auto(GStrv) paths = g_strsplit(text, "|", -1);
    for (char **path = paths; *path; path++)
        access_member_find(&s, *path);
    access_member_found(v, &s);
}

#endif
