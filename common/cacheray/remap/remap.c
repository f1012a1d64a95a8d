/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/remap/remap.h"

#include <errno.h>
#include <glib.h>
#include <string.h>

#include "util/fail.h"
#include "util/regular_file.h"
#include "util/text.h"

typedef struct move {
    char *member;
    uint32_t offset;
} move;

struct remap_struct {
    char *name;
    unsigned line;
    GArray *moves;        /* of move */
    uint32_t size, align; /* 0: not given */
};

struct remap {
    GPtrArray *structs; /* of remap_struct */
};

static void free_move(gpointer m)
{
    g_free(((move *)m)->member);
}

static void free_struct(gpointer p)
{
    remap_struct *s = p;
    g_free(s->name);
    g_array_free(s->moves, TRUE);
    g_free(s);
}

void remap_free(remap *r)
{
    if (r)
        g_ptr_array_free(r->structs, TRUE);
    g_free(r);
}

/* --- reading ----------------------------------------------------------------------------------------------------------- */

/* A number as Java's Long.decode() reads it, at most `most`. */
static bool cacheray_remap_read_number(const char *text, uint32_t most, uint32_t *number)
{
    char *end = NULL;
    uint64_t value = g_ascii_isdigit(*text) ? g_ascii_strtoull(text, &end, 0) : UINT64_MAX;
    *number = (uint32_t)value;
    return value <= most && end && !*end;
}

/* Reads `member,offset`. */
static bool read_item(remap_struct *s, char *item, GError **error)
{
    g_autofree char *shown = text_show(item, -1);
    char *comma = strchr(item, ',');
    uint32_t number;
    if (!comma || comma == item)
        return fail_with(error, "'%s' is not 'member,offset'", shown);
    *comma = '\0';
    if (!cacheray_remap_read_number(g_strstrip(comma + 1), REMAP_OFFSET_MAX, &number))
        return fail_with(error, "'%s' needs a number of at most 1048576 bytes", shown);
    g_strstrip(item);
    if (strcmp(item, "sizeof") == 0) {
        s->size = number;
        return number || fail_with(error, "'%s' must not be 0", shown);
    }
    if (strcmp(item, "alignof") == 0) {
        s->align = number;
        return (number && number <= REMAP_ALIGN_MAX && !(number & (number - 1))) ||
               fail_with(error, "'%s' must be a power of two up to 4096", shown);
    }
    if (s->moves->len == REMAP_MEMBERS_MAX)
        return fail_with(error, "'%s' is the 4097th member", shown);
    const move m = {g_strdup(item), number};
    g_array_append_val(s->moves, m);
    return true;
}

/* The name without `struct`. */
static const char *bare_name(const char *name)
{
    static const char *const prefixes[] = {"struct", "class", "union"};
    for (unsigned i = 0; i < G_N_ELEMENTS(prefixes); i++) {
        size_t n = strlen(prefixes[i]);
        if (strncmp(name, prefixes[i], n) == 0 && (name[n] == ' ' || name[n] == '.'))
            return name + n + 1;
    }
    return name;
}

static bool read_line(remap *r, char *line, unsigned number, GError **error)
{
    char *equals = strchr(line, '=');
    g_strstrip(line);
    if (!*line || *line == '#')
        return true;
    if (!equals)
        return fail_with(error, "it is not 'struct NAME=member,offset;...'");
    if (r->structs->len == REMAP_STRUCTS_MAX)
        return fail_with(error, "it is about the 257th struct");
    *equals = '\0';
    remap_struct *s = g_new0(remap_struct, 1);
    s->name = g_strstrip(g_strdup(bare_name(g_strstrip(line))));
    s->line = number;
    s->moves = g_array_new(FALSE, FALSE, sizeof(move));
    g_array_set_clear_func(s->moves, free_move);
    const remap_struct *before = remap_find(r, s->name);
    g_ptr_array_add(r->structs, s);
    if (before)
        return fail_with(error, "line %u is about this struct, too", before->line);
    g_auto(GStrv) items = g_strsplit(equals + 1, ";", -1);
    for (char **item = items; *item; item++)
        if (*g_strstrip(*item) && !read_item(s, *item, error))
            return false;
    return *s->name || fail_with(error, "it names no struct");
}

remap *remap_parse(char *text, GPtrArray *wrong)
{
    remap *r = g_new0(remap, 1);
    unsigned number = 1;
    r->structs = g_ptr_array_new_with_free_func(free_struct);
    for (char *line = text, *end; line; line = end, number++) {
        const guint before = r->structs->len;
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        g_autoptr(GError) error = NULL;
        if (read_line(r, line, number, &error))
            continue;
        g_ptr_array_set_size(r->structs, (gint)before);
        g_ptr_array_add(wrong, g_strdup_printf("line %u: %s", number, error->message));
    }
    return r;
}

remap *remap_read(const char *path, GPtrArray *wrong, GError **error)
{
    size_t length;
    g_autofree char *text = regular_file_text(path, true, REMAP_FILE_MAX, &length);
    if (!text)
        return fail_null(error, "%s", errno == EFBIG ? "it has more than 1 MiB" : regular_file_problem(errno));
    if (strlen(text) != length)
        return fail_null(error, "it is not a text file");
    return remap_parse(text, wrong);
}

/* --- structs ----------------------------------------------------------------------------------------------------------- */

const remap_struct *remap_find(const remap *r, const char *name)
{
    for (guint i = 0; i < r->structs->len; i++) {
        const remap_struct *s = g_ptr_array_index(r->structs, i);
        if (strcmp(s->name, name) == 0)
            return s;
    }
    return NULL;
}

const remap_struct *remap_at(const remap *r, unsigned i)
{
    return i < r->structs->len ? g_ptr_array_index(r->structs, i) : NULL;
}

const char *remap_name(const remap_struct *s)
{
    return s->name;
}

unsigned remap_line(const remap_struct *s)
{
    return s->line;
}

/* --- layouts ----------------------------------------------------------------------------------------------------------- */

/* Puts a part at its new offset in a map of the bytes that are taken. */
static bool put_part(remap_layout *l, const struct_parts *p, uint32_t i, uint32_t offset, uint32_t *taken, GError **error)
{
    const struct_part *moved = &p->all[i];
    if ((uint64_t)offset + moved->size > l->new_size)
        return fail_with(error, "'%s' would end at %u, beyond the struct of %u bytes (add sizeof)", moved->shown,
                         offset + moved->size, l->new_size);
    for (uint32_t k = 0; k < moved->size; k++) {
        if (taken[offset + k])
            return fail_with(error, "'%s' would overlap '%s'", moved->shown, p->all[taken[offset + k] - 1].shown);
        taken[offset + k] = i + 1;
        l->moved[moved->offset + k] = offset + k;
    }
    return true;
}

/* Finds the new offsets of all parts. */
static bool new_offsets(const remap_struct *s, const struct_parts *p, uint32_t *offsets, GError **error)
{
    g_autofree bool *given = g_new0(bool, p->count);
    for (uint32_t i = 0; i < p->count; i++)
        offsets[i] = p->all[i].offset;
    for (guint i = 0; i < s->moves->len; i++) {
        const move *m = &g_array_index(s->moves, move, i);
        uint32_t at = parts_named(p, m->member);
        g_autofree char *shown = text_show(m->member, -1);
        if (at == PARTS_NONE)
            return fail_with(error, "it has no member '%s'", shown);
        if (given[at] && offsets[at] != m->offset)
            return fail_with(error, "'%s' would be in two places", shown);
        given[at] = true;
        offsets[at] = m->offset;
    }
    return true;
}

remap_layout *remap_apply(const remap_struct *s, const struct_parts *p, GError **error)
{
    remap_layout *l = g_malloc0(sizeof *l + p->size * sizeof *l->moved);
    l->size = p->size;
    l->new_size = s->size ? s->size : p->size;
    l->align = s->align;
    for (uint32_t i = 0; i < p->size; i++) /* padding stays, as far as there is room */
        l->moved[i] = MIN(i, l->new_size - 1);
    g_autofree uint32_t *offsets = g_new(uint32_t, p->count), *taken = g_new0(uint32_t, l->new_size);
    bool fits = new_offsets(s, p, offsets, error);
    for (uint32_t i = 0; i < p->count && fits; i++)
        fits = put_part(l, p, i, offsets[i], taken, error);
    if (!fits)
        g_clear_pointer(&l, g_free);
    return l;
}

uint64_t remap_offset(const remap_layout *l, uint64_t offset)
{
    return offset / l->size * l->new_size + l->moved[offset % l->size];
}

uint64_t remap_length(const remap_layout *l, uint64_t length)
{
    return (length + l->size - 1) / l->size * l->new_size;
}
