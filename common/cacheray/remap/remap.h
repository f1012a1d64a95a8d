/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Structs with their members at other offsets, as a file of the simulator's option --remap says
 * (docs/cacheray-statistics.md). Knows nothing of traces. */
#ifndef WIRETRACE_CACHERAY_REMAP_REMAP_H
#define WIRETRACE_CACHERAY_REMAP_REMAP_H

#include <glib.h>

#include "cacheray/remap/parts.h"

#define REMAP_FILE_MAX (1u << 20)   /* bytes */
#define REMAP_OFFSET_MAX (1u << 20) /* of members, and size of a struct */
#define REMAP_ALIGN_MAX 4096u
#define REMAP_STRUCTS_MAX 256u
#define REMAP_MEMBERS_MAX 4096u /* of a struct */

typedef struct remap remap;
typedef struct remap_struct remap_struct; /* what the file says of one struct */

/* Reads a file of lines `struct NAME=member,offset;member,offset`. Our extensions: `sizeof,N` and `alignof,N` among the
 * members, empty lines, and lines that begin with '#'. A line that is wrong is left out, and a message with its
 * number is appended to `wrong`, g_malloc'ed. NULL if the file is of no use at all. */
remap *remap_read(const char *path, GPtrArray *wrong, GError **error);
/* The same for a text, which is changed. */
remap *remap_parse(char *text, GPtrArray *wrong);
void remap_free(remap *r);

/* What the file says of a struct with this name, without `struct`; NULL: nothing. */
const remap_struct *remap_find(const remap *r, const char *name);
/* All structs of the file, from 0; NULL after the last. */
const remap_struct *remap_at(const remap *r, unsigned i);
const char *remap_name(const remap_struct *s);
unsigned remap_line(const remap_struct *s); /* its number, from 1 */

/* A struct as it would be. */
typedef struct remap_layout {
    uint32_t size, new_size; /* bytes */
    uint32_t align;          /* of the address of a region of such structs; 0: as it was */
    uint32_t moved[];        /* by byte of the struct: its offset in the new one */
} remap_layout;

/* Applies this to a struct. Members that the file does not name stay where they are. NULL if it has no such member, or
 * members would overlap or be after its end. Free with g_free(). */
remap_layout *remap_apply(const remap_struct *s, const struct_parts *p, GError **error);
/* The offset of a byte in a region of such structs, and the size of a whole region. */
uint64_t remap_offset(const remap_layout *l, uint64_t offset);
uint64_t remap_length(const remap_layout *l, uint64_t length);

#endif
