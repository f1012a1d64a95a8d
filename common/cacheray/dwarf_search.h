/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the members at an offset of a type. */
#ifndef WIRETRACE_CACHERAY_DWARF_SEARCH_H
#define WIRETRACE_CACHERAY_DWARF_SEARCH_H

#include "cacheray/members_source.h"

#include "program/dwarf_image.h"

void dwarf_search(const dwarf_image *image, bool big_endian, Dwarf_Die *type, uint64_t offset, member_search *found);

#endif
