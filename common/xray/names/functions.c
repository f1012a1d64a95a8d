/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xray/names/functions.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "xray/names/extract.h"
#include "xray/names/instrumentation.h"
#include "program/demangle.h"
#include "program/executable.h"
#include "program/objects.h"
#include "util/short_names.h"
#include "program/source_lines.h"
#include "program/symbols.h"
#include "util/fail.h"
#include "util/regular_file.h"
#include "util/text.h"

#define LIBRARY_FUNCTION_MASK 0xffffffu

typedef struct entry {
    xray_function function; /* linkage_name without name: not demangled yet */
    char *name;             /* demangled; NULL if the symbol is used */
    char *short_name;       /* NULL: see xray_functions.shortened */
    uint8_t number;         /* bytes at its end that only distinguish it */
    char *symbol, *alias;   /* of a function merged with it, as linked and as shown; NULL if there is none */
    source_place *source;   /* NULL: not looked up yet */
} entry;

/* The program or one of its libraries. */
typedef struct binary {
    char *path;
    executable_identity identity;
    entry *entries; /* starting with id 1 */
    size_t count;
    source_lines *lines;
    bool lines_tried;
} binary;

struct xray_functions {
    bool incomplete;     /* some file could not be used */
    GPtrArray *binaries; /* of binary; NULL for one that was skipped or cannot be used */
    bool demangle;
    int shortened;       /* all have short names */
    GHashTable *by_name; /* full name -> entry with a short one; NULL if several have the name. NULL: not made yet */
    uint32_t *first;     /* by number: of the same library, when it was loaded first; NULL: each was loaded once */
    guint distinct;      /* how many libraries, including the program, ids can distinguish */
};

/* Bytes of an extracted map: some million functions. */
#define EXTRACTED_MAX (1u << 30)

/* Value of entry.source if there is none. */
static source_place no_source;

static GMutex lock; /* while names are made, since threads may ask for them */

/* --- loading ----------------------------------------------------------------------------------------------------------- */

static void G_GNUC_PRINTF(2, 3) problem(GString *problems, const char *format, ...)
{
    va_list arguments;
    if (!problems)
        return;
    va_start(arguments, format);
    g_string_append_vprintf(problems, format, arguments);
    va_end(arguments);
    g_string_append_c(problems, '\n');
}

/* Returns how many functions have a name. */
static size_t binary_name(binary *b, const executable *e, const uint64_t *addresses)
{
    g_autofree symbols_names *names = g_new(symbols_names, b->count);
    g_autoptr(executable) debug = symbols_complete(e) ? NULL : executable_debug_file(e, EXECUTABLE_DEBUG_ROOT);
    size_t found = symbols_find(e, debug, addresses, b->count, names);
    for (size_t i = 0; i < b->count; i++) {
        b->entries[i].function.address = addresses[i];
        if (names[i].name)
            b->entries[i].function.linkage_name = text_show(names[i].name, -1);
        b->entries[i].symbol = names[i].alias;
        g_free(names[i].name);
    }
    return found;
}

/* The map that llvm-xray has extracted from a program. */
static binary *binary_from_text(const char *path, const char *text, size_t length, GString *problems)
{
    unsigned line;
    size_t count, named = 0;
    extract_function *functions = extract_read(text, length, &count, &line);
    if (!functions) {
        problem(problems, "%s cannot be used for function names: line %u is not as llvm-xray extract writes it.", path,
                line);
        return NULL;
    }
    binary *b = g_new0(binary, 1);
    b->path = g_strdup(path);
    b->count = count;
    b->entries = g_new0(entry, count);
    b->lines_tried = true; /* it has none */
    for (size_t i = 0; i < count; i++) {
        b->entries[i].function.address = functions[i].address;
        b->entries[i].function.linkage_name = g_steal_pointer(&functions[i].name);
        named += b->entries[i].function.linkage_name != NULL;
    }
    extract_free(functions, count);
    if (named == 0)
        problem(problems, "%s: its functions have no names: llvm-xray extract writes them with --symbolize.", path);
    return b;
}

/* Reads a file that begins like an extracted map: *text is NULL if it does not, or is too long. False if it cannot be read.
 */
static bool extracted_text(const char *path, char **text, size_t *length, GError **error)
{
    char head[8];
    int64_t n = regular_file_head(path, head, sizeof head);
    bool is = n > 0 && extract_is(head, (size_t)n);
    *text = is ? regular_file_text(path, true, EXTRACTED_MAX, length) : NULL;
    if (n < 0 || (is && !*text && errno != EFBIG))
        return fail_with(error, "%s", regular_file_problem(errno));
    return true;
}

static binary *binary_load(const char *path, GString *problems)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = NULL;
    size_t length;
    const bool readable = extracted_text(path, &text, &length, &error);
    if (text)
        return binary_from_text(path, text, length, problems);
    size_t count = 0;
    g_autoptr(executable) e = readable ? executable_open(path, &error) : NULL;
    g_autofree uint64_t *addresses = e ? instrumentation_read(e, &count, &error) : NULL;
    if (!addresses) {
        if (e)
            executable_reread(e, &error);
        problem(problems, "%s cannot be used for function names: %s.", path, error->message);
        return NULL;
    }
    binary *b = g_new0(binary, 1);
    b->path = g_strdup(path);
    b->identity = e->identity;
    b->count = count;
    b->entries = g_new0(entry, count);
    if (binary_name(b, e, addresses) == 0)
        problem(problems,
                "%s: its functions have no names: it was stripped, and its separate debug information was not found.", path);
    return b;
}

static void binary_free(void *data)
{
    binary *b = data;
    if (!b)
        return;
    for (entry *x = b->entries; x < b->entries + b->count; x++) {
        g_free((char *)x->function.linkage_name);
        g_free(x->name);
        g_free(x->short_name);
        g_free(x->symbol);
        g_free(x->alias);
        if (x->source != &no_source)
            g_free(x->source);
    }
    source_lines_free(b->lines);
    g_free(b->entries);
    g_free(b->path);
    g_free(b);
}

/* A library that is loaded again has a number of its own, which means the first one. */
static void note_again(xray_functions *f, char *const *paths, guint number)
{
    guint first = 0;
    while (first < number && strcmp(paths[first], paths[number]) != 0)
        first++;
    if (!*paths[number] || first == number)
        return;
    if (!f->first) {
        f->first = g_new(uint32_t, g_strv_length((char **)paths));
        for (guint i = 0; paths[i]; i++)
            f->first[i] = i;
    }
    f->first[number] = first;
}

xray_functions *xray_functions_load(char *const *paths, bool demangled, GString *problems)
{
    xray_functions *f = g_new0(xray_functions, 1);
    bool any = false;
    f->demangle = demangled;
    f->distinct = G_MAXUINT;
    f->binaries = g_ptr_array_new_with_free_func(binary_free);
    for (guint i = 0; paths && paths[i]; i++) {
        note_again(f, paths, i);
        const bool again = f->first && f->first[i] != i;
        binary *b = *paths[i] && !again ? binary_load(paths[i], problems) : NULL;
        g_ptr_array_add(f->binaries, b);
        any = any || b;
        f->incomplete |= *paths[i] && !again && !b;
    }
    if (!any) {
        xray_functions_free(f);
        return NULL;
    }
    return f;
}

bool xray_functions_complete(const xray_functions *f)
{
    return f && !f->incomplete;
}

bool xray_functions_named(const xray_functions *f, uint32_t number)
{
    number = f && f->first && number < f->binaries->len ? f->first[number] : number;
    const binary *b = f && number < f->binaries->len ? g_ptr_array_index(f->binaries, number) : NULL;
    for (size_t i = 0; b && i < b->count; i++)
        if (b->entries[i].function.linkage_name)
            return true;
    return false;
}

void xray_functions_free(xray_functions *f)
{
    if (!f)
        return;
    g_ptr_array_free(f->binaries, TRUE);
    g_free(f->first);
    if (f->by_name)
        g_hash_table_destroy(f->by_name);
    g_free(f);
}

/* --- looking up -------------------------------------------------------------------------------------------------------- */

static entry *binary_entry(binary *b, uint32_t id)
{
    return b && id > 0 && id <= b->count ? &b->entries[id - 1] : NULL;
}

void xray_functions_narrow(xray_functions *f, unsigned bits, GString *problems)
{
    f->distinct = 1u << (bits - XRAY_LIBRARY_SHIFT);
    if (f->binaries->len > f->distinct)
        problem(problems,
                "This log has %u bits for the id of a function, so library %u cannot be distinguished from library 0 "
                "(the program), %u from 1 and so on: functions that several of them may contain have no names.",
                bits, f->distinct, f->distinct + 1);
}

/* How many libraries may contain the function with an id. *b and *x are those of the last one; *x is NULL if that library
 * is unknown. */
static guint candidates(const xray_functions *f, uint32_t id, binary **b, entry **x)
{
    guint found = 0;
    for (guint64 i = id >> XRAY_LIBRARY_SHIFT; i < f->binaries->len; i += f->distinct) {
        binary *candidate = g_ptr_array_index(f->binaries, i);
        entry *at = binary_entry(candidate, id & LIBRARY_FUNCTION_MASK);
        if (candidate && !at)
            continue;
        found++;
        *x = at;
        *b = candidate;
    }
    return found;
}

bool xray_functions_ambiguous(const xray_functions *f, uint32_t id)
{
    binary *b;
    entry *x;
    return candidates(f, id, &b, &x) > 1;
}

uint32_t xray_functions_same(const xray_functions *f, uint32_t id)
{
    const guint number = id >> XRAY_LIBRARY_SHIFT;
    if (!f || !f->first || number >= f->binaries->len || f->binaries->len > f->distinct)
        return id;
    return (id & LIBRARY_FUNCTION_MASK) | f->first[number] << XRAY_LIBRARY_SHIFT;
}

/* The function with an id, and its binary. If ids do not distinguish libraries, only if a single one can contain it. */
static entry *xray_functions_own_find(const xray_functions *f, uint32_t id, binary **b)
{
    id = xray_functions_same(f, id);
    *b = g_ptr_array_index(f->binaries, 0);
    entry *x = binary_entry(*b, id);
    if (x && f->binaries->len <= f->distinct)
        return x;
    return candidates(f, id, b, &x) == 1 ? x : NULL;
}

/* NULL if it stays as it is linked. */
static char *readable_name(const xray_functions *f, const char *symbol)
{
    g_autofree char *readable = f->demangle ? demangle(symbol) : NULL;
    return readable ? text_show(readable, -1) : NULL;
}

static void make_names(const xray_functions *f, entry *x)
{
    x->name = readable_name(f, x->function.linkage_name);
    const char *name = x->name ? x->name : x->function.linkage_name;
    if (x->symbol && (x->alias = readable_name(f, x->symbol)) == NULL)
        x->alias = text_show(x->symbol, -1);
    x->function.alias = g_strcmp0(x->alias, name) ? x->alias : NULL;
    g_atomic_pointer_set(&x->function.name, name);
}

/* Its names are made when somebody asks for the first of them. */
static const xray_function *xray_functions_with_names(const xray_functions *f, entry *x)
{
    if (!g_atomic_pointer_get(&x->function.name) && x->function.linkage_name) {
        g_mutex_lock(&lock);
        if (!x->function.name)
            make_names(f, x);
        g_mutex_unlock(&lock);
    }
    return &x->function;
}

const xray_function *xray_functions_find(const xray_functions *f, uint32_t id)
{
    binary *b;
    entry *x = f ? xray_functions_own_find(f, id, &b) : NULL;
    return x ? xray_functions_with_names(f, x) : NULL;
}

/* All entries of all binaries, one after the other, and their ids. */
static GPtrArray *all_entries(const xray_functions *f, GArray *ids)
{
    GPtrArray *all = g_ptr_array_new();
    for (guint i = 0; i < f->binaries->len; i++) {
        const binary *b = g_ptr_array_index(f->binaries, i);
        for (uint32_t n = 0; b && n < b->count; n++) {
            const uint32_t id = i % f->distinct << XRAY_LIBRARY_SHIFT | (n + 1);
            g_ptr_array_add(all, &b->entries[n]);
            g_array_append_val(ids, id);
        }
    }
    return all;
}

/* Gives short names to all functions, since each must differ from all others: 3 us for each. */
static void xray_functions_shorten(xray_functions *f)
{
    g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_autoptr(GPtrArray) all = all_entries(f, ids);
    g_autofree char **readable = g_new0(char *, all->len + 1); /* whole: of a name that is cut little would be left */
    for (guint i = 0; i < all->len; i++) {
        const char *symbol = ((entry *)g_ptr_array_index(all, i))->function.linkage_name;
        char *name = symbol && f->demangle ? demangle(symbol) : NULL;
        readable[i] = name ? name : g_strdup(symbol);
    }
    g_autofree uint8_t *numbers = g_new0(uint8_t, all->len + 1);
    g_autofree char **shortened = short_names((const char *const *)readable, (const uint32_t *)(const void *)ids->data,
                                              all->len, 0, numbers);
    for (guint i = 0; i < all->len; i++)
        if (shortened[i]) {
            entry *x = g_ptr_array_index(all, i);
            x->short_name = text_show(shortened[i], -1);
            x->number = strlen(shortened[i]) <= TEXT_MAX ? numbers[i] : 0; /* else it is cut */
        }
    for (guint i = 0; i < all->len; i++) {
        g_free(shortened[i]);
        g_free(readable[i]);
    }
    g_atomic_int_set(&f->shortened, true);
}

static void shorten_once(xray_functions *f)
{
    if (g_atomic_int_get(&f->shortened))
        return;
    g_mutex_lock(&lock);
    if (!f->shortened)
        xray_functions_shorten(f);
    g_mutex_unlock(&lock);
}

static shown_name short_name_of(const entry *x)
{
    return x ? (shown_name){.text = x->short_name, .remark = x->number} : (shown_name){0};
}

shown_name xray_functions_short(xray_functions *f, uint32_t id)
{
    binary *b;
    entry *x = f ? xray_functions_own_find(f, id, &b) : NULL;
    if (x)
        shorten_once(f);
    return short_name_of(x);
}

/* Only for flame graphs and comparisons, since it makes the full names of all functions. */
static void index_names(xray_functions *f)
{
    g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_autoptr(GPtrArray) all = all_entries(f, ids);
    f->by_name = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < all->len; i++) {
        entry *x = g_ptr_array_index(all, i);
        const char *name = xray_functions_with_names(f, x)->name;
        const bool several = name && g_hash_table_contains(f->by_name, name);
        if (name && x->short_name)
            g_hash_table_insert(f->by_name, (gpointer)(uintptr_t)name, several ? NULL : x);
    }
}

shown_name xray_functions_short_of(xray_functions *f, const char *name)
{
    shorten_once(f);
    if (!f->by_name)
        index_names(f);
    return short_name_of(g_hash_table_lookup(f->by_name, name));
}

static source_lines *binary_lines(binary *b)
{
    if (!b->lines_tried) {
        g_autofree uint64_t *addresses = g_new(uint64_t, b->count);
        for (size_t i = 0; i < b->count; i++)
            addresses[i] = b->entries[i].function.address;
        b->lines = source_lines_read(b->path, &b->identity, addresses, b->count);
        b->lines_tried = true;
    }
    return b->lines;
}

static void find_source(binary *b, entry *x)
{
    source_lines *l = binary_lines(b);
    source_place *found = l ? source_lines_place(l, (size_t)(x - b->entries)) : NULL;
    g_atomic_pointer_set(&x->source, found ? found : &no_source);
}

source_place xray_functions_source(xray_functions *f, uint32_t id)
{
    binary *b;
    entry *x = f ? xray_functions_own_find(f, id, &b) : NULL;
    if (!x)
        return no_source;
    if (!g_atomic_pointer_get(&x->source)) {
        g_mutex_lock(&lock);
        if (!x->source)
            find_source(b, x);
        g_mutex_unlock(&lock);
    }
    return *x->source;
}

/* --- the program of a log ---------------------------------------------------------------------------------------------- */

/* The runtime names its logs with this prefix, the name of the program, and a unique suffix; a copy may have any suffixes.
 */
#define LOG_PREFIX "xray-log."

/* What follows the prefix in the name of a log, or NULL. Free with g_free(). */
static char *after_prefix(const char *log_path)
{
    g_autofree char *file_name = g_path_get_basename(log_path), *log_name = text_unpacked(file_name);
    return g_str_has_prefix(log_name, LOG_PREFIX) ? g_strdup(log_name + strlen(LOG_PREFIX)) : NULL;
}

char *xray_functions_program(const char *log_path)
{
    g_autofree char *name = after_prefix(log_path);
    char *suffix = name ? strrchr(name, '.') : NULL;
    return suffix && suffix > name ? g_strndup(name, (gsize)(suffix - name)) : NULL;
}

static bool is_program(const char *path)
{
    g_autoptr(executable) e = executable_open(path, NULL);
    return e && instrumentation_present(e);
}

static char **files_asked(const char *text)
{
    char **files = g_strsplit(text, ";", -1);
    for (guint i = 0; files[i]; i++)
        g_strstrip(files[i]);
    return files;
}

static char **discover_listed(objects *o, bool asked, GString *problems)
{
    if (!asked)
        objects_find(o);
    for (guint i = 0; i < o->notices->len; i++)
        problem(problems, "%s", (const char *)g_ptr_array_index(o->notices, i));
    return objects_files(o);
}

static char **discover_beside(const char *log_path)
{
    g_autofree char *name = after_prefix(log_path), *folder = g_path_get_dirname(log_path);
    for (char *suffix = name ? name + strlen(name) : NULL; suffix; suffix = strrchr(name, '.')) {
        *suffix = '\0';
        g_autofree char *path = *name ? g_build_filename(folder, name, NULL) : NULL;
        if (path && is_program(path))
            return g_strdupv((char *[]){path, NULL});
    }
    return NULL;
}

char **xray_functions_discover(const char *log_path, const char *asked, GString *problems)
{
    g_autoptr(objects) listed = log_path ? objects_read(log_path) : NULL;
    g_auto(GStrv) found = listed ? discover_listed(listed, asked, problems) : NULL;
    if (asked)
        return files_asked(asked);
    return listed || !log_path ? g_steal_pointer(&found) : discover_beside(log_path);
}
