/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A temporary file for what is too large for memory: in $TMPDIR or /tmp, unlinked as soon as it is open. Error messages
 * name it and its folder, since it is neither the trace nor the file being written. */
#ifndef WIRETRACE_UTIL_TEMPORARY_FILE_H
#define WIRETRACE_UTIL_TEMPORARY_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct temporary {
    int fd;     /* open for reading and writing; -1: closed */
    char *path; /* its former path */
} temporary;

#define TEMPORARY_CLOSED \
    { \
        .fd = -1 \
    }

/* False with errno; see temporary_problem(). */
bool temporary_open(temporary *t);
/* Writes or reads exactly `length` bytes at `at`. Returns 0 or an errno. */
int temporary_write(const temporary *t, uint64_t at, const void *data, size_t length);
int temporary_read(const temporary *t, uint64_t at, void *buffer, size_t length);
/* The message for such an errno, for users; g_malloc'ed. */
char *temporary_problem(const temporary *t, int error);
/* Returns the descriptor, which the caller then owns. */
int temporary_take(temporary *t);
void temporary_close(temporary *t);

#endif
