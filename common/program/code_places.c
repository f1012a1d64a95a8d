/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program/code_places.h"

#include <string.h>

#include "containers/hash.h"
#include "program/executable.h"
#include "program/source_lines.h"
#include "program/symbols.h"

#define SEVERAL UINT64_MAX /* the address of a name that several functions have */

typedef struct code_file {
    char *path, *base;
    bool tried;
    executable *e, *debug; /* NULL: it cannot be used; there is no other file with symbols */
    GHashTable *symbols;   /* name -> index in `values` */
    GArray *values;        /* of uint64_t: addresses as linked */
    GArray *functions;     /* of code_function, by address */
    source_map *lines;     /* NULL: there are none */
} code_file;

typedef struct code_function {
    uint64_t begin, size;
    const char *name; /* as linked */
} code_function;

struct code_places {
    GArray *files; /* of code_file */
};

static void file_clear(void *data)
{
    code_file *f = data;
    source_map_free(f->lines);
    g_clear_pointer(&f->symbols, g_hash_table_destroy);
    g_clear_pointer(&f->values, g_array_unref);
    g_clear_pointer(&f->functions, g_array_unref);
    executable_close(f->debug);
    executable_close(f->e);
    g_free(f->path);
    g_free(f->base);
}

code_places *code_places_new(void)
{
    code_places *p = g_new(code_places, 1);
    p->files = g_array_new(FALSE, FALSE, sizeof(code_file));
    g_array_set_clear_func(p->files, file_clear);
    return p;
}

void code_places_free(code_places *p)
{
    g_array_free(p->files, TRUE);
    g_free(p);
}

void code_places_add(code_places *p, const char *file, const char *path)
{
    const code_file f = {.path = g_strdup(file), .base = g_path_get_basename(path)};
    g_array_append_val(p->files, f);
}

static void note_symbol(void *data, const GElf_Sym *symbol, const char *name)
{
    const code_file *f = data;
    const code_function function = {symbol->st_value, symbol->st_size, name};
    gpointer known;
    g_array_append_val(f->functions, function);
    if (!g_hash_table_lookup_extended(f->symbols, name, NULL, &known)) {
        g_hash_table_insert(f->symbols, (gpointer)(uintptr_t)name, GUINT_TO_POINTER(f->values->len));
        g_array_append_val(f->values, symbol->st_value);
        return;
    }
    uint64_t *value = &g_array_index(f->values, uint64_t, GPOINTER_TO_UINT(known));
    if (*value != symbol->st_value)
        *value = SEVERAL;
}

static int function_compare(const void *a, const void *b)
{
    const code_function *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* The function that an address is in, as linked; NULL: none is known. */
static const char *function_at(const code_file *f, uint64_t address)
{
    guint low = 0, high = f->functions ? f->functions->len : 0;
    while (low < high) {
        const guint middle = low + (high - low) / 2;
        if (g_array_index(f->functions, code_function, middle).begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const code_function *found = low ? &g_array_index(f->functions, code_function, low - 1) : NULL;
    return found && address - found->begin < found->size ? found->name : NULL;
}

static void file_open(code_file *f)
{
    f->tried = true;
    f->e = executable_open(f->path, NULL);
    if (!f->e)
        return;
    f->debug = executable_debug_file(f->e, EXECUTABLE_DEBUG_ROOT);
    f->symbols = g_hash_table_new(hash_text, g_str_equal);
    f->values = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    f->functions = g_array_new(FALSE, FALSE, sizeof(code_function));
    symbols_visit(f->e, symbols_complete(f->e) ? NULL : f->debug, note_symbol, f);
    g_array_sort(f->functions, function_compare);
    f->lines = source_map_new(f->e, f->debug);
}

/* The address as linked of a place in this file. False: it is not in it. */
static bool file_has(const code_file *f, const place_name *n, uint64_t *address)
{
    g_autofree char *name = g_strndup(n->name, n->length);
    gpointer known;
    *address = n->offset;
    if (!n->in_function)
        return strcmp(name, f->base) == 0;
    if (!f->symbols || !g_hash_table_lookup_extended(f->symbols, name, NULL, &known))
        return false;
    uint64_t value = g_array_index(f->values, uint64_t, GPOINTER_TO_UINT(known));
    *address += value;
    return value != SEVERAL;
}

/* Of several files that have a symbol, the answer of all. */
static void add_answer(code_file *f, uint64_t address, bool first, char **function, char **line)
{
    g_autofree char *at = f->lines ? source_map_text(f->lines, address - 1) : NULL;
    if (first) {
        *function = g_strdup(function_at(f, address - 1));
        *line = g_steal_pointer(&at);
    } else if (g_strcmp0(*line, at) != 0) {
        g_clear_pointer(line, g_free);
    }
}

char *code_places_line(code_places *p, const place_name *n, char **function)
{
    uint64_t address;
    unsigned found = 0;
    char *line = NULL;
    for (guint i = 0; n->offset && i < p->files->len; i++) {
        code_file *f = &g_array_index(p->files, code_file, i);
        if (!f->tried && (n->in_function || file_has(f, n, &address)))
            file_open(f);
        if (file_has(f, n, &address))
            add_answer(f, address, found++ == 0, function, &line);
    }
    return line;
}
