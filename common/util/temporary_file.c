/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "util/temporary_file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "util/regular_file.h"

bool temporary_open(temporary *t)
{
    t->path = g_build_filename(g_get_tmp_dir(), "wiretrace-XXXXXX", NULL);
    t->fd = g_mkstemp_full(t->path, O_RDWR | O_CLOEXEC, 0600);
    if (t->fd < 0)
        return false;
    g_unlink(t->path);
    return true;
}

int temporary_write(const temporary *t, uint64_t at, const void *data, size_t length)
{
    const uint8_t *from = data;
    while (length) {
        ssize_t n = pwrite(t->fd, from, length, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : EIO;
        from += n;
        at += (uint64_t)n;
        length -= (size_t)n;
    }
    return 0;
}

int temporary_read(const temporary *t, uint64_t at, void *buffer, size_t length)
{
    int64_t n = regular_file_read(t->fd, at, buffer, length);
    if (n < 0)
        return errno;
    return (size_t)n == length ? 0 : EIO;
}

char *temporary_problem(const temporary *t, int error)
{
    g_autofree char *folder = g_path_get_dirname(t->path), *name = g_path_get_basename(t->path);
    return g_strdup_printf("the temporary file %s in %s cannot be %s: %s (another folder can be named by TMPDIR)", name,
                           folder, t->fd < 0 ? "made" : "used", g_strerror(error));
}

int temporary_take(temporary *t)
{
    int fd = t->fd;
    t->fd = -1;
    return fd;
}

void temporary_close(temporary *t)
{
    if (t->fd >= 0)
        close(t->fd);
    g_free(t->path);
    *t = (temporary)TEMPORARY_CLOSED;
}
