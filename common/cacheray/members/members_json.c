/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types from BASENAME.dwarf.json, as written by dwarf2json. It contains less than DWARF: arrays have no dimensions and,
 * from gcc, the size of a single element; there are no variables, bit-fields or namespaces; padding at the end of a type
 * is missing. */
#include "cacheray/members/members_source.h"

#include "containers/hash.h"
#include "util/fail.h"
#include "util/json_members.h"
#include "util/json_text.h"

#define VERSION 4
#define ALIGNMENT_MAX 8u
#define BYTES_PER_ENTRY 64u /* of a type name: searching for it takes as long as for a member */

typedef struct json_member {
    char *name;
    char *type; /* for an array that of its elements */
    int64_t id; /* of the type */
    bool is_array;
    uint64_t offset, size;
} json_member;

typedef struct json_type {
    GArray *members; /* of json_member */
    uint64_t size, alignment;
    bool sized; /* done, or in progress */
} json_type;

typedef struct json_source {
    member_source source;
    GPtrArray *types;     /* of json_type */
    GHashTable *by_name;  /* "struct NAME" and NAME -> GPtrArray of json_type */
    GHashTable *by_id;    /* id -> json_type */
    GHashTable *typedefs; /* name -> name */
} json_source;

/* --- reading ----------------------------------------------------------------------------------------------------------- */

/* A string; "" if there is none. */
static const char *cacheray_members_json_text_of(JsonObject *o, const char *key)
{
    const char *text = json_member_text(o, key);
    return text ? text : "";
}

/* A number; 0 if there is none or it is negative. */
static int64_t cacheray_members_json_number_of(JsonObject *o, const char *key)
{
    int64_t number;
    return json_member_number(o, key, 0, INT64_MAX, &number) ? number : 0;
}

static void cacheray_members_json_read_member(json_type *t, JsonObject *o)
{
    const char *name = cacheray_members_json_text_of(o, "memberName"), *type = cacheray_members_json_text_of(o, "name"),
               *array = strchr(type, '[');
    json_member m = {.id = cacheray_members_json_number_of(o, "id"),
                     .is_array = array != NULL,
                     .offset = (uint64_t)cacheray_members_json_number_of(o, "offset"),
                     .size = (uint64_t)cacheray_members_json_number_of(o, "size")};
    m.name = g_strdup(*name == '<' ? "" : name);
    m.type = array ? g_strndup(type, (gsize)(array - type)) : g_strdup(type);
    g_array_append_val(t->members, m);
}

static void free_member(gpointer p)
{
    g_free(((json_member *)p)->name);
    g_free(((json_member *)p)->type);
}

static void cacheray_members_json_free_type(gpointer p)
{
    g_array_free(((json_type *)p)->members, TRUE);
    g_free(p);
}

static void cacheray_members_json_name_type(json_source *j, const char *name, json_type *t)
{
    GPtrArray *all = g_hash_table_lookup(j->by_name, name);
    if (!*name || *name == '<')
        return;
    if (!all) {
        all = g_ptr_array_new();
        g_hash_table_insert(j->by_name, g_strdup(name), all);
    }
    g_ptr_array_add(all, t);
}

/* Reads a type: an object with a name and members. One without members is only a declaration. */
static void cacheray_members_json_read_type(json_source *j, JsonObject *o)
{
    const char *name = cacheray_members_json_text_of(o, "name"), *space = strchr(name, ' ');
    JsonArray *list = json_member_array(o, "members");
    json_type *t = g_new0(json_type, 1);
    t->members = g_array_new(FALSE, FALSE, sizeof(json_member));
    g_array_set_clear_func(t->members, free_member);
    for (guint i = 0; list && i < json_array_get_length(list); i++)
        if (json_element_object(list, i))
            cacheray_members_json_read_member(t, json_element_object(list, i));
    if (!t->members->len) {
        cacheray_members_json_free_type(t);
        return;
    }
    g_ptr_array_add(j->types, t);
    cacheray_members_json_name_type(j, name, t);
    cacheray_members_json_name_type(j, space ? space + 1 : name, t);
    g_hash_table_insert(j->by_id, g_memdup2(&(int64_t){cacheray_members_json_number_of(o, "id")}, sizeof(int64_t)), t);
}

static void read_typedef(json_source *j, JsonObject *o)
{
    g_hash_table_insert(j->typedefs, g_strdup(cacheray_members_json_text_of(o, "type")),
                        g_strdup(cacheray_members_json_text_of(o, "def")));
}

/* Reads all objects in a list. */
static void read_list(json_source *j, JsonObject *root, const char *key, void (*read)(json_source *j, JsonObject *o))
{
    JsonArray *list = json_member_array(root, key);
    for (guint i = 0; list && i < json_array_get_length(list); i++)
        if (json_element_object(list, i))
            read(j, json_element_object(list, i));
}

/* --- sizes ------------------------------------------------------------------------------------------------------------- */

/* All types with a name, following typedefs; NULL: none. */
static GPtrArray *types_of(const json_source *j, const char *name)
{
    GPtrArray *all = NULL;
    for (unsigned i = 0; name && !all && i < MEMBERS_DEPTH_MAX; i++) {
        all = g_hash_table_lookup(j->by_name, name);
        name = g_hash_table_lookup(j->typedefs, name);
    }
    return all;
}

static json_type *cacheray_members_json_type_of(const json_source *j, const char *name, int64_t id)
{
    json_type *t = g_hash_table_lookup(j->by_id, &id);
    GPtrArray *all = t ? NULL : types_of(j, name);
    return all ? g_ptr_array_index(all, 0) : t;
}

/* The size of a scalar type in bytes, by its name; 0: unknown. */
static uint64_t scalar_size(const json_source *j, const char *name)
{
    static const struct {
        const char *word;
        unsigned size;
    } sizes[] = {
        {"*", 8},    {"long double", 16}, {"double", 8}, {"float", 4}, {"long", 8},     {"short", 2},
        {"char", 1}, {"bool", 1},         {"_Bool", 1},  {"int", 4},   {"unsigned", 4},
    };
    const char *known = g_hash_table_lookup(j->typedefs, name);
    name = known ? known : name;
    for (unsigned i = 0; i < G_N_ELEMENTS(sizes); i++)
        if (strstr(name, sizes[i].word))
            return sizes[i].size;
    return 0;
}

static uint64_t cacheray_members_json_round_up(uint64_t size, uint64_t alignment)
{
    return (size + alignment - 1) / alignment * alignment;
}

/* Computes the size of a type, once, from its members, as the file does not have it. */
static void size_type(const json_source *j, json_type *t, unsigned depth)
{
    if (t->sized || depth > MEMBERS_DEPTH_MAX)
        return;
    t->sized = true;
    t->alignment = 1;
    for (guint i = 0; i < t->members->len; i++) {
        const json_member *m = &g_array_index(t->members, json_member, i);
        json_type *inner = strchr(m->type, '*') ? NULL : cacheray_members_json_type_of(j, m->type, m->id);
        uint64_t scalar = m->is_array ? scalar_size(j, m->type) : m->size;
        if (inner)
            size_type(j, inner, depth + 1);
        uint64_t alignment = inner ? inner->alignment : scalar && (scalar & (scalar - 1)) == 0 ? scalar : 1;
        t->alignment = MAX(t->alignment, MIN(alignment, ALIGNMENT_MAX));
        if (m->offset < UINT32_MAX && m->size < UINT32_MAX)
            t->size = MAX(t->size, m->offset + m->size);
    }
    t->size = cacheray_members_json_round_up(t->size, t->alignment);
}

/* --- searching --------------------------------------------------------------------------------------------------------- */

static bool cacheray_members_json_is_same(const json_type *a, const json_type *b)
{
    bool same = a->members->len == b->members->len;
    for (guint i = 0; same && i < a->members->len; i++) {
        const json_member *m = &g_array_index(a->members, json_member, i), *n = &g_array_index(b->members, json_member, i);
        same = m->offset == n->offset && m->size == n->size && strcmp(m->name, n->name) == 0 &&
               strcmp(m->type, n->type) == 0;
    }
    return same;
}

static bool cacheray_members_json_is_known(const GArray *found, const json_type *t)
{
    bool known = false;
    for (guint i = 0; i < found->len && !known; i++)
        known = cacheray_members_json_is_same(t, (const json_type *)(uintptr_t)g_array_index(found, used_type, i).type);
    return known;
}

static void json_find(member_source *source, const char *name, const char *plain, uint32_t elem_size, GArray *found)
{
    const json_source *j = (json_source *)source;
    const GPtrArray *all = types_of(j, plain);
    unsigned best = 0;
    (void)name;
    for (guint i = 0; all && i < all->len; i++) {
        json_type *t = g_ptr_array_index(all, i);
        size_type(j, t, 0);
        unsigned fits = member_fitness(t->size, elem_size);
        bool whole = t->size && elem_size % t->size == 0;
        const used_type used = {(uint64_t)(uintptr_t)t, whole ? t->size : MAX(elem_size, 1)};
        if (fits > best)
            g_array_set_size(found, 0);
        if (fits >= best && found->len <= MEMBERS_TYPES_MAX && !cacheray_members_json_is_known(found, t))
            g_array_append_val(found, used);
        best = MAX(best, fits);
        member_source_work(source, 1 + (uint64_t)t->members->len * (1 + found->len));
    }
    if (found->len > MEMBERS_TYPES_MAX)
        g_array_set_size(found, 0);
}

static void cacheray_members_json_search_type(const json_source *j, const json_type *t, uint64_t offset, unsigned depth,
                                              member_search *s);

static void cacheray_members_json_search_member(const json_source *j, const json_member *m, uint64_t offset, unsigned depth,
                                                member_search *s)
{
    json_type *inner = strchr(m->type, '*') ? NULL : cacheray_members_json_type_of(j, m->type, m->id);
    const member_mark before = member_search_enter(s, m->name);
    s->entries += strlen(m->type) / BYTES_PER_ENTRY;
    if (inner)
        size_type(j, inner, depth);
    uint64_t element = !m->is_array ? 0 : inner ? inner->size : scalar_size(j, m->type);
    if (element) {
        member_search_element(s, offset / element);
        offset %= element;
    }
    if (inner && depth < MEMBERS_DEPTH_MAX)
        cacheray_members_json_search_type(j, inner, offset, depth + 1, s);
    else
        member_search_found(s);
    member_search_leave(s, before);
}

/* Returns whether the offset may be in an array of which the file has only one element, before the next member. */
static bool may_reach(const json_type *t, uint64_t offset)
{
    bool array = false;
    uint64_t last = 0;
    for (guint i = 0; i < t->members->len; i++) {
        const json_member *m = &g_array_index(t->members, json_member, i);
        if (m->offset > offset || m->offset < last)
            continue;
        bool after = m->is_array && offset - m->offset >= m->size;
        array = after || (array && m->offset == last);
        last = m->offset;
    }
    return array;
}

static void cacheray_members_json_search_type(const json_source *j, const json_type *t, uint64_t offset, unsigned depth,
                                              member_search *s)
{
    unsigned names = s->names;
    for (guint i = 0; i < t->members->len && ++s->entries <= MEMBERS_ENTRIES_MAX; i++) {
        const json_member *m = &g_array_index(t->members, json_member, i);
        if (offset >= m->offset && offset - m->offset < m->size)
            cacheray_members_json_search_member(j, m, offset - m->offset, depth, s);
    }
    if (s->names == names && may_reach(t, offset)) {
        s->names++; /* it is not known what is there */
        member_search_nothing(s);
    }
}

static void json_search(member_source *source, uint64_t type, uint64_t offset, member_search *s)
{
    cacheray_members_json_search_type((json_source *)source, (const json_type *)(uintptr_t)type, offset, 0, s);
}

/* --- opening ----------------------------------------------------------------------------------------------------------- */

static void json_close(member_source *source)
{
    json_source *j = (json_source *)source;
    g_hash_table_destroy(j->by_name);
    g_hash_table_destroy(j->by_id);
    g_hash_table_destroy(j->typedefs);
    g_ptr_array_free(j->types, TRUE);
    g_free(j);
}

static const member_source_ops json_ops = {json_close, json_find, json_search, NULL};

static json_source *json_new(void)
{
    json_source *j = g_new0(json_source, 1);
    j->source.ops = &json_ops;
    j->types = g_ptr_array_new_with_free_func(cacheray_members_json_free_type);
    j->by_name = g_hash_table_new_full(hash_text, g_str_equal, g_free, (GDestroyNotify)g_ptr_array_unref);
    j->by_id = g_hash_table_new_full(hash_number, g_int64_equal, g_free, NULL);
    j->typedefs = g_hash_table_new_full(hash_text, g_str_equal, g_free, g_free);
    return j;
}

member_source *members_json_open(const char *path, GError **error)
{
    json_text text;
    if (!json_text_load(path, &text, error))
        return NULL;
    g_autofree char *all = text.text;
    g_autoptr(JsonNode) node = json_from_string(all, NULL);
    JsonObject *root = node ? json_node_get_object(node) : NULL;
    if (!root || cacheray_members_json_number_of(root, "version") != VERSION)
        return fail_null(error, root ? "it is not a type file of dwarf2json, version 4" : "it is not valid JSON");
    json_source *j = json_new();
    j->source.work = MEMBERS_WORK_MIN + (int64_t)(text.length * MEMBERS_WORK_PER_BYTE);
    read_list(j, root, "structs", cacheray_members_json_read_type);
    read_list(j, root, "unions", cacheray_members_json_read_type);
    read_list(j, root, "typedefs", read_typedef);
    return &j->source;
}
