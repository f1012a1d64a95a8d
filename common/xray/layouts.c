/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses the layout of an XRay record, and reads all of its fields. */
#include "xray/layouts.h"

/* The layout of a metadata record in the newest version, by metadata kind. */
static const uint8_t metadata_bodies[XRAY_METADATA_COUNT] = {
    XRAY_LAYOUT_NEW_BUFFER, XRAY_LAYOUT_END_OF_BUFFER, XRAY_LAYOUT_NEW_CPU,       XRAY_LAYOUT_TSC_WRAP,
    XRAY_LAYOUT_WALL_CLOCK, XRAY_LAYOUT_CUSTOM_V5,     XRAY_LAYOUT_CALL_ARGUMENT, XRAY_LAYOUT_BUFFER_EXTENTS,
    XRAY_LAYOUT_TYPED_V5,   XRAY_LAYOUT_PROCESS_ID,
};

static bool is_metadata(uint8_t kind)
{
    return kind >= XRAY_NEW_BUFFER && kind < XRAY_NEW_BUFFER + XRAY_METADATA_COUNT;
}

static const layout *profile_lead(const record_context *c, bool big)
{
    if (c->kind == XRAY_HEADER)
        return &xray_layout[big ? XRAY_LAYOUT_PROFILE_HEADER_BE : XRAY_LAYOUT_PROFILE_HEADER_LE];
    return c->kind == XRAY_PROFILE_BLOCK ? &xray_layout[big ? XRAY_LAYOUT_PROFILE_BLOCK_BE : XRAY_LAYOUT_PROFILE_BLOCK_LE]
                                         : NULL;
}

static const layout *profile_body(const record_context *c)
{
    return c->kind == XRAY_HEADER          ? &xray_layout[XRAY_LAYOUT_PROFILE_HEADER]
           : c->kind == XRAY_PROFILE_BLOCK ? &xray_layout[XRAY_LAYOUT_PROFILE_BLOCK]
                                           : NULL;
}

const layout *xray_lead_layout(const record_context *c)
{
    bool big = c->flags & CONTEXT_BIG_ENDIAN;
    if (xray_context_of(c)->type == XRAY_TYPE_PROFILE)
        return profile_lead(c, big);
    if (c->kind == XRAY_HEADER)
        return &xray_layout[big ? XRAY_LAYOUT_LEAD_HEADER_BE : XRAY_LAYOUT_LEAD_HEADER_LE];
    if (xray_context_of(c)->type == XRAY_TYPE_BASIC)
        return NULL;
    if (xray_is_function(c->kind))
        return &xray_layout[big ? XRAY_LAYOUT_LEAD_FUNCTION_BE : XRAY_LAYOUT_LEAD_FUNCTION_LE];
    return is_metadata(c->kind) ? &xray_layout[big ? XRAY_LAYOUT_LEAD_METADATA_BE : XRAY_LAYOUT_LEAD_METADATA_LE] : NULL;
}

static const layout *basic_body(const record_context *c)
{
    bool processes = xray_context_of(c)->version >= 3;
    if (xray_is_function(c->kind))
        return &xray_layout[processes ? XRAY_LAYOUT_BASIC_FUNCTION_V3 : XRAY_LAYOUT_BASIC_FUNCTION_V1];
    if (c->kind == XRAY_CALL_ARGUMENT)
        return &xray_layout[processes ? XRAY_LAYOUT_BASIC_ARGUMENT_V3 : XRAY_LAYOUT_BASIC_ARGUMENT_V1];
    return NULL;
}

const layout *xray_body_layout(const record_context *c)
{
    if (xray_context_of(c)->type == XRAY_TYPE_PROFILE)
        return profile_body(c);
    if (c->kind == XRAY_HEADER)
        return &xray_layout[XRAY_LAYOUT_HEADER];
    if (xray_context_of(c)->type == XRAY_TYPE_BASIC)
        return basic_body(c);
    if (xray_is_function(c->kind))
        return &xray_layout[XRAY_LAYOUT_FUNCTION];
    if (c->kind == XRAY_CUSTOM_EVENT && xray_context_of(c)->version < 5)
        return &xray_layout[xray_context_of(c)->version == 4 ? XRAY_LAYOUT_CUSTOM_V4 : XRAY_LAYOUT_CUSTOM_V1];
    if (c->kind == XRAY_TYPED_EVENT && xray_context_of(c)->version < 5)
        return &xray_layout[XRAY_LAYOUT_TYPED_V2];
    return is_metadata(c->kind) ? &xray_layout[metadata_bodies[c->kind - XRAY_NEW_BUFFER]] : NULL;
}

const layout *const *xray_layouts(unsigned *count)
{
    static const layout *all[XRAY_LAYOUT_COUNT];
    for (unsigned i = 0; i < XRAY_LAYOUT_COUNT; i++)
        all[i] = &xray_layout[i];
    *count = XRAY_LAYOUT_COUNT;
    return all;
}

LAYOUT_INLINE void xray_layouts_read_function(const uint8_t *data, bool big_endian, uint64_t *values)
{
    const enum xray_layout_id lead = big_endian ? XRAY_LAYOUT_LEAD_FUNCTION_BE : XRAY_LAYOUT_LEAD_FUNCTION_LE;
    layout_values_known(&xray_layout[lead], data, big_endian, values);
    layout_values_known(&xray_layout[XRAY_LAYOUT_FUNCTION], data, big_endian, values);
}

void xray_read(const record_context *r, const cursor *c, uint64_t values[XRAY_FIELD_COUNT])
{
    if (xray_is_function(r->kind) && xray_context_of(r)->type == XRAY_TYPE_FDR && c->length >= XRAY_FUNCTION_LENGTH) {
        c->big_endian ? xray_layouts_read_function(c->data, true, values)
                      : xray_layouts_read_function(c->data, false, values);
        return;
    }
    const layout *lead = xray_lead_layout(r), *body = xray_body_layout(r);
    if (lead)
        layout_values(lead, c, values);
    if (body)
        layout_values(body, c, values);
    if (r->kind == XRAY_PROFILE_PATH && c->length == r->length) {
        const cursor sums = {c->data + c->length - XRAY_PATH_SUMS_LENGTH, XRAY_PATH_SUMS_LENGTH, c->big_endian};
        layout_values(&xray_layout[XRAY_LAYOUT_PATH_SUMS], &sums, values);
    }
}

const char *xray_kind_name(uint8_t kind)
{
#define KIND_NAME(kind, name) [kind] = name,
    static const char *const names[256] = {XRAY_KINDS(KIND_NAME)};
    return names[kind];
}
