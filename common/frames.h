/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Something of one size that is kept of frames, by their numbers: what an analysis learns when it visits the records, read back
 * when Wireshark asks for a frame again. Frames come in chunks, which are made when something is kept in them, so that
 * stretches without anything take no room. */
#ifndef WIRETRACE_FRAMES_H
#define WIRETRACE_FRAMES_H

#include <glib.h>
#include <stdint.h>

#ifndef FRAMES_CHUNK /* smaller when fuzzed: see test/fuzz/CMakeLists.txt */
#define FRAMES_CHUNK 65536u
#endif

typedef struct frames {
    GPtrArray *chunks; /* of FRAMES_CHUNK times `size` bytes, NULL where nothing is */
    size_t size;
} frames;

/* For things of `size` bytes. */
void frames_init(frames *f, size_t size);
void frames_clear(frames *f);
/* Makes the chunk of a frame; what is kept of it and its neighbours is zero then. */
void *frames_add_chunk(frames *f, uint32_t frame);

/* What is kept of a frame; NULL where nothing is, zero where something is kept of a neighbour only. */
static inline void *frames_find(const frames *f, uint32_t frame)
{
    guint chunk = frame / FRAMES_CHUNK;
    char *all = chunk < f->chunks->len ? (char *)g_ptr_array_index(f->chunks, chunk) : NULL;
    return all ? all + frame % FRAMES_CHUNK * f->size : NULL;
}

/* The same, to be written: never NULL. */
static inline void *frames_keep(frames *f, uint32_t frame)
{
    void *kept = frames_find(f, frame);
    return kept ? kept : frames_add_chunk(f, frame);
}

/* Of frames that keep a uint32_t each: 0 where nothing is kept, and 0 takes no room. */
static inline uint32_t frames_number(const frames *f, uint32_t frame)
{
    const uint32_t *kept = frames_find(f, frame);
    return kept ? *kept : 0;
}

static inline void frames_keep_number(frames *f, uint32_t frame, uint32_t number)
{
    uint32_t *kept = number ? frames_keep(f, frame) : frames_find(f, frame);
    if (kept)
        *kept = number;
}

#endif
