/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where every field of an XRay record stands (docs/xray.md, "Records"). Only tables and how to choose one. */
#include "xray.h"

#define U(f, at, bytes) {.field = (f), .type = LAYOUT_UINT, .offset = (at), .width = (bytes)}
#define I(f, at, bytes) {.field = (f), .type = LAYOUT_INT, .offset = (at), .width = (bytes)}
#define BITS(f, at, bytes, low, bits) {.field = (f), .offset = (at), .width = (bytes), .shift = (low), .mask = (bits)}

/* lead: little-endian fields begin at the least significant bit, big-endian ones at the most significant */
static const layout_row header_le[] = {
    BITS(XRAY_FIELD_CONSTANT_TSC, 4, 1, 0, 1),
    BITS(XRAY_FIELD_NONSTOP_TSC, 4, 1, 1, 1),
};
static const layout_row header_be[] = {
    BITS(XRAY_FIELD_CONSTANT_TSC, 4, 1, 7, 1),
    BITS(XRAY_FIELD_NONSTOP_TSC, 4, 1, 6, 1),
};
static const layout_row function_le[] = {
    BITS(XRAY_FIELD_DISCRIMINANT, 0, 1, 0, 1),
    BITS(XRAY_FIELD_ACTION, 0, 1, 1, 7),
    BITS(XRAY_FIELD_FUNCTION, 0, 4, 4, 0xfffffff),
};
static const layout_row function_be[] = {
    BITS(XRAY_FIELD_DISCRIMINANT, 0, 1, 7, 1),
    BITS(XRAY_FIELD_ACTION, 0, 1, 4, 7),
    BITS(XRAY_FIELD_FUNCTION, 0, 4, 0, 0xfffffff),
};
static const layout_row metadata_le[] = {
    BITS(XRAY_FIELD_DISCRIMINANT, 0, 1, 0, 1),
    BITS(XRAY_FIELD_METADATA_KIND, 0, 1, 1, 0x7f),
};
static const layout_row metadata_be[] = {
    BITS(XRAY_FIELD_DISCRIMINANT, 0, 1, 7, 1),
    BITS(XRAY_FIELD_METADATA_KIND, 0, 1, 0, 0x7f),
};

/* body */
static const layout_row header_fdr[] = {
    U(XRAY_FIELD_VERSION, 0, 2),
    U(XRAY_FIELD_TYPE, 2, 2),
    U(XRAY_FIELD_FREQUENCY, 8, 8),
    U(XRAY_FIELD_BUFFER_SIZE, 16, 8),
};
static const layout_row function[] = {U(XRAY_FIELD_TSC_DELTA, 4, 4)};
static const layout_row new_buffer[] = {U(XRAY_FIELD_THREAD, 1, 4)};
static const layout_row new_cpu[] = {U(XRAY_FIELD_CPU, 1, 2), U(XRAY_FIELD_TSC, 3, 8)};
static const layout_row tsc_wrap[] = {U(XRAY_FIELD_TSC, 1, 8)};
static const layout_row wall_clock[] = {U(XRAY_FIELD_WALL_SECONDS, 1, 8), U(XRAY_FIELD_WALL_MICROSECONDS, 9, 4)};
static const layout_row call_argument[] = {U(XRAY_FIELD_ARGUMENT, 1, 8)};
static const layout_row buffer_extents[] = {U(XRAY_FIELD_EXTENT, 1, 8)};
static const layout_row process_id[] = {U(XRAY_FIELD_PROCESS, 1, 4)};
static const layout_row custom_v1[] = {U(XRAY_FIELD_EVENT_SIZE, 1, 4), U(XRAY_FIELD_TSC, 5, 8)};
static const layout_row custom_v4[] = {
    U(XRAY_FIELD_EVENT_SIZE, 1, 4),
    U(XRAY_FIELD_TSC, 5, 8),
    U(XRAY_FIELD_CPU, 13, 2),
};
static const layout_row custom_v5[] = {U(XRAY_FIELD_EVENT_SIZE, 1, 4), I(XRAY_FIELD_EVENT_DELTA, 5, 4)};
static const layout_row typed_v2[] = {
    U(XRAY_FIELD_EVENT_SIZE, 1, 4),
    U(XRAY_FIELD_TSC, 5, 8),
    U(XRAY_FIELD_EVENT_TYPE, 13, 2),
};
static const layout_row typed_v5[] = {
    U(XRAY_FIELD_EVENT_SIZE, 1, 4),
    I(XRAY_FIELD_EVENT_DELTA, 5, 4),
    U(XRAY_FIELD_EVENT_TYPE, 9, 2),
};
/* basic mode: version 3 is the first with process ids, before there is rubbish */
static const layout_row basic_function_v1[] = {
    U(XRAY_FIELD_CPU, 2, 1),      U(XRAY_FIELD_ACTION, 3, 1), U(XRAY_FIELD_FUNCTION, 4, 4),
    U(XRAY_FIELD_TSC, 8, 8),      U(XRAY_FIELD_THREAD, 16, 4),
};
static const layout_row basic_function_v3[] = {
    U(XRAY_FIELD_CPU, 2, 1), U(XRAY_FIELD_ACTION, 3, 1),  U(XRAY_FIELD_FUNCTION, 4, 4),
    U(XRAY_FIELD_TSC, 8, 8), U(XRAY_FIELD_THREAD, 16, 4), U(XRAY_FIELD_PROCESS, 20, 4),
};
static const layout_row basic_argument_v1[] = {
    U(XRAY_FIELD_FUNCTION, 4, 4),
    U(XRAY_FIELD_THREAD, 8, 4),
    U(XRAY_FIELD_ARGUMENT, 16, 8),
};
static const layout_row basic_argument_v3[] = {
    U(XRAY_FIELD_FUNCTION, 4, 4),
    U(XRAY_FIELD_THREAD, 8, 4),
    U(XRAY_FIELD_PROCESS, 12, 4),
    U(XRAY_FIELD_ARGUMENT, 16, 8),
};

enum which {
    LEAD_HEADER_LE,
    LEAD_HEADER_BE,
    LEAD_FUNCTION_LE,
    LEAD_FUNCTION_BE,
    LEAD_METADATA_LE,
    LEAD_METADATA_BE,
    HEADER,
    FUNCTION,
    NEW_BUFFER,
    END_OF_BUFFER,
    NEW_CPU,
    TSC_WRAP,
    WALL_CLOCK,
    CALL_ARGUMENT,
    BUFFER_EXTENTS,
    PROCESS_ID,
    CUSTOM_V1,
    CUSTOM_V4,
    CUSTOM_V5,
    TYPED_V2,
    TYPED_V5,
    BASIC_FUNCTION_V1,
    BASIC_FUNCTION_V3,
    BASIC_ARGUMENT_V1,
    BASIC_ARGUMENT_V3,
    WHICH_COUNT
};

static const layout layouts[WHICH_COUNT] = {
    [LEAD_HEADER_LE] = LAYOUT(header_le, XRAY_HEADER_LENGTH),
    [LEAD_HEADER_BE] = LAYOUT(header_be, XRAY_HEADER_LENGTH),
    [LEAD_FUNCTION_LE] = LAYOUT(function_le, XRAY_FUNCTION_LENGTH),
    [LEAD_FUNCTION_BE] = LAYOUT(function_be, XRAY_FUNCTION_LENGTH),
    [LEAD_METADATA_LE] = LAYOUT(metadata_le, XRAY_METADATA_LENGTH),
    [LEAD_METADATA_BE] = LAYOUT(metadata_be, XRAY_METADATA_LENGTH),
    [HEADER] = LAYOUT(header_fdr, XRAY_HEADER_LENGTH),
    [FUNCTION] = LAYOUT(function, XRAY_FUNCTION_LENGTH),
    [NEW_BUFFER] = LAYOUT(new_buffer, XRAY_METADATA_LENGTH),
    [END_OF_BUFFER] = {.length = XRAY_METADATA_LENGTH},
    [NEW_CPU] = LAYOUT(new_cpu, XRAY_METADATA_LENGTH),
    [TSC_WRAP] = LAYOUT(tsc_wrap, XRAY_METADATA_LENGTH),
    [WALL_CLOCK] = LAYOUT(wall_clock, XRAY_METADATA_LENGTH),
    [CALL_ARGUMENT] = LAYOUT(call_argument, XRAY_METADATA_LENGTH),
    [BUFFER_EXTENTS] = LAYOUT(buffer_extents, XRAY_METADATA_LENGTH),
    [PROCESS_ID] = LAYOUT(process_id, XRAY_METADATA_LENGTH),
    [CUSTOM_V1] = LAYOUT(custom_v1, XRAY_METADATA_LENGTH),
    [CUSTOM_V4] = LAYOUT(custom_v4, XRAY_METADATA_LENGTH),
    [CUSTOM_V5] = LAYOUT(custom_v5, XRAY_METADATA_LENGTH),
    [TYPED_V2] = LAYOUT(typed_v2, XRAY_METADATA_LENGTH),
    [TYPED_V5] = LAYOUT(typed_v5, XRAY_METADATA_LENGTH),
    [BASIC_FUNCTION_V1] = LAYOUT(basic_function_v1, XRAY_BASIC_LENGTH),
    [BASIC_FUNCTION_V3] = LAYOUT(basic_function_v3, XRAY_BASIC_LENGTH),
    [BASIC_ARGUMENT_V1] = LAYOUT(basic_argument_v1, XRAY_BASIC_LENGTH),
    [BASIC_ARGUMENT_V3] = LAYOUT(basic_argument_v3, XRAY_BASIC_LENGTH),
};

/* The body of a metadata record of the newest version, by metadata kind. */
static const uint8_t metadata_bodies[XRAY_METADATA_COUNT] = {
    NEW_BUFFER, END_OF_BUFFER, NEW_CPU,        TSC_WRAP, WALL_CLOCK,
    CUSTOM_V5,  CALL_ARGUMENT, BUFFER_EXTENTS, TYPED_V5, PROCESS_ID,
};

static bool is_metadata(uint8_t kind)
{
    return kind >= XRAY_NEW_BUFFER && kind < XRAY_NEW_BUFFER + XRAY_METADATA_COUNT;
}

const layout *xray_lead_layout(const record_context *c)
{
    bool big = c->flags & CONTEXT_BIG_ENDIAN;
    if (c->kind == XRAY_HEADER)
        return &layouts[big ? LEAD_HEADER_BE : LEAD_HEADER_LE];
    if (xray_context_of(c)->type == XRAY_TYPE_BASIC)
        return NULL;
    if (xray_is_function(c->kind))
        return &layouts[big ? LEAD_FUNCTION_BE : LEAD_FUNCTION_LE];
    return is_metadata(c->kind) ? &layouts[big ? LEAD_METADATA_BE : LEAD_METADATA_LE] : NULL;
}

static const layout *basic_body(const record_context *c)
{
    bool processes = xray_context_of(c)->version >= 3;
    if (xray_is_function(c->kind))
        return &layouts[processes ? BASIC_FUNCTION_V3 : BASIC_FUNCTION_V1];
    if (c->kind == XRAY_CALL_ARGUMENT)
        return &layouts[processes ? BASIC_ARGUMENT_V3 : BASIC_ARGUMENT_V1];
    return NULL;
}

const layout *xray_body_layout(const record_context *c)
{
    if (c->kind == XRAY_HEADER)
        return &layouts[HEADER];
    if (xray_context_of(c)->type == XRAY_TYPE_BASIC)
        return basic_body(c);
    if (xray_is_function(c->kind))
        return &layouts[FUNCTION];
    if (c->kind == XRAY_CUSTOM_EVENT && xray_context_of(c)->version < 5)
        return &layouts[xray_context_of(c)->version == 4 ? CUSTOM_V4 : CUSTOM_V1];
    if (c->kind == XRAY_TYPED_EVENT && xray_context_of(c)->version < 5)
        return &layouts[TYPED_V2];
    return is_metadata(c->kind) ? &layouts[metadata_bodies[c->kind - XRAY_NEW_BUFFER]] : NULL;
}

const layout *const *xray_layouts(unsigned *count)
{
    static const layout *all[WHICH_COUNT];
    for (unsigned i = 0; i < WHICH_COUNT; i++)
        all[i] = &layouts[i];
    *count = WHICH_COUNT;
    return all;
}

static __attribute__((noinline)) void read_any(const record_context *r, const cursor *c, uint64_t *values)
{
    const layout *lead = xray_lead_layout(r), *body = xray_body_layout(r);
    if (lead)
        layout_values(lead, c, values);
    if (body)
        layout_values(body, c, values);
}

LAYOUT_INLINE void read_function(const uint8_t *data, bool big_endian, uint64_t *values)
{
    layout_values_known(&layouts[big_endian ? LEAD_FUNCTION_BE : LEAD_FUNCTION_LE], data, big_endian, values);
    layout_values_known(&layouts[FUNCTION], data, big_endian, values);
}

void xray_read(const record_context *r, const cursor *c, uint64_t values[XRAY_FIELD_COUNT])
{
    if (!xray_is_function(r->kind) || xray_context_of(r)->type != XRAY_TYPE_FDR || c->length < XRAY_FUNCTION_LENGTH)
        read_any(r, c, values);
    else if (G_UNLIKELY(c->big_endian))
        read_function(c->data, true, values);
    else
        read_function(c->data, false, values);
}

const char *xray_kind_name(uint8_t kind)
{
    static const char *const names[256] = {
        [XRAY_HEADER] = "File header",
        [XRAY_ENTRY] = "Function entry",
        [XRAY_EXIT] = "Function exit",
        [XRAY_TAIL_EXIT] = "Function tail exit",
        [XRAY_ENTRY_ARGUMENTS] = "Function entry with arguments",
        [XRAY_NEW_BUFFER] = "New buffer",
        [XRAY_END_OF_BUFFER] = "End of buffer",
        [XRAY_NEW_CPU] = "New CPU id",
        [XRAY_TSC_WRAP] = "TSC wrap",
        [XRAY_WALL_CLOCK] = "Wall-clock time",
        [XRAY_CUSTOM_EVENT] = "Custom event",
        [XRAY_CALL_ARGUMENT] = "Call argument",
        [XRAY_BUFFER_EXTENTS] = "Buffer extents",
        [XRAY_TYPED_EVENT] = "Typed event",
        [XRAY_PROCESS_ID] = "Process id",
        [KIND_PADDING] = "Padding",
        [KIND_CUT] = "Cut record",
        [KIND_UNKNOWN] = "Unknown",
    };
    return names[kind];
}
