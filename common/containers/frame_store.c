/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "containers/frame_store.h"

void frames_init(frames *f, size_t size)
{
    f->chunks = g_ptr_array_new_with_free_func(g_free);
    f->size = size;
}

void frames_clear(frames *f)
{
    g_ptr_array_free(f->chunks, TRUE);
    f->chunks = NULL;
}

void *frames_add_chunk(frames *f, uint32_t frame)
{
    guint chunk = frame / FRAMES_CHUNK;
    if (chunk >= f->chunks->len)
        g_ptr_array_set_size(f->chunks, (gint)chunk + 1);
    if (!g_ptr_array_index(f->chunks, chunk))
        g_ptr_array_index(f->chunks, chunk) = g_malloc0_n(FRAMES_CHUNK, f->size);
    return frames_find(f, frame);
}
