/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/parts.h"

#include <glib.h>
#include <string.h>

#include "containers/binary_search.h"
#include "util/text.h"

#define ALIGN_MAX 16u

/* Adds the members of the struct itself that names such as `a.b|c[1]` belong to, unless they are there. */
static void add_names(GString *names, const char *found)
{
    for (const char *at = found; at; at = strchr(at, '|')) {
        at += *at == '|';
        size_t length = strcspn(at, ".[|");
        if (!length || g_str_has_prefix(at, MEMBERS_PADDING) || text_among(names->str, at, length))
            continue;
        if (names->len)
            g_string_append_c(names, '|');
        g_string_append_len(names, at, (gssize)length);
    }
}

static bool shares_name(const char *names, const char *others)
{
    if (!*names)
        return false;
    for (const char *at = others; at; at = strchr(at, '|')) {
        at += *at == '|';
        if (text_among(names, at, strcspn(at, "|")))
            return true;
    }
    return false;
}

static void finish_part(GArray *all, struct_part *p, GString *names)
{
    if (!names->len)
        return;
    uint32_t bits = p->offset | p->size | ALIGN_MAX;
    p->align = bits & -bits;
    p->names = g_strdup(names->str);
    g_array_append_val(all, *p);
}

struct_parts *parts_of(members *m, uint32_t type)
{
    uint64_t size = members_size(m, type);
    if (!size || size > PARTS_SIZE_MAX)
        return NULL;
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(struct_part));
    GString *names = g_string_new(NULL), *here = g_string_new(NULL);
    struct_part open = {.names = NULL};
    for (uint32_t at = 0; at < size; at++) {
        g_string_truncate(here, 0);
        add_names(here, members_at(m, type, at));
        if (!here->len) /* between members, or inside of one */
            continue;
        if (shares_name(names->str, here->str)) {
            add_names(names, here->str);
        } else {
            finish_part(all, &open, names);
            g_string_assign(names, here->str);
            open = (struct_part){.offset = at};
        }
        open.size = at + 1 - open.offset;
    }
    finish_part(all, &open, names);
    g_string_free(names, TRUE);
    g_string_free(here, TRUE);
    if (!all->len)
        return NULL;
    struct_parts *p = g_new0(struct_parts, 1);
    p->size = (uint32_t)size;
    p->count = all->len;
    p->all = g_memdup2(all->data, all->len * sizeof(struct_part));
    return p;
}

void parts_free(struct_parts *p)
{
    for (unsigned i = 0; p && i < p->count; i++)
        g_free(p->all[i].names);
    if (p)
        g_free(p->all);
    g_free(p);
}

uint32_t parts_at(const struct_parts *p, uint64_t offset)
{
    size_t before = BINARY_SEARCH(p->count, i, p->all[i].offset <= offset);
    return before && offset - p->all[before - 1].offset < p->all[before - 1].size ? (uint32_t)before - 1 : PARTS_NONE;
}

uint32_t parts_named(const struct_parts *p, const char *member)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (text_among(p->all[i].names, member, strlen(member)))
            return i;
    return PARTS_NONE;
}
