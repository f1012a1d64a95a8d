/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/live_trace.h"

#include <glib/gstdio.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/regular_file.h"

/* Notes are kept for so many seconds. */
#define KEPT_FOR (7 * 24 * 3600)

static char *notes(void)
{
    return g_build_filename(g_get_user_runtime_dir(), "wiretrace-live", NULL);
}

static char *note_of(uint64_t identity)
{
    g_autofree char *folder = notes();
    char name[24];
    g_snprintf(name, sizeof name, "%016" G_GINT64_MODIFIER "x", identity);
    return g_build_filename(folder, name, NULL);
}

/* Returns whether nobody else can have written into a folder. */
static bool is_own(const char *folder)
{
    struct stat st;
    return lstat(folder, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

static void forget_old(const char *folder)
{
    GDir *dir = g_dir_open(folder, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir));) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        struct stat st;
        if (lstat(path, &st) == 0 && time(NULL) - st.st_mtime > KEPT_FOR)
            g_unlink(path);
    }
    if (dir)
        g_dir_close(dir);
}

void live_trace_note(uint64_t identity, const char *path)
{
    g_autofree char *folder = notes(), *note = note_of(identity), *whole = g_canonicalize_filename(path, NULL);
    g_mkdir_with_parents(folder, 0700);
    if (!is_own(folder)) /* then there are no names */
        return;
    forget_old(folder);
    g_file_set_contents(note, whole, -1, NULL);
}

const char *live_trace_name(uint64_t identity)
{
    static char *found;
    g_autofree char *folder = notes(), *note = note_of(identity);
    size_t length;
    g_free(found);
    found = is_own(folder) ? regular_file_text(note, false, PATH_MAX, &length) : NULL;
    return found;
}
