/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "taps/statistic_run.h"

#include <string.h>

#include "util/fail.h"
#include "util/text.h"

/* --- words ------------------------------------------------------------------------------------------------------------- */

bool statistic_has(const statistic_run *run, const char *word)
{
    return g_hash_table_contains(run->own, word);
}

const char *statistic_text(const statistic_run *run, const char *word)
{
    return g_hash_table_lookup(run->own, word);
}

top_n_by statistic_largest(const statistic_run *run, unsigned usual)
{
    return largest_asked(&run->asked, run->columns, usual);
}

/* Returns whether a word is one that statistic.words has. *text: what it stands for. */
static bool statistic_run_is_word(const char *described, const char *word, const char **text)
{
    const size_t n = strcspn(described, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (strncmp(described, word, n) != 0)
        return false;
    *text = word + n;
    return (described[n] != '\0') == (**text != '\0');
}

/* Takes one of the words of which there is one at most. False if there is another one already. */
static bool take_one_of(statistic_run *run, const char *choice, const char *word, bool *taken, GError **error)
{
    g_auto(GStrv) all = g_strsplit(choice, "|", -1);
    const char *text;
    char **found = all;
    while (*found && !statistic_run_is_word(*found, word, &text))
        found++;
    *taken = *found && !(g_ascii_isupper(**found) && statistic_has(run, *found));
    if (!*taken)
        return true;
    for (char **other = all; *other; other++)
        if (other != found && statistic_has(run, *other))
            return fail_with(error, "%s and %s exclude each other", *other, *found);
    if (*text && statistic_has(run, *found))
        return fail_with(error, "%s is there twice", *found);
    if (!g_hash_table_insert(run->own, g_strdup(*found), g_strdup(text)))
        return true; /* it says nothing new */
    g_autofree char *before = run->heading, *shown = text_show(word, -1);
    run->heading = g_strjoin(", ", before, shown, NULL);
    return true;
}

static bool take_own(void *data, const char *word, bool *taken, GError **error)
{
    statistic_run *run = data;
    g_auto(GStrv) choices = g_strsplit(run->of->words ? run->of->words : "", ", ", -1);
    for (char **choice = choices; *choice && !*taken; choice++)
        if (!take_one_of(run, *choice, word, taken, error))
            return false;
    return true;
}

/* --- runs -------------------------------------------------------------------------------------------------------------- */

statistic_run *statistic_run_new(statistic *s)
{
    statistic_run *run = g_new0(statistic_run, 1);
    *run = (statistic_run){.of = s, .columns = s->columns, .column_count = s->column_count, .self = run};
    run->heading = g_strdup(s->title);
    run->own = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    return run;
}

bool statistic_run_take(statistic_run *run, const char *arguments, GError **error)
{
    const statistic *s = run->of;
    const char *rest = arguments;
    if (s->columns_for)
        run->columns = s->columns_for(s, arguments, &run->column_count);
    run->wrong = !rows_words_take_all(&run->asked, run->columns, run->column_count, &rest, take_own, run, error) ||
                 (s->check && !s->check(run, error));
    run->filter = g_strdup(rest);
    return !run->wrong;
}

void statistic_run_begin(statistic_run *run)
{
    g_clear_pointer(&run->hidden, hidden_free);
    if (run->data)
        run->of->free(run->data);
    run->data = run->of->begin(run);
}

void statistic_run_free(statistic_run *run)
{
    if (!run)
        return;
    if (run->data)
        run->of->free(run->data);
    hidden_free(run->hidden);
    g_hash_table_destroy(run->own);
    g_free(run->heading);
    g_free(run->filter);
    g_free(run->title);
    g_free(run);
}

rows *statistic_run_rows(const statistic_run *run)
{
    rows *r = rows_new(run->columns, run->column_count);
    if (!run->wrong)
        run->of->fill(run, r);
    return r;
}

rows_sorting statistic_run_sorting(const statistic_run *run)
{
    return (rows_sorting){run->asked.order, run->asked.sorted_by, run->of->sorted_by, run->of->first};
}
