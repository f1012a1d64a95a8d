/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/statistics/comparison.h"

#include <string.h>

#include "containers/hash.h"
#include "util/place_name.h"

static const rows_column columns[CACHERAY_COMPARISON_COLUMNS] = {
    COMPARISON_NAME_COLUMNS("Type", "Member"),
    COMPARISON_MEASURE_COLUMNS("Slow", ROWS_NUMBER),
    COMPARISON_MEASURE_COLUMNS("Accesses", ROWS_NUMBER),
    COMPARISON_MEASURE_COLUMNS("Reads", ROWS_NUMBER),
    COMPARISON_MEASURE_COLUMNS("Writes", ROWS_NUMBER),
    COMPARISON_MEASURE_COLUMNS("Misses", ROWS_NUMBER),
    COMPARISON_MEASURE_COLUMNS("Contended", ROWS_NUMBER),
};

static const comparison_measure measures[CACHERAY_COMPARISON_MEASURES] = {
    [CACHERAY_COMPARISON_SLOW] = {.column = CACHERAY_TYPES_SLOW, .counts = true},
    [CACHERAY_COMPARISON_ACCESSES] = {.column = CACHERAY_TYPES_READS, .plus = CACHERAY_TYPES_WRITES, .counts = true},
    [CACHERAY_COMPARISON_READS] = {.column = CACHERAY_TYPES_READS, .counts = true},
    [CACHERAY_COMPARISON_WRITES] = {.column = CACHERAY_TYPES_WRITES, .counts = true},
    [CACHERAY_COMPARISON_MISSES] = {.column = CACHERAY_TYPES_MISSES, .counts = true},
    [CACHERAY_COMPARISON_CONTENDED] = {.column = CACHERAY_TYPES_CONTENDED, .counts = true},
};

static void *comparison_begin(const statistic_words *words, const void *how)
{
    cacheray_comparison *c = g_new(cacheray_comparison, 1);
    c->before = cacheray_types_compared.begin(words, how);
    c->after = cacheray_types_compared.begin(words, how);
    return c;
}

static bool comparison_count(void *data, const counted_record *r)
{
    return cacheray_types_compared.count(((const cacheray_comparison *)data)->after, r);
}

/* --- allocations ------------------------------------------------------------------------------------------------------- */

/* A name without the lines in it, `new in f() (a.cpp:9) < main (a.cpp:20)`, g_malloc'ed; NULL: it is not that of a place
 * with lines. */
static char *without_lines(const char *name)
{
    place_name p;
    GString *plain = g_string_new(NULL);
    const char *at = name;
    for (bool more = place_name_read(name, &p); more; more = place_name_caller(&p, &p)) {
        const char *colon = p.offset ? NULL : g_strrstr_len(p.rest, (gssize)p.rest_length, ":");
        if (!colon)
            continue;
        g_string_append_len(plain, at, colon - at);
        at = colon + 1 + strspn(colon + 1, "0123456789");
    }
    g_string_append(plain, at);
    return g_string_free(plain, at == name);
}

/* Names that differ in nothing but lines: by the first one that does. */
static int compare_lines(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    size_t same = 0;
    while (x[same] && x[same] == y[same])
        same++;
    const size_t digits = strspn(x + same, "0123456789"), others = strspn(y + same, "0123456789");
    return digits != others ? (digits > others) - (digits < others) : strcmp(x + same, y + same);
}

/* Name without lines -> GPtrArray of the names that have it, each once, in order of their lines. */
static GHashTable *places_of(const rows *r)
{
    GHashTable *all = g_hash_table_new_full(hash_text, g_str_equal, g_free, (GDestroyNotify)g_ptr_array_unref);
    g_autoptr(GHashTable) seen = g_hash_table_new(hash_text, g_str_equal);
    for (unsigned row = 0; row < rows_length(r); row++) {
        const rows_cell *type = &rows_at(r, row)[CACHERAY_TYPES_TYPE];
        char *plain = type->state == ROWS_IS_TEXT && g_hash_table_add(seen, (gpointer)(uintptr_t)type->text)
                          ? without_lines(type->text)
                          : NULL;
        GPtrArray *names = plain ? g_hash_table_lookup(all, plain) : NULL;
        if (plain && !names)
            g_hash_table_insert(all, g_strdup(plain), names = g_ptr_array_new());
        if (names)
            g_ptr_array_add(names, (gpointer)(uintptr_t)type->text);
        g_free(plain);
    }
    GHashTableIter each;
    gpointer names;
    g_hash_table_iter_init(&each, all);
    while (g_hash_table_iter_next(&each, NULL, &names))
        g_ptr_array_sort(names, compare_lines);
    return all;
}

/* A line that is inserted above an allocation must not make it another one. So if functions and files have as many
 * allocations before as after, these are the same in order of their lines, and have the names of the later trace. */
static void take_later_lines(rows *before, const rows *after)
{
    g_autoptr(GHashTable) old = places_of(before), new = places_of(after), later = g_hash_table_new(hash_text, g_str_equal);
    GHashTableIter each;
    gpointer plain, names;
    g_hash_table_iter_init(&each, old);
    while (g_hash_table_iter_next(&each, &plain, &names)) {
        const GPtrArray *from = names, *to = g_hash_table_lookup(new, plain);
        for (guint i = 0; to && to->len == from->len && i < from->len; i++)
            g_hash_table_insert(later, from->pdata[i], to->pdata[i]);
    }
    for (unsigned row = 0; row < rows_length(before); row++) {
        rows_cell *type = &rows_at(before, row)[CACHERAY_TYPES_TYPE];
        const char *name = type->state == ROWS_IS_TEXT ? g_hash_table_lookup(later, type->text) : NULL;
        if (name)
            *type = rows_text(before, name);
    }
}

static rows *rows_of(void *types, const void *how)
{
    rows *r = rows_new(cacheray_types_compared.columns, cacheray_types_compared.column_count);
    cacheray_types_compared.fill(types, how, r);
    return r;
}

static void cacheray_comparison_fill(void *data, const void *how, rows *to)
{
    static const uint8_t names[COMPARISON_SEEN] = {CACHERAY_TYPES_TYPE, CACHERAY_TYPES_MEMBER};
    const cacheray_comparison *c = data;
    rows *before = rows_of(c->before, how), *after = rows_of(c->after, how);
    take_later_lines(before, after);
    comparison_fill(before, after, names, measures, to);
}

static void comparison_free(void *data)
{
    const cacheray_comparison *c = data;
    cacheray_types_compared.free(c->before);
    cacheray_types_compared.free(c->after);
    g_free(data);
}

const counted cacheray_comparison_counted = {.columns = columns,
                                             .column_count = CACHERAY_COMPARISON_COLUMNS,
                                             .words = "binary:FILE, load_bias:HEX, " COMPARISON_BASELINE,
                                             .begin = comparison_begin,
                                             .count = comparison_count,
                                             .fill = cacheray_comparison_fill,
                                             .free = comparison_free};
