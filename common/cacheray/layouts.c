/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses the layout of a Cacheray record, and reads all of its fields. */
#include "cacheray/layouts.h"

const char *const cacheray_layout_names[CACHERAY_LAYOUTS] = {
    [CACHERAY_LE64] = "le64",
    [CACHERAY_BE64] = "be64",
    [CACHERAY_LE32] = "le32",
    [CACHERAY_BE32] = "be32",
};

const layout *cacheray_layout_of(cacheray_layout l, uint8_t kind)
{
    return cacheray_fixed_part(kind, cacheray_pointer(l));
}

void cacheray_read(cacheray_layout l, uint8_t kind, const cursor *c, uint64_t values[CACHERAY_FIELDS])
{
    const layout *access = &cacheray_layouts64[CACHERAY_READ]; /* the most frequent layout; reads and writes have the same */
    if (kind <= CACHERAY_WRITE && cacheray_pointer(l) == 8 && c->length >= access->length)
        layout_values_known(access, c->data, c->big_endian, values);
    else
        layout_values(cacheray_layout_of(l, kind), c, values);
}

uint8_t cacheray_field_at(cacheray_layout l, uint8_t kind, cacheray_field field)
{
    return layout_row_of(cacheray_layout_of(l, kind), field)->offset;
}
