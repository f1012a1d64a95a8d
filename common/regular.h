/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one way to open a file by its name, regular files only, and to read from it. */
#ifndef WIRETRACE_REGULAR_H
#define WIRETRACE_REGULAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* Opens a regular file for reading and tells of it in *st. Anything else is looked at, but not opened: to open a pipe wakes who
 * writes to it, to open a device may do anything. Returns the descriptor, or -1 with errno: EINVAL for what is not a regular
 * file, and what open() and stat() give. `follow`: whether the name may be that of a symbolic link; links to folders on the way
 * are followed. */
int regular_open(const char *path, bool follow, struct stat *st);
/* An errno value of the above in words. */
const char *regular_problem(int error);
/* Reads the `length` bytes at `at`. Returns how many there are: fewer only where the file ends; or -1 with errno. */
int64_t regular_read(int fd, uint64_t at, void *buffer, size_t length);
/* All bytes of a file, and a zero behind them, to be freed with g_free(). NULL with errno: EFBIG for more than `most` bytes. */
char *regular_text(const char *path, bool follow, size_t most, size_t *length);

#endif
