/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Choosing a Cacheray record's layout, and reading all of its fields. */
#include "layouts.h"

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

static __attribute__((noinline)) void read_any(const layout *l, const cursor *c, uint64_t *values)
{
    layout_values(l, c, values);
}

void cacheray_read(cacheray_layout l, uint8_t kind, const cursor *c, uint64_t values[CACHERAY_FIELDS])
{
    bool access = kind <= CACHERAY_WRITE, wide = cacheray_pointer(l) == 8;
    if (access && wide && c->length >= cacheray_layouts64[CACHERAY_READ].length)
        layout_values_whole(&cacheray_layouts64[CACHERAY_READ], c, values);
    else if (access && !wide && c->length >= cacheray_layouts32[CACHERAY_READ].length)
        layout_values_whole(&cacheray_layouts32[CACHERAY_READ], c, values);
    else
        read_any(cacheray_layout_of(l, kind), c, values);
}

uint8_t cacheray_field_at(cacheray_layout l, uint8_t kind, cacheray_field field)
{
    return layout_row_of(cacheray_layout_of(l, kind), field)->offset;
}
