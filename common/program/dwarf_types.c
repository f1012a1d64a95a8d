/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program/dwarf_types.h"

#include <dwarf.h>

#include "util/text.h"

bool dwarf_type_is_struct(int tag)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

bool dwarf_type_number(Dwarf_Die *entry, unsigned attribute, uint64_t *value)
{
    Dwarf_Attribute a;
    Dwarf_Word word;
    if (dwarf_formudata(dwarf_attr_integrate(entry, attribute, &a), &word) != 0)
        return false;
    *value = word;
    return true;
}

bool dwarf_type_peel(Dwarf_Die *type)
{
    for (unsigned i = 0; i < DWARF_DEPTH_MAX; i++) {
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
            if (!dwarf_attr(type, DW_AT_signature, &a))
                return true;
            if (!dwarf_formref_die(&a, type))
                return false;
        }
    }
    return false;
}

bool dwarf_type_of(Dwarf_Die *entry, Dwarf_Die *type)
{
    Dwarf_Attribute a;
    return dwarf_formref_die(dwarf_attr_integrate(entry, DW_AT_type, &a), type) && dwarf_type_peel(type);
}

/* Returns whether an array has few dimensions and contains nothing else, since libdw reads all of it every time. Other
 * arrays have no size and no dimensions. */
static bool is_array_sane(Dwarf_Die *array)
{
    Dwarf_Die entry;
    unsigned n = 0;
    if (dwarf_child(array, &entry) != 0)
        return true;
    do
        if (n++ == DIMENSIONS_MAX || dwarf_haschildren(&entry))
            return false;
    while (dwarf_siblingof(&entry, &entry) == 0);
    return true;
}

unsigned dwarf_type_dimensions(Dwarf_Die *array, uint64_t counts[DIMENSIONS_MAX])
{
    Dwarf_Die entry;
    unsigned n = 0;
    if (!is_array_sane(array) || dwarf_child(array, &entry) != 0)
        return 0;
    do {
        uint64_t count = 0;
        if (dwarf_tag(&entry) != DW_TAG_subrange_type)
            continue;
        if (!dwarf_type_number(&entry, DW_AT_count, &count) && dwarf_type_number(&entry, DW_AT_upper_bound, &count))
            count = count >= UINT32_MAX ? 0 : count + 1; /* -1: an array without elements */
        counts[n++] = count;
    } while (dwarf_siblingof(&entry, &entry) == 0);
    return n;
}

uint64_t dwarf_type_elements(Dwarf_Die *type)
{
    uint64_t total = 1, counts[DIMENSIONS_MAX];
    for (unsigned depth = 0; dwarf_tag(type) == DW_TAG_array_type && depth < DWARF_DEPTH_MAX; depth++) {
        unsigned n = dwarf_hasattr(type, DW_AT_GNU_vector) ? 0 : dwarf_type_dimensions(type, counts);
        Dwarf_Die element;
        if (n == 0 || !dwarf_type_of(type, &element))
            break;
        for (unsigned i = 0; i < n; i++)
            total = counts[i] && total > UINT32_MAX / counts[i] ? 0 : total * counts[i];
        *type = element;
    }
    return total;
}

uint64_t dwarf_type_size(Dwarf_Die *type)
{
    Dwarf_Die inner = *type;
    Dwarf_Word size;
    uint8_t word = 0;
    for (unsigned depth = 0; dwarf_tag(&inner) == DW_TAG_array_type && depth < DWARF_DEPTH_MAX; depth++)
        if (!is_array_sane(&inner))
            return 0;
        else if (!dwarf_type_of(&inner, &inner))
            break;
    if (dwarf_aggregate_size(type, &size) == 0)
        return size;
    inner = *type;
    dwarf_cu_die(type->cu, &inner, NULL, NULL, &word, NULL, NULL, NULL);
    switch (dwarf_tag(type)) {
    case DW_TAG_ptr_to_member_type:
        return dwarf_type_of(type, &inner) && dwarf_tag(&inner) == DW_TAG_subroutine_type ? 2u * word : word;
    case DW_TAG_unspecified_type: /* the type of nullptr */
        return word;
    case DW_TAG_array_type: /* of types in type units, which libdw does not find here */
        inner = *type;
        size = dwarf_type_elements(&inner);
        return dwarf_tag(&inner) == DW_TAG_array_type ? 0 : size * MIN(dwarf_type_size(&inner), UINT32_MAX);
    default:
        return 0;
    }
}

bool dwarf_type_is_endless(Dwarf_Die *member)
{
    Dwarf_Die type;
    return dwarf_type_of(member, &type) && dwarf_tag(&type) == DW_TAG_array_type && dwarf_type_size(&type) == 0;
}

bool dwarf_type_is_member(Dwarf_Die *entry)
{
    int tag = dwarf_tag(entry);
    bool is_static = dwarf_hasattr(entry, DW_AT_external) || dwarf_hasattr(entry, DW_AT_declaration);
    return (tag == DW_TAG_member && !is_static) || tag == DW_TAG_inheritance;
}

const char *dwarf_type_member_name(const dwarf_image *image, Dwarf_Die *member)
{
    return dwarf_tag(member) == DW_TAG_member ? dwarf_image_name(image, member, TEXT_MAX) : NULL;
}

/* --- iterating over entries -------------------------------------------------------------------------------------------- */

#define ENTRY_BYTES 16u    /* this many count as one entry, since libdw takes as long for them */
#define LAST_WITHIN_MAX 8u /* nesting of entries that are each the last in their parent */
#define ENDLESS UINT32_MAX

/* The size of what is inside an entry that is the last in its parent, so that no following entry tells where it ends;
 * bytes. */
static uint64_t length_of_last(const Dwarf_Die *entry)
{
    Dwarf_Die last = *entry, next;
    unsigned within = 0;
    while (dwarf_child(&last, &next) == 0) {
        if (++within > LAST_WITHIN_MAX)
            return ENDLESS;
        do
            last = next;
        while (dwarf_siblingof(&last, &next) == 0);
    }
    return (uint64_t)((uintptr_t)last.addr - (uintptr_t)entry->addr);
}

bool dwarf_type_first(Dwarf_Die *type, Dwarf_Die *entry, uint64_t *entries)
{
    bool found = dwarf_child(type, entry) == 0;
    *entries += found ? (uint64_t)((uintptr_t)entry->addr - (uintptr_t)type->addr) / ENTRY_BYTES : 0;
    return found;
}

/* To find the next entry, libdw reads everything inside this one, every time. */
bool dwarf_type_next(Dwarf_Die *entry, uint64_t *entries)
{
    Dwarf_Die next;
    bool found = dwarf_siblingof(entry, &next) == 0;
    *entries += 1 +
                (found ? (uint64_t)((uintptr_t)next.addr - (uintptr_t)entry->addr) : length_of_last(entry)) / ENTRY_BYTES;
    if (found)
        *entry = next;
    return found;
}

/* --- alignment --------------------------------------------------------------------------------------------------------- */

#define ALIGN_ENTRIES_MAX 100000u

static uint32_t type_align(Dwarf_Die *type, uint32_t most, unsigned depth, uint64_t *entries);

static uint32_t largest_power_in(uint64_t bytes)
{
    return (uint32_t)(bytes & -bytes);
}

static uint32_t number_align(Dwarf_Die *type, uint32_t most)
{
    uint64_t encoding = 0;
    const bool is_complex = dwarf_type_number(type, DW_AT_encoding, &encoding) && encoding == DW_ATE_complex_float;
    return MIN(largest_power_in(dwarf_type_size(type) / (is_complex ? 2 : 1)), most);
}

/* That of the members, as far as their offsets and the size allow: a struct may be packed. */
static uint32_t struct_align(Dwarf_Die *type, uint32_t most, unsigned depth, uint64_t *entries)
{
    const uint64_t size = dwarf_type_size(type);
    uint32_t align = 1;
    Dwarf_Die entry, inner;
    if (!dwarf_type_first(type, &entry, entries))
        return 1;
    do {
        uint64_t given = 0, offset = 0;
        if (!dwarf_type_is_member(&entry))
            continue;
        uint32_t own = dwarf_type_of(&entry, &inner) ? type_align(&inner, most, depth, entries) : 0;
        if (own == 0 || *entries > ALIGN_ENTRIES_MAX)
            return 0;
        dwarf_type_number(&entry, DW_AT_alignment, &given);
        dwarf_type_number(&entry, DW_AT_data_member_location, &offset);
        own = MAX(own, (uint32_t)given);
        align = MAX(align, offset ? MIN(own, largest_power_in(offset)) : own);
    } while (dwarf_type_next(&entry, entries));
    return size ? MIN(align, largest_power_in(size)) : align;
}

static uint32_t type_align(Dwarf_Die *type, uint32_t most, unsigned depth, uint64_t *entries)
{
    Dwarf_Die element;
    uint64_t given = 0;
    uint32_t align = 0;
    if (depth > DWARF_DEPTH_MAX || ++*entries > ALIGN_ENTRIES_MAX)
        return 0;
    dwarf_type_number(type, DW_AT_alignment, &given);
    if (dwarf_type_is_struct(dwarf_tag(type)))
        align = struct_align(type, most, depth + 1, entries);
    else if (dwarf_tag(type) != DW_TAG_array_type)
        align = number_align(type, most);
    else if (dwarf_hasattr(type, DW_AT_GNU_vector))
        align = largest_power_in(dwarf_type_size(type));
    else if (dwarf_type_of(type, &element))
        align = type_align(&element, most, depth + 1, entries);
    return align ? MAX(align, (uint32_t)given) : 0;
}

uint32_t dwarf_type_align(Dwarf_Die *type, uint32_t most, uint64_t *entries)
{
    return type_align(type, most, 0, entries);
}

/* --- shape ------------------------------------------------------------------------------------------------------------- */

typedef struct shaping {
    const dwarf_image *image;
    GString *shape;
    uint64_t *entries; /* how many more may be read */
} shaping;

static bool shape_type(const shaping *s, Dwarf_Die *type, unsigned depth);

static void dwarf_types_take(const shaping *s, uint64_t entries)
{
    *s->entries -= MIN(*s->entries, entries);
}

static void shape_number(const shaping *s, Dwarf_Die *entry, unsigned attribute)
{
    uint64_t value;
    if (dwarf_type_number(entry, attribute, &value))
        g_string_append_printf(s->shape, " %x=%" G_GINT64_MODIFIER "x", attribute, value);
}

static bool shape_member(const shaping *s, Dwarf_Die *member, unsigned depth)
{
    static const unsigned places[] = {DW_AT_data_member_location, DW_AT_data_bit_offset, DW_AT_bit_offset, DW_AT_bit_size,
                                      DW_AT_byte_size};
    const char *name = dwarf_type_member_name(s->image, member);
    Dwarf_Die type;
    g_string_append_printf(s->shape, "\n%s", name ? name : "");
    dwarf_types_take(s, name ? strlen(name) / ENTRY_BYTES : 0);
    for (unsigned i = 0; i < G_N_ELEMENTS(places); i++)
        shape_number(s, member, places[i]);
    return !dwarf_type_of(member, &type) || shape_type(s, &type, depth + 1);
}

static bool shape_type(const shaping *s, Dwarf_Die *type, unsigned depth)
{
    Dwarf_Die entry;
    uint64_t counts[DIMENSIONS_MAX];
    int tag = dwarf_tag(type);
    bool has_elements = tag == DW_TAG_array_type && !dwarf_hasattr(type, DW_AT_GNU_vector);
    unsigned dimensions = has_elements ? dwarf_type_dimensions(type, counts) : 0;
    g_string_append_printf(s->shape, " %" G_GINT64_MODIFIER "x", dwarf_type_size(type));
    for (unsigned i = 0; i < dimensions; i++)
        g_string_append_printf(s->shape, "[%" G_GINT64_MODIFIER "x]", counts[i]);
    if (depth > DWARF_DEPTH_MAX)
        return true;
    if (has_elements)
        return !dwarf_type_of(type, &entry) || shape_type(s, &entry, depth + 1);
    uint64_t before = 0;
    if (!dwarf_type_is_struct(tag) || !dwarf_type_first(type, &entry, &before))
        return true;
    dwarf_types_take(s, before);
    g_string_append_c(s->shape, tag == DW_TAG_union_type ? 'u' : '{');
    for (bool more = true; more;) {
        uint64_t passed = 0;
        if (*s->entries == 0 || (dwarf_type_is_member(&entry) && !shape_member(s, &entry, depth)))
            return false;
        more = dwarf_type_next(&entry, &passed);
        dwarf_types_take(s, passed);
    }
    g_string_append_c(s->shape, '}');
    return true;
}

bool dwarf_type_shape(const dwarf_image *image, Dwarf_Die *type, GString *shape, uint64_t *entries)
{
    const shaping s = {image, shape, entries};
    return shape_type(&s, type, 0);
}
