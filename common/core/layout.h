/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The layout of a record as a table: which field is where. The tables are in the format's folder. The dissector turns
 * them into items, and tests use them to know what every byte belongs to. Knows nothing of Wireshark's field types: the
 * dissector maps field ids to its fields. */
#ifndef WIRETRACE_CORE_LAYOUT_H
#define WIRETRACE_CORE_LAYOUT_H

#include <glib.h>

#include "util/cursor.h"

typedef enum { LAYOUT_UINT, LAYOUT_INT } layout_type;

typedef struct layout_row {
    uint8_t field;  /* the format's field id */
    uint8_t type;   /* layout_type */
    uint8_t offset; /* from the first byte of the record */
    uint8_t width;  /* 1, 2, 4 or 8 bytes */
    uint8_t shift;  /* for a bit-field: value = (number >> shift) & mask; mask 0: the whole number */
    uint32_t mask;
} layout_row;

typedef struct layout {
    const layout_row *rows;
    uint8_t count;
    uint8_t length; /* size of the fixed part of the record in bytes */
} layout;

/* A layout from an array of rows. */
#define LAYOUT(array, bytes) \
    { \
        .rows = (array), .count = sizeof(array) / sizeof *(array), .length = (bytes) \
    }

static inline bool layout_present(const layout_row *r, const cursor *c)
{
    return cursor_has(c, r->offset, r->width);
}

#define LAYOUT_INLINE static inline __attribute__((always_inline))

/* The value of a row in the record at `at`, sign-extended if the row is signed. 0 if it is outside the cursor. */
LAYOUT_INLINE uint64_t layout_value_at(const layout_row *r, const cursor *c, size_t at)
{
    uint64_t v = cursor_uint(c, at + r->offset, r->width);
    if (r->mask)
        return (v >> r->shift) & r->mask;
    if (r->type == LAYOUT_INT && r->width < 8) {
        unsigned unused = 64 - 8u * r->width;
        return (uint64_t)((int64_t)(v << unused) >> unused);
    }
    return v;
}

/* The same for a record at the start of the cursor. */
static inline uint64_t layout_value(const layout_row *r, const cursor *c)
{
    return layout_value_at(r, c, 0);
}

/* The row of a field, which must exist. Evaluated at compile time if layout and field are constants. */
LAYOUT_INLINE const layout_row *layout_row_of(const layout *l, unsigned field)
{
#pragma GCC unroll 8
    for (unsigned i = 0; i < l->count; i++)
        if (l->rows[i].field == field)
            return &l->rows[i];
    g_assert_not_reached();
}

/* Reads the values of all rows, indexed by field id. Other elements are left unchanged. */
static inline void layout_values(const layout *l, const cursor *c, uint64_t *values)
{
    for (unsigned i = 0; i < l->count; i++)
        values[l->rows[i].field] = layout_value(&l->rows[i], c);
}

/* Writes the values of all rows into a record that is zero at those places. */
static inline void layout_put(const layout *l, const uint64_t *values, bool big_endian, uint8_t *made)
{
    for (const layout_row *r = l->rows; r < l->rows + l->count; r++) {
        const cursor there = {made, l->length, big_endian};
        uint64_t value = r->mask ? (values[r->field] & r->mask) << r->shift : values[r->field];
        cursor_put(made + r->offset, cursor_uint(&there, r->offset, r->width) | value, r->width, big_endian);
    }
}

/* Does what layout_values() does, for a complete record. If layout and byte order are compile-time constants, nothing
 * remains but loads. */
LAYOUT_INLINE void layout_values_known(const layout *l, const uint8_t *data, bool big_endian, uint64_t *values)
{
    const cursor c = {data, l->length, big_endian};
#pragma GCC unroll 8
    for (unsigned i = 0; i < l->count; i++)
        values[l->rows[i].field] = layout_value(&l->rows[i], &c);
}

#endif
