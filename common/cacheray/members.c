/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/members.h"

#if defined HAVE_LIBELF && defined HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <glib.h>

#include "numbers.h"
#include "xray/executable.h"

/* Bounds for damaged debug information. */
#define DEPTH_MAX 32u       /* of types within types */
#define ENTRIES_MAX 100000u /* that are looked at for one name */
#define NAMES_MAX 32u       /* that share a byte */
#define DIMENSIONS_MAX 16u

#define UNNAMED "(anonymous namespace)::" /* as compilers write it; it has no name in DWARF */

/* A type that annotations use. */
typedef struct used_type {
    Dwarf_Off entry;
    uint64_t stride; /* bytes from one to the next */
} used_type;

struct members {
    executable *file;
    Dwarf *dwarf;
    GPtrArray *sections; /* of Elf_Data, borrowed: what names may stand in */
    GHashTable *by_name; /* qualified name -> GArray of Dwarf_Off: structs first found first, then typedefs */
    GHashTable *by_use;  /* name and element size -> index in `used` + 1 */
    GArray *used;        /* of used_type */
    numbers known;       /* type and offset -> index in `names` + 1 */
    GPtrArray *names;
};

/* --- names ------------------------------------------------------------------------------------------------------------ */

/* Whether a string ends within the section that it stands in. */
static bool ends(const members *m, const char *string)
{
    for (guint i = 0; i < m->sections->len; i++) {
        const Elf_Data *d = g_ptr_array_index(m->sections, i);
        size_t at = (size_t)((uintptr_t)string - (uintptr_t)d->d_buf);
        if (at < d->d_size)
            return memchr(string, 0, d->d_size - at) != NULL;
    }
    return false;
}

/* The name of an entry, NULL where it has none. libdw does not check that strings end. */
static const char *name_of(const members *m, Dwarf_Die *entry)
{
    const char *name = dwarf_diename(entry);
    return name && ends(m, name) ? name : NULL;
}

/* --- all types by name ---------------------------------------------------------------------------------------------------- */

/* A name without template arguments. */
static char *plain_name(const char *outer, const char *name)
{
    GString *plain = g_string_new(outer);
    unsigned depth = 0;
    if (*outer)
        g_string_append(plain, "::");
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

static bool is_struct(int tag)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

static void note_type(members *m, const char *name, Dwarf_Die *entry)
{
    GArray *all = g_hash_table_lookup(m->by_name, name);
    Dwarf_Off offset = dwarf_dieoffset(entry);
    if (!all) {
        all = g_array_new(FALSE, FALSE, sizeof(Dwarf_Off));
        g_hash_table_insert(m->by_name, g_strdup(name), all);
    }
    g_array_append_val(all, offset);
}

/* Whether types may be defined within. */
static bool is_container(int tag)
{
    return is_struct(tag) || tag == DW_TAG_namespace || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block;
}

static void note_types(members *m, Dwarf_Die *parent, const char *outer, unsigned depth)
{
    Dwarf_Die entry;
    if (depth > DEPTH_MAX || dwarf_child(parent, &entry) != 0)
        return;
    do {
        int tag = dwarf_tag(&entry);
        if (!is_container(tag) && tag != DW_TAG_typedef)
            continue;
        const char *name = name_of(m, &entry);
        bool scopes = is_struct(tag) || tag == DW_TAG_namespace || tag == DW_TAG_typedef;
        char *full = name && scopes ? plain_name(outer, name) : g_strdup(outer);
        if (name && scopes && tag != DW_TAG_namespace && !dwarf_hasattr(&entry, DW_AT_declaration))
            note_type(m, full, &entry);
        if (tag != DW_TAG_typedef)
            note_types(m, &entry, full, depth + 1);
        g_free(full);
    } while (dwarf_siblingof(&entry, &entry) == 0);
}

static void free_offsets(gpointer p)
{
    g_array_free(p, TRUE);
}

/* The file with the debug information of an executable, which it takes over; may be the same. */
static executable *file_with_types(executable *e)
{
    GElf_Shdr header;
    if (executable_section(e, ".debug_info", &header) || executable_section(e, ".zdebug_info", &header))
        return e;
    executable *debug = executable_debug_file(e, EXECUTABLE_DEBUG_ROOT);
    executable_close(e);
    return debug;
}

/* The sections with names, as libdw has unpacked them. */
static void add_sections(GPtrArray *all, Elf *elf)
{
    static const char *const wanted[] = {".debug_info",  ".debug_types",  ".debug_str",  ".debug_line_str",
                                         ".zdebug_info", ".zdebug_types", ".zdebug_str", ".zdebug_line_str"};
    size_t names;
    GElf_Shdr header;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return;
    for (Elf_Scn *s = elf_nextscn(elf, NULL); s; s = elf_nextscn(elf, s)) {
        const char *name = gelf_getshdr(s, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        for (unsigned i = 0; name && i < G_N_ELEMENTS(wanted); i++)
            if (strcmp(name, wanted[i]) == 0 && elf_getdata(s, NULL))
                g_ptr_array_add(all, elf_getdata(s, NULL));
    }
}

static GPtrArray *sections_of(Dwarf *dwarf)
{
    GPtrArray *all = g_ptr_array_new();
    Dwarf *shared = dwarf_getalt(dwarf); /* what several files have in common */
    add_sections(all, dwarf_getelf(dwarf));
    if (shared)
        add_sections(all, dwarf_getelf(shared));
    return all;
}

members *members_open(const char *path, const char **reason)
{
    executable *e = executable_open(path, reason);
    if (!e)
        return NULL;
    e = file_with_types(e);
    Dwarf *dwarf = e ? dwarf_begin_elf(e->elf, DWARF_C_READ, NULL) : NULL;
    if (!dwarf) {
        executable_close(e);
        *reason = "it has no debug information (compile with -g)";
        return NULL;
    }
    members *m = g_new0(members, 1);
    m->file = e;
    m->dwarf = dwarf;
    m->sections = sections_of(dwarf);
    m->by_name = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_offsets);
    m->by_use = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    m->used = g_array_new(FALSE, FALSE, sizeof(used_type));
    m->names = g_ptr_array_new_with_free_func(g_free);
    numbers_init(&m->known);
    Dwarf_CU *unit = NULL;
    Dwarf_Die entry;
    while (dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &entry, NULL) == 0)
        note_types(m, &entry, "", 0);
    return m;
}

void members_close(members *m)
{
    if (!m)
        return;
    g_hash_table_destroy(m->by_name);
    g_hash_table_destroy(m->by_use);
    g_array_free(m->used, TRUE);
    g_ptr_array_free(m->names, TRUE);
    numbers_clear(&m->known);
    g_ptr_array_free(m->sections, TRUE);
    dwarf_end(m->dwarf);
    executable_close(m->file);
    g_free(m);
}

/* --- the type of an annotation -------------------------------------------------------------------------------------------- */

/* What a type is under its typedefs and qualifiers. */
static bool peel(Dwarf_Die *type)
{
    for (unsigned i = 0; i < DEPTH_MAX; i++) {
        Dwarf_Attribute a;
        switch (dwarf_tag(type)) {
        case DW_TAG_typedef:
        case DW_TAG_const_type:
        case DW_TAG_volatile_type:
        case DW_TAG_restrict_type:
        case DW_TAG_atomic_type:
            if (!dwarf_formref_die(dwarf_attr_integrate(type, DW_AT_type, &a), type))
                return false;
            break;
        default:
            return true;
        }
    }
    return false;
}

static bool type_of(Dwarf_Die *entry, Dwarf_Die *type)
{
    Dwarf_Attribute a;
    return dwarf_formref_die(dwarf_attr_integrate(entry, DW_AT_type, &a), type) && peel(type);
}

/* Bytes of a type; 0: not known, as of a flexible array. */
static uint64_t size_of(Dwarf_Die *type)
{
    Dwarf_Word size;
    return dwarf_aggregate_size(type, &size) == 0 ? size : 0;
}

static bool has_flexible_array(Dwarf_Die *type)
{
    Dwarf_Die entry, inner;
    bool flexible = false;
    if (dwarf_child(type, &entry) != 0)
        return false;
    do {
        if (dwarf_tag(&entry) == DW_TAG_member && type_of(&entry, &inner))
            flexible = dwarf_tag(&inner) == DW_TAG_array_type && size_of(&inner) == 0;
    } while (dwarf_siblingof(&entry, &entry) == 0);
    return flexible;
}

/* The name that DWARF knows: without prefix, number, and the one '*' that a pointer to the region has. */
static char *dwarf_name(const char *name)
{
    static const char *const prefixes[] = {"struct.", "union.", "class."};
    name += *name == '%';
    for (unsigned i = 0; i < G_N_ELEMENTS(prefixes); i++)
        if (g_str_has_prefix(name, prefixes[i])) {
            name += strlen(prefixes[i]);
            break;
        }
    char *plain = g_strdup(name);
    if (g_str_has_suffix(plain, "*"))
        plain[strlen(plain) - 1] = '\0';
    char *dot = strrchr(plain, '.');
    if (dot && dot[1] && strspn(dot + 1, "0123456789") == strlen(dot + 1))
        *dot = '\0';
    for (char *unnamed; (unnamed = strstr(plain, UNNAMED));)
        memmove(unnamed, unnamed + strlen(UNNAMED), strlen(unnamed + strlen(UNNAMED)) + 1);
    return plain;
}

/* How well a type fits: 0 not at all. Structs go before typedefs. */
static unsigned fitness(Dwarf_Die *named, uint32_t elem_size, Dwarf_Die *type)
{
    *type = *named;
    if (!peel(type) || !is_struct(dwarf_tag(type)) || dwarf_hasattr(type, DW_AT_declaration))
        return 0;
    uint64_t size = size_of(type);
    unsigned by_size = size == elem_size ? 3 : size && elem_size % size == 0 ? 2 : 1;
    return by_size * 2 + (dwarf_tag(named) != DW_TAG_typedef);
}

static uint32_t find_type(members *m, const char *name, uint32_t elem_size)
{
    char *plain = dwarf_name(name);
    const GArray *all = g_hash_table_lookup(m->by_name, plain);
    Dwarf_Die named, type, best;
    unsigned best_fitness = 0;
    for (guint i = 0; all && i < all->len; i++) {
        if (!dwarf_offdie(m->dwarf, g_array_index(all, Dwarf_Off, i), &named))
            continue;
        unsigned fits = fitness(&named, elem_size, &type);
        if (fits > best_fitness) {
            best = type;
            best_fitness = fits;
        }
    }
    g_free(plain);
    if (best_fitness == 0)
        return 0;
    uint64_t size = size_of(&best);
    bool whole = size && elem_size % size == 0 && !has_flexible_array(&best);
    used_type used = {dwarf_dieoffset(&best), whole ? size : MAX(elem_size, 1)};
    g_array_append_val(m->used, used);
    return m->used->len;
}

uint32_t members_type(members *m, const char *name, uint32_t elem_size)
{
    char *use = g_strdup_printf("%u %s", elem_size, name);
    gpointer known;
    if (g_hash_table_lookup_extended(m->by_use, use, NULL, &known)) {
        g_free(use);
        return GPOINTER_TO_UINT(known);
    }
    uint32_t type = find_type(m, name, elem_size);
    g_hash_table_insert(m->by_use, use, GUINT_TO_POINTER(type));
    return type;
}

/* --- what lies at an offset ------------------------------------------------------------------------------------------------ */

typedef struct search {
    const members *members;
    GString *path;  /* to where the search stands */
    GString *found; /* names with '|' between */
    unsigned names, entries;
    bool big_endian;
} search;

static void search_type(search *s, Dwarf_Die *type, uint64_t offset, unsigned depth);

static void found(search *s)
{
    if (s->names++ == NAMES_MAX)
        return;
    if (s->found->len)
        g_string_append_c(s->found, '|');
    g_string_append(s->found, s->path->str);
}

static bool number_of(Dwarf_Die *entry, unsigned attribute, uint64_t *value)
{
    Dwarf_Attribute a;
    Dwarf_Word word;
    if (dwarf_formudata(dwarf_attr_integrate(entry, attribute, &a), &word) != 0)
        return false;
    *value = word;
    return true;
}

/* First bit of a bit-field, counted from the start of the struct in the order of memory. DWARF 5 says it; before, it is
 * counted from the most significant bit of the unit that the field is stored in. */
static uint64_t first_bit(const search *s, Dwarf_Die *member, Dwarf_Die *type, uint64_t location, uint64_t bits)
{
    uint64_t first = 0, unit = 0;
    if (number_of(member, DW_AT_data_bit_offset, &first))
        return first;
    if (!number_of(member, DW_AT_bit_offset, &first))
        return location * 8;
    if (!number_of(member, DW_AT_byte_size, &unit))
        unit = size_of(type);
    return location * 8 + (s->big_endian ? first : unit * 8 - first - bits);
}

/* A member, or a base class; those without a name add nothing to the path. */
static void search_member(search *s, Dwarf_Die *member, bool in_union, uint64_t offset, unsigned depth)
{
    Dwarf_Die type;
    uint64_t location = 0, bits = 0;
    bool placed = number_of(member, DW_AT_data_member_location, &location);
    if (!type_of(member, &type))
        return;
    bool bit_field = number_of(member, DW_AT_bit_size, &bits);
    if (bit_field) {
        uint64_t first = first_bit(s, member, &type, location, bits);
        if (bits == 0 || offset < first / 8 || offset > (first + bits - 1) / 8)
            return;
    } else {
        uint64_t size = size_of(&type);
        bool flexible = size == 0 && dwarf_tag(&type) == DW_TAG_array_type;
        if ((!placed && !in_union) || offset < location || (!flexible && offset - location >= size))
            return;
    }
    const char *name = dwarf_tag(member) == DW_TAG_member ? name_of(s->members, member) : NULL;
    gsize length = s->path->len;
    if (name) {
        if (length)
            g_string_append_c(s->path, '.');
        g_string_append(s->path, name);
    }
    if (bit_field)
        found(s);
    else
        search_type(s, &type, offset - location, depth + 1);
    g_string_truncate(s->path, length);
}

static void search_members(search *s, Dwarf_Die *type, uint64_t offset, unsigned depth)
{
    Dwarf_Die entry;
    if (dwarf_child(type, &entry) != 0)
        return;
    do {
        int tag = dwarf_tag(&entry);
        bool is_static = dwarf_hasattr(&entry, DW_AT_external) || dwarf_hasattr(&entry, DW_AT_declaration);
        if (++s->entries > ENTRIES_MAX)
            return;
        if ((tag == DW_TAG_member && !is_static) || tag == DW_TAG_inheritance)
            search_member(s, &entry, dwarf_tag(type) == DW_TAG_union_type, offset, depth);
    } while (dwarf_siblingof(&entry, &entry) == 0);
}

/* Elements along each dimension of an array; 0: not known. clang writes counts, gcc upper bounds. */
static unsigned dimensions_of(Dwarf_Die *array, uint64_t counts[DIMENSIONS_MAX])
{
    Dwarf_Die entry;
    unsigned n = 0;
    if (dwarf_child(array, &entry) != 0)
        return 0;
    do {
        uint64_t count = 0;
        if (dwarf_tag(&entry) != DW_TAG_subrange_type || n == DIMENSIONS_MAX)
            continue;
        if (!number_of(&entry, DW_AT_count, &count) && number_of(&entry, DW_AT_upper_bound, &count))
            count = count >= UINT32_MAX ? 0 : count + 1; /* -1: an array of no elements */
        counts[n++] = count;
    } while (dwarf_siblingof(&entry, &entry) == 0);
    return n;
}

static void search_array(search *s, Dwarf_Die *array, uint64_t offset, unsigned depth)
{
    Dwarf_Die type;
    uint64_t counts[DIMENSIONS_MAX], indexes[DIMENSIONS_MAX];
    unsigned n = dimensions_of(array, counts);
    uint64_t size = type_of(array, &type) ? size_of(&type) : 0;
    if (size == 0 || n == 0 || dwarf_hasattr(array, DW_AT_GNU_vector)) {
        found(s);
        return;
    }
    uint64_t index = offset / size;
    for (unsigned i = n; i-- > 0;) {
        indexes[i] = i && counts[i] ? index % counts[i] : index;
        index = i && counts[i] ? index / counts[i] : 0;
    }
    gsize length = s->path->len;
    for (unsigned i = 0; i < n; i++)
        g_string_append_printf(s->path, "[%" G_GUINT64_FORMAT "]", indexes[i]);
    search_type(s, &type, offset % size, depth + 1);
    g_string_truncate(s->path, length);
}

static void search_type(search *s, Dwarf_Die *type, uint64_t offset, unsigned depth)
{
    if (depth > DEPTH_MAX || s->names > NAMES_MAX)
        return;
    if (is_struct(dwarf_tag(type)))
        search_members(s, type, offset, depth);
    else if (dwarf_tag(type) == DW_TAG_array_type)
        search_array(s, type, offset, depth);
    else
        found(s);
}

static char *name_at(members *m, const used_type *used, uint64_t offset)
{
    Dwarf_Die type;
    search s = {
        .members = m, .path = g_string_new(NULL), .found = g_string_new(NULL), .big_endian = m->file->big_endian};
    if (dwarf_offdie(m->dwarf, used->entry, &type))
        search_type(&s, &type, offset, 0);
    if (s.found->len == 0)
        g_string_append(s.found, "<padding>");
    g_string_free(s.path, TRUE);
    char *valid = g_utf8_make_valid(s.found->str, -1);
    g_string_free(s.found, TRUE);
    return valid;
}

const char *members_at(members *m, uint32_t type, uint32_t offset)
{
    const used_type *used = &g_array_index(m->used, used_type, type - 1);
    uint64_t within = offset % used->stride;
    uint32_t number = numbers_add(&m->known, (uint64_t)type << 32 | within);
    if (number > m->names->len)
        g_ptr_array_add(m->names, name_at(m, used, within));
    return g_ptr_array_index(m->names, number - 1);
}

#else
#include <stddef.h>

members *members_open(const char *path, const char **reason)
{
    (void)path;
    *reason = "Wiretrace was built without libelf and libdw";
    return NULL;
}

void members_close(members *m)
{
    (void)m;
}

uint32_t members_type(members *m, const char *name, uint32_t elem_size)
{
    (void)m;
    (void)name;
    (void)elem_size;
    return 0;
}

const char *members_at(members *m, uint32_t type, uint32_t offset)
{
    (void)m;
    (void)type;
    (void)offset;
    return NULL;
}
#endif
