/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The only way to open a file by name: regular files only. And reading from one. */
#ifndef WIRETRACE_UTIL_REGULAR_FILE_H
#define WIRETRACE_UTIL_REGULAR_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* Opens a regular file for reading and fills in *st. Anything else is recognised without opening it: opening a pipe would
 * wake its writer, and opening a device may do anything. Returns the descriptor, or -1 with errno: EINVAL if it is not a
 * regular file, otherwise as for open() and stat(). `follow`: whether the path itself may be a symbolic link; links among
 * its folders are always followed. */
int regular_file_open(const char *path, bool follow, struct stat *st);
/* The message for an errno of these functions. */
const char *regular_file_problem(int error);
/* Reads `length` bytes at `at`. Returns how many, fewer only at the end of the file; or -1 with errno. */
int64_t regular_file_read(int fd, uint64_t at, void *buffer, size_t length);
/* Reads the first bytes of a file. Returns how many, or -1 with errno. */
int64_t regular_file_head(const char *path, void *buffer, size_t length);
/* Reads a whole file and appends a NUL; free with g_free(). NULL with errno: EFBIG if it has more than `most` bytes. */
char *regular_file_text(const char *path, bool follow, size_t most, size_t *length);

#endif
