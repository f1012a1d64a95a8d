/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/members/dwarf_search.h"

#include <dwarf.h>

#include "program/dwarf_types.h"

typedef struct searching {
    const dwarf_image *image;
    member_search *common;
    bool big_endian;
    uint32_t most; /* the largest alignment of a number, bytes */
} searching;

typedef enum place { FOLLOWED, LAST, IN_UNION } place; /* the position of a member */

/* `whole`: an object of its own, else a base class in one. */
static void cacheray_dwarf_search_search_type(const searching *s, Dwarf_Die *type, uint64_t offset, unsigned depth,
                                              bool whole);

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
    const member_mark before = member_search_enter(s->common, dwarf_type_member_name(s->image, member));
    s->common->bits |= bit_field;
    if (bit_field)
        member_search_found(s->common);
    else
        cacheray_dwarf_search_search_type(s, &type, offset - location, depth + 1, dwarf_tag(member) != DW_TAG_inheritance);
    member_search_leave(s->common, before);
}

/* --- virtual bases ------------------------------------------------------------------------------------------------------
 */

/* Where a virtual base is depends on the class of the whole object, so debug information does not have it. The C++ ABI
 * (Itanium, 2.4) puts those of an object after all that is not virtual, in the order in which they are met from the class
 * itself on. */
#define VIRTUAL_BASES_MAX 32u

typedef struct virtual_bases {
    const searching *s;
    Dwarf_Die types[VIRTUAL_BASES_MAX];
    uint64_t offsets[VIRTUAL_BASES_MAX];
    unsigned count;
    uint64_t end; /* of what is placed so far */
    bool failed;
} virtual_bases;

static bool is_virtual_base(Dwarf_Die *entry)
{
    return dwarf_tag(entry) == DW_TAG_inheritance && dwarf_hasattr(entry, DW_AT_virtuality);
}

static uint64_t end_without_virtual(virtual_bases *v, Dwarf_Die *class, unsigned depth);

/* Where a member ends, or a base class that is not virtual. */
static uint64_t end_of(virtual_bases *v, Dwarf_Die *member, unsigned depth)
{
    Dwarf_Die type;
    uint64_t location = 0, bits = 0;
    if (is_virtual_base(member) || !dwarf_type_is_member(member) || !dwarf_type_of(member, &type))
        return 0;
    dwarf_type_number(member, DW_AT_data_member_location, &location);
    if (dwarf_type_number(member, DW_AT_bit_size, &bits))
        return (first_bit(v->s->big_endian, member, &type, location, bits) + bits + 7) / 8;
    return location +
           (dwarf_tag(member) == DW_TAG_inheritance ? end_without_virtual(v, &type, depth + 1) : dwarf_type_size(&type));
}

static uint64_t end_without_virtual(virtual_bases *v, Dwarf_Die *class, unsigned depth)
{
    Dwarf_Die entry;
    uint64_t end = 0;
    v->failed |= depth > MEMBERS_DEPTH_MAX || v->s->common->entries > MEMBERS_ENTRIES_MAX;
    if (v->failed || !dwarf_type_first(class, &entry, &v->s->common->entries))
        return 0;
    do
        end = MAX(end, end_of(v, &entry, depth));
    while (dwarf_type_next(&entry, &v->s->common->entries));
    return end;
}

static uint64_t aligned(const virtual_bases *v, uint64_t end, Dwarf_Die *type)
{
    const uint32_t align = MAX(1, dwarf_type_align(type, v->s->most, &v->s->common->entries));
    return (end + align - 1) / align * align;
}

static void virtual_base_place(virtual_bases *v, Dwarf_Die *base)
{
    for (unsigned i = 0; i < v->count; i++)
        if (v->types[i].addr == base->addr)
            return;
    v->failed |= v->count == VIRTUAL_BASES_MAX;
    if (v->failed)
        return;
    v->end = aligned(v, v->end, base);
    v->types[v->count] = *base;
    v->offsets[v->count++] = v->end;
    v->end += end_without_virtual(v, base, 0);
}

static void virtual_bases_of(virtual_bases *v, Dwarf_Die *class, unsigned depth)
{
    Dwarf_Die entry, base;
    v->failed |= depth > MEMBERS_DEPTH_MAX || v->s->common->entries > MEMBERS_ENTRIES_MAX;
    if (v->failed || !dwarf_type_first(class, &entry, &v->s->common->entries))
        return;
    do {
        if (dwarf_tag(&entry) != DW_TAG_inheritance || !dwarf_type_of(&entry, &base))
            continue;
        if (is_virtual_base(&entry))
            virtual_base_place(v, &base);
        virtual_bases_of(v, &base, depth + 1);
    } while (dwarf_type_next(&entry, &v->s->common->entries));
}

/* Searches the virtual bases of a whole object. If they do not add up to its size, because one is in the place of another
 * class or in its padding, they are somewhere in what would be padding. */
static void search_virtual_bases(const searching *s, Dwarf_Die *type, uint64_t offset, unsigned depth)
{
    virtual_bases v = {.s = s};
    virtual_bases_of(&v, type, 0);
    if (!v.count)
        return;
    v = (virtual_bases){.s = s, .end = end_without_virtual(&v, type, 0)};
    virtual_bases_of(&v, type, 0);
    const bool known = !v.failed && aligned(&v, v.end, type) == dwarf_type_size(type);
    s->common->unplaced |= !known;
    for (unsigned i = 0; known && i < v.count; i++)
        if (offset >= v.offsets[i] && (i + 1 == v.count || offset < v.offsets[i + 1]))
            cacheray_dwarf_search_search_type(s, &v.types[i], offset - v.offsets[i], depth + 1, false);
}

static void search_members(const searching *s, Dwarf_Die *type, uint64_t offset, unsigned depth, bool whole)
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
    if (whole)
        search_virtual_bases(s, type, offset, depth);
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
    const member_mark before = member_search_enter(s->common, NULL);
    for (unsigned i = 0; i < n; i++)
        member_search_element(s->common, indexes[i]);
    cacheray_dwarf_search_search_type(s, &type, offset % size, depth + 1, true);
    member_search_leave(s->common, before);
}

static void cacheray_dwarf_search_search_type(const searching *s, Dwarf_Die *type, uint64_t offset, unsigned depth,
                                              bool whole)
{
    if (depth > MEMBERS_DEPTH_MAX || s->common->names > MEMBERS_NAMES_MAX)
        return;
    if (dwarf_type_is_struct(dwarf_tag(type)))
        search_members(s, type, offset, depth, whole);
    else if (dwarf_tag(type) == DW_TAG_array_type)
        search_array(s, type, offset, depth);
    else
        member_search_found(s->common);
}

void dwarf_search(const dwarf_image *image, bool big_endian, uint32_t most, Dwarf_Die *type, uint64_t offset,
                  member_search *found)
{
    const searching s = {image, found, big_endian, most};
    cacheray_dwarf_search_search_type(&s, type, offset, 0, true);
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
