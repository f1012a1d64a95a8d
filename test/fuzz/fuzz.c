/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

const char *fuzz_file(const void *data, size_t length)
{
    static char path[64];
    static int fd = -1;
    if (fd < 0) {
        fd = memfd_create("fuzz", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    FUZZ_CHECK(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, data, length, 0) == (ssize_t)length,
               "no memory file of %zu bytes", length);
    return path;
}
