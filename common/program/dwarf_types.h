/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Information about a type from libdw, with the differences between compilers removed. */
#ifndef WIRETRACE_PROGRAM_DWARF_TYPES_H
#define WIRETRACE_PROGRAM_DWARF_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "program/dwarf_image.h"

#define DWARF_DEPTH_MAX 32u /* nesting of types */
#define DIMENSIONS_MAX 16u

bool dwarf_type_is_struct(int tag);
bool dwarf_type_number(Dwarf_Die *entry, unsigned attribute, uint64_t *value);
/* Replaces a type by what it is without typedefs and qualifiers, and a declaration by the type unit with its definition.
 * False if that is not there. */
bool dwarf_type_peel(Dwarf_Die *type);
/* The type of a member or variable, peeled. */
bool dwarf_type_of(Dwarf_Die *entry, Dwarf_Die *type);
/* Returns whether an entry of a struct is a base class or a member stored in it. */
bool dwarf_type_is_member(Dwarf_Die *entry);
/* The name of a member; NULL if it has none or it is too long to be shown. */
const char *dwarf_type_member_name(const dwarf_image *image, Dwarf_Die *member);
/* The first entry in a type; false if there is none. Adds to *entries like dwarf_type_next(). */
bool dwarf_type_first(Dwarf_Die *type, Dwarf_Die *entry, uint64_t *entries);
/* Moves to the next entry in a type; false after the last. Adds to *entries how many entries libdw had to read for that. */
bool dwarf_type_next(Dwarf_Die *entry, uint64_t *entries);
/* The number of elements in each dimension of an array, 0 if unknown. Returns the number of dimensions. clang writes
 * counts, gcc upper bounds. */
unsigned dwarf_type_dimensions(Dwarf_Die *array, uint64_t counts[DIMENSIONS_MAX]);
/* Replaces an array type by its element type. Returns the number of elements; 1 if it is not an array, 0 if unknown. */
uint64_t dwarf_type_elements(Dwarf_Die *type);
/* Returns whether a member is an array without a size, which can have one only if nothing follows it. */
bool dwarf_type_is_endless(Dwarf_Die *member);
/* The size of a type in bytes; 0 if unknown, as for a flexible array. Compilers write none for pointers to members, of
 * which those to functions take two words. */
uint64_t dwarf_type_size(Dwarf_Die *type);

/* The alignment in bytes that members of a type have in structs; 0: unknown. `most`: of numbers and pointers on this
 * machine. Adds to *entries how many it reads, and gives up after many. */
uint32_t dwarf_type_align(Dwarf_Die *type, uint32_t most, uint64_t *entries);

/* Appends what distinguishes a type as far as its members are concerned: their names, offsets and sizes. Subtracts from
 * *entries how many it reads; false if that is not enough. */
bool dwarf_type_shape(const dwarf_image *image, Dwarf_Die *type, GString *shape, uint64_t *entries);

#endif
