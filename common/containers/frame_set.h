/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A set of frame numbers: a bit for each up to the highest. */
#ifndef WIRETRACE_CONTAINERS_FRAME_SET_H
#define WIRETRACE_CONTAINERS_FRAME_SET_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline void frame_set_add(GByteArray *set, uint32_t frame)
{
    const guint length = set->len;
    if (frame / 8 >= length) {
        g_byte_array_set_size(set, frame / 8 + 1);
        memset(set->data + length, 0, set->len - length);
    }
    set->data[frame / 8] |= (guint8)(1u << frame % 8);
}

static inline bool frame_set_has(const GByteArray *set, uint32_t frame)
{
    return frame / 8 < set->len && set->data[frame / 8] >> frame % 8 & 1;
}

#endif
