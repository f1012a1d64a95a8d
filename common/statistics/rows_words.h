/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words before the filter that all statistics with rows take (docs/statistics.md, "Words before the filter"), and the forms in
 * which programs print rows. Knows nothing of what is counted. */
#ifndef WIRETRACE_ROWS_WORDS_H
#define WIRETRACE_ROWS_WORDS_H

#include "statistics/rows.h"

typedef enum rows_form { ROWS_AS_TEXT, ROWS_AS_CSV, ROWS_AS_JSON } rows_form;
typedef enum rows_unit { ROWS_NS, ROWS_US, ROWS_TICKS } rows_unit;

/* All zero: none of the words was there. */
typedef struct rows_words {
    rows_form form;
    rows_unit unit;
    unsigned top;       /* how many rows are printed; 0: all */
    rows_order order;   /* as in rows_sorting */
    unsigned sorted_by; /* a column */
    unsigned least;     /* in tenths of a percent, for rows_drop_below() */
} rows_words;

/* Takes one of these words. False if it is another one; *error, to be freed with g_free(), if it is one but cannot be used. */
bool rows_words_take(rows_words *w, const rows_column *columns, unsigned count, const char *word, char **error);
/* Says which words and columns there are. `own`: words of the statistic, or NULL. */
char *rows_words_help(const rows_column *columns, unsigned count, const char *own);

/* Writes out a text, and empties it. Called between rows, as there may be millions. */
typedef void (*rows_writer)(GString *text);
/* What is printed above the rows in the text form. */
typedef struct rows_heading {
    const char *title, *table, *filter; /* filter: NULL: none */
} rows_heading;
/* For reports, which have no words: lines of cells with a blank between them, as wide as their columns. First the titles, then a row. */
void rows_append_titles(GString *text, const rows *r);
void rows_append_line(GString *text, const rows *r, unsigned row);
void rows_print(const rows *r, const rows_words *w, const rows_heading *heading, rows_writer write);

#endif
