/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "places.h"

#include <string.h>

#include "ovni/discover.h"

typedef void add_file(void *data, const char *path, bool of_folder);

static bool is_folder(const char *path)
{
    return g_file_test(path, G_FILE_TEST_IS_DIR);
}

static void find_streams(const char *root, add_file *add, void *data)
{
    ovni_files files;
    ovni_files_find(&files, root, NULL, OVNI_ENTRIES_MAX);
    for (guint i = 0; i < files.events->len; i++) {
        g_autofree char *path = g_build_filename(root, g_ptr_array_index(files.events, i), NULL);
        add(data, path, true);
    }
    ovni_files_clear(&files);
}

/* The folder of the trace that a metadata file belongs to, or NULL: it is another file. g_free() it. */
static char *folder_of(const char *path)
{
    g_autofree char *base = g_path_get_basename(path), *relative = NULL;
    const ovni_file_kind kind = ovni_file_name_read(base).kind;
    return kind == OVNI_FILE_STREAM_METADATA || kind == OVNI_FILE_PROCESS_METADATA ? ovni_root(path, &relative) : NULL;
}

/* Children of a program add the number of their process to the name. */
static void find_recorded(const char *begin, add_file *add, void *data)
{
    g_autofree char *folder = g_path_get_dirname(begin), *name = g_path_get_basename(begin);
    GDir *dir = g_dir_open(folder, 0, NULL);
    for (const char *entry; dir && (entry = g_dir_read_name(dir));) {
        g_autofree char *path = g_build_filename(folder, entry, NULL);
        const bool other = g_str_has_suffix(entry, PLACES_OBJECTS) || g_str_has_suffix(entry, PLACES_OUTPUT);
        const char after = g_str_has_prefix(entry, name) ? entry[strlen(name)] : 'x';
        if ((after == '\0' || after == '.') && !other && g_file_test(path, G_FILE_TEST_IS_REGULAR))
            add(data, path, false);
    }
    if (dir)
        g_dir_close(dir);
}

/* The folder of the ovni trace, or NULL. g_free() it. */
static char *ovni_folder(const places *p)
{
    const char *folder = p->recorded ? p->ovni : p->path;
    return is_folder(folder) ? g_strdup(folder) : p->recorded ? NULL : folder_of(folder);
}

void places_find(const places *p, add_file *add, void *data)
{
    g_autofree char *root = ovni_folder(p);
    if (root)
        find_streams(root, add, data);
    if (p->recorded)
        find_recorded(p->path, add, data);
    else if (!root)
        add(data, p->path, false);
}

char *places_metadata(const places *p)
{
    g_autofree char *root = ovni_folder(p);
    char *path = NULL;
    ovni_files files;
    if (!root)
        return NULL;
    ovni_files_find(&files, root, NULL, OVNI_ENTRIES_MAX);
    if (files.metadata->len)
        path = g_build_filename(root, g_ptr_array_index(files.metadata, 0), NULL);
    ovni_files_clear(&files);
    return path;
}
