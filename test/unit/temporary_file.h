/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that tests write for what reads them by their path. */
#ifndef TEST_TEMPORARY_FILE_H
#define TEST_TEMPORARY_FILE_H

#include <glib.h>
#include <glib/gstdio.h>

/* The path of a new file with these bytes; a length of -1: a text. Pass it to temporary_drop(). */
static inline char *temporary_file(const void *bytes, gssize length)
{
    char *path = NULL;
    const int descriptor = g_file_open_tmp("wiretrace-test-XXXXXX", &path, NULL);
    g_assert_cmpint(descriptor, >=, 0);
    g_close(descriptor, NULL);
    g_assert_true(g_file_set_contents(path, bytes, length, NULL));
    return path;
}

/* Removes the file and frees its path. */
static inline void temporary_drop(char *path)
{
    g_unlink(path);
    g_free(path);
}

#endif
