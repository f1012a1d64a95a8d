/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A set of frame numbers: a bit for each up to the highest. */
#ifndef WIRETRACE_FRAME_SET_H
#define WIRETRACE_FRAME_SET_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Makes it at least this long. */
static inline void frame_set_extend(GByteArray *set, guint bytes)
{
    const guint length = set->len;
    if (bytes <= length)
        return;
    g_byte_array_set_size(set, bytes);
    memset(set->data + length, 0, bytes - length);
}

static inline void frame_set_add(GByteArray *set, uint32_t frame)
{
    frame_set_extend(set, frame / 8 + 1);
    set->data[frame / 8] |= (guint8)(1u << frame % 8);
}

static inline void frame_set_join(GByteArray *set, const GByteArray *other)
{
    frame_set_extend(set, other->len);
    for (guint i = 0; i < other->len; i++)
        set->data[i] |= other->data[i];
}

static inline bool frame_set_has(const GByteArray *set, uint32_t frame)
{
    return frame / 8 < set->len && set->data[frame / 8] >> frame % 8 & 1;
}

#endif
