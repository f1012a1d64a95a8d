/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows in the list of formats, one per mode, and the part of an exported record that is XRay's. */
#include "core/formats.h"
#include "xray/names/functions.h"
#include "xray/xray.h"

static const format_number numbers[] = {
    FORMAT_NUMBER(xray_context, tsc),
    FORMAT_NUMBER(xray_context, frequency),
    FORMAT_NUMBER(xray_context, thread),
    FORMAT_NUMBER(xray_context, process),
    FORMAT_NUMBER(xray_context, argument_index),
    FORMAT_NUMBER(xray_context, version),
    FORMAT_NUMBER(xray_context, type),
    FORMAT_NUMBER(xray_context, cpu),
    FORMAT_NUMBER(xray_context, known),
    FORMAT_NUMBER(xray_context, previous),
    FORMAT_NUMBER(xray_context, time_tsc),
    FORMAT_NUMBER(xray_context, buffer),
    FORMAT_NUMBER(xray_context, buffer_size),
    FORMAT_NUMBER(xray_context, base_tsc),
    FORMAT_NUMBER(xray_context, base_seconds),
    FORMAT_NUMBER(xray_context, base_nanoseconds),
    FORMAT_NUMBER(xray_context, flags),
    FORMAT_NUMBER(xray_context, about_buffer),
};

static const fault_row fault_rows[] = {XRAY_FAULTS(FAULT_ROW)};
const fault_list xray_faults = {fault_rows, G_N_ELEMENTS(fault_rows)};

static uint64_t min_length(const record_context *c)
{
    const uint16_t type = xray_context_of(c)->type;
    const bool of_profiles = c->kind == XRAY_PROFILE_BLOCK || c->kind == XRAY_PROFILE_PATH;
    if (!xray_kind_name(c->kind) || type > XRAY_TYPE_PROFILE)
        return UINT64_MAX;
    if (c->kind >= KIND_PADDING)
        return 0;
    if (c->kind == XRAY_HEADER)
        return XRAY_HEADER_LENGTH;
    if (of_profiles != (type == XRAY_TYPE_PROFILE))
        return UINT64_MAX;
    if (type == XRAY_TYPE_BASIC)
        return XRAY_BASIC_LENGTH;
    if (c->kind == XRAY_PROFILE_PATH)
        return XRAY_PATH_LENGTH_MIN;
    return xray_is_function(c->kind) ? XRAY_FUNCTION_LENGTH : XRAY_METADATA_LENGTH;
}

static unsigned layouts(const record_context *c, const layout *found[FORMAT_LAYOUTS_MAX])
{
    unsigned n = 0;
    const layout *lead = xray_lead_layout(c), *body = xray_body_layout(c);
    if (lead)
        found[n++] = lead;
    if (body)
        found[n++] = body;
    return n;
}

static bool needed_later(const record_context *c)
{
    return c->kind == XRAY_HEADER;
}

static void process(const record_context *c, uint32_t *process, uint32_t *thread)
{
    const xray_context *x = xray_context_of(c);
    *process = x->known & XRAY_KNOWN_PROCESS ? x->process : 0;
    *thread = x->known & XRAY_KNOWN_THREAD ? x->thread : 0;
}

/* What the rows share. */
#define XRAY_ROW \
    .protocol = "xray", .extension = "xray", .file_names = "xray-log.*", .wants_seek = true, .numbers = numbers, \
    .number_count = G_N_ELEMENTS(numbers), .faults = &xray_faults, .min_length = min_length, .process = process, \
    .program = xray_functions_program, .layouts = layouts, .enter = xray_enter, .needed_later = needed_later, \
    .close = xray_close

const format xray_fdr_format = {
    XRAY_ROW,
    .name = "xray-fdr",
    .setting = &xray_frequency_setting,
    .description = "LLVM XRay flight data recorder log",
    .probe = xray_fdr_probe,
    .open = xray_fdr_open,
    .step = xray_fdr_step,
    .time = xray_time,
    .range_begins = xray_range_begins,
    .write = &xray_fdr_write,
};
const format xray_basic_format = {
    XRAY_ROW,
    .name = "xray-basic",
    .setting = &xray_frequency_setting,
    .description = "LLVM XRay basic mode log",
    .probe = xray_basic_probe,
    .open = xray_basic_open,
    .step = xray_basic_step,
    .time = xray_time,
    .range_begins = xray_range_begins,
    .write = &xray_basic_write,
};
const format xray_profile_format = {
    XRAY_ROW,
    .name = "xray-profile",
    .setting = &xray_profile_frequency_setting,
    .description = "LLVM XRay profile",
    .probe = xray_profile_probe,
    .open = xray_profile_open,
    .step = xray_profile_step,
    .time = xray_profile_time,
};
