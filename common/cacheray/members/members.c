/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses the sources and caches their answers: accesses ask for the same few offsets over and over. */
#include "cacheray/members/members.h"

#include "cacheray/members/members_source.h"
#include "containers/hash.h"
#include "util/json_text.h"
#include "containers/hash_map.h"
#include "containers/binary_search.h"
#include "util/text.h"

#define UNNAMED "(anonymous namespace)::" /* as written by compilers; in DWARF it has no name */
/* After these, names have no numbers of elements, and there are fewer of them. */
#ifndef NAMES_KEPT
#define NAMES_KEPT (1u << 20)
#endif
#define OF_ALL_KEPT (1u << 16)
#define TOO_MANY "(too many members)"

static const members_name too_many = {.text = TOO_MANY, .all = &too_many}, nothing = {.text = "", .all = &nothing};

/* The meaning of a type name or variable: one of several types. */
typedef struct meaning {
    member_source *source;
    guint first, count; /* range in members.types */
    uint64_t stride;    /* distance after which the members repeat, in bytes */
} meaning;

/* A program or library. */
typedef struct member_file {
    member_source *source;
    uint64_t load;
    bool placed; /* `load` is known */
} member_file;

struct members {
    GArray *files;       /* of member_file */
    GHashTable *by_use;  /* element size and type name -> index in `used` + 1 */
    GArray *used;        /* of meaning */
    GArray *types;       /* of used_type */
    hash_map known;      /* index in `used` + 1, and offset -> index in `numbered` + 1 */
    GPtrArray *numbered; /* of members_name, owned by these: */
    GPtrArray *names;
    GHashTable *of_all; /* text -> members_name without the numbers of elements */
    GByteArray *bits;   /* by index in `numbered`: it has bit-fields */
    hash_map covers;    /* index in `numbered` and number of bytes -> index in `covered` + 1 */
    GArray *covered;    /* of members_cover; names are in these: */
    GPtrArray *lists; /* of arrays of members_covered_one, owned; the last one is for the last answer if there is no room */
    uint64_t kept;    /* members in lists */
};

members *members_new(void)
{
    members *m = g_new0(members, 1);
    m->files = g_array_new(FALSE, FALSE, sizeof(member_file));
    m->by_use = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
    m->used = g_array_new(FALSE, FALSE, sizeof(meaning));
    m->types = g_array_new(FALSE, FALSE, sizeof(used_type));
    m->numbered = g_ptr_array_new();
    m->names = g_ptr_array_new_with_free_func(g_free);
    m->of_all = g_hash_table_new_full(hash_text, g_str_equal, NULL, g_free);
    m->bits = g_byte_array_new();
    m->covered = g_array_new(FALSE, FALSE, sizeof(members_cover));
    m->lists = g_ptr_array_new_with_free_func(g_free);
    hash_map_init(&m->known);
    hash_map_init(&m->covers);
    return m;
}

bool members_add(members *m, const char *path, const members_machine *machine, GError **error)
{
    bool json;
    if (!json_text_is(path, &json, error))
        return false;
    member_file f = {.source = json ? members_json_open(path, error) : members_dwarf_open(path, machine, error)};
    f.placed = f.source && f.source->fixed;
    if (f.source)
        g_array_append_val(m->files, f);
    return f.source != NULL;
}

members *members_open(const char *path, const members_machine *machine, GError **error)
{
    members *m = members_new();
    if (!members_add(m, path, machine, error))
        g_clear_pointer(&m, members_close);
    return m;
}

static member_file *file_at(const members *m, guint i)
{
    return &g_array_index(m->files, member_file, i);
}

static member_file *last_file(const members *m)
{
    return file_at(m, m->files->len - 1);
}

const char *members_missing(const members *m)
{
    return last_file(m)->source->missing;
}

bool members_fixed(const members *m)
{
    return last_file(m)->source->fixed;
}

void members_loaded(members *m, uint64_t load)
{
    last_file(m)->load = load;
    last_file(m)->placed = true;
}

bool members_any(const members *m)
{
    return m->files->len > 0;
}

bool members_unplaced(const members *m)
{
    guint placed = 0;
    while (placed < m->files->len && file_at(m, placed)->placed)
        placed++;
    return placed < m->files->len;
}

void members_close(members *m)
{
    if (!m)
        return;
    for (guint i = 0; i < m->files->len; i++)
        file_at(m, i)->source->ops->close(file_at(m, i)->source);
    g_array_free(m->files, TRUE);
    g_hash_table_destroy(m->by_use);
    g_array_free(m->used, TRUE);
    g_array_free(m->types, TRUE);
    g_ptr_array_free(m->numbered, TRUE);
    g_ptr_array_free(m->names, TRUE);
    g_hash_table_destroy(m->of_all);
    g_byte_array_free(m->bits, TRUE);
    g_array_free(m->covered, TRUE);
    g_ptr_array_free(m->lists, TRUE);
    hash_map_clear(&m->known);
    hash_map_clear(&m->covers);
    g_free(m);
}

/* --- types ------------------------------------------------------------------------------------------------------------- */

/* Adds a meaning: any one of `count` types. If their strides differ, all of them divide `elem_size`. */
static uint32_t use(members *m, member_source *source, const used_type *types, guint count, uint64_t elem_size)
{
    meaning u = {source, m->types->len, count, types[0].stride};
    for (guint i = 1; i < count; i++)
        if (types[i].stride != u.stride)
            u.stride = elem_size;
    g_array_append_vals(m->types, types, count);
    g_array_append_val(m->used, u);
    return m->used->len;
}

/* Removes template arguments, anonymous namespaces, and the function around a local type: "f()::Outer::Inner". */
static char *plain_name(const char *name)
{
    g_autofree char *without = member_plain_name(name);
    GString *plain = g_string_new(without);
    for (char *unnamed; (unnamed = strstr(plain->str, UNNAMED));)
        g_string_erase(plain, unnamed - plain->str, strlen(UNNAMED));
    const char *function = g_strrstr(plain->str, ")::");
    if (function)
        g_string_erase(plain, 0, function - plain->str + (gssize)strlen(")::"));
    return g_string_free(plain, FALSE);
}

/* Returns a name without the prefix, the trailing '*' of a pointer to the region, and the number. */
char *members_own_name(const char *name)
{
    static const char *const prefixes[] = {"struct.", "union.", "class."};
    name += *name == '%';
    for (unsigned i = 0; i < G_N_ELEMENTS(prefixes); i++)
        if (g_str_has_prefix(name, prefixes[i])) {
            name += strlen(prefixes[i]);
            break;
        }
    char *own = g_strdup(name);
    if (g_str_has_suffix(own, "*"))
        own[strlen(own) - 1] = '\0';
    char *dot = strrchr(own, '.');
    if (dot && dot[1] && strspn(dot + 1, "0123456789") == strlen(dot + 1))
        *dot = '\0';
    return own;
}

uint32_t members_type(members *m, const char *name, uint32_t elem_size)
{
    g_autofree char *key = g_strdup_printf("%u %s", elem_size, name);
    gpointer known;
    if (g_hash_table_lookup_extended(m->by_use, key, NULL, &known))
        return GPOINTER_TO_UINT(known);
    g_autofree char *own = members_own_name(name), *plain = plain_name(own);
    g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(used_type));
    uint32_t type = 0;
    for (guint i = 0; i < m->files->len && !type; i++) {
        member_source *source = file_at(m, i)->source;
        if (member_source_asked(source))
            source->ops->find(source, own, plain, elem_size, found);
        if (found->len)
            type = use(m, source, &g_array_index(found, used_type, 0), found->len, MAX(elem_size, 1));
    }
    g_hash_table_insert(m->by_use, g_steal_pointer(&key), GUINT_TO_POINTER(type));
    return type;
}

/* --- members ----------------------------------------------------------------------------------------------------------- */

/* Searches for the answer for an offset, which is empty if the type has no members. */
static void search_at(const members *m, const meaning *used, uint64_t offset, member_search *s)
{
    for (guint i = 0; i < used->count; i++) {
        const used_type *type = &g_array_index(m->types, used_type, used->first + i);
        unsigned before = s->names;
        used->source->ops->search(used->source, type->type, offset % type->stride, s);
        if (s->names == before)
            member_search_padding(s, s->unplaced ? MEMBERS_PADDING_OR_BASE : MEMBERS_PADDING);
    }
    member_source_work(used->source, s->entries + s->as[MEMBER_NUMBERED].found->len);
}

uint64_t members_size(const members *m, uint32_t type)
{
    return g_array_index(m->used, meaning, type - 1).stride;
}

/* What was found without the numbers of elements, which several have; `most`: so many are kept. */
static const members_name *keep_of_all(members *m, const member_search *s, guint most)
{
    g_autofree members_name *name = member_search_name(s, MEMBER_OF_ALL);
    const members_name *kept = g_hash_table_lookup(m->of_all, name->text);
    if (kept)
        return kept;
    if (g_hash_table_size(m->of_all) >= most)
        return &too_many;
    kept = g_steal_pointer(&name);
    g_hash_table_insert(m->of_all, (gpointer)(uintptr_t)kept->text, (gpointer)(uintptr_t)kept);
    return kept;
}

/* Keeps the name of what was found. */
static const members_name *keep_name(members *m, const member_search *s)
{
    if (m->names->len == NAMES_KEPT)
        return keep_of_all(m, s, NAMES_KEPT + OF_ALL_KEPT);
    members_name *name = member_search_name(s, MEMBER_NUMBERED);
    if (s->as[MEMBER_NUMBERED].found->len != s->as[MEMBER_OF_ALL].found->len)
        name->all = keep_of_all(m, s, G_MAXUINT);
    g_ptr_array_add(m->names, name);
    return name;
}

/* Searches for what is at an offset for the first time. */
static uint32_t number_new(members *m, const meaning *used, uint64_t within, uint64_t key)
{
    member_search s;
    member_search_init(&s);
    search_at(m, used, within, &s);
    g_ptr_array_add(m->numbered, (gpointer)(uintptr_t)keep_name(m, &s));
    g_byte_array_append(m->bits, (const guint8[]){s.bits}, 1);
    member_search_clear(&s);
    return hash_map_add(&m->known, key);
}

/* Index in `numbered` + 1; 0: too many. */
static uint32_t number_at(members *m, uint32_t type, uint64_t offset)
{
    const meaning *used = &g_array_index(m->used, meaning, type - 1);
    uint64_t within = offset % used->stride, key = (uint64_t)type << 32 | within;
    uint32_t number = hash_map_find(&m->known, key);
    return number || !member_source_asked(used->source) ? number : number_new(m, used, within, key);
}

static const members_name *numbered(const members *m, uint32_t number)
{
    return number ? g_ptr_array_index(m->numbered, number - 1) : &too_many;
}

const members_name *members_at(members *m, uint32_t type, uint32_t offset)
{
    return numbered(m, number_at(m, type, offset));
}

/* --- accesses ---------------------------------------------------------------------------------------------------------- */

enum { SHOWN = 4, COVERS_KEPT = 1 << 20 };

/* Counts a byte of a member, which is added unless it is there. */
static void count_byte(GArray *all, const members_name *name)
{
    for (guint i = 0; i < all->len; i++) {
        members_covered_one *one = &g_array_index(all, members_covered_one, i);
        if (strcmp(one->name->text, name->text) == 0) {
            one->bytes++;
            return;
        }
    }
    const members_covered_one first = {name, 1};
    g_array_append_val(all, first);
}

static const char *joined(members *m, const GArray *all)
{
    member_search s;
    member_search_init(&s);
    for (guint i = 0; i < MIN(all->len, SHOWN); i++) {
        const members_name *name = g_array_index(all, members_covered_one, i).name;
        member_search_list(&s, name->text, name->all->text);
    }
    if (all->len > SHOWN)
        member_search_list(&s, "...", "...");
    const char *text = keep_name(m, &s)->text;
    member_search_clear(&s);
    return text;
}

/* What the bytes belong to: of members_covered_one. */
static GArray *members_of_bytes(members *m, uint32_t type, uint32_t offset, uint64_t size)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(members_covered_one));
    const members_name *name = &nothing;
    guint place = 0;
    members_covered_one shared = {0};
    member_search bits; /* those of all bytes are one member */
    member_search_init(&bits);
    for (uint64_t i = 0; i < size; i++) {
        const uint32_t number = number_at(m, type, (uint64_t)offset + i);
        name = numbered(m, number);
        if (number && m->bits->data[number - 1]) {
            place = shared.bytes++ ? place : all->len;
            member_search_join(&bits, name);
        } else if (*name->text && strcmp(name->text, MEMBERS_PADDING) != 0) {
            count_byte(all, name);
        }
    }
    shared.name = size == 1 ? name : shared.bytes ? keep_name(m, &bits) : NULL;
    member_search_clear(&bits);
    if (shared.bytes)
        g_array_insert_val(all, place, shared);
    const members_covered_one nothing_else = {name, (unsigned)size};
    if (!all->len && *name->text)
        g_array_append_val(all, nothing_else);
    return all;
}

static members_cover make_cover(members *m, uint32_t type, uint32_t offset, uint64_t size)
{
    GArray *all = members_of_bytes(m, type, offset, size);
    const guint count = all->len;
    const char *name = count == 0 ? "" : count == 1 ? g_array_index(all, members_covered_one, 0).name->text : joined(m, all);
    if (m->kept > COVERS_KEPT)
        g_ptr_array_set_size(m->lists, (gint)m->lists->len - 1);
    m->kept += count;
    g_ptr_array_add(m->lists, g_array_free(all, FALSE));
    return (members_cover){name, g_ptr_array_index(m->lists, m->lists->len - 1), count};
}

members_cover members_covered(members *m, uint32_t type, uint32_t offset, uint64_t size)
{
    const uint32_t number = number_at(m, type, offset);
    const uint64_t key = (uint64_t)number << 8 | size;
    const uint32_t known = number ? hash_map_find(&m->covers, key) : 0;
    if (known)
        return g_array_index(m->covered, members_cover, known - 1);
    const members_cover made = make_cover(m, type, offset, size);
    if (number && m->kept <= COVERS_KEPT) {
        hash_map_add(&m->covers, key);
        g_array_append_val(m->covered, made);
    }
    return made;
}

uint32_t members_of_struct(members *m, uint32_t type, GArray *declared)
{
    const meaning *used = &g_array_index(m->used, meaning, type - 1);
    member_source *source = used->source;
    if (used->count != 1 || !source->ops->declared || !member_source_asked(source))
        return 0;
    return source->ops->declared(source, g_array_index(m->types, used_type, used->first).type, declared);
}

/* --- variables --------------------------------------------------------------------------------------------------------- */

/* The last variable that starts at or before an address. */
static known_variable *variable_before(const GArray *all, uint64_t address)
{
    size_t before = BINARY_SEARCH(all->len, i, g_array_index(all, known_variable, i).start <= address);
    return before ? &g_array_index(all, known_variable, before - 1) : NULL;
}

/* The variable of a file at an address as linked; NULL: there is none. */
static known_variable *variable_in(const member_file *f, uint64_t address)
{
    const GArray *all = f->placed ? f->source->variables : NULL;
    known_variable *v = all ? variable_before(all, address) : NULL;
    return v && (address - v->start) / v->element.stride < v->count ? v : NULL;
}

bool members_variable_at(members *m, uint64_t address, members_variable *found)
{
    known_variable *v = NULL;
    guint i = m->files->len;
    while (i > 0 && !v) {
        i--;
        v = variable_in(file_at(m, i), address - file_at(m, i)->load);
    }
    if (!v)
        return false;
    const member_file *f = file_at(m, i);
    uint64_t start = v->start + f->load, distance = address - start;
    *found = (members_variable){.name = v->name,
                                .count = v->count,
                                .stride = v->element.stride,
                                .start = start,
                                .index = (uint32_t)(distance / v->element.stride),
                                .offset = (uint32_t)(distance % v->element.stride)};
    if (v->element.type && !v->used)
        v->used = use(m, f->source, &v->element, 1, v->element.stride);
    const char *member = v->used ? members_at(m, v->used, found->offset)->text : "";
    found->member = *member ? member : NULL;
    found->type = v->used;
    found->type_name = v->type_name;
    return true;
}
