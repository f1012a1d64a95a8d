/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The row in the list of formats, and the part of an exported record that is beat's. */
#include "beat/beat.h"
#include "core/formats.h"

static const format_number numbers[] = {FORMAT_NUMBER(beat_context, interval)};

static const fault_row fault_rows[] = {BEAT_FAULTS(FAULT_ROW)};
static const fault_list faults = {fault_rows, G_N_ELEMENTS(fault_rows)};

static uint64_t min_length(const record_context *c)
{
    switch (c->kind) {
    case BEAT_HEADER:
        return BEAT_MAGIC_LENGTH;
    case BEAT_BEAT:
        return beat_layout.length;
    case KIND_CUT:
        return 0;
    default:
        return UINT64_MAX;
    }
}

static unsigned layouts(const record_context *c, const layout *found[FORMAT_LAYOUTS_MAX])
{
    if (c->kind != BEAT_BEAT)
        return 0;
    found[0] = &beat_layout;
    return 1;
}

const format beat_format = {
    .name = "beat",
    .description = "Beat log",
    .protocol = "beat",
    .extension = "beat",
    .numbers = numbers,
    .number_count = G_N_ELEMENTS(numbers),
    .faults = &faults,
    .min_length = min_length,
    .layouts = layouts,
    .probe = beat_probe,
    .open = beat_open,
    .enter = beat_enter,
    .step = beat_step,
    .time = beat_time,
    .write = &beat_write,
};
