/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program/declared_places.h"

#include <dwarf.h>

#include "containers/binary_search.h"
#include "containers/hash.h"
#include "program/dwarf_image.h"

#define DEPTH_MAX 32u /* nesting of namespaces */
/* Bytes of a file for each function in it: compilers write several times as many. */
#define FUNCTION_BYTES 32u

typedef struct code_unit {
    uint64_t table;
    Dwarf_Off entry;
    bool read;
} code_unit;

struct declared_places {
    dwarf_image image;
    GArray *units;      /* of code_unit, by table; several may share one */
    GHashTable *places; /* address -> declared_place, of the units that have been read */
    uint64_t entries;   /* how many may still be read: libdw follows damaged ones */
    uint64_t functions; /* how many may still be kept */
};

/* --- units ------------------------------------------------------------------------------------------------------------- */

/* An attribute with a small number; false: it is not there. */
static bool take_number(Dwarf_Attribute *a, uint64_t *number)
{
    Dwarf_Word word;
    if (!a || dwarf_formudata(a, &word) != 0)
        return false;
    *number = word;
    return true;
}

static bool table_of(Dwarf_Die *unit, uint64_t *table)
{
    Dwarf_Attribute a;
    return take_number(dwarf_attr(unit, DW_AT_stmt_list, &a), table);
}

static gint compare_units(gconstpointer a, gconstpointer b)
{
    const code_unit *x = a, *y = b;
    return (x->table > y->table) - (x->table < y->table);
}

static void list_units(declared_places *d)
{
    Dwarf_Off at = 0, next;
    size_t header;
    Dwarf_Die entry;
    while (dwarf_next_unit(d->image.dwarf, at, &next, &header, NULL, NULL, NULL, NULL, NULL, NULL) == 0 && next > at) {
        code_unit u = {.entry = at + header};
        if (dwarf_offdie(d->image.dwarf, u.entry, &entry) && dwarf_tag(&entry) == DW_TAG_compile_unit &&
            table_of(&entry, &u.table))
            g_array_append_val(d->units, u);
        at = next;
    }
    g_array_sort(d->units, compare_units);
}

/* Returns whether a section is packed: libdw would unpack it without a margin after it (dwarf_image.h), and programs beside
 * a log are read without being asked for. */
static bool is_packed(const executable *e)
{
    size_t names;
    GElf_Shdr header;
    if (elf_getshdrstrndx(e->elf, &names) != 0)
        return true;
    for (Elf_Scn *s = elf_nextscn(e->elf, NULL); s; s = elf_nextscn(e->elf, s)) {
        const char *name = gelf_getshdr(s, &header) ? elf_strptr(e->elf, names, header.sh_name) : NULL;
        if (name && (header.sh_flags & SHF_COMPRESSED || g_str_has_prefix(name, ".zdebug")))
            return true;
    }
    return false;
}

declared_places *declared_places_read(const executable *e)
{
    declared_places *d = g_new0(declared_places, 1);
    d->units = g_array_new(FALSE, FALSE, sizeof(code_unit));
    d->places = g_hash_table_new_full(hash_number, g_int64_equal, NULL, g_free);
    d->entries = e->identity.size;
    d->functions = e->identity.size / FUNCTION_BYTES;
    if (!is_packed(e) && dwarf_image_open(&d->image, e, NULL))
        list_units(d);
    if (!d->units->len)
        g_clear_pointer(&d, declared_places_free);
    return d;
}

void declared_places_free(declared_places *d)
{
    if (!d)
        return;
    g_hash_table_destroy(d->places);
    g_array_free(d->units, TRUE);
    dwarf_image_close(&d->image);
    g_free(d);
}

/* --- functions --------------------------------------------------------------------------------------------------------- */

/* Of code in several pieces, the first one. */
static bool begin_of(Dwarf_Die *function, uint64_t *address)
{
    Dwarf_Addr begin, end, base;
    const bool known = dwarf_lowpc(function, &begin) == 0 || dwarf_ranges(function, 0, &base, &begin, &end) > 0;
    if (known)
        *address = begin;
    return known;
}

/* The declaration may be that of a class, or what was inlined elsewhere, which may be in another unit. */
static void note_function(declared_places *d, Dwarf_Die *function)
{
    Dwarf_Attribute line, file;
    Dwarf_Die unit;
    declared_place p;
    uint64_t in_line, in_file;
    if (!d->functions || !begin_of(function, &p.address) || g_hash_table_contains(d->places, &p.address) ||
        !take_number(dwarf_attr_integrate(function, DW_AT_decl_line, &line), &in_line) ||
        !take_number(dwarf_attr_integrate(function, DW_AT_decl_file, &file), &in_file) ||
        !dwarf_cu_die(file.cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL) || !table_of(&unit, &p.table) || !in_line ||
        in_line > UINT32_MAX || in_file > UINT32_MAX)
        return;
    p.line = (uint32_t)in_line;
    p.file = (uint32_t)in_file;
    declared_place *kept = g_memdup2(&p, sizeof p);
    g_hash_table_insert(d->places, &kept->address, kept);
    d->functions--;
}

static void note_functions(declared_places *d, Dwarf_Die *parent, unsigned depth)
{
    Dwarf_Die entry;
    int found = dwarf_child(parent, &entry);
    for (; found == 0 && d->entries; found = dwarf_siblingof(&entry, &entry)) {
        const int tag = dwarf_tag(&entry);
        d->entries--;
        if (tag == DW_TAG_subprogram)
            note_function(d, &entry);
        else if ((tag == DW_TAG_namespace || tag == DW_TAG_module) && depth < DEPTH_MAX)
            note_functions(d, &entry, depth + 1);
    }
}

const declared_place *declared_places_find(declared_places *d, uint64_t table, uint64_t address)
{
    const GArray *all = d->units;
    for (guint i = (guint)BINARY_SEARCH(all->len, n, g_array_index(all, code_unit, n).table < table); i < all->len; i++) {
        code_unit *u = &g_array_index(all, code_unit, i);
        Dwarf_Die entry;
        if (u->table != table)
            break;
        if (!u->read && dwarf_offdie(d->image.dwarf, u->entry, &entry))
            note_functions(d, &entry, 0);
        u->read = true;
    }
    return g_hash_table_lookup(d->places, &address);
}
