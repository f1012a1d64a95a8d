/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A store of fixed-size items by frame number: what an analysis learns when it visits a record, read back when Wireshark
 * asks for that frame again. Memory is allocated in chunks on first use, so that ranges of frames without items take
 * none. */
#ifndef WIRETRACE_CONTAINERS_FRAME_STORE_H
#define WIRETRACE_CONTAINERS_FRAME_STORE_H

#include <glib.h>
#include <stdint.h>

/* Few enough that a short trace takes no megabyte: sharkd never closes Wireshark's files, whose buffers then take the pages
 * that it has freed. */
#ifndef FRAMES_CHUNK /* smaller for fuzzing, see test/fuzz/CMakeLists.txt */
#define FRAMES_CHUNK 4096u
#endif

typedef struct frames {
    GPtrArray *chunks; /* each has FRAMES_CHUNK items; NULL if unused */
    size_t size;
} frames;

/* `size`: of an item in bytes. */
void frames_init(frames *f, size_t size);
void frames_clear(frames *f);
/* Allocates the zeroed chunk of a frame, if necessary, and returns the frame's item. */
void *frames_add_chunk(frames *f, uint32_t frame);

/* The item of a frame; NULL if its chunk is unused. An item that was never set is zero. */
static inline void *frames_find(const frames *f, uint32_t frame)
{
    guint chunk = frame / FRAMES_CHUNK;
    char *all = chunk < f->chunks->len ? (char *)g_ptr_array_index(f->chunks, chunk) : NULL;
    return all ? all + frame % FRAMES_CHUNK * f->size : NULL;
}

/* The same for writing; never NULL. */
static inline void *frames_keep(frames *f, uint32_t frame)
{
    void *kept = frames_find(f, frame);
    return kept ? kept : frames_add_chunk(f, frame);
}

/* These are for items that are a uint32_t. Unset items read as 0, and setting 0 never allocates. */
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
