/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "util/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib.h>
#include <glib/gstdio.h>

static GPtrArray *unfinished; /* of output_file */

static void remove_unfinished(void)
{
    for (guint i = 0; i < unfinished->len; i++)
        g_unlink(((const output_file *)g_ptr_array_index(unfinished, i))->beside);
}

static void output_file_note(output_file *f)
{
    if (!unfinished) {
        unfinished = g_ptr_array_new();
        atexit(remove_unfinished);
    }
    g_ptr_array_add(unfinished, f);
}

/* Returns whether a file may be put there. False with errno. *mode: of the file that is there; unchanged if there is none.
 */
static bool is_free(const char *path, bool replace, mode_t *mode)
{
    struct stat there;
    if (lstat(path, &there) != 0)
        return errno == ENOENT;
    if (S_ISREG(there.st_mode)) {
        if (replace && access(path, W_OK) != 0)
            return false;
        *mode = there.st_mode & 0777;
    }
    errno = S_ISDIR(there.st_mode) ? EISDIR : EEXIST;
    return replace && (S_ISREG(there.st_mode) || S_ISLNK(there.st_mode));
}

static void output_file_free_file(output_file *f)
{
    g_ptr_array_remove_fast(unfinished, f);
    g_free(f->beside);
    g_free(f->path);
    g_free(f);
}

output_file *output_file_open(const char *path, bool replace)
{
    mode_t mode = 0;
    if (!is_free(path, replace, &mode))
        return NULL;
    g_autofree char *folder = g_path_get_dirname(path), *beside = g_build_filename(folder, ".wiretrace-XXXXXX", NULL);
    int fd = g_mkstemp_full(beside, O_WRONLY | O_CLOEXEC, 0666);
    if (fd < 0)
        return NULL;
    if (mode)
        fchmod(fd, mode);
    output_file *f = g_new(output_file, 1);
    *f = (output_file){fdopen(fd, "wb"), g_strdup(path), g_steal_pointer(&beside), replace};
    output_file_note(f);
    return f;
}

void output_file_cancel(output_file *f)
{
    if (f->stream)
        fclose(f->stream);
    g_unlink(f->beside);
    output_file_free_file(f);
}

/* Why a stream cannot be written to, which it does not remember: what has failed is tried once more. */
static int error_of(FILE *stream)
{
    clearerr(stream);
    return fputc(0, stream) == EOF || fflush(stream) != 0 ? errno : EIO;
}

/* 0 or an errno. */
static int close_stream(output_file *f)
{
    const int failed = ferror(f->stream) ? error_of(f->stream) : 0,
              error = fclose(f->stream) != 0 && !failed ? errno : failed;
    f->stream = NULL;
    return error;
}

static int output_file_place(const output_file *f)
{
    mode_t unused;
    return is_free(f->path, f->replace, &unused) && g_rename(f->beside, f->path) == 0 ? 0 : errno;
}

bool output_files_finish(output_file *const *files, size_t count)
{
    int error = 0;
    mode_t unused;
    for (size_t i = 0; i < count; i++) {
        int own = close_stream(files[i]);
        if (!own && !is_free(files[i]->path, files[i]->replace, &unused))
            own = errno;
        error = error ? error : own;
    }
    for (size_t i = 0; i < count && !error; i++)
        error = output_file_place(files[i]);
    for (size_t i = 0; i < count; i++)
        output_file_cancel(files[i]); /* what has been renamed is no longer beside */
    errno = error;
    return !error;
}
