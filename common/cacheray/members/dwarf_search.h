/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the members at an offset of a type. */
#ifndef WIRETRACE_CACHERAY_MEMBERS_DWARF_SEARCH_H
#define WIRETRACE_CACHERAY_MEMBERS_DWARF_SEARCH_H

#include "cacheray/members/members.h"
#include "cacheray/members/members_source.h"

#include "program/dwarf_image.h"

/* Does what members_of_struct() does. `most`: alignment of numbers and pointers. Adds to *entries. */
uint32_t dwarf_search_declared(bool big_endian, Dwarf_Die *type, uint32_t most, GArray *found, uint64_t *entries);
void dwarf_search(const dwarf_image *image, bool big_endian, uint32_t most, Dwarf_Die *type, uint64_t offset,
                  member_search *found);

#endif
