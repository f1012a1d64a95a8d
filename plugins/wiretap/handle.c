/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "handle.h"

#include <errno.h>
#include <glib.h>
#include <unistd.h>

#include "util/fail.h"
#include "util/regular_file.h"
#include "util/temporary_file.h"

/* Blocks read through the handle are small, so that what has arrived in a pipe is shown. */
#define BLOCK_HANDLE (16u << 10)

typedef struct {
    source base;
    FILE_T fh;
    bool can_seek;
    size_t head_length;
    uint8_t head[];
} handle_source;

/* Skips forward by reading, as pipes cannot seek. */
static bool skip_to(handle_source *s, uint64_t offset, int *err)
{
    uint8_t scratch[4096];
    for (uint64_t at; (at = (uint64_t)file_tell(s->fh)) < offset;) {
        int n = file_read(scratch, (unsigned)MIN(sizeof scratch, offset - at), s->fh);
        if (n < 0)
            *err = file_error(s->fh, NULL);
        if (n <= 0)
            return false;
    }
    if ((uint64_t)file_tell(s->fh) > offset)
        *err = ESPIPE;
    return (uint64_t)file_tell(s->fh) == offset;
}

static int64_t handle_read(source *base, uint64_t offset, void *buffer, size_t length, int *err)
{
    handle_source *s = (handle_source *)base;
    size_t got = 0;
    if (offset < s->head_length) {
        got = MIN(length, s->head_length - (size_t)offset);
        memcpy(buffer, s->head + offset, got);
        if (got == length)
            return (int64_t)got;
        offset += got;
    }
    if (s->can_seek ? file_seek(s->fh, (int64_t)offset, SEEK_SET, err) < 0 : !skip_to(s, offset, err))
        return *err ? -1 : (int64_t)got;
    while (got < length) {
        int n = file_read((uint8_t *)buffer + got, (unsigned)MIN(length - got, 1u << 20), s->fh);
        if (n < 0) {
            /* what was decompressed before the fault is good; Wireshark reports the fault after the last record */
            int fault = file_error(s->fh, NULL);
            if (got == 0 && fault > 0)
                *err = fault;
            return *err ? -1 : (int64_t)got;
        }
        if (n == 0)
            break;
        got += (size_t)n;
    }
    return (int64_t)got;
}

source *handle_source_new(FILE_T fh, const uint8_t *head, size_t head_length, bool can_seek)
{
    static const source_ops ops = {handle_read, NULL};
    handle_source *s = g_malloc0(sizeof *s + head_length);
    s->base = (source){.ops = &ops, .size = SOURCE_SIZE_UNKNOWN, .block = BLOCK_HANDLE};
    s->fh = fh;
    s->can_seek = can_seek;
    s->head_length = head_length;
    memcpy(s->head, head, head_length);
    return &s->base;
}

source *handle_own_descriptor(wtap *wth)
{
    struct stat theirs, ours;
    int err;
    if (strcmp(wth->pathname, "-") == 0 || wtap_get_compression_type(wth) != 0 || wtap_fstat(wth, &theirs, &err) != 0)
        return NULL;
    int fd = regular_file_open(wth->pathname, true, &ours);
    if (fd < 0)
        return NULL;
    if (ours.st_dev != theirs.st_dev || ours.st_ino != theirs.st_ino) {
        close(fd);
        return NULL;
    }
    return source_descriptor_new(fd, (uint64_t)ours.st_size);
}

/* Writes the head and the rest of the handle's bytes. Returns how many; 0 with *error on failure. */
static uint64_t unpack_to(const temporary *t, wtap *wth, const uint8_t *head, size_t head_length, int *error)
{
    enum { CHUNK = 256 << 10 };
    g_autofree uint8_t *chunk = g_malloc(CHUNK);
    uint64_t size = head_length;
    *error = temporary_write(t, 0, head, head_length);
    for (int n; !*error && (n = file_read(chunk, CHUNK, wth->fh)) > 0; size += (uint64_t)n)
        *error = temporary_write(t, size, chunk, (size_t)n);
    return *error ? 0 : size;
}

source *handle_unpack(wtap *wth, const uint8_t *head, size_t head_length, char **path, GError **error)
{
    temporary t = TEMPORARY_CLOSED;
    source *s = NULL;
    int code = 0;
    if (!temporary_open(&t))
        code = errno;
    uint64_t size = code ? 0 : unpack_to(&t, wth, head, head_length, &code);
    g_autofree char *words = code ? temporary_problem(&t, code) : NULL;
    if (words) {
        fail_with(error, "%s", words);
    } else {
        *path = g_strdup_printf("/proc/self/fd/%d", t.fd);
        s = source_descriptor_new(temporary_take(&t), size);
    }
    temporary_close(&t);
    return s;
}
