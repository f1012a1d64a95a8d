/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What libdw tells of a type entry, whichever compiler wrote it. */
#ifndef WIRETRACE_PROGRAM_DWARF_TYPES_H
#define WIRETRACE_PROGRAM_DWARF_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "program/dwarf_image.h"

#define DWARF_DEPTH_MAX 32u /* of types within types */
#define DIMENSIONS_MAX 16u

bool dwarf_type_is_struct(int tag);
bool dwarf_type_number(Dwarf_Die *entry, unsigned attribute, uint64_t *value);
/* What a type is under its typedefs and qualifiers, and where it is only declared because it has a unit of its own. */
bool dwarf_type_peel(Dwarf_Die *type);
/* The type of a member or variable, peeled. */
bool dwarf_type_of(Dwarf_Die *entry, Dwarf_Die *type);
/* Whether an entry within a struct is a member that lies in it, or a base class. */
bool dwarf_type_is_member(Dwarf_Die *entry);
/* The name of a member, NULL where it has none, or one longer than can be shown. */
const char *dwarf_type_member_name(const dwarf_image *image, Dwarf_Die *member);
/* The first entry within a type; false where there is none. Adds to *entries as dwarf_type_next() does. */
bool dwarf_type_first(Dwarf_Die *type, Dwarf_Die *entry, uint64_t *entries);
/* Makes an entry within a type the next one; false after the last. Adds to *entries how many there were to go through. */
bool dwarf_type_next(Dwarf_Die *entry, uint64_t *entries);
/* Elements along each dimension of an array; 0: not known. clang writes counts, gcc upper bounds. */
unsigned dwarf_type_dimensions(Dwarf_Die *array, uint64_t counts[DIMENSIONS_MAX]);
/* Makes an array what it is made of; how often. */
uint64_t dwarf_type_elements(Dwarf_Die *type);
/* Whether a member is an array without an end, when nothing comes after it. */
bool dwarf_type_is_endless(Dwarf_Die *member);
/* Bytes of a type; 0: not known, as of a flexible array. Compilers say none for pointers to members, of which those to
 * functions have two words. */
uint64_t dwarf_type_size(Dwarf_Die *type);

/* Appends what tells a type from others as far as its members go: their names, places and sizes. Takes from *entries what it
 * looks at; false when that is not enough. */
bool dwarf_type_shape(const dwarf_image *image, Dwarf_Die *type, GString *shape, uint64_t *entries);

#endif
