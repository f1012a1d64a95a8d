/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spool.h"

#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

struct spool {
    uint8_t *memory; /* what follows the file's bytes */
    size_t used, size;
    uint64_t in_file;
    int fd; /* or -1 */
};

spool *spool_new(void)
{
    spool *s = g_new0(spool, 1);
    s->fd = -1;
    return s;
}

void spool_free(spool *s)
{
    if (s->fd >= 0)
        close(s->fd);
    g_free(s->memory);
    g_free(s);
}

uint64_t spool_length(const spool *s)
{
    return s->in_file + s->used;
}

static int open_file(spool *s)
{
    char *name = NULL;
    s->fd = g_file_open_tmp("wiretrace-XXXXXX", &name, NULL);
    if (s->fd < 0)
        return errno ? errno : EIO;
    g_unlink(name);
    g_free(name);
    return 0;
}

static int move_to_file(spool *s, const uint8_t *data, size_t length)
{
    if (s->fd < 0) {
        int error = open_file(s);
        if (error)
            return error;
    }
    while (length) {
        ssize_t n = pwrite(s->fd, data, length, (off_t)s->in_file);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : EIO;
        data += n;
        length -= (size_t)n;
        s->in_file += (uint64_t)n;
    }
    return 0;
}

int spool_append(spool *s, const void *data, size_t length)
{
    if (s->used + length > SPOOL_MEMORY) {
        int error = move_to_file(s, s->memory, s->used);
        s->used = 0;
        if (!error && length > SPOOL_MEMORY)
            return move_to_file(s, data, length);
        if (error)
            return error;
    }
    if (s->used + length > s->size) {
        s->size = MIN(MAX(2 * s->size, s->used + length), SPOOL_MEMORY);
        s->memory = g_realloc(s->memory, s->size);
    }
    if (length)
        memcpy(s->memory + s->used, data, length);
    s->used += length;
    return 0;
}

int spool_read(const spool *s, uint64_t at, void *buffer, size_t length)
{
    uint8_t *to = buffer;
    while (length && at < s->in_file) {
        ssize_t n = pread(s->fd, to, (size_t)MIN(length, s->in_file - at), (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : EIO;
        to += n;
        at += (uint64_t)n;
        length -= (size_t)n;
    }
    if (at - MIN(at, s->in_file) + length > s->used)
        return EIO;
    if (length)
        memcpy(to, s->memory + (at - s->in_file), length);
    return 0;
}
