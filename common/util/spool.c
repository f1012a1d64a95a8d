/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "util/spool.h"

#include <errno.h>
#include <glib.h>
#include <string.h>

#include "util/temporary_file.h"

struct spool {
    GByteArray *memory; /* the bytes after those in the file */
    uint64_t in_file;
    temporary file;
};

spool *spool_new(void)
{
    spool *s = g_new0(spool, 1);
    s->memory = g_byte_array_new();
    s->file = (temporary)TEMPORARY_CLOSED;
    return s;
}

void spool_free(spool *s)
{
    temporary_close(&s->file);
    g_byte_array_unref(s->memory);
    g_free(s);
}

uint64_t spool_length(const spool *s)
{
    return s->in_file + s->memory->len;
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
    int error = 0;
    if (s->memory->len + length > SPOOL_MEMORY) {
        error = move_to_file(s, s->memory->data, s->memory->len);
        g_byte_array_set_size(s->memory, 0);
    }
    if (!error && length > SPOOL_MEMORY)
        error = move_to_file(s, data, length);
    else if (!error)
        g_byte_array_append(s->memory, data, (guint)length);
    return error;
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
    if (at - MIN(at, s->in_file) + length > s->memory->len)
        return EIO;
    if (length)
        memcpy(to, s->memory->data + (at - s->in_file), length);
    return 0;
}
