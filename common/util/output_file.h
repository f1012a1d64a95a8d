/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that a run writes: each beside the place where it belongs, under a name of its own, and put there only when all of
 * it has been written. Until then, and if the run fails, what was there stays as it is. What a program that ends early has
 * not finished is removed by exit(). */
#ifndef WIRETRACE_UTIL_OUTPUT_FILE_H
#define WIRETRACE_UTIL_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct output_file {
    FILE *stream; /* to be written to; errors are found at the end */
    char *path;   /* where it belongs */
    char *beside; /* where it is; private, like the rest */
    bool replace;
} output_file;

/* `replace`: if there is a file, it may be replaced. A symbolic link itself is replaced, what it points to stays as it is; a
 * file that may not be written to, and anything that is not a file, is not replaced. NULL with errno. */
output_file *output_file_open(const char *path, bool replace);
/* Puts `count` files where they belong, if all of them have been written without an error, and frees them. False with errno
 * if none of them was; only if the system fails to rename one of them may those before it be there. */
bool output_files_finish(output_file *const *files, size_t count);
/* Removes it. */
void output_file_cancel(output_file *f);

#endif
