/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/remap/parts.h"

#include <glib.h>
#include <string.h>

#include "containers/binary_search.h"

static bool has_name(const GPtrArray *names, const char *name, size_t length)
{
    for (guint i = 0; i < names->len; i++) {
        const char *known = g_ptr_array_index(names, i);
        if (strncmp(known, name, length) == 0 && !known[length])
            return true;
    }
    return false;
}

/* The members of the struct itself that are found at an offset: whether there are some, or some of these. */
static bool shares_name(const GPtrArray *names, const members_name *found)
{
    for (uint32_t i = 0; i < found->count; i++) {
        const members_path *p = &found->paths[i];
        if (p->own && (!names || has_name(names, found->text + p->at, p->own)))
            return true;
    }
    return false;
}

/* Adds them, unless they are there. */
static void cacheray_parts_add_names(GPtrArray *names, const members_name *found)
{
    for (uint32_t i = 0; i < found->count; i++) {
        const members_path *p = &found->paths[i];
        if (p->own && !has_name(names, found->text + p->at, p->own))
            g_ptr_array_add(names, g_strndup(found->text + p->at, p->own));
    }
}

/* Gives a part names, which are taken. */
static void name_part(struct_part *p, GPtrArray *names)
{
    g_ptr_array_add(names, NULL);
    p->names = (char **)g_ptr_array_steal(names, NULL);
    p->shown = g_strjoinv("|", p->names);
}

static void finish_part(GArray *all, struct_part *p, GPtrArray *names)
{
    if (!names->len)
        return;
    name_part(p, names);
    g_array_append_val(all, *p);
}

struct_parts *parts_of(members *m, uint32_t type)
{
    uint64_t size = members_size(m, type);
    if (!size || size > PARTS_SIZE_MAX)
        return NULL;
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(struct_part));
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    struct_part open = {.names = NULL};
    for (uint32_t at = 0; at < size; at++) {
        const members_name *found = members_at(m, type, at);
        if (!shares_name(NULL, found)) /* between members, or inside of one */
            continue;
        if (!shares_name(names, found)) {
            finish_part(all, &open, names);
            open = (struct_part){.offset = at};
        }
        cacheray_parts_add_names(names, found);
        open.size = at + 1 - open.offset;
    }
    finish_part(all, &open, names);
    if (!all->len)
        return NULL;
    struct_parts *p = g_new0(struct_parts, 1);
    p->size = (uint32_t)size;
    p->count = all->len;
    p->all = g_memdup2(all->data, all->len * sizeof(struct_part));
    return p;
}

/* --- as a compiler places them ----------------------------------------------------------------------------------------- */

static uint64_t cacheray_parts_round_up(uint64_t n, uint32_t to)
{
    return (n + to - 1) / to * to;
}

bool parts_place(const struct_parts *p, const uint32_t *order, const bool *starts, uint32_t line, uint32_t *offsets,
                 uint32_t *size)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct_part *here = &p->all[order[i]];
        if (starts && starts[order[i]])
            at = cacheray_parts_round_up(at, line);
        /* Bit-fields would begin in padding, or in the last byte of others. */
        if (here->bits && (at % here->align || (i && p->all[order[i - 1]].bits)))
            return false;
        at = here->fixed ? MAX(at, here->offset) : cacheray_parts_round_up(at, here->align);
        if (here->fixed && at != here->offset)
            return false;
        offsets[order[i]] = (uint32_t)at;
        at += here->size;
    }
    at = cacheray_parts_round_up(at, MAX(p->align, starts ? line : 1));
    *size = (uint32_t)at;
    return at <= PARTS_SIZE_MAX;
}

/* Appends a member as a part of its own or, of bit-fields in sequence, to the last one. */
static void cacheray_parts_add_declared(GArray *all, const members_declared *d, const members_declared *before,
                                        uint64_t room)
{
    if (d->bits && before && before->bits) {
        struct_part *last = &g_array_index(all, struct_part, all->len - 1);
        last->size = (uint32_t)(d->offset + d->size - last->offset);
        last->align = MAX(last->align, d->align);
        return;
    }
    const struct_part p = {.offset = (uint32_t)d->offset,
                           .size = (uint32_t)(d->base ? MIN(d->size, room) : d->size), /* padding of a base class is used */
                           .align = d->align,
                           .bits = d->bits,
                           .fixed = d->base || d->implicit || (before && before->base),
                           .implicit = d->base || d->implicit};
    g_array_append_val(all, p);
}

/* Gives parts the names of the pieces in them. False: some have none, or a piece is in none. */
static bool name_declared(struct_parts *p, const struct_parts *pieces)
{
    uint32_t next = 0;
    for (unsigned i = 0; i < p->count; i++) {
        struct_part *part = &p->all[i];
        g_autoptr(GPtrArray) names = g_ptr_array_new();
        for (; next < pieces->count && pieces->all[next].offset - part->offset < part->size; next++)
            for (char **name = pieces->all[next].names; *name; name++)
                g_ptr_array_add(names, g_strdup(*name));
        name_part(part, names);
        if (!*part->names || pieces->all[next - 1].offset + pieces->all[next - 1].size > part->offset + part->size)
            return false;
    }
    return next == pieces->count;
}

/* Returns whether a compiler would place the parts where they are. */
static bool cacheray_parts_follows(const struct_parts *p)
{
    g_autofree uint32_t *order = g_new(uint32_t, p->count), *offsets = g_new(uint32_t, p->count);
    uint32_t size;
    for (uint32_t i = 0; i < p->count; i++)
        order[i] = i;
    if (!parts_place(p, order, NULL, 1, offsets, &size) || size != p->size)
        return false;
    for (uint32_t i = 0; i < p->count; i++)
        if (offsets[i] != p->all[i].offset)
            return false;
    return true;
}

struct_parts *parts_declared(members *m, uint32_t type, const struct_parts *pieces)
{
    g_autoptr(GArray) declared = g_array_new(FALSE, FALSE, sizeof(members_declared));
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(struct_part));
    const uint32_t align = members_of_struct(m, type, declared);
    const members_declared *d = (const members_declared *)(void *)declared->data;
    for (guint i = 0; align && i < declared->len; i++) {
        if (d[i].offset > pieces->size || d[i].size > pieces->size || (i && d[i].offset < d[i - 1].offset))
            return NULL;
        cacheray_parts_add_declared(all, &d[i], i ? &d[i - 1] : NULL,
                                    i + 1 < declared->len ? d[i + 1].offset - d[i].offset : UINT64_MAX);
    }
    if (!all->len)
        return NULL;
    struct_parts *p = g_new0(struct_parts, 1);
    *p = (struct_parts){pieces->size, all->len, g_memdup2(all->data, all->len * sizeof(struct_part)), align};
    if (!name_declared(p, pieces) || !cacheray_parts_follows(p))
        g_clear_pointer(&p, parts_free);
    return p;
}

void parts_free(struct_parts *p)
{
    for (unsigned i = 0; p && i < p->count; i++) {
        g_strfreev(p->all[i].names);
        g_free(p->all[i].shown);
    }
    if (p)
        g_free(p->all);
    g_free(p);
}

uint32_t parts_covered(const struct_parts *p, uint64_t offset, uint64_t size, uint32_t *first)
{
    const struct_part *all = p->all;
    *first = (uint32_t)BINARY_SEARCH(p->count, i, all[i].offset + all[i].size <= offset);
    uint32_t end = *first;
    while (end < p->count && (all[end].offset <= offset || all[end].offset - offset < size))
        end++;
    return end - *first;
}

uint32_t parts_named(const struct_parts *p, const char *member)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (g_strv_contains((const char *const *)p->all[i].names, member))
            return i;
    return PARTS_NONE;
}
