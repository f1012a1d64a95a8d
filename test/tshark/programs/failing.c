/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preloaded into a program: makes one of the calls fail that open or read something below a folder, like a bad disk, or a
 * system that has reached a limit.
 *   FAILING_ROOT   the folder
 *   FAILING_CALL   which of the calls fails, from 1; with 0 all succeed, and their number is written to descriptor 9
 *   FAILING_ERROR  its errno */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long calls;

static int fails(const char *path)
{
    const char *root = getenv("FAILING_ROOT"), *which = getenv("FAILING_CALL"), *error = getenv("FAILING_ERROR");
    if (!root || !which || !error || strncmp(path, root, strlen(root)) != 0)
        return 0;
    errno = atoi(error);
    return ++calls == atol(which);
}

static int open_really(const char *name, const char *path, int flags, mode_t mode)
{
    int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name);
    return fails(path) ? -1 : real(path, flags, mode);
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) \
    { \
        va_list more; \
        va_start(more, flags); \
        mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0; \
        va_end(more); \
        return open_really(#name, path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

DIR *opendir(const char *path)
{
    DIR *(*real)(const char *) = (DIR * (*)(const char *)) dlsym(RTLD_NEXT, "opendir");
    return fails(path) ? NULL : real(path);
}

ssize_t pread64(int fd, void *buffer, size_t length, off64_t offset)
{
    char link[40], path[4096];
    ssize_t (*real)(int, void *, size_t, off64_t) = (ssize_t(*)(int, void *, size_t, off64_t))dlsym(RTLD_NEXT, "pread64");
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    return fails(path) ? -1 : real(fd, buffer, length, offset);
}

static void __attribute__((destructor)) count(void)
{
    const char *which = getenv("FAILING_CALL");
    if (which && strcmp(which, "0") == 0)
        dprintf(9, "%ld\n", calls);
}
