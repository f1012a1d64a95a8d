/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "util/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <unistd.h>

static bool regular_file_is_same(const struct stat *a, const struct stat *b)
{
    return S_ISREG(b->st_mode) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

int regular_file_open(const char *path, bool follow, struct stat *st)
{
    struct stat looked;
    if (fstatat(AT_FDCWD, path, &looked, follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0)
        return -1;
    if (!S_ISREG(looked.st_mode)) {
        errno = EINVAL; /* also of a link that is not followed */
        return -1;
    }
    /* if the file was replaced meanwhile, the new one must not block us or become our controlling terminal */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (follow ? 0 : O_NOFOLLOW));
    if (fd < 0)
        return -1;
    int problem = fstat(fd, st) != 0 ? errno : regular_file_is_same(&looked, st) ? 0 : EINVAL;
    if (!problem)
        return fd;
    close(fd);
    errno = problem;
    return -1;
}

const char *regular_file_problem(int error)
{
    return error == EINVAL ? "it is not a regular file" : g_strerror(error);
}

int64_t regular_file_read(int fd, uint64_t at, void *buffer, size_t length)
{
    size_t done = 0;
    while (done < length) {
        ssize_t n = pread(fd, (uint8_t *)buffer + done, length - done, (off_t)(at + done));
        if (n == 0)
            break;
        if (n > 0)
            done += (size_t)n;
        else if (errno != EINTR)
            return -1;
    }
    return (int64_t)done;
}

int64_t regular_file_head(const char *path, void *buffer, size_t length)
{
    struct stat st;
    int fd = regular_file_open(path, true, &st);
    if (fd < 0)
        return -1;
    int64_t n = regular_file_read(fd, 0, buffer, length);
    int problem = errno;
    close(fd);
    errno = problem;
    return n;
}

char *regular_file_text(const char *path, bool follow, size_t most, size_t *length)
{
    struct stat st;
    int fd = regular_file_open(path, follow, &st);
    if (fd < 0)
        return NULL;
    g_autofree char *text = (uint64_t)st.st_size <= most ? g_malloc((size_t)st.st_size + 1) : NULL;
    int64_t n = text ? regular_file_read(fd, 0, text, (size_t)st.st_size) : -1;
    int problem = text ? errno : EFBIG;
    close(fd);
    errno = problem;
    if (n < 0)
        return NULL;
    *length = (size_t)n;
    text[n] = 0;
    return g_steal_pointer(&text);
}
