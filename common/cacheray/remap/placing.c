/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/remap/placing.h"

#include <glib.h>

#include "containers/hash.h"
#include "util/fail.h"

#define BEYOND (UINT64_C(1) << 60)     /* no processor has addresses like this */
#define LENGTH_MAX (UINT64_C(1) << 40) /* bytes; larger regions stay where they are */
#define ALIGN 16u                      /* of what an allocator returns, and what it keeps between regions; bytes */

/* A region whose structs have another layout. */
typedef struct placed {
    const remap_layout *layout; /* NULL: nothing is moved */
    uint64_t start;             /* new address */
} placed;

struct placing {
    remap *remap;
    GPtrArray *layouts; /* of remap_layout, by struct of the file */
    GArray *regions;    /* of placed, by number - 1 */
    GHashTable *starts; /* hash_pair of start and new length -> new start */
    uint64_t next;
};

static remap_layout *layout_for(const remap_struct *s, members *m, GError **error)
{
    uint32_t type = members_type(m, remap_name(s), 0);
    uint64_t size = type ? members_size(m, type) : 0;
    struct_parts *p = size > 1 ? parts_of(m, type) : NULL;
    remap_layout *l = NULL;
    if (p)
        l = remap_apply(s, p, error);
    else if (!type)
        fail_with(error, "the program has no such struct");
    else if (size == 1)
        fail_with(error, "several structs of the program have this name");
    else
        fail_with(error, "it has no members, or more than 65536 bytes");
    parts_free(p);
    return l;
}

placing *placing_new(remap *r, members *m, GPtrArray *wrong)
{
    placing *p = g_new0(placing, 1);
    const remap_struct *s;
    p->remap = r;
    p->layouts = g_ptr_array_new_with_free_func(g_free);
    p->regions = g_array_new(FALSE, FALSE, sizeof(placed));
    p->starts = g_hash_table_new_full(hash_pair_of, hash_pair_equal, g_free, g_free);
    p->next = BEYOND;
    for (unsigned i = 0; (s = remap_at(r, i)); i++) {
        g_autoptr(GError) error = NULL;
        g_ptr_array_add(p->layouts, layout_for(s, m, &error));
        if (error)
            g_ptr_array_add(wrong, g_strdup_printf("line %u: struct %s: %s", remap_line(s), remap_name(s), error->message));
    }
    return p;
}

void placing_free(placing *p)
{
    if (!p)
        return;
    remap_free(p->remap);
    g_ptr_array_free(p->layouts, TRUE);
    g_array_free(p->regions, TRUE);
    g_hash_table_destroy(p->starts);
    g_free(p);
}

bool placing_moves(const placing *p)
{
    for (guint i = 0; i < p->layouts->len; i++)
        if (g_ptr_array_index(p->layouts, i))
            return true;
    return false;
}

/* The layout for a struct with this name and size, or NULL. */
static const remap_layout *find_layout(const placing *p, const char *name, uint64_t size)
{
    const remap_struct *s = remap_find(p->remap, name), *other;
    for (unsigned i = 0; s && (other = remap_at(p->remap, i)); i++)
        if (other == s) {
            const remap_layout *l = g_ptr_array_index(p->layouts, i);
            return l && l->size == size ? l : NULL;
        }
    return NULL;
}

static uint64_t new_start(placing *p, const remap_layout *l, uint64_t start, uint64_t length)
{
    const uint64_t align = MAX(l->align, ALIGN);
    if (l->new_size == l->size && start % MAX(l->align, 1) == 0)
        return start;
    const hash_pair key = {start, remap_length(l, length)};
    uint64_t *known = g_hash_table_lookup(p->starts, &key);
    if (known)
        return *known;
    uint64_t at = (p->next + align - 1) & ~(align - 1);
    p->next = at + key.second + ALIGN;
    g_hash_table_insert(p->starts, g_memdup2(&key, sizeof key), g_memdup2(&at, sizeof at));
    return at;
}

static placed cacheray_placing_place(placing *p, const remap_layout *l, uint64_t start, uint64_t length)
{
    if (!l || length > LENGTH_MAX)
        return (placed){NULL, start};
    return (placed){l, new_start(p, l, start, length)};
}

void placing_add(placing *p, const char *name, uint32_t type, uint64_t size, uint64_t start, uint64_t length)
{
    g_autofree char *own = type ? members_own_name(name) : NULL;
    const placed region = cacheray_placing_place(p, own ? find_layout(p, own, size) : NULL, start, length);
    g_array_append_val(p->regions, region);
}

uint64_t placing_in_region(const placing *p, uint32_t number, uint64_t start, uint64_t address)
{
    const placed *region = &g_array_index(p->regions, placed, number - 1);
    return region->layout ? region->start + remap_offset(region->layout, address - start) : address;
}

uint64_t placing_in_variable(placing *p, const members_variable *v, uint64_t size, uint64_t address)
{
    const remap_layout *l = v->type_name ? find_layout(p, v->type_name, size) : NULL;
    const placed variable = cacheray_placing_place(p, l, v->start,
                                                   v->count > LENGTH_MAX / size ? UINT64_MAX : v->count * size);
    return variable.layout ? variable.start + remap_offset(l, address - v->start) : address;
}
