/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes of one file by offset, behind a table of operations, and a window that keeps the part that is being read.
 * Knows nothing of records. Sources: memory (tests), an own descriptor, a path that is opened for every block (many
 * streams, few descriptors); the reader plugin adds one over Wireshark's handle, which goes forward only for pipes. */
#ifndef WIRETRACE_SOURCE_H
#define WIRETRACE_SOURCE_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SOURCE_SIZE_UNKNOWN UINT64_MAX

typedef struct source source;

typedef struct source_ops {
    /* Reads up to `length` bytes at `offset`. Returns how many (fewer only at the end of the file), or -1 with *err set to
     * an errno value or a code of the source's owner. */
    int64_t (*read)(source *s, uint64_t offset, void *buffer, size_t length, int *err);
    void (*close)(source *s); /* NULL: g_free() */
} source_ops;

/* First member of every kind of source. */
struct source {
    const source_ops *ops;
    uint64_t size; /* bytes, or SOURCE_SIZE_UNKNOWN: compressed input and pipes */
    size_t block;  /* bytes read at once */
};

/* Borrows `data`. */
source *source_memory_new(const void *data, size_t length);
/* Takes over an open descriptor of a regular file. */
source *source_descriptor_new(int fd, uint64_t size);
/* A regular file that is opened and closed again for every block; its size is taken now. NULL with *err on failure
 * (also for what is not a regular file; symbolic links are not followed). */
source *source_path_new(const char *path, int *err);
/* The path of such a source. */
const char *source_path_name(const source *s);
void source_close(source *s);

/* A contiguous part of a source in memory. */
typedef struct window {
    source *source; /* borrowed */
    uint8_t *data;
    uint64_t offset; /* of data[0] in the file */
    size_t length;   /* valid bytes */
    size_t capacity;
    bool lent;      /* data belongs to somebody else */
    uint64_t limit; /* do not read ahead past this offset (end of the range that is read); 0 = no limit */
    bool end_seen;  /* a read came back short: the file ends at offset + length */
    int error;      /* of the first failed read, else 0 */
} window;

void window_init(window *w, source *s);
void window_clear(window *w);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(window, window_clear)
/* Gives an empty window memory for what it holds, which has to outlive it. */
void window_lend(window *w, void *memory, size_t size);

/* Slow path of window_at(): refills. */
size_t window_fill(window *w, uint64_t offset, size_t want);

/* Whether the window holds the `want` bytes at `offset` already, then *data points at them: for fast paths, which need not
 * expect that anything is read. */
static inline bool window_holds(const window *w, uint64_t offset, size_t want, const uint8_t **data)
{
    uint64_t at = offset - w->offset, end = at + want; /* `at` is huge when the offset is before the window */
    if (end < want || end > w->length)
        return false;
    *data = w->data + at;
    return true;
}

/* Makes up to `want` bytes (at most WINDOW_MAX) at `offset` contiguous; *data points at them until the next call. Returns
 * how many there are: fewer only where the file ends (or on a read error, see window.error). More may be valid. */
#define WINDOW_MAX (16u << 20)
static inline size_t window_at(window *w, uint64_t offset, size_t want, const uint8_t **data)
{
    if (window_holds(w, offset, want, data))
        return want;
    want = window_fill(w, offset, want);
    *data = w->data + (offset - w->offset);
    return want;
}

/* As window_at(), for looks ahead that come again a little further on: not each of them fills the window. */
size_t window_ahead(window *w, uint64_t offset, size_t want, const uint8_t **data);

/* How many of the `length` bytes at `offset` the file holds: all, or what is left. Where the size of the file is unknown
 * it looks at most WINDOW_MAX / 2 ahead and takes the rest on trust. */
uint64_t window_available(window *w, uint64_t offset, uint64_t length);

#endif
