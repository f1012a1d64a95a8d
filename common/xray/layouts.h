/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The layouts of XRay records (docs/formats/xray.md, "Records"), and reading single fields. layouts.c chooses the layout
 * of a record. */
#ifndef WIRETRACE_XRAY_LAYOUTS_H
#define WIRETRACE_XRAY_LAYOUTS_H

#include "xray/xray.h"

/* clang-format off */
#define XRAY_U(f, at, bytes) {.field = (f), .type = LAYOUT_UINT, .offset = (at), .width = (bytes)}
#define XRAY_I(f, at, bytes) {.field = (f), .type = LAYOUT_INT, .offset = (at), .width = (bytes)}
#define XRAY_BITS(f, at, bytes, low, bits) \
    {.field = (f), .offset = (at), .width = (bytes), .shift = (low), .mask = (bits)}
/* clang-format on */

/* first bytes: little-endian bit-fields begin at the least significant bit, big-endian ones at the most significant */
static const layout_row xray_rows_header_le[] = {
    XRAY_BITS(XRAY_FIELD_CONSTANT_TSC, 4, 1, 0, 1),
    XRAY_BITS(XRAY_FIELD_NONSTOP_TSC, 4, 1, 1, 1),
};
static const layout_row xray_rows_header_be[] = {
    XRAY_BITS(XRAY_FIELD_CONSTANT_TSC, 4, 1, 7, 1),
    XRAY_BITS(XRAY_FIELD_NONSTOP_TSC, 4, 1, 6, 1),
};
static const layout_row xray_rows_function_le[] = {
    XRAY_BITS(XRAY_FIELD_DISCRIMINANT, 0, 1, 0, 1),
    XRAY_BITS(XRAY_FIELD_ACTION, 0, 1, 1, 7),
    XRAY_BITS(XRAY_FIELD_FUNCTION, 0, 4, 4, 0xfffffff),
};
static const layout_row xray_rows_function_be[] = {
    XRAY_BITS(XRAY_FIELD_DISCRIMINANT, 0, 1, 7, 1),
    XRAY_BITS(XRAY_FIELD_ACTION, 0, 1, 4, 7),
    XRAY_BITS(XRAY_FIELD_FUNCTION, 0, 4, 0, 0xfffffff),
};
static const layout_row xray_rows_metadata_le[] = {
    XRAY_BITS(XRAY_FIELD_DISCRIMINANT, 0, 1, 0, 1),
    XRAY_BITS(XRAY_FIELD_METADATA_KIND, 0, 1, 1, 0x7f),
};
static const layout_row xray_rows_metadata_be[] = {
    XRAY_BITS(XRAY_FIELD_DISCRIMINANT, 0, 1, 7, 1),
    XRAY_BITS(XRAY_FIELD_METADATA_KIND, 0, 1, 0, 0x7f),
};

/* all other fields */
static const layout_row xray_rows_header_fdr[] = {
    XRAY_U(XRAY_FIELD_VERSION, 0, 2),
    XRAY_U(XRAY_FIELD_TYPE, 2, 2),
    XRAY_U(XRAY_FIELD_FREQUENCY, 8, 8),
    XRAY_U(XRAY_FIELD_BUFFER_SIZE, 16, 8),
};
static const layout_row xray_rows_function[] = {XRAY_U(XRAY_FIELD_TSC_DELTA, 4, 4)};
static const layout_row xray_rows_new_buffer[] = {XRAY_U(XRAY_FIELD_THREAD, 1, 4)};
static const layout_row xray_rows_new_cpu[] = {XRAY_U(XRAY_FIELD_CPU, 1, 2), XRAY_U(XRAY_FIELD_TSC, 3, 8)};
static const layout_row xray_rows_tsc_wrap[] = {XRAY_U(XRAY_FIELD_TSC, 1, 8)};
static const layout_row xray_rows_wall_clock[] = {
    XRAY_U(XRAY_FIELD_WALL_SECONDS, 1, 8),
    XRAY_U(XRAY_FIELD_WALL_MICROSECONDS, 9, 4),
};
static const layout_row xray_rows_call_argument[] = {XRAY_U(XRAY_FIELD_ARGUMENT, 1, 8)};
static const layout_row xray_rows_buffer_extents[] = {XRAY_U(XRAY_FIELD_EXTENT, 1, 8)};
static const layout_row xray_rows_process_id[] = {XRAY_U(XRAY_FIELD_PROCESS, 1, 4)};
static const layout_row xray_rows_custom_v1[] = {XRAY_U(XRAY_FIELD_EVENT_SIZE, 1, 4), XRAY_U(XRAY_FIELD_TSC, 5, 8)};
static const layout_row xray_rows_custom_v4[] = {
    XRAY_U(XRAY_FIELD_EVENT_SIZE, 1, 4),
    XRAY_U(XRAY_FIELD_TSC, 5, 8),
    XRAY_U(XRAY_FIELD_CPU, 13, 2),
};
static const layout_row xray_rows_custom_v5[] = {XRAY_U(XRAY_FIELD_EVENT_SIZE, 1, 4), XRAY_I(XRAY_FIELD_EVENT_DELTA, 5, 4)};
static const layout_row xray_rows_typed_v2[] = {
    XRAY_U(XRAY_FIELD_EVENT_SIZE, 1, 4),
    XRAY_U(XRAY_FIELD_TSC, 5, 8),
    XRAY_U(XRAY_FIELD_EVENT_TYPE, 13, 2),
};
static const layout_row xray_rows_typed_v5[] = {
    XRAY_U(XRAY_FIELD_EVENT_SIZE, 1, 4),
    XRAY_I(XRAY_FIELD_EVENT_DELTA, 5, 4),
    XRAY_U(XRAY_FIELD_EVENT_TYPE, 9, 2),
};
/* basic mode: the fields that determine the kind, and so the rest of the layout */
static const layout_row xray_rows_basic[] = {XRAY_U(XRAY_FIELD_TYPE, 0, 2), XRAY_U(XRAY_FIELD_ACTION, 3, 1)};
/* process ids exist since version 3; before, those bytes are uninitialised */
static const layout_row xray_rows_basic_function_v1[] = {
    XRAY_U(XRAY_FIELD_CPU, 2, 1), XRAY_U(XRAY_FIELD_ACTION, 3, 1),  XRAY_U(XRAY_FIELD_FUNCTION, 4, 4),
    XRAY_U(XRAY_FIELD_TSC, 8, 8), XRAY_U(XRAY_FIELD_THREAD, 16, 4),
};
static const layout_row xray_rows_basic_function_v3[] = {
    XRAY_U(XRAY_FIELD_CPU, 2, 1), XRAY_U(XRAY_FIELD_ACTION, 3, 1),  XRAY_U(XRAY_FIELD_FUNCTION, 4, 4),
    XRAY_U(XRAY_FIELD_TSC, 8, 8), XRAY_U(XRAY_FIELD_THREAD, 16, 4), XRAY_U(XRAY_FIELD_PROCESS, 20, 4),
};
static const layout_row xray_rows_basic_argument_v1[] = {
    XRAY_U(XRAY_FIELD_FUNCTION, 4, 4),
    XRAY_U(XRAY_FIELD_THREAD, 8, 4),
    XRAY_U(XRAY_FIELD_ARGUMENT, 16, 8),
};
static const layout_row xray_rows_basic_argument_v3[] = {
    XRAY_U(XRAY_FIELD_FUNCTION, 4, 4),
    XRAY_U(XRAY_FIELD_THREAD, 8, 4),
    XRAY_U(XRAY_FIELD_PROCESS, 12, 4),
    XRAY_U(XRAY_FIELD_ARGUMENT, 16, 8),
};

/* Profiles. Process and thread have 8 bytes, of which systems use 4. */
static const layout_row xray_rows_profile_header_le[] = {XRAY_U(XRAY_FIELD_PROCESS, 24, 4)};
static const layout_row xray_rows_profile_header_be[] = {XRAY_U(XRAY_FIELD_PROCESS, 28, 4)};
static const layout_row xray_rows_profile_header[] = {
    XRAY_U(XRAY_FIELD_PROFILE_MAGIC, 0, 8),
    XRAY_U(XRAY_FIELD_PROFILE_VERSION, 8, 8),
    XRAY_U(XRAY_FIELD_PROFILE_STARTED, 16, 8),
};
static const layout_row xray_rows_profile_block_le[] = {XRAY_U(XRAY_FIELD_THREAD, 8, 4)};
static const layout_row xray_rows_profile_block_be[] = {XRAY_U(XRAY_FIELD_THREAD, 12, 4)};
static const layout_row xray_rows_profile_block[] = {
    XRAY_U(XRAY_FIELD_PROFILE_SIZE, 0, 4),
    XRAY_U(XRAY_FIELD_PROFILE_BLOCK, 4, 4),
};
/* what follows the functions of a path; offsets from there */
static const layout_row xray_rows_path_sums[] = {
    XRAY_U(XRAY_FIELD_PROFILE_CALLS, 0, 8),
    XRAY_U(XRAY_FIELD_PROFILE_TICKS, 8, 8),
};

enum xray_layout_id {
    XRAY_LAYOUT_LEAD_HEADER_LE,
    XRAY_LAYOUT_LEAD_HEADER_BE,
    XRAY_LAYOUT_LEAD_FUNCTION_LE,
    XRAY_LAYOUT_LEAD_FUNCTION_BE,
    XRAY_LAYOUT_LEAD_METADATA_LE,
    XRAY_LAYOUT_LEAD_METADATA_BE,
    XRAY_LAYOUT_HEADER,
    XRAY_LAYOUT_FUNCTION,
    XRAY_LAYOUT_NEW_BUFFER,
    XRAY_LAYOUT_END_OF_BUFFER,
    XRAY_LAYOUT_NEW_CPU,
    XRAY_LAYOUT_TSC_WRAP,
    XRAY_LAYOUT_WALL_CLOCK,
    XRAY_LAYOUT_CALL_ARGUMENT,
    XRAY_LAYOUT_BUFFER_EXTENTS,
    XRAY_LAYOUT_PROCESS_ID,
    XRAY_LAYOUT_CUSTOM_V1,
    XRAY_LAYOUT_CUSTOM_V4,
    XRAY_LAYOUT_CUSTOM_V5,
    XRAY_LAYOUT_TYPED_V2,
    XRAY_LAYOUT_TYPED_V5,
    XRAY_LAYOUT_BASIC,
    XRAY_LAYOUT_BASIC_FUNCTION_V1,
    XRAY_LAYOUT_BASIC_FUNCTION_V3,
    XRAY_LAYOUT_BASIC_ARGUMENT_V1,
    XRAY_LAYOUT_BASIC_ARGUMENT_V3,
    XRAY_LAYOUT_PROFILE_HEADER_LE,
    XRAY_LAYOUT_PROFILE_HEADER_BE,
    XRAY_LAYOUT_PROFILE_HEADER,
    XRAY_LAYOUT_PROFILE_BLOCK_LE,
    XRAY_LAYOUT_PROFILE_BLOCK_BE,
    XRAY_LAYOUT_PROFILE_BLOCK,
    XRAY_LAYOUT_PATH_SUMS,
    XRAY_LAYOUT_COUNT
};

static const layout xray_layout[XRAY_LAYOUT_COUNT] = {
    [XRAY_LAYOUT_LEAD_HEADER_LE] = LAYOUT(xray_rows_header_le, XRAY_HEADER_LENGTH),
    [XRAY_LAYOUT_LEAD_HEADER_BE] = LAYOUT(xray_rows_header_be, XRAY_HEADER_LENGTH),
    [XRAY_LAYOUT_LEAD_FUNCTION_LE] = LAYOUT(xray_rows_function_le, XRAY_FUNCTION_LENGTH),
    [XRAY_LAYOUT_LEAD_FUNCTION_BE] = LAYOUT(xray_rows_function_be, XRAY_FUNCTION_LENGTH),
    [XRAY_LAYOUT_LEAD_METADATA_LE] = LAYOUT(xray_rows_metadata_le, XRAY_METADATA_LENGTH),
    [XRAY_LAYOUT_LEAD_METADATA_BE] = LAYOUT(xray_rows_metadata_be, XRAY_METADATA_LENGTH),
    [XRAY_LAYOUT_HEADER] = LAYOUT(xray_rows_header_fdr, XRAY_HEADER_LENGTH),
    [XRAY_LAYOUT_FUNCTION] = LAYOUT(xray_rows_function, XRAY_FUNCTION_LENGTH),
    [XRAY_LAYOUT_NEW_BUFFER] = LAYOUT(xray_rows_new_buffer, XRAY_METADATA_LENGTH),
    [XRAY_LAYOUT_END_OF_BUFFER] = {.length = XRAY_METADATA_LENGTH},
    [XRAY_LAYOUT_NEW_CPU] = LAYOUT(xray_rows_new_cpu, XRAY_METADATA_LENGTH),
    [XRAY_LAYOUT_TSC_WRAP] = LAYOUT(xray_rows_tsc_wrap, XRAY_METADATA_LENGTH),
    [XRAY_LAYOUT_WALL_CLOCK] = LAYOUT(xray_rows_wall_clock, XRAY_METADATA_LENGTH),
    [XRAY_LAYOUT_CALL_ARGUMENT] = LAYOUT(xray_rows_call_argument, XRAY_METADATA_LENGTH),
    [XRAY_LAYOUT_BUFFER_EXTENTS] = LAYOUT(xray_rows_buffer_extents, XRAY_METADATA_LENGTH),
    [XRAY_LAYOUT_PROCESS_ID] = LAYOUT(xray_rows_process_id, XRAY_METADATA_LENGTH),
    [XRAY_LAYOUT_CUSTOM_V1] = LAYOUT(xray_rows_custom_v1, XRAY_METADATA_LENGTH),
    [XRAY_LAYOUT_CUSTOM_V4] = LAYOUT(xray_rows_custom_v4, XRAY_METADATA_LENGTH),
    [XRAY_LAYOUT_CUSTOM_V5] = LAYOUT(xray_rows_custom_v5, XRAY_METADATA_LENGTH),
    [XRAY_LAYOUT_TYPED_V2] = LAYOUT(xray_rows_typed_v2, XRAY_METADATA_LENGTH),
    [XRAY_LAYOUT_TYPED_V5] = LAYOUT(xray_rows_typed_v5, XRAY_METADATA_LENGTH),
    [XRAY_LAYOUT_BASIC] = LAYOUT(xray_rows_basic, XRAY_BASIC_LENGTH),
    [XRAY_LAYOUT_BASIC_FUNCTION_V1] = LAYOUT(xray_rows_basic_function_v1, XRAY_BASIC_LENGTH),
    [XRAY_LAYOUT_BASIC_FUNCTION_V3] = LAYOUT(xray_rows_basic_function_v3, XRAY_BASIC_LENGTH),
    [XRAY_LAYOUT_BASIC_ARGUMENT_V1] = LAYOUT(xray_rows_basic_argument_v1, XRAY_BASIC_LENGTH),
    [XRAY_LAYOUT_BASIC_ARGUMENT_V3] = LAYOUT(xray_rows_basic_argument_v3, XRAY_BASIC_LENGTH),
    [XRAY_LAYOUT_PROFILE_HEADER_LE] = LAYOUT(xray_rows_profile_header_le, XRAY_HEADER_LENGTH),
    [XRAY_LAYOUT_PROFILE_HEADER_BE] = LAYOUT(xray_rows_profile_header_be, XRAY_HEADER_LENGTH),
    [XRAY_LAYOUT_PROFILE_HEADER] = LAYOUT(xray_rows_profile_header, XRAY_HEADER_LENGTH),
    [XRAY_LAYOUT_PROFILE_BLOCK_LE] = LAYOUT(xray_rows_profile_block_le, XRAY_METADATA_LENGTH),
    [XRAY_LAYOUT_PROFILE_BLOCK_BE] = LAYOUT(xray_rows_profile_block_be, XRAY_METADATA_LENGTH),
    [XRAY_LAYOUT_PROFILE_BLOCK] = LAYOUT(xray_rows_profile_block, XRAY_METADATA_LENGTH),
    [XRAY_LAYOUT_PATH_SUMS] = LAYOUT(xray_rows_path_sums, XRAY_PATH_SUMS_LENGTH),
};

/* The row or value of a field, which the layout must have. Everything but the bytes is known at compile time. */
LAYOUT_INLINE const layout_row *xray_row(enum xray_layout_id l, enum xray_field field)
{
    return layout_row_of(&xray_layout[l], field);
}

LAYOUT_INLINE uint64_t xray_value_at(const cursor *c, size_t at, enum xray_layout_id l, enum xray_field field)
{
    return layout_value_at(xray_row(l, field), c, at);
}

LAYOUT_INLINE uint64_t xray_value(const cursor *c, enum xray_layout_id l, enum xray_field field)
{
    return xray_value_at(c, 0, l, field);
}

/* The row of a field in the first byte of a metadata record; depends on the byte order. */
LAYOUT_INLINE const layout_row *xray_metadata_row(bool big_endian, enum xray_field field)
{
    return xray_row(big_endian ? XRAY_LAYOUT_LEAD_METADATA_BE : XRAY_LAYOUT_LEAD_METADATA_LE, field);
}

/* Returns whether a record that begins with this byte is a metadata record, and not a function record. */
LAYOUT_INLINE bool xray_begins_metadata(uint8_t first, bool big_endian)
{
    return big_endian ? first & 1u << xray_metadata_row(true, XRAY_FIELD_DISCRIMINANT)->shift
                      : first & 1u << xray_metadata_row(false, XRAY_FIELD_DISCRIMINANT)->shift;
}

/* The first byte of a metadata record of this kind. */
LAYOUT_INLINE uint8_t xray_metadata_byte(uint8_t kind, bool big_endian)
{
    return (uint8_t)(1u << xray_metadata_row(big_endian, XRAY_FIELD_DISCRIMINANT)->shift |
                     (kind - XRAY_NEW_BUFFER + 0u) << xray_metadata_row(big_endian, XRAY_FIELD_METADATA_KIND)->shift);
}

#endif
