/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "util/short_names.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "util/short_name.h"

/* What is kept, least first. After the last one, all is. */
static const unsigned kept[] = {0,
                                SHORT_NAME_PARAMETERS,
                                SHORT_NAME_OUTER,
                                SHORT_NAME_OUTER | SHORT_NAME_PARAMETERS,
                                SHORT_NAME_TEMPLATES,
                                SHORT_NAME_TEMPLATES | SHORT_NAME_PARAMETERS};

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
static void shorten(const char *const *names, char **result, size_t count, unsigned keep)
{
    g_autoptr(GHashTable) owners = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autofree bool *is_new = g_new0(bool, count + 1);
    for (size_t i = 0; i < count; i++) {
        is_new[i] = names[i] && !result[i];
        if (is_new[i])
            result[i] = short_name(names[i], keep);
        if (result[i])
            note(owners, result[i], names[i]);
    }
    for (size_t i = 0; i < count; i++)
        if (is_new[i] && g_hash_table_lookup(owners, result[i]) == several)
            g_clear_pointer(&result[i], g_free);
}

char **short_names(const char *const *names, size_t count)
{
    char **result = g_new0(char *, count + 1);
    for (size_t i = 0; i < G_N_ELEMENTS(kept); i++)
        shorten(names, result, count, kept[i]);
    for (size_t i = 0; i < count; i++)
        if (names[i] && !result[i])
            result[i] = g_strdup(names[i]);
    return result;
}
