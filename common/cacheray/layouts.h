/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The layouts of Cacheray records, and reading single fields. Only the size of addresses depends on the machine: threads
 * always have 8 bytes and counts 4. Which values are plausible is in plausible.h. */
#ifndef WIRETRACE_CACHERAY_LAYOUTS_H
#define WIRETRACE_CACHERAY_LAYOUTS_H

#include "cacheray/cacheray.h"

/* clang-format off */
#define CACHERAY_ROW(id, at, bytes) \
    {.field = CACHERAY_FIELD_##id, .type = LAYOUT_UINT, .offset = (at), .width = (bytes)}
/* `p`: size of an address in bytes */
#define CACHERAY_ACCESS_ROWS(p) \
    CACHERAY_ROW(TYPE, 0, 1), CACHERAY_ROW(ADDRESS, 1, p), CACHERAY_ROW(SIZE, 1 + (p), 1), CACHERAY_ROW(THREAD, 2 + (p), 8)
#define CACHERAY_REMOVE_ROWS(p) \
    CACHERAY_ROW(TYPE, 0, 1), CACHERAY_ROW(ADDRESS, 1, p), CACHERAY_ROW(THREAD, 1 + (p), 8)
#define CACHERAY_ADD_ROWS(p) \
    CACHERAY_REMOVE_ROWS(p), CACHERAY_ROW(ELEM_SIZE, 9 + (p), 4), CACHERAY_ROW(ELEM_COUNT, 13 + (p), 4), \
    CACHERAY_ROW(NAME_LENGTH, 17 + (p), 4)

static const layout_row cacheray_access64[] = {CACHERAY_ACCESS_ROWS(8)}, cacheray_access32[] = {CACHERAY_ACCESS_ROWS(4)};
static const layout_row cacheray_add64[] = {CACHERAY_ADD_ROWS(8)}, cacheray_add32[] = {CACHERAY_ADD_ROWS(4)};
static const layout_row cacheray_remove64[] = {CACHERAY_REMOVE_ROWS(8)}, cacheray_remove32[] = {CACHERAY_REMOVE_ROWS(4)};
/* clang-format on */

static const layout cacheray_layouts64[CACHERAY_KINDS] = {
    [CACHERAY_READ] = LAYOUT(cacheray_access64, 18),
    [CACHERAY_WRITE] = LAYOUT(cacheray_access64, 18),
    [CACHERAY_RTTA_ADD] = LAYOUT(cacheray_add64, CACHERAY_FIXED_MAX),
    [CACHERAY_RTTA_REMOVE] = LAYOUT(cacheray_remove64, 17),
};
static const layout cacheray_layouts32[CACHERAY_KINDS] = {
    [CACHERAY_READ] = LAYOUT(cacheray_access32, 14),
    [CACHERAY_WRITE] = LAYOUT(cacheray_access32, 14),
    [CACHERAY_RTTA_ADD] = LAYOUT(cacheray_add32, 25),
    [CACHERAY_RTTA_REMOVE] = LAYOUT(cacheray_remove32, 13),
};

/* Inlined, so that arguments known at compile time become constants. */
#define CACHERAY_INLINE LAYOUT_INLINE

/* The layout of a record without its type name. */
CACHERAY_INLINE const layout *cacheray_fixed_part(uint8_t kind, unsigned pointer)
{
    return pointer == 8 ? &cacheray_layouts64[kind] : &cacheray_layouts32[kind];
}

CACHERAY_INLINE size_t cacheray_fixed_length(uint8_t kind, unsigned pointer)
{
    return cacheray_fixed_part(kind, pointer)->length;
}

/* The value of a field of the record at `at`, of a kind that has the field. */
CACHERAY_INLINE uint64_t cacheray_value(const cursor *c, size_t at, uint8_t kind, cacheray_field field, unsigned pointer)
{
    if (pointer == 8)
        return layout_value_at(layout_row_of(&cacheray_layouts64[kind], field), c, at);
    return layout_value_at(layout_row_of(&cacheray_layouts32[kind], field), c, at);
}

/* All kinds have the address at the same offset. */
CACHERAY_INLINE uint64_t cacheray_address(const cursor *c, size_t at, unsigned pointer)
{
    return cacheray_value(c, at, CACHERAY_READ, CACHERAY_FIELD_ADDRESS, pointer);
}

/* The length of a record in bytes, including its type name. Its fixed part must be within the cursor. */
CACHERAY_INLINE uint64_t cacheray_length(const cursor *c, size_t at, uint8_t kind, unsigned pointer)
{
    uint64_t length = cacheray_fixed_length(kind, pointer);
    if (kind == CACHERAY_RTTA_ADD)
        length += cacheray_value(c, at, CACHERAY_RTTA_ADD, CACHERAY_FIELD_NAME_LENGTH, pointer);
    return length;
}

#endif
