/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file for what is too large for memory: in $TMPDIR or /tmp, without a name once it is open. When it fails, it and its folder
 * are named, as it is neither the trace nor the file that is written. */
#ifndef WIRETRACE_TEMPORARY_H
#define WIRETRACE_TEMPORARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct temporary {
    int fd;     /* for reading and writing; -1: not open */
    char *path; /* that it had */
} temporary;

#define TEMPORARY_CLOSED \
    { \
        .fd = -1 \
    }

/* False with errno; temporary_problem() has the words. */
bool temporary_open(temporary *t);
/* All of the bytes at this place; returns 0 or an errno value. */
int temporary_write(const temporary *t, uint64_t at, const void *data, size_t length);
int temporary_read(const temporary *t, uint64_t at, void *buffer, size_t length);
/* What an errno value of the above means for users; g_malloc'ed. */
char *temporary_problem(const temporary *t, int error);
/* The descriptor, which is the caller's from now on. */
int temporary_take(temporary *t);
void temporary_close(temporary *t);

#endif
