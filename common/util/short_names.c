/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "util/short_names.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "util/short_name.h"

/* What is kept, least first, and how many bytes such a name may have. What is longer does not help a reader to
 * distinguish two of them. */
enum { ANY = 0, READABLE = 72 };
static const struct {
    unsigned kept;
    size_t most;
} ways[] = {{0, ANY},
            {SHORT_NAME_PARAMETERS, READABLE},
            {SHORT_NAME_CLONE, READABLE},
            {SHORT_NAME_PARAMETERS | SHORT_NAME_CLONE, READABLE},
            {SHORT_NAME_OUTER, READABLE},
            {SHORT_NAME_OUTER | SHORT_NAME_PARAMETERS, READABLE},
            {SHORT_NAME_TEMPLATES, READABLE},
            {SHORT_NAME_TEMPLATES | SHORT_NAME_PARAMETERS | SHORT_NAME_CLONE, READABLE}};

/* Names that get others, of which some may be equal. */
typedef struct renaming {
    const char *const *names;
    const uint32_t *ids; /* NULL: names that are equal are one thing */
    char **result;       /* NULL: none yet, or there is no name */
    size_t count;
    unsigned kept;           /* of all */
    const shown_name *whole; /* names that are cut to `widths`; NULL: they are shortened */
    const size_t *widths;
    uint8_t *numbers; /* bytes of the number at the end of a result */
} renaming;

static bool short_names_is_same(const renaming *r, size_t one, size_t other)
{
    return r->ids ? r->ids[one] == r->ids[other] : strcmp(r->names[one], r->names[other]) == 0;
}

/* Removes results that are those of several things, of those that are new. */
static void remove_equal(const renaming *r, const bool *is_new)
{
    g_autoptr(GHashTable) owners = g_hash_table_new(g_str_hash, g_str_equal); /* -> the first that has it, from 1 on, or 0 */
    g_autofree bool *equal = g_new0(bool, r->count + 1);
    for (size_t i = 0; i < r->count; i++) {
        gpointer owner;
        if (r->result[i] && !g_hash_table_lookup_extended(owners, r->result[i], NULL, &owner))
            g_hash_table_insert(owners, r->result[i], GSIZE_TO_POINTER(i + 1));
        else if (r->result[i] && owner && !short_names_is_same(r, i, GPOINTER_TO_SIZE(owner) - 1))
            g_hash_table_insert(owners, r->result[i], NULL);
    }
    for (size_t i = 0; i < r->count; i++)
        equal[i] = is_new[i] && r->result[i] && !g_hash_table_lookup(owners, r->result[i]);
    for (size_t i = 0; i < r->count; i++)
        if (equal[i])
            g_clear_pointer(&r->result[i], g_free);
}

/* Numbers the rest: `f<…> #14` by its id, or `f<…> (2)`. */
static bool number(const renaming *r, char *(*plain)(const renaming *r, size_t i))
{
    g_autoptr(GHashTable) numbers = g_hash_table_new(g_str_hash, g_str_equal), /* full name -> its number */
        counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL); /* short name -> numbers given */
    bool any = false;
    for (size_t i = 0; i < r->count; i++) {
        if (!r->names[i] || r->result[i])
            continue;
        g_autofree char *name = plain(r, i);
        unsigned n = r->ids ? r->ids[i] : GPOINTER_TO_UINT(g_hash_table_lookup(numbers, r->names[i]));
        if (!r->ids && !n) {
            n = GPOINTER_TO_UINT(g_hash_table_lookup(counts, name)) + 1;
            g_hash_table_insert(counts, g_strdup(name), GUINT_TO_POINTER(n));
            g_hash_table_insert(numbers, (gpointer)(uintptr_t)r->names[i], GUINT_TO_POINTER(n));
        }
        r->result[i] = g_strdup_printf(r->ids ? "%s #%u" : "%s (%u)", name, n);
        r->numbers[i] = (uint8_t)(strlen(r->result[i]) - strlen(name));
        any = true;
    }
    return any;
}

static char *shortest(const renaming *r, size_t i)
{
    return short_name(r->names[i], r->kept);
}

/* Gives a short name to those that still have none, if no other function would have the same. */
static void short_names_shorten(const renaming *r, unsigned kept, size_t most)
{
    g_autofree bool *is_new = g_new0(bool, r->count + 1);
    for (size_t i = 0; i < r->count; i++)
        if ((is_new[i] = r->names[i] && !r->result[i]))
            r->result[i] = short_name(r->names[i], kept | r->kept);
    remove_equal(r, is_new);
    for (size_t i = 0; i < r->count; i++)
        if (is_new[i] && most && r->result[i] && strlen(r->result[i]) > most)
            g_clear_pointer(&r->result[i], g_free);
}

char **short_names(const char *const *names, const uint32_t *ids, size_t count, unsigned kept, uint8_t *numbers)
{
    g_autofree uint8_t *own = g_new0(uint8_t, count + 1);
    const renaming r = {names, ids, g_new0(char *, count + 1), count, kept, NULL, NULL, numbers ? numbers : own};
    for (size_t i = 0; i < G_N_ELEMENTS(ways); i++)
        short_names_shorten(&r, ways[i].kept, ways[i].most);
    number(&r, shortest);
    return r.result;
}

/* --- cutting ----------------------------------------------------------------------------------------------------------- */

static char *cut(const renaming *r, size_t i, size_t less, unsigned last)
{
    GString *text = g_string_new(NULL);
    short_name_append_cut(text, &r->whole[i], r->widths[i] > less ? r->widths[i] - less : 1, last);
    return g_string_free(text, FALSE);
}

/* Narrower columns have no room for what distinguishes names. */
enum { NARROW = 8 };

/* With room for a number. */
static char *cut_for_number(const renaming *r, size_t i)
{
    size_t less = strlen(" (1)");
    for (size_t count = r->count; count >= 10; count /= 10)
        less++;
    return cut(r, i, less, 0);
}

char **short_names_cut(const shown_name *names, const size_t *widths, size_t count, bool *numbered)
{
    static const unsigned last[] = {0, SHORT_NAME_PARAMETERS | SHORT_NAME_CLONE, SHORT_NAME_TEMPLATES};
    g_autofree const char **texts = g_new0(const char *, count + 1);
    g_autofree uint8_t *numbers = g_new0(uint8_t, count + 1);
    const renaming r = {texts, NULL, g_new0(char *, count + 1), count, 0, names, widths, numbers};
    for (size_t i = 0; i < count; i++)
        texts[i] = names[i].text;
    for (size_t way = 0; way < G_N_ELEMENTS(last); way++) {
        g_autofree bool *is_new = g_new0(bool, count + 1);
        for (size_t i = 0; i < count; i++)
            if (texts[i] && !r.result[i]) {
                is_new[i] = widths[i] >= NARROW && (size_t)g_utf8_strlen(texts[i], -1) > widths[i];
                r.result[i] = cut(&r, i, 0, last[way]);
            }
        remove_equal(&r, is_new);
    }
    *numbered |= number(&r, cut_for_number);
    return r.result;
}
