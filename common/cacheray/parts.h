/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The members of a struct itself, without what is inside them, as pieces of bytes that can be moved. Members that share
 * bytes, as in a union or bit-fields, are one part. Knows nothing of traces. */
#ifndef WIRETRACE_CACHERAY_PARTS_H
#define WIRETRACE_CACHERAY_PARTS_H

#include "cacheray/members.h"

#define PARTS_SIZE_MAX 65536u /* bytes of a struct; larger ones are not split */
#define PARTS_NONE UINT32_MAX

typedef struct struct_part {
    char *names; /* of the members, separated by '|' */
    uint32_t offset, size;
    uint32_t align; /* the largest power of two up to 16 that its offset and size allow */
} struct_part;

typedef struct struct_parts {
    uint32_t size; /* of the struct, in bytes */
    unsigned count;
    struct_part *all; /* by offset */
} struct_parts;

/* The parts of a type of members_type(); NULL: it has no members, or is too large. Free with parts_free(). */
struct_parts *parts_of(members *m, uint32_t type);
void parts_free(struct_parts *p);
/* The part at an offset; PARTS_NONE: between parts. O(log n). */
uint32_t parts_at(const struct_parts *p, uint64_t offset);
/* The part that has a member of this name; PARTS_NONE: none. */
uint32_t parts_named(const struct_parts *p, const char *member);

#endif
