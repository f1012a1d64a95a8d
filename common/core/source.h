/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bytes of one file by offset, through a table of operations, and a window that holds the part being read. Knows
 * nothing of records. The sources are memory, an open descriptor, and a path that is opened for every block
 * (for many streams with few descriptors). The reader plugin adds one over Wireshark's handle, which for pipes only goes
 * forward. */
#ifndef WIRETRACE_CORE_SOURCE_H
#define WIRETRACE_CORE_SOURCE_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SOURCE_SIZE_UNKNOWN UINT64_MAX

typedef struct source source;

typedef struct source_ops {
    /* Reads up to `length` bytes at `offset`. Returns how many, fewer only at the end of the file; or -1 with *err, an
     * errno or a code of whoever made the source. */
    int64_t (*read)(source *s, uint64_t offset, void *buffer, size_t length, int *err);
    void (*close)(source *s); /* NULL: g_free() */
} source_ops;

/* The first member of every kind of source. */
struct source {
    const source_ops *ops;
    uint64_t size; /* in bytes; SOURCE_SIZE_UNKNOWN for compressed input and pipes */
    size_t block;  /* preferred size of a read, bytes */
    int error;     /* of the first read that failed, as read() gives it; else 0 */
};

/* The read of its operations; remembers an error. */
int64_t source_read(source *s, uint64_t offset, void *buffer, size_t length, int *err);

/* Borrows `data`. */
source *source_memory_new(const void *data, size_t length);
/* Takes ownership of a descriptor of a regular file. */
source *source_descriptor_new(int fd, uint64_t size);
/* Closes the descriptor of such a source until it is read again: then `path` is opened, which must be the same file still.
 * Other kinds of sources stay as they are. */
void source_park(source *s, const char *path);
/* A regular file that is opened and closed for every read; its size is determined now. NULL with *err on failure, also
 * for symbolic links and anything that is not a regular file. */
source *source_path_new(const char *path, int *err);
/* The path of such a source; valid as long as the source. */
const char *source_path_name(const source *s);
void source_close(source *s);

/* A contiguous part of a source, in memory. */
typedef struct window {
    source *source; /* borrowed */
    uint8_t *data;
    uint64_t offset; /* in the file of data[0] */
    size_t length;   /* valid bytes */
    size_t capacity;
    bool lent;      /* `data` is not owned */
    uint64_t limit; /* do not read ahead beyond this offset, the end of the range being read; 0: no limit */
    bool end_seen;  /* a read was short: the file ends at offset + length */
    int error;      /* of the first failed read, as source_ops.read() gives it; else 0 */
} window;

void window_init(window *w, source *s);
void window_clear(window *w);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(window, window_clear)
/* Lets an empty window use this memory, which must outlive it. */
void window_borrow(window *w, void *memory, size_t size);

/* The slow path of window_at(): reads from the source. */
size_t window_fill(window *w, uint64_t offset, size_t want);

/* Returns whether the window already holds `want` bytes at `offset`; *data then points at them. For fast paths: never reads.
 */
static inline bool window_holds(const window *w, uint64_t offset, size_t want, const uint8_t **data)
{
    uint64_t at = offset - w->offset, end = at + want; /* `at` wraps to a huge number if the offset is before the window */
    if (end < want || end > w->length)
        return false;
    *data = w->data + at;
    return true;
}

/* Makes up to `want` bytes (at most WINDOW_MAX) at `offset` available in one piece; *data points at them until the next
 * call. Returns how many there are: fewer only at the end of the file or after a read error (window.error). */
#define WINDOW_MAX (16u << 20)
static inline size_t window_at(window *w, uint64_t offset, size_t want, const uint8_t **data)
{
    if (window_holds(w, offset, want, data))
        return want;
    want = window_fill(w, offset, want);
    *data = w->data + (offset - w->offset);
    return want;
}

/* Like window_at(), for looking ahead repeatedly at slowly advancing offsets: reads more than is asked for, so that not
 * every call has to refill the window. */
size_t window_ahead(window *w, uint64_t offset, size_t want, const uint8_t **data);

/* How many of the `length` bytes at `offset` the file has. If its size is unknown, looks at most WINDOW_MAX / 2 bytes
 * ahead and assumes that the rest exists. */
uint64_t window_available(window *w, uint64_t offset, uint64_t length);

#endif
