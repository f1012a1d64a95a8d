/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/source.h"

#include <errno.h>
#include <glib.h>
#include <unistd.h>
#include <string.h>

#include "util/regular_file.h"

/* Large enough that the overhead of a read does not matter, small enough to stay in the L2 cache; bytes. */
#define BLOCK_ONE_FILE (128u << 10)
/* Small, as thousands of streams may be open at once: 4,096 of them take 64 MiB. */
#define BLOCK_MANY_FILES (16u << 10)

typedef struct {
    source base;
    const uint8_t *data;
} source_memory;

static int64_t memory_read(source *s, uint64_t offset, void *buffer, size_t length, int *err)
{
    (void)err;
    if (offset >= s->size)
        return 0;
    size_t n = (size_t)MIN(length, s->size - offset);
    memcpy(buffer, ((source_memory *)s)->data + offset, n);
    return (int64_t)n;
}

source *source_memory_new(const void *data, size_t length)
{
    static const source_ops ops = {memory_read, NULL};
    source_memory *s = g_new0(source_memory, 1);
    s->base = (source){.ops = &ops, .size = length, .block = BLOCK_ONE_FILE};
    s->data = data;
    return &s->base;
}

typedef struct {
    source base;
    int fd;     /* -1: parked */
    char *path; /* of the file while parked, else NULL */
    dev_t device;
    ino_t inode;
} source_descriptor;

/* `fd` -1: opening failed, see errno. */
static int64_t read_from(int fd, uint64_t offset, void *buffer, size_t length, int *err)
{
    int64_t n = fd < 0 ? -1 : regular_file_read(fd, offset, buffer, length);
    if (n < 0)
        *err = errno;
    return n;
}

/* Opens the file again; -1 with errno. */
static int unpark(source_descriptor *d)
{
    struct stat st;
    int fd = regular_file_open(d->path, true, &st);
    if (fd < 0)
        return -1;
    if (st.st_dev != d->device || st.st_ino != d->inode) {
        close(fd);
        errno = ESTALE;
        return -1;
    }
    g_clear_pointer(&d->path, g_free);
    return fd;
}

static int64_t descriptor_read(source *s, uint64_t offset, void *buffer, size_t length, int *err)
{
    source_descriptor *d = (source_descriptor *)s;
    if (d->path)
        d->fd = unpark(d);
    return read_from(d->fd, offset, buffer, length, err);
}

static void descriptor_close(source *s)
{
    source_descriptor *d = (source_descriptor *)s;
    if (d->fd >= 0)
        close(d->fd);
    g_free(d->path);
    g_free(s);
}

void source_park(source *s, const char *path)
{
    source_descriptor *d = (source_descriptor *)s;
    struct stat st;
    if (s->ops->close != descriptor_close || d->fd < 0 || fstat(d->fd, &st) != 0 || st.st_nlink == 0)
        return;
    d->device = st.st_dev;
    d->inode = st.st_ino;
    d->path = g_strdup(path);
    close(d->fd);
    d->fd = -1;
}

source *source_descriptor_new(int fd, uint64_t size)
{
    static const source_ops ops = {descriptor_read, descriptor_close};
    source_descriptor *s = g_new0(source_descriptor, 1);
    s->base = (source){.ops = &ops, .size = size, .block = BLOCK_ONE_FILE};
    s->fd = fd;
    return &s->base;
}

/* A single allocation, as a trace may have very many of these. */
typedef struct {
    source base;
    char path[];
} source_path;

static int64_t path_read(source *s, uint64_t offset, void *buffer, size_t length, int *err)
{
    struct stat st;
    int fd = regular_file_open(((source_path *)s)->path, false, &st);
    int64_t n = read_from(fd, offset, buffer, length, err);
    if (fd >= 0)
        close(fd);
    return n;
}

const char *source_path_name(const source *s)
{
    return ((const source_path *)s)->path;
}

source *source_path_new(const char *path, int *err)
{
    static const source_ops ops = {path_read, NULL};
    struct stat st;
    int fd = regular_file_open(path, false, &st);
    if (fd < 0) {
        *err = errno;
        return NULL;
    }
    close(fd);
    size_t length = strlen(path) + 1;
    source_path *s = g_malloc(sizeof *s + length);
    s->base = (source){.ops = &ops, .size = (uint64_t)st.st_size, .block = BLOCK_MANY_FILES};
    memcpy(s->path, path, length);
    return &s->base;
}

int64_t source_read(source *s, uint64_t offset, void *buffer, size_t length, int *err)
{
    int64_t n = s->ops->read(s, offset, buffer, length, err);
    if (n < 0 && !s->error)
        s->error = *err;
    return n;
}

void source_close(source *s)
{
    if (s && s->ops->close)
        s->ops->close(s);
    else
        g_free(s);
}

void window_init(window *w, source *s)
{
    *w = (window){.source = s};
}

void window_clear(window *w)
{
    if (!w->lent)
        g_free(w->data);
    *w = (window){.source = w->source};
}

/* How many bytes to hold for `want` bytes at `offset`: a block, but not more than the file has. */
static size_t window_room(const window *w, uint64_t offset, size_t want)
{
    size_t room = w->source->block;
    if (w->limit > offset && room > w->limit - offset)
        room = (size_t)(w->limit - offset);
    room = MAX(want, room);
    if (w->source->size != SOURCE_SIZE_UNKNOWN) {
        uint64_t left = offset < w->source->size ? w->source->size - offset : 0;
        if (room > left)
            room = (size_t)left;
    }
    return room;
}

void window_borrow(window *w, void *memory, size_t size)
{
    w->data = memory;
    w->capacity = size;
    w->lent = true;
}

static void window_grow(window *w, size_t room)
{
    if (room <= w->capacity)
        return;
    uint8_t *own = w->lent ? NULL : w->data;
    own = g_realloc(own, room);
    if (w->lent)
        memcpy(own, w->data, w->length);
    w->data = own;
    w->capacity = room;
    w->lent = false;
}

/* Drops everything before `offset` and makes room. An offset outside the window empties it. */
static void window_move(window *w, uint64_t offset, size_t room)
{
    bool inside = offset >= w->offset && offset - w->offset <= w->length;
    size_t keep = inside ? w->length - (size_t)(offset - w->offset) : 0;
    if (keep)
        memmove(w->data, w->data + (w->length - keep), keep);
    if (!inside)
        w->end_seen = false;
    w->offset = offset;
    w->length = keep;
    window_grow(w, MAX(room, 1));
}

size_t window_fill(window *w, uint64_t offset, size_t want)
{
    want = MIN(want, (size_t)WINDOW_MAX);
    /* do not ask again for what is beyond the end of the file */
    bool known_end = w->end_seen && offset >= w->offset && offset - w->offset <= w->length;
    if (!known_end && !w->error) {
        size_t room = window_room(w, offset, want);
        /* grow with what is really there: a length claimed by a file must not allocate more than one block */
        size_t step = w->source->size == SOURCE_SIZE_UNKNOWN ? MIN(room, MAX(w->source->block, w->length * 2)) : room;
        window_move(w, offset, step);
        while (w->length < want && !w->end_seen && !w->error) {
            size_t target = MIN(MAX(step, MIN(room, w->length * 2)), room);
            if (target <= w->length)
                break;
            window_grow(w, target);
            int64_t n = source_read(w->source, offset + w->length, w->data + w->length, target - w->length, &w->error);
            if (n < 0)
                break;
            w->end_seen = (size_t)n < target - w->length;
            w->length += (size_t)n;
        }
    }
    if (offset < w->offset || offset - w->offset > w->length) { /* beyond the end of the file */
        window_move(w, offset, 0);
        w->end_seen = true;
    }
    return MIN(want, w->length - (size_t)(offset - w->offset));
}

size_t window_ahead(window *w, uint64_t offset, size_t want, const uint8_t **data)
{
    uint64_t size = w->source->size;
    size_t held = offset >= w->offset && offset - w->offset <= w->length ? w->length - (size_t)(offset - w->offset) : 0;
    bool enough = held >= want || (size != SOURCE_SIZE_UNKNOWN && offset + held >= size);
    size_t got = window_at(w, offset, enough ? MIN(held, want) : 2 * want, data);
    return MIN(got, want);
}

uint64_t window_available(window *w, uint64_t offset, uint64_t length)
{
    if (w->source->size != SOURCE_SIZE_UNKNOWN) {
        uint64_t left = offset < w->source->size ? w->source->size - offset : 0;
        return MIN(length, left);
    }
    const uint8_t *unused;
    size_t want = (size_t)MIN(length, (uint64_t)WINDOW_MAX / 2);
    size_t got = window_ahead(w, offset, want, &unused);
    return got < want ? got : length;
}
