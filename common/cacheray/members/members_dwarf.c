/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types and variables from DWARF, by libdw. If libdw cannot read something, the whole file is rejected, as other types
 * may be wrong, too. */
#include "cacheray/members/members_source.h"

#include <dwarf.h>

#include "cacheray/members/dwarf_search.h"
#include "containers/hash.h"
#include "program/demangle.h"
#include "program/dwarf_image.h"
#include "program/dwarf_types.h"
#include "util/fail.h"
#include "util/text.h"

/* A variable defined outside of its class or namespace: there it has only the last part of its name. */
typedef struct outside {
    guint variable;
    uint64_t declaration; /* id of the entry */
} outside;

/* A type or typedef. */
typedef struct named {
    uint64_t entry;
    const char *written; /* its name with template arguments; NULL: it has none */
} named;

typedef struct dwarf_source {
    member_source source;
    dwarf_image image;
    bool big_endian;
    uint32_t most_aligned; /* bytes: the largest alignment of a number */
    uint64_t entries;      /* how many more the file can have if it is not damaged */
    uint64_t names;        /* how many more bytes of names are accepted */
    GHashTable *by_name;   /* qualified name without template arguments -> GArray of named */
    GStringChunk *texts;   /* names with template arguments, and names of variables */
    GHashTable *declared;  /* id of a declaration -> qualified name */
    GArray *outside;       /* of outside */
    uint64_t function;     /* ids of what is being read: the innermost function, or 0, and the unit */
    uint64_t unit;
} dwarf_source;

/* A name stored once in the file may be used by all entries and symbols, or be a namespace around all entries. This is
 * the limit of bytes of names per byte of the file; programs full of templates, compressed, have up to 16. */
#define NAMES_RATIO_MAX 128u

/* Returns whether a name may be stored. After the first one that may not, only empty ones may. */
static bool cacheray_members_dwarf_take_name(dwarf_source *d, const char *name)
{
    uint64_t length = strnlen(name, (size_t)MIN(d->names, (uint64_t)G_MAXSSIZE - 1) + 1);
    bool room = length <= d->names;
    d->names -= MIN(length, d->names);
    return room;
}

/* --- reading types and variables --------------------------------------------------------------------------------------- */

/* Compilers differ in blanks. */
static bool equal_without_blanks(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, " ");
        b += strspn(b, " ");
        if (*a != *b || !*a)
            return *a == *b;
    }
}

/* Identifies an entry. Offsets cannot, as DWARF 4 has types in two sections. */
static uint64_t id_of(const Dwarf_Die *entry)
{
    return (uintptr_t)entry->addr;
}

static bool entry_of(const dwarf_source *d, uint64_t id, Dwarf_Die *entry)
{
    return dwarf_die_addr_die(d->image.dwarf, (void *)(uintptr_t)id, entry) != NULL;
}

static void cacheray_members_dwarf_note_type(dwarf_source *d, const char *full, Dwarf_Die *entry)
{
    g_autofree char *name = member_plain_name(full);
    GArray *all = g_hash_table_lookup(d->by_name, name);
    const named type = {id_of(entry), strchr(full, '<') ? g_string_chunk_insert_const(d->texts, full) : NULL};
    if (!all) {
        all = g_array_new(FALSE, FALSE, sizeof(named));
        g_hash_table_insert(d->by_name, g_steal_pointer(&name), all);
    }
    g_array_append_val(all, type);
}

/* The address of a variable with a fixed location. */
static bool cacheray_members_dwarf_address_of(Dwarf_Die *entry, uint64_t *address)
{
    Dwarf_Attribute location, addressed;
    Dwarf_Op *ops;
    Dwarf_Addr found;
    size_t count;
    if (dwarf_getlocation(dwarf_attr(entry, DW_AT_location, &location), &ops, &count) != 0 || count != 1)
        return false;
    found = ops[0].number;
    if (ops[0].atom == DW_OP_addrx || ops[0].atom == DW_OP_GNU_addr_index) {
        if (dwarf_getlocation_attr(&location, &ops[0], &addressed) != 0 || dwarf_formaddr(&addressed, &found) != 0)
            return false;
    } else if (ops[0].atom != DW_OP_addr) {
        return false;
    }
    *address = found;
    return true;
}

/* A name fit to be shown, valid as long as the source. */
static const char *shown_name(dwarf_source *d, const char *name)
{
    g_autofree char *shown = text_show(name, -1);
    return g_string_chunk_insert(d->texts, shown);
}

static const char *variable_name(dwarf_source *d, const char *full)
{
    g_autofree char *plain = member_plain_name(full);
    return shown_name(d, plain);
}

static void note_variable(dwarf_source *d, const char *full, Dwarf_Die *entry)
{
    Dwarf_Attribute a;
    Dwarf_Die type, declaration;
    known_variable v = {.count = 0};
    if (!cacheray_members_dwarf_address_of(entry, &v.start) || !dwarf_type_of(entry, &type))
        return;
    v.count = dwarf_type_elements(&type);
    v.element = (used_type){id_of(&type), dwarf_type_size(&type)};
    if (!v.count || !v.element.stride || v.element.stride > UINT32_MAX)
        return;
    if (!dwarf_type_is_struct(dwarf_tag(&type)))
        v.element.type = 0;
    if (dwarf_formref_die(dwarf_attr(entry, DW_AT_specification, &a), &declaration)) {
        const outside o = {d->source.variables->len, id_of(&declaration)};
        g_array_append_val(d->outside, o);
    }
    v.name = variable_name(d, full);
    v.function = d->function;
    v.unit = dwarf_hasattr_integrate(entry, DW_AT_external) ? 0 : d->unit;
    g_array_append_val(d->source.variables, v);
}

static void cacheray_members_dwarf_note(dwarf_source *d, const char *full, Dwarf_Die *entry, int tag)
{
    bool declared = dwarf_hasattr(entry, DW_AT_declaration) && !dwarf_hasattr(entry, DW_AT_signature);
    if (declared || tag == DW_TAG_member) {
        if (tag != DW_TAG_typedef)
            g_hash_table_insert(d->declared, g_memdup2(&(uint64_t){id_of(entry)}, sizeof(uint64_t)), g_strdup(full));
    } else if (tag == DW_TAG_variable) {
        note_variable(d, full, entry);
    } else {
        cacheray_members_dwarf_note_type(d, full, entry);
    }
}

/* Returns whether an entry can contain types and variables. */
static bool is_container(int tag)
{
    return dwarf_type_is_struct(tag) || tag == DW_TAG_namespace || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block;
}

static bool is_noted(Dwarf_Die *entry, int tag)
{
    return dwarf_type_is_struct(tag) || tag == DW_TAG_typedef || tag == DW_TAG_variable ||
           (tag == DW_TAG_member && dwarf_hasattr(entry, DW_AT_external)); /* a static member in DWARF 4 */
}

/* Types inside a function are named without it, as compilers do. */
static const char *scope_of(Dwarf_Die *parent, int tag, const char *outer)
{
    bool in_function = dwarf_tag(parent) == DW_TAG_subprogram || dwarf_tag(parent) == DW_TAG_lexical_block;
    return in_function && (dwarf_type_is_struct(tag) || tag == DW_TAG_typedef) ? "" : outer;
}

/* The name of an entry. The declaration of a type with a type unit may have it only there. */
static const char *cacheray_members_dwarf_name_of(const dwarf_source *d, Dwarf_Die *entry)
{
    const char *name = dwarf_image_name(&d->image, entry, SIZE_MAX);
    Dwarf_Die type = *entry;
    if (!name && dwarf_hasattr(entry, DW_AT_signature) && dwarf_type_peel(&type))
        name = dwarf_image_name(&d->image, &type, SIZE_MAX);
    return name;
}

/* A type defined outside of its class or namespace takes the name of its declaration, which comes earlier. */
static char *cacheray_members_dwarf_full_name(const dwarf_source *d, Dwarf_Die *parent, Dwarf_Die *entry, const char *outer,
                                              const char *name)
{
    Dwarf_Attribute a;
    Dwarf_Die declaration;
    const char *scope = scope_of(parent, dwarf_tag(entry), outer);
    if (dwarf_type_is_struct(dwarf_tag(entry)) &&
        dwarf_formref_die(dwarf_attr(entry, DW_AT_specification, &a), &declaration)) {
        uint64_t id = id_of(&declaration);
        const char *declared = g_hash_table_lookup(d->declared, &id);
        if (declared)
            return g_strdup(declared);
    }
    return name ? g_strconcat(scope, *scope ? "::" : "", name, NULL) : g_strdup(scope);
}

/* False if the file is damaged. */
static bool note_all(dwarf_source *d, Dwarf_Die *parent, const char *outer, unsigned depth)
{
    Dwarf_Die entry;
    if (depth > MEMBERS_DEPTH_MAX)
        return true;
    int found = dwarf_child(parent, &entry);
    bool valid = true;
    for (; found == 0 && valid; found = dwarf_siblingof(&entry, &entry)) {
        int tag = dwarf_tag(&entry);
        valid = tag > 0 && d->entries-- > 0;
        bool noted = valid && is_noted(&entry, tag);
        if (!noted && !is_container(tag))
            continue;
        const char *name = noted || tag == DW_TAG_namespace ? cacheray_members_dwarf_name_of(d, &entry) : NULL;
        g_autofree char *full = cacheray_members_dwarf_full_name(d, parent, &entry, outer, name);
        valid = cacheray_members_dwarf_take_name(d, full);
        if (valid && name && noted)
            cacheray_members_dwarf_note(d, full, &entry, tag);
        if (valid && is_container(tag)) {
            const uint64_t around = d->function;
            d->function = tag == DW_TAG_subprogram ? id_of(&entry) : around;
            valid = note_all(d, &entry, full, depth + 1);
            d->function = around;
        }
    }
    return valid && found >= 0;
}

/* --- variables --------------------------------------------------------------------------------------------------------- */

static void name_outsiders(dwarf_source *d)
{
    for (guint i = 0; i < d->outside->len; i++) {
        const outside *o = &g_array_index(d->outside, outside, i);
        known_variable *v = &g_array_index(d->source.variables, known_variable, o->variable);
        const char *full = g_hash_table_lookup(d->declared, &o->declaration);
        if (full && cacheray_members_dwarf_take_name(d, full))
            v->name = variable_name(d, full);
    }
}

/* Types may follow the variables that consist of them. */
static void name_types_of_variables(dwarf_source *d)
{
    g_autoptr(GHashTable) names = g_hash_table_new(hash_number, g_int64_equal);
    GHashTableIter all;
    gpointer plain, types;
    g_hash_table_iter_init(&all, d->by_name);
    while (g_hash_table_iter_next(&all, &plain, &types))
        for (guint i = 0; i < ((GArray *)types)->len; i++) {
            named *n = &g_array_index((GArray *)types, named, i);
            g_hash_table_insert(names, &n->entry, n->written ? (gpointer)(uintptr_t)n->written : plain);
        }
    for (guint i = 0; i < d->source.variables->len; i++) {
        known_variable *v = &g_array_index(d->source.variables, known_variable, i);
        v->type_name = g_hash_table_lookup(names, &v->element.type);
    }
}

static void note_symbol(dwarf_source *d, const GElf_Sym *symbol, const char *name)
{
    if (GELF_ST_TYPE(symbol->st_info) != STT_OBJECT || symbol->st_shndx == SHN_UNDEF || symbol->st_size == 0 ||
        symbol->st_size > UINT32_MAX || !name || !*name || !cacheray_members_dwarf_take_name(d, name))
        return;
    g_autofree char *plain = g_strndup(name, strcspn(name, "@")); /* without the symbol version: stderr@GLIBC_2.2.5 */
    g_autofree char *readable = demangle(plain);
    known_variable v = {
        symbol->st_value, 1, {0, symbol->st_size}, 0, shown_name(d, readable ? readable : plain), 0, 0, NULL};
    if (cacheray_members_dwarf_take_name(d, v.name))
        g_array_append_val(d->source.variables, v);
}

/* Finds variables without debug information. */
static void note_symbols(dwarf_source *d, const executable *e)
{
    GElf_Shdr header, names_header;
    Elf_Scn *section = executable_section_of_type(e, SHT_SYMTAB, &header);
    Elf_Data *symbols = section ? elf_getdata(section, NULL) : NULL;
    cursor names = executable_bytes(e, executable_section(e, ".strtab", &names_header));
    GElf_Sym symbol;
    for (int i = 0; symbols && names.length && gelf_getsym(symbols, i, &symbol); i++)
        note_symbol(d, &symbol, executable_string(&names, symbol.st_name));
}

/* Sorts by start; if two have the same, the one with a type comes first. */
static gint compare_variables(gconstpointer a, gconstpointer b)
{
    const known_variable *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->element.type == 0) - (y->element.type == 0);
}

static void sort_variables(GArray *all)
{
    guint kept = 0;
    g_array_sort(all, compare_variables);
    for (guint i = 0; i < all->len; i++) {
        const known_variable v = g_array_index(all, known_variable, i);
        if (!kept || g_array_index(all, known_variable, kept - 1).start != v.start)
            g_array_index(all, known_variable, kept++) = v;
    }
    g_array_set_size(all, kept);
}

/* The function that a variable is local to, as C++ writes it (with parameters) or just its name; else the file of its
 * unit, without folders. NULL: unknown. g_malloc'ed. */
static char *cacheray_members_dwarf_place_of(const dwarf_source *d, const known_variable *v)
{
    Dwarf_Attribute a;
    Dwarf_Die entry;
    if (!entry_of(d, v->function ? v->function : v->unit, &entry))
        return NULL;
    const char *linked = v->function ? dwarf_formstring(dwarf_attr_integrate(&entry, DW_AT_linkage_name, &a)) : NULL;
    char *readable = linked ? demangle(linked) : NULL;
    const char *name = readable ? NULL : dwarf_image_name(&d->image, &entry, SIZE_MAX);
    return readable || !name || v->function ? (readable ? readable : g_strdup(name)) : g_path_get_basename(name);
}

static bool cacheray_members_dwarf_is_shared(GHashTable *counts, const known_variable *v)
{
    return GPOINTER_TO_UINT(g_hash_table_lookup(counts, v->name)) > 1;
}

static GHashTable *count_names(const GArray *all)
{
    GHashTable *counts = g_hash_table_new(hash_text, g_str_equal);
    for (guint i = 0; i < all->len; i++) {
        char *name = (char *)(uintptr_t)g_array_index(all, known_variable, i).name;
        g_hash_table_insert(counts, name, GUINT_TO_POINTER(GPOINTER_TO_UINT(g_hash_table_lookup(counts, name)) + 1));
    }
    return counts;
}

/* Variables that share a name get that of their function or file in front of it, or (`by_address`) their address after it.
 */
static void disambiguate(dwarf_source *d, bool by_address)
{
    g_autoptr(GHashTable) counts = count_names(d->source.variables);
    for (guint i = 0; i < d->source.variables->len; i++) {
        known_variable *v = &g_array_index(d->source.variables, known_variable, i);
        if (!cacheray_members_dwarf_is_shared(counts, v) || (!by_address && !v->unit))
            continue;
        g_autofree char *place = by_address ? NULL : cacheray_members_dwarf_place_of(d, v);
        g_autofree char *name = by_address ? g_strdup_printf("%s at 0x%" G_GINT64_MODIFIER "x", v->name, v->start)
                                : place    ? g_strconcat(place, "::", v->name, NULL)
                                           : NULL;
        if (name && cacheray_members_dwarf_take_name(d, name))
            v->name = shown_name(d, name);
    }
}

/* --- opening ----------------------------------------------------------------------------------------------------------- */

static void dwarf_close(member_source *source)
{
    dwarf_source *d = (dwarf_source *)source;
    dwarf_image_close(&d->image);
    g_hash_table_destroy(d->by_name);
    g_string_chunk_free(d->texts);
    g_hash_table_destroy(d->declared);
    g_array_free(d->outside, TRUE);
    g_array_free(d->source.variables, TRUE);
    g_free(d);
}

static bool has_debug_information(const executable *e)
{
    GElf_Shdr header;
    return executable_section(e, ".debug_info", &header) || executable_section(e, ".zdebug_info", &header);
}

/* Returns whether a unit has its types in another file. libdw opens that only if asked for the unit in it. */
static bool is_split(Dwarf_Die *unit)
{
    return dwarf_hasattr(unit, DW_AT_dwo_name) || dwarf_hasattr(unit, DW_AT_GNU_dwo_name);
}

static bool read_types(dwarf_source *d, const executable *e, GError **error)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die entry;
    bool split = false;
    if (!dwarf_image_open(&d->image, e, error))
        return false;
    d->entries = e->identity.size * 8; /* compressed sections may have more entries than bytes */
    d->names = e->identity.size * NAMES_RATIO_MAX;
    int found = dwarf_get_units(d->image.dwarf, unit, &unit, NULL, NULL, &entry, NULL);
    for (; found == 0; found = dwarf_get_units(d->image.dwarf, unit, &unit, NULL, NULL, &entry, NULL)) {
        split |= is_split(&entry);
        d->unit = id_of(&entry);
        if (!note_all(d, &entry, "", 0))
            return fail_with(error, DWARF_IMAGE_DAMAGED);
    }
    if (found < 0)
        return fail_with(error, DWARF_IMAGE_DAMAGED);
    name_outsiders(d);
    name_types_of_variables(d);
    if (split)
        d->source.missing = "it was built with -gsplit-dwarf: types in .dwo files are not read";
    else if (g_hash_table_size(d->by_name) == 0)
        d->source.missing = "it has no type information (compile with -g, not -g1)";
    return true;
}

static bool read_all(dwarf_source *d, const executable *e, GError **error)
{
    if (!has_debug_information(e))
        d->source.missing = "it has no debug information (compile with -g)";
    else if (!read_types(d, e, error))
        return false;
    d->names = e->identity.size * NAMES_RATIO_MAX;
    note_symbols(d, e);
    sort_variables(d->source.variables);
    disambiguate(d, false); /* a global one, which is the only one of its name in a program, keeps it */
    disambiguate(d, true);
    if (d->source.missing && !g_hash_table_size(d->by_name) && !d->source.variables->len)
        return fail_with(error, "%s", d->source.missing);
    return true;
}

static const member_source_ops dwarf_ops;

static dwarf_source *dwarf_new(const executable *e)
{
    dwarf_source *d = g_new0(dwarf_source, 1);
    d->source.ops = &dwarf_ops;
    d->source.work = MEMBERS_WORK_MIN + (int64_t)(e->identity.size * MEMBERS_WORK_PER_BYTE);
    d->source.fixed = e->header.e_type == ET_EXEC;
    d->source.variables = g_array_new(FALSE, FALSE, sizeof(known_variable));
    d->big_endian = e->big_endian;
    d->most_aligned = e->header.e_machine == EM_386 ? 4 : e->header.e_machine == EM_S390 ? 8 : 16;
    d->by_name = g_hash_table_new_full(hash_text, g_str_equal, g_free, (GDestroyNotify)g_array_unref);
    d->texts = g_string_chunk_new(4096);
    d->outside = g_array_new(FALSE, FALSE, sizeof(outside));
    d->declared = g_hash_table_new_full(hash_number, g_int64_equal, g_free, g_free);
    return d;
}

member_source *members_dwarf_open(const char *path, const members_machine *machine, GError **error)
{
    g_autoptr(executable) e = executable_open(path, error);
    if (!e)
        return NULL;
    if (e->wide != machine->wide || e->big_endian != machine->big_endian)
        return fail_null(error, "it is for another machine than the trace");
    g_autoptr(executable) debug = has_debug_information(e) ? NULL : executable_debug_file(e, EXECUTABLE_DEBUG_ROOT);
    dwarf_source *d = dwarf_new(debug ? debug : e);
    if (read_all(d, debug ? debug : e, error))
        return &d->source;
    executable_reread(debug ? debug : e, error);
    dwarf_close(&d->source);
    return NULL;
}

/* --- the type for a name ----------------------------------------------------------------------------------------------- */

static bool has_flexible_array(dwarf_source *d, Dwarf_Die *type)
{
    Dwarf_Die entry;
    uint64_t entries = 0;
    bool flexible = false;
    if (dwarf_child(type, &entry) != 0)
        return false;
    do {
        if (dwarf_tag(&entry) == DW_TAG_member)
            flexible = dwarf_type_is_endless(&entry);
    } while (dwarf_type_next(&entry, &entries));
    member_source_work(&d->source, entries);
    return flexible;
}

#define FITNESS_WRITTEN 8u
#define SHAPES_ENTRIES_MAX 1000000u /* types beyond this limit are not compared, and omitted */

/* How well a type fits: 0 not at all, otherwise less than FITNESS_WRITTEN. Structs are preferred to typedefs. */
static unsigned fitness(Dwarf_Die *entry, uint32_t elem_size, Dwarf_Die *type)
{
    *type = *entry;
    if (!dwarf_type_peel(type) || !dwarf_type_is_struct(dwarf_tag(type)) || dwarf_hasattr(type, DW_AT_declaration))
        return 0;
    return member_fitness(dwarf_type_size(type), elem_size) * 2 + (dwarf_tag(entry) != DW_TAG_typedef);
}

/* The types with a name that fit best, as GArray of Dwarf_Die. Template arguments count more than sizes. */
static GArray *best_types(dwarf_source *d, const char *name, const char *plain, uint32_t elem_size)
{
    const GArray *all = g_hash_table_lookup(d->by_name, plain);
    const bool written = strchr(name, '<');
    GArray *best = g_array_new(FALSE, FALSE, sizeof(Dwarf_Die));
    unsigned best_fitness = 1;
    for (guint i = 0; all && i < all->len; i++) {
        const named *n = &g_array_index(all, named, i);
        Dwarf_Die entry, type;
        unsigned fits = entry_of(d, n->entry, &entry) ? fitness(&entry, elem_size, &type) : 0;
        if (fits && written && n->written && equal_without_blanks(name, n->written))
            fits += FITNESS_WRITTEN;
        if (fits < best_fitness)
            continue;
        if (fits > best_fitness)
            g_array_set_size(best, 0);
        best_fitness = fits;
        g_array_append_val(best, type);
    }
    member_source_work(&d->source, all ? all->len : 0);
    return best;
}

static bool is_new_shape(const dwarf_source *d, GHashTable *shapes, Dwarf_Die *type, uint64_t *entries)
{
    GString *shape = g_string_new(NULL);
    bool is_whole = dwarf_type_shape(&d->image, type, shape, entries);
    g_autofree char *text = g_string_free(shape, FALSE);
    return is_whole && g_hash_table_add(shapes, g_steal_pointer(&text));
}

static void dwarf_find(member_source *source, const char *name, const char *plain, uint32_t elem_size, GArray *found)
{
    dwarf_source *d = (dwarf_source *)source;
    g_autoptr(GArray) best = best_types(d, name, plain, elem_size);
    g_autoptr(GHashTable) shapes = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
    uint64_t entries = SHAPES_ENTRIES_MAX;
    for (guint i = 0; i < best->len; i++) {
        Dwarf_Die *type = &g_array_index(best, Dwarf_Die, i);
        if (best->len > 1 && !is_new_shape(d, shapes, type, &entries))
            continue;
        uint64_t size = dwarf_type_size(type);
        bool whole = size && elem_size % size == 0 && !has_flexible_array(d, type);
        const used_type used = {id_of(type), whole ? size : MAX(elem_size, 1)};
        g_array_append_val(found, used);
    }
    if (found->len > MEMBERS_TYPES_MAX)
        g_array_set_size(found, 0);
    member_source_work(source, SHAPES_ENTRIES_MAX - entries);
}

/* --- members ----------------------------------------------------------------------------------------------------------- */

static void dwarf_members(member_source *source, uint64_t entry, uint64_t offset, member_search *search)
{
    const dwarf_source *d = (dwarf_source *)source;
    Dwarf_Die type;
    if (entry_of(d, entry, &type))
        dwarf_search(&d->image, d->big_endian, d->most_aligned, &type, offset, search);
}

static uint32_t dwarf_declared(member_source *source, uint64_t entry, GArray *found)
{
    const dwarf_source *d = (dwarf_source *)source;
    uint64_t entries = 0;
    Dwarf_Die type;
    const uint32_t align = entry_of(d, entry, &type)
                               ? dwarf_search_declared(d->big_endian, &type, d->most_aligned, found, &entries)
                               : 0;
    member_source_work(source, entries);
    return align;
}

static const member_source_ops dwarf_ops = {dwarf_close, dwarf_find, dwarf_members, dwarf_declared};
