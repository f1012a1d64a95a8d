/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The row in the list of formats, and the part of an exported record that is Cacheray's. */
#include "cacheray/cacheray.h"
#include "core/formats.h"

static const format_number numbers[] = {
    FORMAT_NUMBER(cacheray_context, number),
    FORMAT_NUMBER(cacheray_context, layout),
};

static const fault_row fault_rows[] = {CACHERAY_FAULTS(FAULT_ROW)};
const fault_list cacheray_faults = {fault_rows, G_N_ELEMENTS(fault_rows)};

static uint64_t min_length(const record_context *c)
{
    if (cacheray_context_of(c)->layout >= CACHERAY_LAYOUTS)
        return UINT64_MAX;
    if (c->kind >= KIND_PADDING)
        return 0;
    return c->kind < CACHERAY_KINDS ? cacheray_layout_of((cacheray_layout)cacheray_context_of(c)->layout, c->kind)->length
                                    : UINT64_MAX;
}

static unsigned cacheray_format_layouts(const record_context *c, const layout *found[FORMAT_LAYOUTS_MAX])
{
    if (c->kind >= CACHERAY_KINDS)
        return 0;
    found[0] = cacheray_layout_of((cacheray_layout)cacheray_context_of(c)->layout, c->kind);
    return 1;
}

/* Annotations say what later accesses mean. */
static bool needed_later(const record_context *c)
{
    return c->kind == CACHERAY_RTTA_ADD || c->kind == CACHERAY_RTTA_REMOVE;
}

static const setting layout_setting = {
    .variable = CACHERAY_LAYOUT_VARIABLE,
    .preference = "cacheray.layout",
    .values = {"auto", "le64", "be64", "le32", "be32"},
};

const format cacheray_format = {
    .name = "cacheray",
    .description = "Cacheray memory trace",
    .protocol = "cacheray",
    .extension = "trace",
    .file_names = "*.cacheray cacheray.trace.*",
    .in_order = true,
    .needed_later = needed_later,
    .numbers = numbers,
    .number_count = G_N_ELEMENTS(numbers),
    .faults = &cacheray_faults,
    .min_length = min_length,
    .layouts = cacheray_format_layouts,
    .setting = &layout_setting,
    .probe = cacheray_probe,
    .open = cacheray_open,
    .step = cacheray_step,
    .time = cacheray_time,
    .write = &cacheray_write,
};
