/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics/statistic_words.h"

#include <string.h>

#include "util/fail.h"
#include "util/text.h"

bool statistic_words_has(const statistic_words *w, const char *word)
{
    return w->own && g_hash_table_contains(w->own, word);
}

const char *statistic_words_text(const statistic_words *w, const char *word)
{
    return w->own ? g_hash_table_lookup(w->own, word) : NULL;
}

top_n_by statistic_words_largest(const statistic_words *w, unsigned usual)
{
    return largest_asked(&w->asked, w->columns, usual);
}

/* Returns whether a word is one that is described. *text: what it stands for. */
static bool is_described(const char *described, const char *word, const char **text)
{
    const size_t n = strcspn(described, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (strncmp(described, word, n) != 0)
        return false;
    *text = word + n;
    return (described[n] != '\0') == (**text != '\0');
}

/* Takes one of the words of which there is one at most. False if there is another one already. */
static bool take_one_of(statistic_words *w, const char *choice, const char *word, bool *taken, GError **error)
{
    g_auto(GStrv) all = g_strsplit(choice, "|", -1);
    const char *text;
    char **found = all;
    while (*found && !is_described(*found, word, &text))
        found++;
    *taken = *found && !(g_ascii_isupper(**found) && statistic_words_has(w, *found));
    if (!*taken)
        return true;
    for (char **other = all; *other; other++)
        if (other != found && statistic_words_has(w, *other))
            return fail_with(error, "%s and %s exclude each other", *other, *found);
    if (*text && statistic_words_has(w, *found))
        return fail_with(error, "%s is there twice", *found);
    if (!g_hash_table_insert(w->own, g_strdup(*found), g_strdup(text)))
        return true; /* it says nothing new */
    g_autofree char *shown = text_show(word, -1);
    g_string_append_printf(w->shown, ", %s", shown);
    return true;
}

typedef struct taking {
    statistic_words *words;
    char **choices;
} taking;

static bool take_own(void *data, const char *word, bool *taken, GError **error)
{
    const taking *t = data;
    for (char **choice = t->choices; *choice && !*taken; choice++)
        if (!take_one_of(t->words, *choice, word, taken, error))
            return false;
    return true;
}

bool statistic_words_take(statistic_words *w, const char *described, const rows_column *columns, unsigned count,
                          const char **arguments, GError **error)
{
    g_auto(GStrv) choices = g_strsplit(described ? described : "", ", ", -1);
    if (!w->own) {
        w->own = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
        w->shown = g_string_new(NULL);
    }
    w->columns = columns;
    return rows_words_take_all(&w->asked, columns, count, arguments, take_own, &(taking){w, choices}, error);
}

void statistic_words_clear(statistic_words *w)
{
    if (w->own) {
        g_hash_table_destroy(w->own);
        g_string_free(w->shown, TRUE);
    }
    *w = (statistic_words){0};
}
