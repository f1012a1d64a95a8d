/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The members of a struct itself, without what is inside them, as pieces of bytes that can be moved. Members that share
 * bytes, as in a union or bit-fields, are one part. Knows nothing of traces. */
#ifndef WIRETRACE_CACHERAY_REMAP_PARTS_H
#define WIRETRACE_CACHERAY_REMAP_PARTS_H

#include "cacheray/members/members.h"

#define PARTS_SIZE_MAX 65536u /* bytes of a struct; larger ones are not split */
#define PARTS_NONE UINT32_MAX

typedef struct struct_part {
    char **names; /* of the members; ends with NULL */
    char *shown;  /* all of them, with '|' between */
    uint32_t offset, size;
    /* Only of parts_declared(): */
    uint32_t align; /* bytes */
    bool bits;      /* bit-fields, of which there is no other part before or after this one */
    bool fixed;     /* it stays where it is, before all others: a base class, and the member after it */
    bool implicit;  /* it is fixed, and not among the members that the program declares */
} struct_part;

typedef struct struct_parts {
    uint32_t size; /* of the struct, in bytes */
    unsigned count;
    struct_part *all; /* by offset */
    uint32_t align;   /* of the struct, in bytes; only of parts_declared() */
} struct_parts;

/* The parts of a type of members_type(); NULL: it has no members, or is too large. Free with parts_free(). */
struct_parts *parts_of(members *m, uint32_t type);
/* The same as a compiler places them: a part for each member that is declared, of an anonymous struct or union all of it, of
 * bit-fields in sequence all of them. `pieces`: what parts_of() gives. NULL: it is not known how a compiler places them. */
struct_parts *parts_declared(members *m, uint32_t type, const struct_parts *pieces);
/* Where a compiler places parts in another order (indexes of parts): their offsets, and the size of the struct. Those of
 * `starts` (by index; NULL: none) begin at a multiple of `line` bytes, as does the struct. False: some cannot be in this
 * order. */
bool parts_place(const struct_parts *p, const uint32_t *order, const bool *starts, uint32_t line, uint32_t *offsets,
                 uint32_t *size);
void parts_free(struct_parts *p);
/* How many parts these bytes of the struct belong to (0: they are between parts), and the first one. O(log n). */
uint32_t parts_covered(const struct_parts *p, uint64_t offset, uint64_t size, uint32_t *first);
/* The part that has a member of this name; PARTS_NONE: none. */
uint32_t parts_named(const struct_parts *p, const char *member);

#endif
