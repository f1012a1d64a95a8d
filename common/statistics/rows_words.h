/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words before the filter that all statistics with rows take (docs/statistics.md, "Words before the filter"). Knows
 * nothing of what is counted. */
#ifndef WIRETRACE_STATISTICS_ROWS_WORDS_H
#define WIRETRACE_STATISTICS_ROWS_WORDS_H

#include "statistics/rows.h"

typedef enum rows_form { ROWS_AS_TEXT, ROWS_AS_CSV, ROWS_AS_JSON } rows_form;
/* ROWS_READABLE: each number in its own unit, with three digits; in CSV and JSON ns. */
typedef enum rows_unit { ROWS_READABLE, ROWS_NS, ROWS_US, ROWS_TICKS } rows_unit;
extern const char *const rows_unit_words[];
/* The unit of a column if this one is asked for; ROWS_READABLE: it has none, or none is asked for. */
rows_unit rows_column_unit(const rows_column *column, rows_unit asked);

enum { ROWS_COLUMNS_MAX = 128 };
/* Rows that people see of a table if they do not ask for more. */
#define ROWS_ON_PAGE 25u

/* All zero: none of the words was there. */
typedef struct rows_words {
    rows_form form;
    rows_unit unit;
    unsigned top;       /* how many rows are printed; 0: as many as fit */
    bool all;           /* also those that do not fit on a terminal */
    bool full;          /* names are not shortened */
    rows_order order;   /* as in rows_sorting */
    unsigned sorted_by; /* a column */
    unsigned least;     /* in tenths of a percent, for rows_drop_below() */
    unsigned column_count;
    unsigned char columns[ROWS_COLUMNS_MAX]; /* that are printed, in this order; none: the usual ones */
    bool more_columns;                       /* the next word may be a column */
    bool decimal;                            /* addresses are decimal numbers, for engines */
} rows_words;

/* Takes one of these words; *taken: it is one. False if it is one that cannot be used. */
bool rows_words_take(rows_words *w, const rows_column *columns, unsigned count, const char *word, bool *taken,
                     GError **error);
/* A word with two numbers, of which only the second begins after a comma; or a name. */
#define ROWS_WITHIN "within:"
/* Takes words separated by commas, of which some may be in quotation marks, off the front of *arguments, until one is
 * another one, which `own` does not take either; NULL: there are no others. False if one of them cannot be used. Without
 * columns (NULL) there are only those of `own`, and the others are refused. */
bool rows_words_take_all(rows_words *w, const rows_column *columns, unsigned count, const char **arguments,
                         bool (*own)(void *data, const char *word, bool *taken, GError **error), void *data, GError **error);
/* Says which words and columns there are; `columns`: NULL: none. `own`: words of the statistic, or NULL. */
char *rows_words_help(const rows_column *columns, unsigned count, const char *own);
/* Returns whether a column is needed that no table has unless it is asked for. */
bool rows_words_need(const rows_words *w, unsigned column);
/* Returns whether names are in full: people read short ones, programs full ones. */
bool rows_words_full(const rows_words *w);
/* The name of a column in words, CSV and JSON, without a unit; g_free() it. */
char *rows_column_name(const rows_column *column);

#endif
