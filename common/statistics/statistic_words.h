/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a statistic was asked for: the words before its filter, those that all with rows take (rows_words.h) and its own. */
#ifndef WIRETRACE_STATISTICS_STATISTIC_WORDS_H
#define WIRETRACE_STATISTICS_STATISTIC_WORDS_H

#include "statistics/rows_words.h"
#include "statistics/top_n.h"

/* All zero: none has been taken. */
typedef struct statistic_words {
    rows_words asked;
    GHashTable *own;            /* private: its own words, and the texts that they stand for */
    GString *shown;             /* its own words as people read them, each after ", " */
    const rows_column *columns; /* that `asked` is about */
} statistic_words;

/* Takes words off the front of *arguments; what is left is the filter. `described`: its own words, such as "graph,
 * self|count, by:NAME, FILE". Of those with a bar between them there is one at most; NAME stands for any text, and so does
 * FILE, for what no other word is. NULL: none. `columns`: NULL: there are no rows, so the words for them are refused. False
 * if a word cannot be used. */
bool statistic_words_take(statistic_words *w, const char *described, const rows_column *columns, unsigned count,
                          const char **arguments, GError **error);
void statistic_words_clear(statistic_words *w);

/* Returns whether one of its own words was given, as it is described; and the text that it stands for, or NULL. */
bool statistic_words_has(const statistic_words *w, const char *word);
const char *statistic_words_text(const statistic_words *w, const char *word);
/* Which rows are wanted of a statistic that cannot keep all. */
top_n_by statistic_words_largest(const statistic_words *w, unsigned usual);

#endif
