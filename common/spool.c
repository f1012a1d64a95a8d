/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spool.h"

#include <errno.h>
#include <glib.h>
#include <string.h>

#include "temporary.h"

struct spool {
    uint8_t *memory; /* what follows the file's bytes */
    size_t used, size;
    uint64_t in_file;
    temporary file;
};

spool *spool_new(void)
{
    spool *s = g_new0(spool, 1);
    s->file = (temporary)TEMPORARY_CLOSED;
    return s;
}

void spool_free(spool *s)
{
    temporary_close(&s->file);
    g_free(s->memory);
    g_free(s);
}

uint64_t spool_length(const spool *s)
{
    return s->in_file + s->used;
}

static int move_to_file(spool *s, const void *data, size_t length)
{
    if (s->file.fd < 0 && !temporary_open(&s->file))
        return errno;
    int error = temporary_write(&s->file, s->in_file, data, length);
    if (!error)
        s->in_file += length;
    return error;
}

char *spool_problem(const spool *s, int error)
{
    return s->file.path ? temporary_problem(&s->file, error) : g_strdup(g_strerror(error));
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
    if (length && at < s->in_file) {
        size_t n = (size_t)MIN(length, s->in_file - at);
        int error = temporary_read(&s->file, at, to, n);
        if (error)
            return error;
        to += n;
        at += n;
        length -= n;
    }
    if (at - MIN(at, s->in_file) + length > s->used)
        return EIO;
    if (length)
        memcpy(to, s->memory + (at - s->in_file), length);
    return 0;
}
