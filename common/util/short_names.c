/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "util/short_names.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "util/short_name.h"

/* What is kept, least first, and how many bytes such a name may have. What is longer does not help a reader to tell two of them apart. */
enum { ANY = 0, READABLE = 72 };
static const struct {
    unsigned kept;
    size_t most;
} ways[] = {{0, ANY},
            {SHORT_NAME_PARAMETERS, READABLE},
            {SHORT_NAME_OUTER, READABLE},
            {SHORT_NAME_OUTER | SHORT_NAME_PARAMETERS, READABLE},
            {SHORT_NAME_TEMPLATES, READABLE},
            {SHORT_NAME_TEMPLATES | SHORT_NAME_PARAMETERS, READABLE}};

/* A name that several functions would have. */
static const char several[] = "";

/* Who would have a short name: a full name, or `several`. */
static void note(GHashTable *owners, const char *shortened, const char *full)
{
    const char *owner = g_hash_table_lookup(owners, shortened);
    if (!owner)
        g_hash_table_insert(owners, g_strdup(shortened), (gpointer)(uintptr_t)full);
    else if (owner != several && strcmp(owner, full) != 0)
        g_hash_table_insert(owners, g_strdup(shortened), (gpointer)(uintptr_t)several);
}

/* Gives a short name to those that still have none, if no other function would have the same. */
static void shorten(const char *const *names, char **result, size_t count, unsigned kept, size_t most)
{
    g_autoptr(GHashTable) owners = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autofree bool *is_new = g_new0(bool, count + 1);
    for (size_t i = 0; i < count; i++) {
        is_new[i] = names[i] && !result[i];
        if (is_new[i])
            result[i] = short_name(names[i], kept);
        if (result[i])
            note(owners, result[i], names[i]);
    }
    for (size_t i = 0; i < count; i++)
        if (is_new[i] && ((most && strlen(result[i]) > most) || g_hash_table_lookup(owners, result[i]) == several))
            g_clear_pointer(&result[i], g_free);
}

/* Numbers the rest: `f<…> (2)`. */
static void number(const char *const *names, char **result, size_t count)
{
    g_autoptr(GHashTable) numbered = g_hash_table_new(g_str_hash, g_str_equal), /* full name -> its short one */
        taken = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);   /* short name -> numbers given */
    for (size_t i = 0; i < count; i++) {
        const char *known = names[i] && !result[i] ? g_hash_table_lookup(numbered, names[i]) : NULL;
        if (!names[i] || result[i])
            continue;
        if (!known) {
            char *plain = short_name(names[i], 0);
            const unsigned n = GPOINTER_TO_UINT(g_hash_table_lookup(taken, plain)) + 1;
            result[i] = g_strdup_printf("%s (%u)", plain, n);
            g_hash_table_insert(taken, plain, GUINT_TO_POINTER(n));
            g_hash_table_insert(numbered, (gpointer)(uintptr_t)names[i], result[i]);
        } else {
            result[i] = g_strdup(known);
        }
    }
}

char **short_names(const char *const *names, size_t count)
{
    char **result = g_new0(char *, count + 1);
    for (size_t i = 0; i < G_N_ELEMENTS(ways); i++)
        shorten(names, result, count, ways[i].kept, ways[i].most);
    number(names, result, count);
    return result;
}
