/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Proposes where the members of structs should be, as lines of a file for remap.h, from how threads use them:
 *   - members used together stay together: used by one thread, in one struct, within so many of its accesses;
 *   - members that threads contend for get their own lines: a line moves between an access to one and one to the other. If
 * they are in two structs, each struct gets whole lines;
 *   - without contention also by alignment, which leaves the fewest gaps.
 * All are layouts that a compiler makes of members in that order. Whether one is of use is not known here. Knows nothing of
 * traces. */
#ifndef WIRETRACE_CACHERAY_REMAP_PROPOSALS_H
#define WIRETRACE_CACHERAY_REMAP_PROPOSALS_H

#include <glib.h>

#include "cacheray/remap/parts.h"

#define PROPOSALS_WITHIN 16u
#define PROPOSALS_WITHIN_MAX 256u
#define PROPOSALS_STRUCTS_MAX 64u /* any further ones get no proposal */
#define PROPOSALS_PARTS_MAX 256u  /* nor do those with more parts, or more bytes than this: */
#define PROPOSALS_SIZE_MAX 8192u
#define PROPOSALS_LINE_MAX 256u /* bytes of a cache line */
#define PROPOSALS_MORE_MAX 7u   /* further parts of an access: an access is to 8 at most */

typedef struct proposals proposals;

/* `line_size`: up to PROPOSALS_LINE_MAX. `within`: accesses, from 1 to PROPOSALS_WITHIN_MAX. */
proposals *proposals_new(unsigned line_size, unsigned within);
void proposals_free(proposals *p);

/* An access to a struct. */
typedef struct proposals_access {
    uint64_t thread;
    uint64_t address, item; /* of the access and, if it is to a struct, of that */
    uint32_t type;          /* of proposals_add(); 0: it is something else */
    uint32_t part, more;    /* its first part, and how many further ones it covers */
    uint32_t line;          /* number of its cache line; see lines.h */
    bool write, contended;
} proposals_access;

/* Adds a struct, called `name` in the program, and takes ownership of its parts, as of parts_declared() and of parts_of().
 * Structs are numbered from 1; 0: no proposal will be made for this one. */
uint32_t proposals_add(proposals *p, const char *name, struct_parts *parts, struct_parts *pieces);
const struct_parts *proposals_parts(const proposals *p, uint32_t type);
void proposals_count(proposals *p, const proposals_access *access);

/* Another layout of a struct. */
typedef struct proposal {
    uint32_t type;
    uint64_t accesses; /* to the struct */
    char *reasons;     /* how members are used together, and what conflicts: lines that begin with '#', as do the next */
    char *order;       /* of members, and the new size */
    char *line;        /* for remap.h */
} proposal;

/* All layouts that may be better (of proposal, owned), struct by struct, those with most accesses first. */
GPtrArray *proposals_made(const proposals *p);

#endif
