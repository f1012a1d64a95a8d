/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/statistics/struct_uses.h"

#include "cacheray/cacheray.h"
#include "containers/hash.h"

struct struct_uses {
    uint32_t most;
    GHashTable *by_name; /* size and name -> number */
    GArray *by_layout;   /* uint32_t by cacheray_tapped.layout: the number + 1; 0: not known yet */
    GPtrArray *all;      /* of used_struct */
    proposals *proposals;
    unsigned library, unordered;
};

static void struct_uses_free_one(gpointer data)
{
    used_struct *s = data;
    g_free(s->name);
    parts_free(s->pieces);
    g_free(s);
}

struct_uses *struct_uses_new(uint32_t most, unsigned line_size, unsigned within)
{
    struct_uses *u = g_new0(struct_uses, 1);
    u->most = most;
    u->by_name = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
    u->by_layout = g_array_new(FALSE, TRUE, sizeof(uint32_t));
    u->all = g_ptr_array_new_with_free_func(struct_uses_free_one);
    u->proposals = proposals_new(line_size, within);
    return u;
}

void struct_uses_free(struct_uses *u)
{
    g_hash_table_destroy(u->by_name);
    g_array_free(u->by_layout, TRUE);
    g_ptr_array_free(u->all, TRUE);
    proposals_free(u->proposals);
    g_free(u);
}

const used_struct *struct_uses_at(const struct_uses *u, uint32_t number)
{
    return g_ptr_array_index(u->all, number - 1);
}

/* Returns whether a type comes with the compiler: of the C++ library, or named as only the implementation may. */
static bool is_of_library(const char *name)
{
    const char *last = g_strrstr(name, "::");
    last = last ? last + 2 : name;
    return g_str_has_prefix(name, "std::") || g_str_has_prefix(name, "__gnu_cxx::") || g_str_has_prefix(last, "__") ||
           (last[0] == '_' && g_ascii_isupper(last[1]));
}

/* Adds it to the proposals, which take the pieces. */
static uint32_t propose_for(struct_uses *u, const cacheray_analysis *a, const used_struct *s, struct_parts *pieces)
{
    const bool library = is_of_library(s->name);
    struct_parts *of = library ? NULL : cacheray_analysis_declared(a, s->layout, pieces);
    u->library += library;
    u->unordered += !library && !of;
    return proposals_add(u->proposals, s->name, of, pieces);
}

/* Takes the name and the pieces. */
static uint32_t add_struct(struct_uses *u, const cacheray_analysis *a, uint32_t type, char *name, struct_parts *pieces)
{
    used_struct *s = g_new0(used_struct, 1);
    *s = (used_struct){name, pieces, type, 0};
    s->proposed = propose_for(u, a, s, cacheray_analysis_parts(a, type));
    g_ptr_array_add(u->all, s);
    return u->all->len;
}

static uint32_t find_struct(struct_uses *u, const cacheray_analysis *a, const cacheray_tapped *v)
{
    g_autofree char *name = v->number ? members_own_name(v->type) : g_strdup(v->type_name ? v->type_name : "");
    struct_parts *pieces = *name ? cacheray_analysis_parts(a, v->layout) : NULL;
    if (!pieces)
        return 0;
    g_autofree char *key = g_strdup_printf("%u %s", pieces->size, name);
    uint32_t number = GPOINTER_TO_UINT(g_hash_table_lookup(u->by_name, key));
    if (number || u->all->len >= u->most) {
        parts_free(pieces);
        return number;
    }
    number = add_struct(u, a, v->layout, g_steal_pointer(&name), pieces);
    g_hash_table_insert(u->by_name, g_steal_pointer(&key), GUINT_TO_POINTER(number));
    return number;
}

uint32_t struct_uses_number(struct_uses *u, const cacheray_analysis *a, const cacheray_tapped *v)
{
    if (!v->layout)
        return 0;
    if (v->layout >= u->by_layout->len)
        g_array_set_size(u->by_layout, v->layout + 1);
    uint32_t *known = &g_array_index(u->by_layout, uint32_t, v->layout);
    if (!*known)
        *known = find_struct(u, a, v) + 1;
    return *known - 1;
}

/* --- proposals --------------------------------------------------------------------------------------------------------- */

void struct_uses_count(struct_uses *u, const cacheray_tapped *v, uint32_t number, const line_touched *touched)
{
    proposals_access access = {.thread = v->thread,
                               .address = v->address,
                               .line = touched->number,
                               .write = v->kind == CACHERAY_WRITE,
                               .contended = touched->contended};
    access.type = number ? struct_uses_at(u, number)->proposed : 0;
    if (access.type) {
        const struct_parts *of = proposals_parts(u->proposals, access.type);
        const uint64_t within = struct_uses_within(v, of->size);
        const uint32_t covered = parts_covered(of, within, MAX(v->size, 1), &access.part);
        access.item = v->address - within;
        access.more = covered ? covered - 1 : 0;
        access.type = covered ? access.type : 0;
    }
    proposals_count(u->proposals, &access);
}

GPtrArray *struct_uses_proposals(const struct_uses *u)
{
    return proposals_made(u->proposals);
}

unsigned struct_uses_library(const struct_uses *u)
{
    return u->library;
}

unsigned struct_uses_unordered(const struct_uses *u)
{
    return u->unordered;
}
