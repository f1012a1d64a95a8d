/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/members/dwarf_search.h"

#include <dwarf.h>

#include "program/dwarf_types.h"

typedef struct searching {
    const dwarf_image *image;
    member_search *common;
    bool big_endian;
} searching;

typedef enum place { FOLLOWED, LAST, IN_UNION } place; /* the position of a member */

static void cacheray_dwarf_search_search_type(const searching *s, Dwarf_Die *type, uint64_t offset, unsigned depth);

/* The first bit of a bit-field, counted from the start of the struct in memory order. DWARF 5 says it directly; before,
 * it was counted from the most significant bit of the storage unit. */
static uint64_t first_bit(bool big_endian, Dwarf_Die *member, Dwarf_Die *type, uint64_t location, uint64_t bits)
{
    uint64_t first = 0, unit = 0;
    if (dwarf_type_number(member, DW_AT_data_bit_offset, &first))
        return first;
    if (!dwarf_type_number(member, DW_AT_bit_offset, &first))
        return location * 8;
    if (!dwarf_type_number(member, DW_AT_byte_size, &unit))
        unit = dwarf_type_size(type);
    return location * 8 + (big_endian ? first : unit * 8 - first - bits);
}

/* Returns whether a member extends to an offset. An array without a size does if nothing follows it. */
static bool reaches(Dwarf_Die *member, Dwarf_Die *type, place where, uint64_t location, uint64_t offset)
{
    uint64_t unused, size = dwarf_type_size(type);
    bool endless = where != FOLLOWED && size == 0 && dwarf_tag(type) == DW_TAG_array_type;
    bool placed = where == IN_UNION || dwarf_type_number(member, DW_AT_data_member_location, &unused);
    return placed && offset >= location && (endless || offset - location < size);
}

/* A member or base class. Those without a name add nothing to the path. */
static void cacheray_dwarf_search_search_member(const searching *s, Dwarf_Die *member, place where, uint64_t offset,
                                                unsigned depth)
{
    Dwarf_Die type;
    uint64_t location = 0, bits = 0, first = 0;
    dwarf_type_number(member, DW_AT_data_member_location, &location);
    if (!dwarf_type_of(member, &type))
        return;
    bool bit_field = dwarf_type_number(member, DW_AT_bit_size, &bits);
    if (bit_field)
        first = first_bit(s->big_endian, member, &type, location, bits);
    bool there = bit_field ? bits && offset >= first / 8 && offset <= (first + bits - 1) / 8
                           : reaches(member, &type, where, location, offset);
    if (!there)
        return;
    gsize before = member_search_enter(s->common, dwarf_type_member_name(s->image, member));
    s->common->bits |= bit_field;
    if (bit_field)
        member_search_found(s->common);
    else
        cacheray_dwarf_search_search_type(s, &type, offset - location, depth + 1);
    g_string_truncate(s->common->path, before);
}

static void search_members(const searching *s, Dwarf_Die *type, uint64_t offset, unsigned depth)
{
    const place where = dwarf_tag(type) == DW_TAG_union_type ? IN_UNION : FOLLOWED;
    Dwarf_Die entry, last = {.addr = NULL};
    if (!dwarf_type_first(type, &entry, &s->common->entries))
        return;
    do {
        if (s->common->entries > MEMBERS_ENTRIES_MAX || s->common->names > MEMBERS_NAMES_MAX)
            return;
        if (!dwarf_type_is_member(&entry))
            continue;
        cacheray_dwarf_search_search_member(s, &entry, where, offset, depth);
        last = entry;
    } while (dwarf_type_next(&entry, &s->common->entries));
    if (where == FOLLOWED && last.addr && dwarf_type_is_endless(&last))
        cacheray_dwarf_search_search_member(s, &last, LAST, offset, depth);
}

static void search_array(const searching *s, Dwarf_Die *array, uint64_t offset, unsigned depth)
{
    Dwarf_Die type;
    uint64_t counts[DIMENSIONS_MAX], indexes[DIMENSIONS_MAX];
    unsigned n = dwarf_type_dimensions(array, counts);
    uint64_t size = dwarf_type_of(array, &type) ? dwarf_type_size(&type) : 0;
    if (size == 0 || n == 0 || dwarf_hasattr(array, DW_AT_GNU_vector)) {
        member_search_found(s->common);
        return;
    }
    uint64_t index = offset / size;
    for (unsigned i = n; i-- > 0;) {
        indexes[i] = i && counts[i] ? index % counts[i] : index;
        index = i && counts[i] ? index / counts[i] : 0;
    }
    gsize length = s->common->path->len;
    for (unsigned i = 0; i < n; i++)
        g_string_append_printf(s->common->path, "[%" G_GUINT64_FORMAT "]", indexes[i]);
    cacheray_dwarf_search_search_type(s, &type, offset % size, depth + 1);
    g_string_truncate(s->common->path, length);
}

static void cacheray_dwarf_search_search_type(const searching *s, Dwarf_Die *type, uint64_t offset, unsigned depth)
{
    if (depth > MEMBERS_DEPTH_MAX || s->common->names > MEMBERS_NAMES_MAX)
        return;
    if (dwarf_type_is_struct(dwarf_tag(type)))
        search_members(s, type, offset, depth);
    else if (dwarf_tag(type) == DW_TAG_array_type)
        search_array(s, type, offset, depth);
    else
        member_search_found(s->common);
}

void dwarf_search(const dwarf_image *image, bool big_endian, Dwarf_Die *type, uint64_t offset, member_search *found)
{
    const searching s = {image, found, big_endian};
    cacheray_dwarf_search_search_type(&s, type, offset, 0);
}

/* --- members as declared ----------------------------------------------------------------------------------------------- */

static bool has_members(Dwarf_Die *type, uint64_t *entries)
{
    Dwarf_Die entry;
    bool found = false;
    if (dwarf_type_first(type, &entry, entries))
        do
            found = dwarf_type_is_member(&entry);
        while (!found && dwarf_type_next(&entry, entries));
    return found;
}

static uint32_t align_at(uint32_t align, uint64_t offset)
{
    return offset ? MIN(align, (uint32_t)(offset & -offset)) : align;
}

/* False: where it is does not follow from the order, or is unknown. */
static bool cacheray_dwarf_search_add_declared(bool big_endian, Dwarf_Die *member, uint32_t most, GArray *found,
                                               uint64_t *entries)
{
    Dwarf_Die type;
    uint64_t bits = 0, given = 0;
    members_declared d = {.base = dwarf_tag(member) == DW_TAG_inheritance,
                          .implicit = dwarf_hasattr(member, DW_AT_artificial)};
    if (!dwarf_type_of(member, &type) || dwarf_hasattr(member, DW_AT_virtuality))
        return false;
    if (d.base && !has_members(&type, entries))
        return true;
    d.bits = dwarf_type_number(member, DW_AT_bit_size, &bits);
    const bool placed = dwarf_type_number(member, DW_AT_data_member_location, &d.offset) || d.bits;
    d.align = dwarf_type_align(&type, most, entries);
    dwarf_type_number(member, DW_AT_alignment, &given);
    if (d.bits) {
        const uint64_t first = first_bit(big_endian, member, &type, d.offset, bits);
        d.offset = first / 8;
        d.size = bits ? (first + bits - 1) / 8 + 1 - d.offset : 0;
    } else {
        d.size = dwarf_type_size(&type);
        d.align = align_at(d.align, d.offset);
    }
    d.align = MAX(d.align, (uint32_t)given);
    g_array_append_val(found, d);
    return placed && d.align && d.size;
}

uint32_t dwarf_search_declared(bool big_endian, Dwarf_Die *type, uint32_t most, GArray *found, uint64_t *entries)
{
    Dwarf_Die entry;
    if (dwarf_tag(type) == DW_TAG_union_type || !dwarf_type_first(type, &entry, entries))
        return 0;
    do
        if (dwarf_type_is_member(&entry) && (*entries > MEMBERS_ENTRIES_MAX ||
                                             !cacheray_dwarf_search_add_declared(big_endian, &entry, most, found, entries)))
            return 0;
    while (dwarf_type_next(&entry, entries));
    return dwarf_type_align(type, most, entries);
}
