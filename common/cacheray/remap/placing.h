/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where accesses would be if structs had other layouts (remap.h). A region keeps its address if its structs keep their
 * size, otherwise it gets a place of its own, beyond all addresses of the trace: one region after the other, as from an
 * allocator that has never freed anything, except that an address which comes back with the same size has the same place
 * again. */
#ifndef WIRETRACE_CACHERAY_REMAP_PLACING_H
#define WIRETRACE_CACHERAY_REMAP_PLACING_H

#include "cacheray/members/members.h"
#include "cacheray/remap/remap.h"

typedef struct placing placing;

/* Moves what a file says; takes ownership of it. A line that does not fit the program is left out, and appended to `wrong`
 * as by remap_read(). `m` is needed during the call only. */
placing *placing_new(remap *r, members *m, GPtrArray *wrong);
void placing_free(placing *p);
bool placing_moves(const placing *p); /* at least one struct */

/* Notes a region. Regions are numbered from 1. `type`: as of members_type(), of `size` bytes, or 0. */
void placing_add(placing *p, const char *name, uint32_t type, uint64_t size, uint64_t start, uint64_t length);
/* The place of an address in the region with this number, which begins at `start`. */
uint64_t placing_in_region(const placing *p, uint32_t number, uint64_t start, uint64_t address);
/* The same for a variable whose elements have `size` bytes. */
uint64_t placing_in_variable(placing *p, const members_variable *v, uint64_t size, uint64_t address);

#endif
