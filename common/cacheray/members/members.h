/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the traced program knows about its data: members of the types that annotations name, and global variables. Its
 * files are the program and its libraries; of several types with a name, that of the file added first counts. The source is
 * DWARF (members_dwarf.c) or the type file of dwarf2json (members_json.c). Knows nothing of traces. */
#ifndef WIRETRACE_CACHERAY_MEMBERS_MEMBERS_H
#define WIRETRACE_CACHERAY_MEMBERS_MEMBERS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "cacheray/members/members_machine.h"
#include "cacheray/members/members_name.h"

typedef struct members members;

members *members_new(void);
/* Adds an executable, a library, a file with debug information, or a type file (JSON). False if it is of no use, damaged, or
 * for another machine. The functions below are about the file added last. */
bool members_add(members *m, const char *path, const members_machine *machine, GError **error);
/* Which types are missing from the file and why, a static string; NULL: none. */
const char *members_missing(const members *m);
/* Returns whether the program runs at the addresses for which it was linked. */
bool members_fixed(const members *m);
/* Where it was loaded, which is added to the addresses of its variables. Otherwise those of a file that is not fixed are not
 * found. */
void members_loaded(members *m, uint64_t load);
/* Returns whether a file was added. */
bool members_any(const members *m);
/* The same as members_new() and members_add(). NULL if that fails. */
members *members_open(const char *path, const members_machine *machine, GError **error);
void members_close(members *m);

/* The struct, union or class for the type name in an annotation (struct.NAME, class.ns::NAME.12, NAME) and an element
 * size in bytes. If several have the name: the one with the same template arguments or with this size, otherwise one
 * whose size divides it. If several remain and their members differ, all of them. 0: none. */
uint32_t members_type(members *m, const char *name, uint32_t elem_size);

/* The distance in bytes after which the members of a type repeat: its size, if that is known. */
uint64_t members_size(const members *m, uint32_t type);
/* The name in the program of a type in an annotation, without prefix and number; g_malloc'ed. */
char *members_own_name(const char *name);

/* A member or base class as it is declared. Bit-fields have the bytes that they touch, and the alignment of their type. */
typedef struct members_declared {
    uint64_t offset, size;
    uint32_t align; /* bytes */
    bool bits;      /* a bit-field */
    bool base;      /* a base class */
    bool implicit;  /* not written in the program, such as the pointer to the virtual functions */
} members_declared;
/* Appends the members of a struct itself in the order of their declaration. Returns the alignment of the struct itself in
 * bytes; 0: they are not known, or where they are does not follow from their order. */
uint32_t members_of_struct(members *m, uint32_t type, GArray *declared);

/* What is at an offset in an element, such as price.units or qty[2]. Alternatives are separated by '|': members of a
 * union, bit-fields that share the byte, and different types that it may be. "<padding>" if there is nothing. An element
 * may itself be an array of the type. Valid as long as `m`. Of very many elements of arrays all others have one name,
 * that of `all`. */
#define MEMBERS_PADDING "<padding>"
#define MEMBERS_PADDING_OR_BASE "<padding> or virtual base" /* where the virtual bases are is not known */
const members_name *members_at(members *m, uint32_t type, uint32_t offset);

/* A member of an access. Bit-fields, of which an access shows no more, are one: "state, owner". */
typedef struct members_covered_one {
    const members_name *name; /* as of members_at() */
    unsigned bytes;           /* of the access that are in it */
} members_covered_one;

/* The members of an access. */
typedef struct members_cover {
    const char *name; /* all of them, or the first ones: "id, qty" */
    const members_covered_one *all;
    unsigned count; /* 0: the type has no members */
} members_cover;
/* The members that `size` bytes from an offset cover, also in elements after the first, and padding only if there is nothing
 * else. Valid until the next call, but names are as long as `m`. */
members_cover members_covered(members *m, uint32_t type, uint32_t offset, uint64_t size);

/* A byte of a variable; if that is an array, in one of its elements. Strings are valid as long as the members. */
typedef struct members_variable {
    const char *name;
    const char *member; /* NULL: the variable or element has no members */
    uint32_t index, offset;
    uint64_t count, stride; /* elements, and bytes of one */
    uint64_t start;         /* of the variable */
    uint32_t type;          /* of an element, as of members_type(); 0: it has no members */
    const char *type_name;  /* as for members_type(), or NULL */
} members_variable;

/* Returns whether there is a file of which it is not known where it was loaded. */
bool members_unplaced(const members *m);
/* The variable at an address; false if there is none. O(log n) for each file. If several were loaded there, of the one added
 * last. */
bool members_variable_at(members *m, uint64_t address, members_variable *found);

#endif
