/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The structs that accesses go to, and how their members are used together: from regions and variables, numbered from 1. One
 * of another size is another struct. Those whose layout may change get proposals (remap/proposals.h). */
#ifndef WIRETRACE_CACHERAY_STATISTICS_STRUCT_USES_H
#define WIRETRACE_CACHERAY_STATISTICS_STRUCT_USES_H

#include "cacheray/analysis.h"
#include "cacheray/remap/proposals.h"

typedef struct struct_uses struct_uses;

typedef struct used_struct {
    char *name; /* in the program */
    struct_parts *pieces;
    uint32_t layout;   /* cacheray_tapped.layout of its first access */
    uint32_t proposed; /* its number in the proposals; 0: it gets none */
} used_struct;

/* `most`: structs; further ones have no number. The rest as for proposals_new(). */
struct_uses *struct_uses_new(uint32_t most, unsigned line_size, unsigned within);
void struct_uses_free(struct_uses *u);

/* The struct that an access goes to; 0: it is not a struct whose members are known, or there is no room. */
uint32_t struct_uses_number(struct_uses *u, const cacheray_analysis *a, const cacheray_tapped *v);
const used_struct *struct_uses_at(const struct_uses *u, uint32_t number);
/* Where in the struct, which has this size, an access begins. */
static inline uint64_t struct_uses_within(const cacheray_tapped *v, uint64_t size)
{
    return (v->address - v->base) % size;
}
/* Counts an access for proposals. `number`: of its struct; `touched`: the first line that it touches. */
void struct_uses_count(struct_uses *u, const cacheray_tapped *v, uint32_t number, const line_touched *touched);
/* As of proposals_made(). */
GPtrArray *struct_uses_proposals(const struct_uses *u);
/* How many structs get no proposals as they are of the C++ or C library, and as their layout is not known to follow from the
 * order of their members. */
unsigned struct_uses_library(const struct_uses *u);
unsigned struct_uses_unordered(const struct_uses *u);

#endif
