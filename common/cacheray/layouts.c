/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the fields of a Cacheray record stand. Only addresses change their width with the machine: threads are always 8
 * bytes and counts 4. Tables only; what the values must look like is in plausible.h. */
#include "cacheray.h"

const char *const cacheray_layout_names[CACHERAY_LAYOUTS] = {
    [CACHERAY_LE64] = "le64",
    [CACHERAY_BE64] = "be64",
    [CACHERAY_LE32] = "le32",
    [CACHERAY_BE32] = "be32",
};

/* clang-format off */
#define ROW(id, at, bytes) {.field = CACHERAY_FIELD_##id, .type = LAYOUT_UINT, .offset = (at), .width = (bytes)}

static const layout_row access64[] = {
    ROW(TYPE, 0, 1), ROW(ADDRESS, 1, 8), ROW(SIZE, 9, 1), ROW(THREAD, 10, 8),
};
static const layout_row access32[] = {
    ROW(TYPE, 0, 1), ROW(ADDRESS, 1, 4), ROW(SIZE, 5, 1), ROW(THREAD, 6, 8),
};
static const layout_row add64[] = {
    ROW(TYPE, 0, 1), ROW(ADDRESS, 1, 8), ROW(THREAD, 9, 8),
    ROW(ELEM_SIZE, 17, 4), ROW(ELEM_COUNT, 21, 4), ROW(NAME_LENGTH, 25, 4),
};
static const layout_row add32[] = {
    ROW(TYPE, 0, 1), ROW(ADDRESS, 1, 4), ROW(THREAD, 5, 8),
    ROW(ELEM_SIZE, 13, 4), ROW(ELEM_COUNT, 17, 4), ROW(NAME_LENGTH, 21, 4),
};
static const layout_row remove64[] = {
    ROW(TYPE, 0, 1), ROW(ADDRESS, 1, 8), ROW(THREAD, 9, 8),
};
static const layout_row remove32[] = {
    ROW(TYPE, 0, 1), ROW(ADDRESS, 1, 4), ROW(THREAD, 5, 8),
};

static const layout layouts64[CACHERAY_KINDS] = {
    [CACHERAY_READ] = LAYOUT(access64, 18),
    [CACHERAY_WRITE] = LAYOUT(access64, 18),
    [CACHERAY_RTTA_ADD] = LAYOUT(add64, 29),
    [CACHERAY_RTTA_REMOVE] = LAYOUT(remove64, 17),
};
static const layout layouts32[CACHERAY_KINDS] = {
    [CACHERAY_READ] = LAYOUT(access32, 14),
    [CACHERAY_WRITE] = LAYOUT(access32, 14),
    [CACHERAY_RTTA_ADD] = LAYOUT(add32, 25),
    [CACHERAY_RTTA_REMOVE] = LAYOUT(remove32, 13),
};
/* clang-format on */

const layout *cacheray_layout_of(cacheray_layout l, uint8_t kind)
{
    return cacheray_pointer(l) == 8 ? &layouts64[kind] : &layouts32[kind];
}

static __attribute__((noinline)) void read_any(const layout *l, const cursor *c, uint64_t *values)
{
    layout_values(l, c, values);
}

void cacheray_read(cacheray_layout l, uint8_t kind, const cursor *c, uint64_t values[CACHERAY_FIELDS])
{
    bool access = kind <= CACHERAY_WRITE, wide = cacheray_pointer(l) == 8;
    if (access && wide && c->length >= layouts64[CACHERAY_READ].length)
        layout_values_whole(&layouts64[CACHERAY_READ], c, values);
    else if (access && !wide && c->length >= layouts32[CACHERAY_READ].length)
        layout_values_whole(&layouts32[CACHERAY_READ], c, values);
    else
        read_any(cacheray_layout_of(l, kind), c, values);
}

uint8_t cacheray_field_at(cacheray_layout l, uint8_t kind, cacheray_field field)
{
    const layout *of = cacheray_layout_of(l, kind);
    for (uint8_t i = 0; i < of->count; i++)
        if (of->rows[i].field == field)
            return of->rows[i].offset;
    return 0;
}
