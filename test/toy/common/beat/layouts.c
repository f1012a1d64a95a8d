/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The layout of a beat. */
#include "beat/beat.h"

static const layout_row beat_rows[] = {
    {.field = BEAT_FIELD_CLOCK, .offset = 0, .width = 8},
    {.field = BEAT_FIELD_ID, .offset = 8, .width = 4},
};
const layout beat_layout = LAYOUT(beat_rows, 12);
