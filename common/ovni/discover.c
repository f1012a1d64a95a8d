/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/discover.h"

#include <dirent.h>
#include <errno.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#include "ovni/clocks.h"
#include "containers/hash.h"
#include "util/text.h"

/* Matches "PREFIX.DIGITS" with one of the suffixes after it; `prefix` includes the dot. Returns the index of the suffix,
 * or -1. */
static int numbered(const char *name, const char *prefix, const char *const *suffixes, ovni_file_name *f)
{
    size_t n = strlen(prefix);
    if (strncmp(name, prefix, n) || !g_ascii_isdigit(name[n]))
        return -1;
    size_t digits = strspn(name + n, "0123456789");
    gint64 number = digits <= 10 ? g_ascii_strtoll(name + n, NULL, 10) : G_MAXINT64;
    f->tid_known = number <= G_MAXINT32;
    f->tid = f->tid_known ? (int32_t)number : 0;
    for (int i = 0; suffixes[i]; i++)
        if (strcmp(name + n + digits, suffixes[i]) == 0)
            return i;
    return -1;
}

ovni_file_name ovni_file_name_read(const char *basename)
{
    static const char *const suffixes[] = {"", ".obs", ".ovnistream", ".json", NULL};
    static const ovni_file_name by_suffix[] = {
        {OVNI_FILE_EVENTS, OVNI_ERA_PLAIN, false, 0},
        {OVNI_FILE_EVENTS, OVNI_ERA_V1, false, 0},
        {OVNI_FILE_EVENTS, OVNI_ERA_V1, false, 0},
        {OVNI_FILE_STREAM_METADATA, OVNI_ERA_V2, false, 0},
    };
    if (strcmp(basename, "stream.obs") == 0)
        return (ovni_file_name){OVNI_FILE_EVENTS, OVNI_ERA_V3, false, 0};
    if (strcmp(basename, "stream.json") == 0)
        return (ovni_file_name){OVNI_FILE_STREAM_METADATA, OVNI_ERA_V3, false, 0};
    if (strcmp(basename, "metadata.json") == 0)
        return (ovni_file_name){OVNI_FILE_PROCESS_METADATA, OVNI_ERA_UNKNOWN, false, 0};
    ovni_file_name f = {0};
    int i = numbered(basename, "thread.", suffixes, &f);
    if (i < 0)
        return (ovni_file_name){0};
    f.kind = by_suffix[i].kind;
    f.era = by_suffix[i].era;
    return f;
}

/* Returns whether ovni gives folders such names. Other folders may belong to anybody. */
static bool is_folder_name(const char *name)
{
    return g_str_has_prefix(name, "loom.") || g_str_has_prefix(name, "proc.") || g_str_has_prefix(name, "thread.");
}

/* The part of a path from its innermost loom on, if links are followed there (search_links()); NULL if not. */
static const char *loom_in(const char *directory)
{
    const char *loom = g_strrstr(directory, "/loom.");
    g_auto(GStrv) parts = g_strsplit(loom ? loom + 1 : "..", "/", -1);
    for (char **part = parts; *part; part++)
        if (!is_folder_name(*part))
            return NULL;
    return loom;
}

/* The folder above the looms as the path has them: they may be links to folders elsewhere. */
static char *root_as_written(const char *directory, char **below)
{
    g_autofree char *absolute = strstr(directory, "..") ? NULL : g_canonicalize_filename(directory, NULL);
    const char *loom = absolute ? loom_in(absolute) : NULL;
    g_autofree char *above = loom ? g_strndup(absolute, (gsize)MAX(loom - absolute, 1)) : NULL;
    *below = loom ? g_strdup(loom + 1) : NULL;
    return above ? realpath(above, NULL) : NULL;
}

static char *root_of(const char *directory)
{
    const char *loom = g_strrstr(directory, "/loom."); /* the innermost one */
    if (loom)
        return g_strndup(directory, (gsize)MAX(loom - directory, 1)); /* for "/loom.X" the root is "/" */
    g_autofree char *above = g_path_get_dirname(directory), *nearest = g_strdup(above);
    for (int i = 0; i < OVNI_LEVELS_ABOVE; i++) {
        g_autofree char *table = g_build_filename(above, OVNI_CLOCKS_FILE, NULL);
        if (g_file_test(table, G_FILE_TEST_IS_REGULAR))
            return g_steal_pointer(&above);
        char *next = g_path_get_dirname(above);
        g_free(above);
        above = next;
    }
    return g_steal_pointer(&nearest);
}

char *ovni_root(const char *path, char **relative)
{
    g_autofree char *given = g_path_get_dirname(path), *basename = g_path_get_basename(path), *below = NULL;
    g_autofree char *directory = realpath(given, NULL);
    char *root = directory ? root_as_written(given, &below) : NULL;
    *relative = NULL;
    if (directory && !root) {
        root = root_of(directory);
        below = g_strdup(directory + strlen(root) + (directory[strlen(root)] == '/'));
    }
    if (root)
        *relative = *below ? g_build_filename(below, basename, NULL) : g_strdup(basename);
    return root;
}

/* Takes "loom.X", "proc.N" and "thread.N" from the directories of the path, the innermost of each. */
static void read_directories(ovni_location *p, const char *relative)
{
    static const char *const none[] = {"", NULL};
    g_auto(GStrv) parts = g_strsplit(relative, "/", -1);
    for (int i = 0; parts[i] && parts[i + 1]; i++) {
        ovni_file_name number;
        if (g_str_has_prefix(parts[i], "loom.") && parts[i][5]) {
            g_free(p->loom);
            p->loom = g_strdup(parts[i] + 5);
        } else if (numbered(parts[i], "proc.", none, &number) == 0 && number.tid_known) {
            p->identity.process = number.tid;
            p->identity.known |= OVNI_KNOWN_PROCESS;
        } else if (numbered(parts[i], "thread.", none, &number) == 0 && number.tid_known) {
            p->identity.thread = number.tid;
            p->identity.known |= OVNI_KNOWN_THREAD;
        }
    }
}

static char *beside(const char *relative, const char *basename)
{
    g_autofree char *directory = g_path_get_dirname(relative);
    return strcmp(directory, ".") ? g_build_filename(directory, basename, NULL) : g_strdup(basename);
}

/* Removes the suffix of event files. */
static char *without_suffix(const char *name)
{
    static const char *const suffixes[] = {".obs", ".ovnistream", NULL};
    return text_without(name, suffixes);
}

void ovni_location_read(ovni_location *p, const char *relative)
{
    *p = (ovni_location){0};
    g_autofree char *basename = g_path_get_basename(relative);
    p->file = ovni_file_name_read(basename);
    read_directories(p, relative);
    if (p->file.tid_known) {
        p->identity.thread = p->file.tid;
        p->identity.known |= OVNI_KNOWN_THREAD;
    }
    if (p->file.kind == OVNI_FILE_STREAM_METADATA || p->file.kind == OVNI_FILE_PROCESS_METADATA) {
        p->name = g_strdup(relative);
    } else if (p->file.era == OVNI_ERA_V3) {
        p->name = g_path_get_dirname(relative);
        p->metadata = beside(relative, "stream.json");
    } else {
        p->name = without_suffix(relative);
        if (p->file.kind == OVNI_FILE_EVENTS)
            p->metadata = g_strconcat(p->name, ".json", NULL);
    }
    bool of_thread = p->file.kind == OVNI_FILE_EVENTS || p->file.kind == OVNI_FILE_STREAM_METADATA;
    if (of_thread && p->file.era != OVNI_ERA_V3)
        p->process_metadata = beside(relative, "metadata.json");
}

void ovni_location_clear(ovni_location *p)
{
    g_free(p->name);
    g_free(p->metadata);
    g_free(p->process_metadata);
    g_free(p->loom);
    *p = (ovni_location){0};
}

bool ovni_location_is_in_trace(const ovni_location *p)
{
    return p->loom && p->identity.known & OVNI_KNOWN_PROCESS;
}

typedef struct {
    ovni_files *files;
    const char *root, *opened;
    unsigned entries, most;
    bool narrowed;
    GHashTable *folders; /* "DEVICE INODE" of those that were searched: links may lead to them again, or in circles */
    GPtrArray *links;    /* paths of links that have names of folders, in the order in which they are followed */
    bool linked;         /* the first of them has been followed */
} search;

static void miss(ovni_files *f, const char *path, fault why, uint64_t value)
{
    size_t length = strlen(path);
    ovni_missing *m = g_malloc0(sizeof *m + MAX(length, 1) + 1);
    m->fault = why;
    m->value = value;
    memcpy(m->path, length ? path : ".", MAX(length, 1));
    g_ptr_array_add(f->missing, m);
}

static void search_directory(search *s, const char *relative, unsigned depth);

static bool is_of_old_layout(const char *path)
{
    g_autofree char *basename = g_path_get_basename(path);
    return ovni_file_name_read(basename).era != OVNI_ERA_V3;
}

/* Metadata files of the older layouts count only if event files are beside them: other programs use these names, too. */
static void keep_files(search *s, GPtrArray *events, GPtrArray *old_metadata)
{
    bool old = false;
    for (guint i = 0; i < events->len; i++) {
        char *path = g_ptr_array_index(events, i);
        old = old || is_of_old_layout(path);
        g_ptr_array_add(s->files->events, path);
    }
    for (guint i = 0; i < old_metadata->len; i++) {
        char *path = g_ptr_array_index(old_metadata, i);
        if (old || g_strcmp0(path, s->opened) == 0)
            g_ptr_array_add(s->files->metadata, g_strdup(path));
    }
}

/* A trace in "/" shares it with the whole system: only loom folders and that of the opened file are entered there. After a
 * link only folders that ovni names so: it may lead anywhere. */
static bool may_enter(search *s, const char *name, unsigned depth)
{
    size_t n = strlen(name);
    if (s->linked)
        return is_folder_name(name);
    if (depth > 0 || strcmp(s->root, "/") != 0 || g_str_has_prefix(name, "loom.") ||
        (s->opened && strncmp(s->opened, name, n) == 0 && s->opened[n] == '/'))
        return true;
    s->narrowed = true;
    return false;
}

static void sort_file(search *s, char *path, const ovni_file_name *f, GPtrArray *events, GPtrArray *old_metadata)
{
    if (f->kind == OVNI_FILE_EVENTS)
        g_ptr_array_add(events, g_strdup(path));
    else if (f->kind == OVNI_FILE_STREAM_METADATA && f->era == OVNI_ERA_V3)
        g_ptr_array_add(s->files->metadata, g_strdup(path));
    else if (f->kind != OVNI_FILE_FOREIGN)
        g_ptr_array_add(old_metadata, g_strdup(path));
}

static void sort_entry(search *s, char *path, const char *name, unsigned depth, GPtrArray *events, GPtrArray *old_metadata)
{
    GStatBuf st;
    g_autofree char *full = g_build_filename(s->root, path, NULL);
    int err = g_lstat(full, &st) == 0 ? 0 : errno;
    ovni_file_name f = ovni_file_name_read(name);
    bool of_stream = f.kind == OVNI_FILE_EVENTS || (f.kind != OVNI_FILE_FOREIGN && f.era == OVNI_ERA_V3);
    if (err && err != ENOENT) /* a file deleted in the meantime was not part of the trace */
        miss(s->files, path, FAULT_OVNI_UNREADABLE, (uint64_t)err);
    else if (!err && S_ISDIR(st.st_mode) && may_enter(s, name, depth))
        search_directory(s, path, depth + 1);
    else if (!err && S_ISREG(st.st_mode))
        sort_file(s, path, &f, events, old_metadata);
    else if (!err && S_ISLNK(st.st_mode) && is_folder_name(name) && g_file_test(full, G_FILE_TEST_IS_DIR))
        g_ptr_array_add(s->links, g_strdup(path));
    else if (!err && S_ISLNK(st.st_mode) && (of_stream || is_folder_name(name))) /* others may lead anywhere */
        miss(s->files, path, FAULT_OVNI_LINK, 0);
    else if (!err && !S_ISLNK(st.st_mode) && of_stream)
        miss(s->files, path, FAULT_OVNI_NO_FILE, 0);
}

/* Uses readdir(), since GDir cannot tell the end of a folder from a read error. */
static void search_entries(search *s, DIR *directory, const char *relative, unsigned depth, GPtrArray *events,
                           GPtrArray *old)
{
    const struct dirent *entry;
    while (errno = 0, (entry = readdir(directory)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (s->entries == s->most) {
            miss(s->files, relative, FAULT_OVNI_TOO_MANY, s->most);
            return;
        }
        s->entries++;
        g_autofree char *path = *relative ? g_build_filename(relative, entry->d_name, NULL) : g_strdup(entry->d_name);
        sort_entry(s, path, entry->d_name, depth, events, old);
    }
    if (errno)
        miss(s->files, relative, FAULT_OVNI_FOLDER, (uint64_t)errno);
}

/* Returns whether a folder is searched for the first time. */
static bool is_new(search *s, DIR *directory)
{
    struct stat st;
    if (fstat(dirfd(directory), &st) != 0)
        return true;
    return g_hash_table_add(s->folders, g_strdup_printf("%ju %ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino));
}

static void search_directory(search *s, const char *relative, unsigned depth)
{
    if (depth > OVNI_DEPTH_MAX) {
        miss(s->files, relative, FAULT_OVNI_TOO_DEEP, OVNI_DEPTH_MAX);
        return;
    }
    g_autofree char *full = g_build_filename(s->root, relative, NULL);
    DIR *directory = opendir(full);
    if (!directory) {
        miss(s->files, relative, FAULT_OVNI_FOLDER, (uint64_t)errno);
        return;
    }
    g_autoptr(GPtrArray) events = g_ptr_array_new(), old = g_ptr_array_new_with_free_func(g_free);
    if (is_new(s, directory))
        search_entries(s, directory, relative, depth, events, old);
    closedir(directory);
    keep_files(s, events, old);
}

static int compare_paths(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* After all folders, as ovniemu reads each once: a folder is found where it is, not where a link to it is. */
static void search_links(search *s)
{
    g_ptr_array_sort(s->links, compare_paths);
    s->linked = true;
    for (guint i = 0; i < s->links->len; i++) {
        const char *path = g_ptr_array_index(s->links, i);
        unsigned depth = 1;
        for (const char *at = path; *at; at++)
            depth += *at == '/';
        search_directory(s, path, depth);
    }
}

/* Sorts by stream name, in byte order: "thread.1" comes before "thread.1-x", whatever the suffixes. */
static int ovni_discover_compare_names(gconstpointer a, gconstpointer b, gpointer names)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    int order = strcmp(g_hash_table_lookup(names, x), g_hash_table_lookup(names, y));
    return order ? order : strcmp(x, y);
}

static void sort_events(GPtrArray *paths)
{
    g_autoptr(GHashTable) names = g_hash_table_new_full(hash_pointer, NULL, NULL, g_free);
    for (guint i = 0; i < paths->len; i++) {
        g_auto(ovni_location) place;
        ovni_location_read(&place, g_ptr_array_index(paths, i));
        g_hash_table_insert(names, g_ptr_array_index(paths, i), g_steal_pointer(&place.name));
    }
    g_ptr_array_sort_with_data(paths, ovni_discover_compare_names, names);
}

static int compare_missing(gconstpointer a, gconstpointer b)
{
    const ovni_missing *x = *(const ovni_missing *const *)a, *y = *(const ovni_missing *const *)b;
    return strcmp(x->path, y->path);
}

/* The event file that belongs to the metadata of a thread, or NULL. To be freed with g_free(). */
static char *events_of(const char *metadata)
{
    g_autofree char *basename = g_path_get_basename(metadata);
    const ovni_file_name f = ovni_file_name_read(basename);
    if (f.kind != OVNI_FILE_STREAM_METADATA)
        return NULL;
    return f.era == OVNI_ERA_V3 ? beside(metadata, "stream.obs")
                                : g_strdup_printf("%.*s.obs", (int)(strlen(metadata) - strlen(".json")), metadata);
}

/* Reports event files that are missing. libovni creates both files when the thread starts. */
/* Returns whether it, or a folder that it is in, is known. */
static bool ovni_discover_is_known(GHashTable *known, const char *path)
{
    if (g_hash_table_contains(known, path))
        return true;
    g_autofree char *folder = g_path_get_dirname(path);
    return strcmp(folder, path) != 0 && ovni_discover_is_known(known, folder);
}

static void miss_events(ovni_files *f)
{
    g_autoptr(GHashTable) known = g_hash_table_new(hash_text, g_str_equal);
    for (guint i = 0; i < f->events->len; i++)
        g_hash_table_add(known, g_ptr_array_index(f->events, i));
    for (guint i = 0; i < f->missing->len; i++)
        g_hash_table_add(known, ((ovni_missing *)g_ptr_array_index(f->missing, i))->path);
    for (guint i = 0; i < f->metadata->len; i++) {
        g_autofree char *events = events_of(g_ptr_array_index(f->metadata, i));
        if (events && !ovni_discover_is_known(known, events)) /* a folder that cannot be read has been reported */
            miss(f, events, FAULT_OVNI_NO_EVENTS, 0);
    }
}

/* Returns whether a path leads to a file that has been found, also by another name. */
static bool is_found(GPtrArray *paths, const char *root, const char *path)
{
    GStatBuf st, other;
    if (g_ptr_array_find_with_equal_func(paths, path, g_str_equal, NULL))
        return true;
    g_autofree char *full = g_build_filename(root, path, NULL);
    bool found = false;
    for (guint i = 0; g_stat(full, &st) == 0 && i < paths->len && !found; i++) {
        g_autofree char *name = g_build_filename(root, g_ptr_array_index(paths, i), NULL);
        found = g_stat(name, &other) == 0 && st.st_dev == other.st_dev && st.st_ino == other.st_ino;
    }
    return found;
}

void ovni_files_find(ovni_files *f, const char *root, const char *opened, unsigned most)
{
    g_autoptr(GHashTable) folders = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
    g_autoptr(GPtrArray) links = g_ptr_array_new_with_free_func(g_free);
    *f = (ovni_files){.metadata = g_ptr_array_new_with_free_func(g_free),
                      .events = g_ptr_array_new_with_free_func(g_free),
                      .missing = g_ptr_array_new_with_free_func(g_free)};
    search s = {.files = f, .root = root, .opened = opened, .most = most, .folders = folders, .links = links};
    search_directory(&s, "", 0);
    search_links(&s);
    if (opened && !is_found(f->metadata, root, opened))
        g_ptr_array_add(f->metadata, g_strdup(opened));
    miss_events(f);
    f->narrowed = s.narrowed;
    g_ptr_array_sort(f->metadata, compare_paths);
    g_ptr_array_sort(f->missing, compare_missing);
    sort_events(f->events);
}

void ovni_files_clear(ovni_files *f)
{
    g_ptr_array_free(f->metadata, TRUE);
    g_ptr_array_free(f->events, TRUE);
    g_ptr_array_free(f->missing, TRUE);
    *f = (ovni_files){0};
}
