/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the traced program says about the data that is accessed: members of the types that annotations name, and global
 * variables. From its DWARF (members_dwarf.c), or from the type file of dwarf2json (members_json.c). Knows nothing of
 * traces. */
#ifndef WIRETRACE_CACHERAY_MEMBERS_H
#define WIRETRACE_CACHERAY_MEMBERS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct members members;

/* The machine that the program runs on. */
typedef struct members_machine {
    bool wide; /* addresses of 64 bits */
    bool big_endian;
} members_machine;

/* Reads an executable, a file of debug information, or a type file (JSON). NULL when it is of no use, damaged, or for
 * another machine: *reason says why, in words that outlive the call. Else *reason says why it tells of no types, or not of
 * all; NULL where it does. */
members *members_open(const char *path, const members_machine *machine, const char **reason);
void members_close(members *m);

/* The struct, union or class that a type name of an annotation means (struct.NAME, class.ns::NAME.12, NAME), and the
 * bytes of an element: of several of that name the one with the template arguments that it tells, or with this size, else one
 * whose size divides it. Where that leaves several with other members, all of them. 0: none. */
uint32_t members_type(members *m, const char *name, uint32_t elem_size);

/* What lies at a byte of an element: price.units, qty[2]; all members of a union, all bit-fields that share the byte and those
 * of all types that it may be, with '|' between them; <padding>. An element may itself be an array of the type. Lives as long as m. */
const char *members_at(members *m, uint32_t type, uint32_t offset);

/* A byte of a variable: of an array it is in an element. Strings live as long as m. */
typedef struct members_variable {
    const char *name;
    const char *member; /* NULL: the variable, or its element, has no members */
    uint32_t index, offset;
} members_variable;

/* Whether the program runs at the addresses that it was linked for. */
bool members_fixed(const members *m);
/* The variable at an address as linked; false where there is none. O(log n). */
bool members_variable_at(members *m, uint64_t address, members_variable *found);

#endif
